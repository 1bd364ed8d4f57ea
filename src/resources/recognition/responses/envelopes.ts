// How responses contain records: bare, as the members of another schema, or in an object beside other members.

import { toSnakeCase } from "../../../lib/index.ts";
import type { SchemaNode } from "../../../openapi/index.ts";
import { meaningOf } from "../../names/meaning.ts";
import { certainIdNames, deletedIdNames, messageNames, progressNames } from "../../names/member-names.ts";
import { envelopeNames } from "../../names/page-names.ts";
import { chooseValues, valuesOf } from "../../record/member-values.ts";
import { RecordSchema, type SchemaPlace } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import { itemSchemas, valueType } from "../../record/schema-nodes.ts";
import { successSchema } from "../bodies-and-parameters.ts";
import { isThing, isUnknown, type PageMember, readPageMembers, successValue } from "../lists/page-facts.ts";
import type { PageParameters } from "../lists/page-parameters.ts";

/** How the body of a response contains a record. If it has no members, the body is the record. */
export interface RecordEnvelope {
  /** The members of the record that it has; undefined for all. */
  readonly only?: readonly string[];
  /** Whether its schema allows no others. */
  readonly isClosed?: boolean;
  /** The property of the record whose value it has. */
  readonly property?: string;
  /** The member of the body with the record; undefined if its members are those of the body. */
  readonly member?: string;
  /** Other members of the body. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** Members of the body with the value of a property of the record, such as `orderId` with its `id`. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** The whole body, if it has nothing of the record. */
  readonly value?: unknown;
}

/** How the body of a response contains the records of a page. */
export interface ListEnvelope {
  readonly item: RecordEnvelope;
  /** The objects around the array of them, the outermost first. Empty if the body is the array. */
  readonly levels: readonly EnvelopeLevel[];
}

/** An object around the records of a page. */
export interface EnvelopeLevel {
  /** The member with the records, or with the next object. */
  readonly member: string;
  /** Its other members. */
  readonly beside: readonly PageMember[];
}

const bare: RecordEnvelope = {};

type Members = Readonly<Record<string, unknown>>;

/** Returns how a response contains a record: as it is, or in a member of an object. Returns undefined if it does not contain one. */
export function findRecordEnvelope(place: SchemaPlace, resource: Resource, status = 200): RecordEnvelope | undefined {
  const { record } = resource;
  const schema = RecordSchema.of(record.document, place);
  if (schema.pointer === record.pointer) return bare;
  const isExtended = schema.parts.some((part) => part.pointer === record.pointer);
  if (isExtended && isPartOf(schema, record)) return bare;
  if (isLike(schema, resource)) return isPartOf(schema, record) ? createSelection(schema, record) : undefined;
  const known = schema.propertyNames.filter((name) => isRecord(schema.member(name), resource));
  const holes = known.length > 0 ? known : schema.propertyNames.filter((name) => isOpenHole(schema, name));
  const [hole] = holes;
  if (hole === undefined || holes.length > 1) return undefined;
  const others = schema.required.filter((name) => name !== hole);
  const beside = findBeside(schema, others, status);
  return beside && { member: hole, beside };
}

// Whether a member such as `data` is an object of which the document says no more.
function isOpenHole(schema: RecordSchema, name: string): boolean {
  return meaningOf(envelopeNames, name) === true && schema.member(name)?.isAnyObject === true;
}

// The values of members that say nothing of the record: those of a success, an example of a boolean, and an empty message. Undefined if
// one has another.
function findBeside(schema: RecordSchema, names: readonly string[], status: number): Members | undefined {
  const successes = schema.propertyNames.flatMap((name) => {
    const value = successValue(schema, name, status);
    return value === undefined ? [] : [[name, value] as const];
  });
  const said = valuesOf(chooseValues(schema, names, { isSaid: true }));
  const example = Object(schema.example) as Members;
  const booleans = names.filter((name) => !Object.hasOwn(said, name) && typeof example[name] === "boolean");
  const messages = names.filter((name) => meaningOf(messageNames, name) && schema.accepts(name, ""));
  const found = {
    ...Object.fromEntries(messages.map((name) => [name, ""])),
    ...said,
    ...Object.fromEntries(booleans.map((name) => [name, example[name]])),
    ...Object.fromEntries(successes),
  };
  return names.every((name) => Object.hasOwn(found, name)) ? found : undefined;
}

/** Returns how the response to a DELETE has nothing, such as `{ "data": {} }`; undefined if it can have more. */
export function findEmptyEnvelope(place: SchemaPlace, { record }: Resource): RecordEnvelope | undefined {
  const schema = RecordSchema.of(record.document, place);
  const holes = schema.propertyNames.filter((name) => isOpenHole(schema, name));
  return holes.length === 1 && schema.propertyNames.length === 1 ? { value: { [holes[0] as string]: {} } } : undefined;
}

/**
 * Returns how the response to a change tells that it was made: the id, or an object with nothing but the id and constants, such as
 * `{ "orderId": 7, "deleted": true }`. Returns undefined if it has more.
 */
export function findReceiptEnvelope(
  place: SchemaPlace,
  { record, idName: id, recordName }: Resource,
  { isDeletion, status }: { readonly isDeletion: boolean; readonly status: number },
): RecordEnvelope | undefined {
  const schema = RecordSchema.of(record.document, place);
  if (itemSchemas(schema.parts) !== undefined) return undefined;
  const type = valueType(schema.parts);
  if (type !== undefined && isSameType(schema.parts, record.property(id))) return { property: id };
  if (type !== undefined) {
    const value = ["", true, schema.example].find((one) => schema.acceptsAt([], one));
    return value === undefined || type === "number" || type === "int64" ? undefined : { value };
  }
  const isConstant = (name: string) =>
    schema.isConstant(name) || schema.property(name).some((node) => node.schema.type === "boolean");
  const names = [`${recordName}_id`, "id", "new_id", "created_id", "inserted_id"];
  const isId = (name: string) =>
    name !== id &&
    (names.includes(toSnakeCase(name)) || deletedIdNames.test(toSnakeCase(name))) &&
    isSameType(schema.property(name), record.property(id));
  const isKnown = (name: string) =>
    name === id || isId(name) || isConstant(name) || successValue(schema, name, status) !== undefined;
  // The id of a job, for example, that a client needs.
  const isNeeded = (name: string) => schema.required.includes(name) || certainIdNames.test(toSnakeCase(name));
  if (!isDeletion && !schema.propertyNames.filter(isNeeded).every(isKnown)) return undefined;
  const ids = schema.propertyNames.filter(isId);
  const others = schema.required.filter((name) => name !== id && !ids.includes(name));
  const beside = findBeside(schema, others, status);
  if (beside === undefined) return undefined;
  const constants = Object.entries(beside).map(([name, value]) => [
    name,
    value === false && !/error|fail/i.test(name) ? true : value,
  ]);
  const only = schema.propertyNames.filter((name) => name === id && (schema.required.includes(name) || !isDeletion));
  const renamed = Object.fromEntries(ids.map((name) => [name, id]));
  return { only, ...(ids.length > 0 && { renamed }), beside: Object.fromEntries(constants) };
}

/** Returns whether the response to a change has the id of another thing, such as of the job that deletes the record. */
export function isOfOther(place: SchemaPlace, { record, idName }: Resource): boolean {
  const schema = RecordSchema.of(record.document, place);
  const isOther = (name: string) =>
    deletedIdNames.test(toSnakeCase(name)) ||
    (progressNames.test(toSnakeCase(name)) &&
      !record.propertyNames.includes(name) &&
      !schema.isConstant(name) &&
      successValue(schema, name) === undefined);
  const hasId =
    schema.pointer !== record.pointer && schema.propertyNames.some((name) => name === idName || name === "id");
  return hasId && schema.propertyNames.some(isOther);
}

// The format of an integer does not matter.
function isSameType(one: readonly SchemaNode[], other: readonly SchemaNode[]): boolean {
  const [a, b] = [one, other].map((schemas) => valueType(schemas)?.replace("int64", "number"));
  return a !== undefined && a === b;
}

/** Returns the schemas of a record in the responses of its operations that are not that of the resource itself. */
export function findShownRecords(resource: Resource): readonly RecordSchema[] {
  const { operations, record, idName } = resource;
  const { document } = record;
  const responses = Object.values(operations).flatMap((operation) => (operation && successSchema(operation)) ?? []);
  const places = responses.flatMap((place): SchemaNode[] => {
    const schema = RecordSchema.of(document, place);
    if (isRecord(schema, resource)) return schema.parts.slice(0, 1);
    const names = schema.propertyNames.filter((name) => name !== "included"); // of JSON:API, which are other records
    const members = [schema.parts, ...names.map((name) => schema.property(name))];
    return members.flatMap((nodes) => [nodes[0], itemSchemas(nodes)?.[0]]).filter((node) => node !== undefined);
  });
  const found = new Set(places.map((place) => RecordSchema.of(document, place)));
  return [...found].filter((one) => {
    // A property with the name of the id can be something else, such as a text in Indonesian.
    const common = one.propertyNames.filter((name) => record.propertyNames.includes(name));
    const isSimilar = common.includes(idName) && common.length * 2 >= one.propertyNames.length;
    return one.pointer !== record.pointer && isSimilar && isPartOf(one, record);
  });
}

/** Returns the property of an object that contains the record of a response; undefined if it has none, or several. */
export function findWrappedRecord(
  wrapper: RecordSchema,
  hasId: (record: RecordSchema) => boolean,
): RecordSchema | undefined {
  const found = wrapper.propertyNames.flatMap((name) => {
    const record = wrapper.member(name);
    return record && record.propertyNames.length > 0 && hasId(record) ? [record] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

const maxLevels = 2; // such as `_embedded` of HAL

/** Returns how a response contains the records of a page: as an array, or in objects with one array of them. */
export function findListEnvelope(
  place: SchemaPlace,
  resource: Resource,
  parameters: PageParameters,
  level = 0,
): ListEnvelope | undefined {
  const schema = RecordSchema.of(resource.record.document, place);
  const items = itemEnvelope(schema.parts, resource);
  if (items) return { item: items, levels: [] };
  const find = (envelopeOf: (name: string) => ListEnvelope | undefined) => {
    const holes = schema.propertyNames.flatMap((member) => {
      const inner = envelopeOf(member);
      return inner ? [{ member, inner }] : [];
    });
    const [hole] = holes;
    if (hole === undefined || holes.length > 1) return undefined;
    const { member, inner } = hole;
    if (inner.levels.length === 0 && isThing(schema)) return undefined;
    const beside = readPageMembers(schema, parameters, member);
    return beside.some(isUnknown) ? undefined : { item: inner.item, levels: [{ member, beside }, ...inner.levels] };
  };
  const ofArray = (name: string) => {
    const item = itemEnvelope(schema.property(name), resource);
    return item && { item, levels: [] };
  };
  const ofObject = (name: string) => {
    const member = level < maxLevels && meaningOf(envelopeNames, name) ? schema.member(name) : undefined;
    return member && findListEnvelope(member, resource, parameters, level + 1);
  };
  return find(ofArray) ?? find(ofObject);
}

// Returns how an array contains records.
function itemEnvelope(array: readonly SchemaNode[], resource: Resource): RecordEnvelope | undefined {
  const [items] = itemSchemas(array) ?? [];
  return items && findRecordEnvelope(items, resource);
}

function isRecord(schema: RecordSchema | undefined, resource: Resource): boolean {
  if (schema === undefined) return false;
  return schema.pointer === resource.record.pointer || (isLike(schema, resource) && isPartOf(schema, resource.record));
}

// By its id, or if it has none, by its other members: the schema of a single record can be written several times.
function isLike({ propertyNames }: RecordSchema, { record, idName, isSingle }: Resource): boolean {
  const hasOwnNames = propertyNames.length > 0 && propertyNames.every((name) => record.propertyNames.includes(name));
  return propertyNames.includes(idName) || (isSingle && hasOwnNames);
}

function isPartOf(schema: RecordSchema, record: RecordSchema): boolean {
  return schema.required.every((name) => record.propertyNames.includes(name) || record.required.includes(name));
}

/** Returns how a response with another schema contains a record: the members that it declares, of those that the record has. */
export function createSelection(schema: RecordSchema, record: RecordSchema): RecordEnvelope {
  const hasAll = !schema.isClosed && record.propertyNames.every((name) => schema.propertyNames.includes(name));
  return hasAll ? bare : { only: schema.propertyNames, ...(schema.isClosed && { isClosed: true }) };
}
