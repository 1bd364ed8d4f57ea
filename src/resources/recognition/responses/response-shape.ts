// Which members of a record a response has, as a request selects them: some of its own, or other records in place of their ids.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation, SchemaNode } from "../../../openapi/index.ts";
import { meaningOf, singularOf } from "../../names/meaning.ts";
import { attributesName, foreignIdNames, foreignIdOf, referenceNames } from "../../names/member-names.ts";
import { expandNames, fieldsNames } from "../../names/operation-names.ts";
import { chooseValues, valuesOf as valuesOfChoice } from "../../record/member-values.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import { itemSchemas, valueType, withAlternatives } from "../../record/schema-nodes.ts";
import { queryOf } from "../bodies-and-parameters.ts";
import { isParent } from "../collections/parents.ts";
import { plainName } from "../lists/list-parameters.ts";
import { lastSegment } from "../paths.ts";

/** A query parameter whose values name other records that a response has. */
export interface ExpansionPlan {
  readonly parameter: string;
  /** Whether the document declares its values, of which some may have no target. */
  readonly isEnum: boolean;
  /** By the names that a request can have. */
  readonly targets: Readonly<Record<string, ExpansionTarget>>;
  /** The members that can be objects, but of no collection: a request can have them as long as a record has no id there. */
  readonly others: readonly string[];
}

/** Other records that a response can have. */
export interface ExpansionTarget {
  readonly collection: string;
  /** The member of the record that has them in the response. */
  readonly member: string;
  /** The member with their id or ids; undefined for the records below. */
  readonly id?: string | undefined;
}

/** Returns the query parameter of an operation that selects members of the records in its response; undefined if it has none. */
export function findFieldsParameter(operation: Operation, { record, path }: Resource): string | undefined {
  // `fields[people]` of JSON:API is about other records.
  const isOwn = (name: string) => [undefined, lastSegment(path)].includes(/\[([^[\]]+)\]$/.exec(name)?.[1]);
  const known = [...record.propertyNames, ...(record.member(attributesName)?.propertyNames ?? [])];
  // A value such as `all` or `minimal` selects in another way.
  const selectsMembers = (one: Operation["parameterParts"][number]) =>
    valuesOf(partsOf(one, record)).every((value) => `${value}`.split(",").every((name) => known.includes(name)));
  return queryOf(operation).find((one) => {
    const { name } = one.value;
    const isFilter = record.propertyNames.includes(name);
    const isFields = meaningOf(fieldsNames, plainName(name)) && isOwn(name) && !isFilter;
    return isFields && isOfTexts(one, record) && selectsMembers(one);
  })?.value.name;
}

/** Returns what a query parameter of a GET or list expands; undefined if it has none, or no name is understood. */
export function findExpansion(
  operation: Operation,
  resource: Resource,
  all: readonly Resource[],
): ExpansionPlan | undefined {
  const { record } = resource;
  const isExpand = (one: Operation["parameterParts"][number]) =>
    meaningOf(expandNames, plainName(one.value.name)) && isOfTexts(one, record);
  const part = queryOf(operation).find(isExpand);
  if (part === undefined || record.member(attributesName)) return undefined; // JSON:API has them in `included`
  const references = record.propertyNames.flatMap((member) => findReference(member, resource, all));
  const below = all.flatMap((other) => {
    const name = lastSegment(other.path);
    const declared = record.propertyNames.find((one) => toSnakeCase(one) === toSnakeCase(name));
    const canShow =
      declared === undefined ? !record.isClosed : shows(record, itemSchemas(record.property(declared)), other.record);
    if (!canShow || other.isSingle || !isParent(resource, other)) return [];
    return [[name, { collection: other.name, member: declared ?? name }] as const];
  });
  const targets: Readonly<Record<string, ExpansionTarget>> = Object.fromEntries([...references, ...below]);
  const declared = valuesOf(partsOf(part, record)).map(String);
  const isObject = (node: SchemaNode) => node.parts().some(({ schema }) => schema.properties !== undefined);
  const others = record.propertyNames.filter(
    (name) => !Object.hasOwn(targets, name) && withAlternatives(record.property(name)).some(isObject),
  );
  const known = [...Object.keys(targets), ...others];
  const isKnown = declared.length === 0 ? known.length > 0 : declared.some((name) => Object.hasOwn(targets, name));
  return isKnown ? { parameter: part.value.name, targets, others, isEnum: declared.length > 0 } : undefined;
}

function isOfTexts(parameter: Operation["parameterParts"][number], record: RecordSchema): boolean {
  return valueType(partsOf(parameter, record)) === "string";
}

function partsOf(parameter: Operation["parameterParts"][number], { document }: RecordSchema): readonly SchemaNode[] {
  const schema = parameter.written("schema");
  const parts = schema ? RecordSchema.of(document, schema).parts : [];
  return itemSchemas(parts) ?? parts;
}

// The values that a document declares.
function valuesOf(parts: readonly SchemaNode[]): readonly unknown[] {
  return parts.flatMap(({ schema }) => [
    ...((schema.enum as unknown[] | undefined) ?? []),
    ...(schema.default === undefined ? [] : [schema.default]),
  ]);
}

// `customer` with an id or a customer, or `customer_id` beside a member `customer`, which only an expansion has.
function findReference(
  member: string,
  resource: Resource,
  all: readonly Resource[],
): readonly (readonly [string, ExpansionTarget])[] {
  const { record } = resource;
  const words = toSnakeCase(member);
  const thing = foreignIdNames.exec(words)?.groups?.thing ?? words;
  const find = (name: string) => findShown(name, resource, all);
  const own = find(member);
  if (own !== undefined && canBeId(record, member)) return [[member, { collection: own.name, member, id: member }]];
  const named = own === undefined ? findNamedLike(member, resource, all) : undefined;
  if (named !== undefined) {
    const target = { collection: named.name, member, id: member };
    return [...new Set([member, lastSegment(named.path)])].map((name) => [name, target] as const);
  }
  const shown = record.propertyNames.find((name) => name !== member && toSnakeCase(name) === thing);
  const other = shown === undefined ? undefined : find(shown);
  if (shown === undefined || other === undefined || canBeId(record, shown)) return [];
  return [[shown, { collection: other.name, member: shown, id: member }]];
}

/**
 * Returns the collections below a record that are created by requests, by the names of the members that have their records, unless a request
 * selects them, or their records have others below them.
 */
export function findChildren(resource: Resource, all: readonly Resource[]): Readonly<Record<string, string>> {
  const { record, operations } = resource;
  const selected = [operations.get, operations.list].flatMap((one) =>
    Object.keys((one && findExpansion(one, resource, all)?.targets) ?? {}),
  );
  const created = all.filter((other) => other.plan.creation === "create");
  const hasChildren = (one: Resource) =>
    created.some((other) => isParent(one, other) && hasItems(one.record, other.record));
  const below = created.filter((other) => isParent(resource, other) && !hasChildren(other));
  const found = record.propertyNames.flatMap((member) => {
    if (selected.includes(member)) return [];
    const items = itemSchemas(record.property(member));
    const other = below.find((one) => shows(record, items, one.record));
    return other ? [[member, other.name] as const] : [];
  });
  return Object.fromEntries(found);
}

// Whether a record has those of another schema as a member.
function hasItems(record: RecordSchema, other: RecordSchema): boolean {
  return record.propertyNames.some((member) => shows(record, itemSchemas(record.property(member)), other));
}

/** Returns the collections of members of which a request has an id or ids, and a record has the whole records, by their names. */
export function findEmbedded(
  body: RecordSchema,
  resource: Resource,
  all: readonly Resource[],
): Readonly<Record<string, string>> {
  const { record } = resource;
  const found = record.propertyNames.flatMap((member) => {
    const type = idTypeOf(body.property(member));
    if (type === undefined || canBeId(record, member)) return [];
    const other = findShown(member, resource, all);
    return other && (other.collection.idType === "string") === (type === "string") ? [[member, other.name]] : [];
  });
  return Object.fromEntries(found);
}

/**
 * Returns the members of a body with ids of what a record has as objects, such as `authorId` with `author: { id }`, and `tagIds` with
 * `tags: [{ id }]`: their names in the body, by those in the record. None that a record or `others` have, nor one of which it is not certain.
 */
export function findRenamed(
  body: RecordSchema,
  resource: Resource,
  all: readonly Resource[],
  others: readonly string[],
): Readonly<Record<string, string>> {
  const { record } = resource;
  const isShown = (name: string) =>
    record.propertyNames.includes(name) && !record.property(name).some(({ schema }) => schema.writeOnly === true);
  const names = body.propertyNames.filter((name) => body.canHave(name) && !isShown(name) && !others.includes(name));
  const found = names.flatMap((name) => {
    const isUnsent = (member: string) => !body.canHave(member) && !canBeId(record, member);
    const members = record.propertyNames.filter((one) => foreignIdOf(name, one) && isUnsent(one));
    const isMade = (member: string) =>
      takesId(record, [name, member], body.property(name), findShown(member, resource, all));
    return members.length === 1 && members.every(isMade) ? members.map((member) => [member, name] as const) : [];
  });
  return Object.fromEntries(found.filter(([member]) => found.filter(([other]) => other === member).length === 1));
}

// Whether a member is made of the id that is sent with that name: the record of another collection with it, or else an object without more.
function takesId(
  record: RecordSchema,
  [name, member]: readonly [string, string],
  sent: readonly SchemaNode[],
  other: Resource | undefined,
): boolean {
  const id = foreignIdOf(name, member) as string;
  const shown = record.property(member);
  const [sentItems, items] = [sent, shown].map((one) => itemSchemas(withAlternatives(one)));
  const [first] = items ?? shown;
  const inner = first && RecordSchema.of(record.document, first);
  const isArray = items !== undefined;
  if (inner === undefined || (sentItems !== undefined) !== isArray || idTypeOf(sent) === undefined) return false;
  const typeOf = (schemas: readonly SchemaNode[]) => idTypeOf(schemas)?.replace("int64", "number");
  const isLike = (name: string) => inner.propertyNames.includes(name) && typeOf(inner.property(name)) === typeOf(sent);
  if (referenceNames.find(isLike) !== id) return false;
  if (other !== undefined) return other.idName === id;
  const said = valuesOfChoice(chooseValues(inner, inner.required, { isSaid: true }));
  const value = { ...said, [id]: Object(inner.example)[id] };
  return record.accepts(member, isArray ? [value] : value);
}

// The type of an id, or of each of an array, which can be null in another alternative; undefined for other values.
function idTypeOf(schemas: readonly SchemaNode[]): "string" | "int64" | "number" | undefined {
  const all = withAlternatives(schemas).flatMap((node) => node.parts());
  const type = valueType(itemSchemas(all) ?? all);
  return type === "boolean" ? undefined : type;
}

// The collection that is named like a member, which is an object with the id of a record, or an array of them.
function findNamedLike(member: string, resource: Resource, all: readonly Resource[]): Resource | undefined {
  const { record } = resource;
  const thing = singularOf(toSnakeCase(member));
  const schemas = record.property(member);
  const [first] = itemSchemas(schemas) ?? schemas;
  const inner = first && RecordSchema.of(record.document, first);
  return all.find(({ path, idPath: [idName = "", ...deeper], plan, ...other }) => {
    const isNamed = singularOf(toSnakeCase(lastSegment(path))) === thing && deeper.length === 0;
    if (!isNamed || !isBeside(resource, { path, plan, ...other })) return false;
    return inner?.propertyNames.includes(idName) && valueType(inner.property(idName)) !== undefined;
  });
}

// Whether records of a collection can be in a record: those of the service, or below the same record.
function isBeside({ path, plan }: Resource, other: Pick<Resource, "path" | "plan" | "isSingle">): boolean {
  return (
    !other.isSingle &&
    path.startsWith(other.path.slice(0, other.path.lastIndexOf("}") + 1)) &&
    other.plan.scope.every(({ parameter }, index) => plan.scope[index]?.parameter === parameter)
  );
}

// The collection whose records a member has.
function findShown(member: string, resource: Resource, all: readonly Resource[]): Resource | undefined {
  const { record } = resource;
  const schemas = record.property(member);
  const shown = [schemas, itemSchemas(withAlternatives(schemas))];
  return all.find((other) => isBeside(resource, other) && shown.some((one) => shows(record, one, other.record)));
}

/** Returns whether a member can be a text or number, or an array of them. */
export function canBeId(record: RecordSchema, member: string): boolean {
  return ["x", 1, ["x"], [1]].some((id) => record.accepts(member, id));
}

function shows(record: RecordSchema, schemas: readonly SchemaNode[] = [], other: RecordSchema): boolean {
  const [own, referred] = schemas;
  // Such as `{ allOf: [{ $ref: … }], readOnly: true }`.
  const isReference = own?.schema.readOnly === true && own.schema.properties === undefined;
  const first = isReference && referred && referred.parts().length === schemas.length - 1 ? referred : own;
  const inner = first && RecordSchema.of(record.document, first);
  return inner !== undefined && [inner, ...inner.alternatives].some(({ pointer }) => pointer === other.pointer);
}
