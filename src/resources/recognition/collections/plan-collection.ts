// Plans a collection: the ids of its records, their scope, and the filters of its lists.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation, SchemaNode } from "../../../openapi/index.ts";
import { type Filter, type IdForm, idForms, makeId } from "../../../store/index.ts";
import { singularOf } from "../../names/meaning.ts";
import { certainIdNames, nameIds } from "../../names/member-names.ts";
import { spokenChange, spokenCreation } from "../../names/operation-names.ts";
import type { CollectionPlan, OperationKind, ViewParameter, ViewPlan } from "../../record/collection-plan.ts";
import type { RecordSchema } from "../../record/record-schema.ts";
import { exampleIdOf, findUnreadable } from "../../record/resource.ts";
import { valueType } from "../../record/schema-nodes.ts";
import { queryOf } from "../bodies-and-parameters.ts";
import { readFilters } from "../lists/filters.ts";
import { findIndexes } from "../lists/list-order.ts";
import { makeInitial } from "../made-members.ts";
import { isRecordPath, lastSegment, normalizePath, parametersOf } from "../paths.ts";
import type { PathHint } from "../x-resource.ts";
import { findOtherId, type Id, withoutSign } from "./find-id.ts";
import { findScope, findTenants } from "./parents.ts";

/** An operation of a collection at another path. */
export interface View extends Omit<ViewPlan, "operation"> {
  readonly operation: Operation;
}

/** A collection that was found. */
export interface FoundCollection {
  readonly operations: Readonly<Partial<Record<OperationKind, Operation | undefined>>>;
  /** An operation at the path of a record: the GET, if there is one. If there is no such path, the list. */
  readonly item: Operation;
  readonly path: string;
  readonly isSingle: boolean;
  readonly record: RecordSchema;
  readonly newRecord: RecordSchema;
  readonly id: Id;
  /** Its operations at other paths. */
  readonly views: readonly View[];
  /** Its name, if the document says it. */
  readonly name: string | undefined;
}

/** Returns whether a path is that of a property of the records of a collection. */
export function hasPart(
  { item, isSingle, record }: Pick<FoundCollection, "item" | "isSingle" | "record">,
  path: string,
): boolean {
  const [place, own] = [normalizePath(path), normalizePath(item.path)];
  const canHave = isSingle || isRecordPath(item.path);
  return canHave && place.startsWith(`${own}/`) && partOf(place.slice(own.length + 1), record) !== undefined;
}

/** Returns the property of a record with the name of a segment of a path: `chargingPolicy` of `charging-policy`. Undefined if there is none. */
export function partOf(segment: string, { propertyNames }: RecordSchema): string | undefined {
  return (
    propertyNames.find((name) => name === segment) ??
    propertyNames.find((name) => toSnakeCase(name) === toSnakeCase(segment))
  );
}

/** Returns whether no operation creates the records of a collection, so that they are imported. */
export function isImported(found: Pick<FoundCollection, "isSingle" | "operations">): boolean {
  return !found.isSingle && creationOf(found) === undefined;
}

/** Returns which of the operations of a collection creates its records; undefined if they are imported. */
export function creationOf({
  isSingle,
  operations: { create, replace },
}: Pick<FoundCollection, "isSingle" | "operations">): CollectionPlan["creation"] {
  if (create !== undefined) return "create";
  return replace !== undefined && (isSingle || !isSpokenChange(replace)) ? "replace" : undefined;
}

// By its name, its summary and the first sentence of its description.
function isSpokenChange({ id, part }: Operation): boolean {
  const { summary = "", description = "" } = Object(part.value) as Readonly<Record<string, unknown>>;
  const text = `${toSnakeCase(id).replaceAll("_", " ")}; ${summary}; ${`${description}`.split(/[.!?]\s/, 1)[0]}`;
  return spokenChange.test(text) && !spokenCreation.test(text);
}

/** Returns the plan of a collection with a name. */
export function planCollection(
  { operations, views, item, path, isSingle, record, newRecord, id }: FoundCollection,
  name: string,
  { indexes: declaredIndexes = [], private: hidden = [] }: PathHint,
) {
  const parameter = isRecordPath(item.path) ? (parametersOf(item.path).at(-1) as string) : "";
  const parents = findScope(path, record, id.path);
  const canFind = (sample: string) => parameter === "" || findUnreadable(item, { [parameter]: sample }).length === 0;
  const isInPath = id.path.length === 0;
  const isAllowed = (sample: string) => (isInPath || record.acceptsAt(id.path, sample)) && canFind(sample);
  const made =
    id.type === "string" ? findIdForm(record.at(id.path), isAllowed) : { form: undefined, prefix: undefined };
  const { list, get, replace, update, delete: remove } = operations;
  const lists = new Set([list, ...views.flatMap(({ kind, operation }) => (kind === "list" ? [operation] : []))]);
  const exampleId = exampleIdOf(record, { ...id, ...made });
  const declared = [...lists].flatMap((one) => (one ? readFilters(one, record, exampleId) : []));
  const inPaths = views.flatMap(({ kind, within }) => (kind === "list" ? within.map(toFilter) : []));
  const filters = [...new Map([...declared, ...inPaths].toReversed().map((one) => [one.name, one])).values()]
    .filter(({ property }) => !hidden.includes(property))
    .toReversed();
  const ordered = {
    record,
    idPath: id.path,
    collection: { idType: id.type },
    plan: { filters, creation: creationOf({ isSingle, operations }) },
  };
  const known = [...pageParameters, ...filters.map((filter) => filter.name)];
  const idMember = findIdMember(parameter, id, record, newRecord, singularOf(toSnakeCase(lastSegment(path))));
  const idSentAt = idMember === undefined ? id.path : [idMember];
  const sentAt = id.path.length === 0 ? [] : newRecord.at(idSentAt).map(({ schema }) => schema);
  const isSent = sentAt.length > 0 && !sentAt.some(({ readOnly }) => readOnly === true);
  const isOptional = remove !== undefined || get?.part.at("responses")?.at("404") !== undefined;
  const ids = Object.entries(operations).flatMap(([kind, one]) => (one ? [[kind, one.id]] : []));
  return {
    name,
    path,
    isSingle,
    recordPath: item.path,
    parameter,
    scope: [...findTenants(item, record), ...parents],
    id: {
      path: id.path,
      type: id.type,
      ...made,
      isSent,
      isRequired: isSent && newRecord.required.includes(idSentAt.join(".")),
      ...(idMember !== undefined && { member: idMember }),
      other: findOtherId(parameter, id, record),
      isUsual:
        id.isGiven === true || (id.isConverted !== true && [parameter, "id"].includes(withoutSign(id.path.join(".")))),
    },
    recordName: nameRecord(record.name ?? singularOf(lastSegment(path))),
    record: record.pointer,
    newRecord: newRecord.pointer,
    initial: !isSingle || (replace && isOptional) || !(replace ?? update) ? undefined : makeInitial(record),
    filters,
    indexes: findIndexes(
      ordered,
      item.path,
      declaredIndexes,
      [...lists].filter((one) => one !== undefined),
    ),
    unknownParameters: (list ? queryOf(list) : []).flatMap(({ value }) =>
      known.includes(value.name) ? [] : [value.name],
    ),
    creation: ordered.plan.creation,
    operations: Object.fromEntries(ids),
    views: views.map((view) => ({ ...view, operation: view.operation.id })),
  } satisfies CollectionPlan;
}

// Returns the required member of a new record with the id, if a record has it elsewhere: `teamId` for `id` of `/teams/{teamId}`, `username` for
// `login` of `/users/{username}`, `tag_name` for `name` and `name` for `id` of `/tags/{tag}`. Undefined if there is none. A record has no
// member of that name, and an optional one can refer to another record.
function findIdMember(
  parameter: string,
  { path, type }: Id,
  record: RecordSchema,
  newRecord: RecordSchema,
  thing: string,
) {
  if (path.length === 0 || type !== "string" || newRecord.at(path).length > 0) return undefined;
  const [words, own] = [parameter, path.join(".")].map(toSnakeCase) as [string, string];
  const canBe = (name: string) =>
    !record.propertyNames.includes(name) && valueType(newRecord.property(name)) === "string";
  const find = (wanted: string) => newRecord.required.find((name) => toSnakeCase(name) === wanted && canBe(name));
  if (certainIdNames.test(words) || words === own || nameIds.includes(own)) return find(words) ?? find(`${words}_name`);
  return find(words) ?? (words === thing ? find("name") : undefined);
}

// Returns the first form of ids that a document allows, such as `AC` with 32 hexadecimal digits for the pattern ^AC[0-9a-f]{32}$.
function findIdForm(
  schemas: readonly SchemaNode[],
  isAllowed: (sample: string) => boolean,
): { readonly form?: IdForm; readonly prefix?: string } {
  const literals = schemas.flatMap(({ schema }) => /^\^?([A-Za-z]+[_-]?)/.exec(`${schema.pattern ?? ""}`)?.[1] ?? []);
  for (const prefix of ["", ...literals])
    for (const form of Object.keys(idForms) as IdForm[])
      if (isAllowed(makeId(form, prefix))) return { form, ...(prefix !== "" && { prefix }) };
  return {};
}

function toFilter({ parameter, type, path: [property = "", member] }: ViewParameter): Filter {
  return {
    name: parameter,
    property,
    ...(member !== undefined && { member }),
    type,
    contains: false,
    isLong: type === "string",
  };
}

// The parameters of a list that select a page.
const pageParameters = ["limit", "cursor"];

// Without the ending that frameworks add to the names of schemas.
function nameRecord(text: string): string {
  const name = text.replaceAll(/(?<=[a-z])(?=[A-Z])|\W+/g, "_").toLowerCase();
  return name.replace(schemaSuffix, "") || name;
}

const schemaSuffix = /_(dto|vm|view_model|response|read|out|public|resource|representation|entity)$/;
