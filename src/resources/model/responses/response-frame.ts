// How responses contain records: bare, as the members of another schema, or in an object beside other members.
import { parseJson, RawJson, toJson } from "../../../lib/index.ts";
import type { SchemaNode } from "../../../openapi/index.ts";
import { successSchema } from "../operation-parts.ts";
import { itemSchemas, RecordSchema, type SchemaPlace } from "../record/record-schema.ts";
import type { Resource } from "../resource.ts";
import { type PageFacts, readPageMembers, readsTotal, writePageMembers } from "./page-members.ts";

/** Writes a record as the body of a response. */
export type RecordFrame = (record: RawJson<unknown>) => RawJson<unknown>;

/** Writes the records of a page as the body of a response. */
export interface ListFrame {
  readonly write: (records: RawJson<unknown>, facts: PageFacts) => RawJson<unknown>;
  /** Whether the response has the number of all records. */
  readonly needsTotal: boolean;
}

const identity: RecordFrame = (record) => record;

/** Returns how a response contains a record: as it is, or in a member of an object. Returns undefined if it does not contain one. */
export function findRecordFrame(place: SchemaPlace, resource: Resource): RecordFrame | undefined {
  const { record } = resource;
  const schema = RecordSchema.of(record.document, place);
  if (schema.pointer === record.pointer) return identity;
  const isExtended = schema.parts.some((part) => part.pointer === record.pointer);
  if (isExtended && isPartOf(schema, record)) return identity;
  if (isLike(schema, resource)) return isPartOf(schema, record) ? createSelection(schema, record) : undefined;
  const holes = schema.propertyNames.filter((name) => isRecord(schema.member(name), resource));
  const [hole] = holes;
  if (hole === undefined || holes.length > 1) return undefined;
  const others = fixedMembers(schema, hole);
  return ({ text }) => new RawJson(`{${[`${JSON.stringify(hole)}:${text}`, ...others].join(",")}}`);
}

/**
 * Returns how the response to a change tells that it was made: an object with nothing but the id and constants, such as
 * `{ "id": 7, "deleted": true }`. Returns undefined if it has more, unless it is that of a deletion, whose members are those of an example.
 */
export function findReceiptFrame(
  place: SchemaPlace,
  { record, idName: id }: Resource,
  isDeletion: boolean,
): RecordFrame | undefined {
  const schema = RecordSchema.of(record.document, place);
  const isConstant = (name: string) =>
    schema.isConstant(name) || schema.property(name).some((node) => node.schema.type === "boolean");
  if (!isDeletion && !schema.required.every((name) => name === id || isConstant(name))) return undefined;
  if (schema.required.length === 0) return () => new RawJson("{}");
  const example = Object(schema.example) as Readonly<Record<string, unknown>>;
  const constants = Object.fromEntries(
    schema.required.map((name) => [name, example[name] === false ? true : example[name]]),
  );
  return ({ text }) => {
    const { [id]: value } = parseJson(text) as Readonly<Record<string, unknown>>;
    return new RawJson(toJson({ ...constants, ...(schema.required.includes(id) && { [id]: value }) }));
  };
}

/** Returns the schemas of a record in the responses of its operations that are not that of the resource itself. */
export function findShownRecords(resource: Resource): readonly RecordSchema[] {
  const { operations, record, idName } = resource;
  const { document } = record;
  const responses = Object.values(operations).flatMap((operation) => (operation && successSchema(operation)) ?? []);
  const places = responses.flatMap((place): SchemaNode[] => {
    const schema = RecordSchema.of(document, place);
    if (isRecord(schema, resource)) return schema.parts.slice(0, 1);
    const members = [schema.parts, ...schema.propertyNames.map((name) => schema.property(name))];
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

/** Returns how a response contains the records of a page: as an array, or in an object with one array of them. */
export function findListFrame(place: SchemaPlace, resource: Resource): ListFrame | undefined {
  const schema = RecordSchema.of(resource.record.document, place);
  const bare = itemFrame(schema.parts, resource);
  if (bare) return { write: (records) => bare(records), needsTotal: false };
  const holes = schema.propertyNames.flatMap((name) => {
    const items = itemFrame(schema.property(name), resource);
    return items ? [{ name, items }] : [];
  });
  const [hole] = holes;
  if (hole === undefined || holes.length > 1) return undefined;
  const members = readPageMembers(schema, hole.name);
  const write = (records: RawJson<unknown>, facts: PageFacts) => {
    const texts = [`${JSON.stringify(hole.name)}:${hole.items(records).text}`];
    for (const [name, value] of Object.entries(writePageMembers(members, facts)))
      texts.push(`${JSON.stringify(name)}:${toJson(value)}`);
    return new RawJson(`{${texts.join(",")}}`);
  };
  return { write, needsTotal: members.some(readsTotal) };
}

// Returns how an array contains records.
function itemFrame(array: readonly SchemaNode[], resource: Resource): RecordFrame | undefined {
  const [items] = itemSchemas(array) ?? [];
  const frame = items && findRecordFrame(items, resource);
  if (frame === identity || frame === undefined) return frame;
  return ({ text }) => {
    const records = (parseJson(text) as unknown[]).map((one) => frame(new RawJson(toJson(one))).text);
    return new RawJson(`[${records.join(",")}]`);
  };
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
export function createSelection(schema: RecordSchema, record: RecordSchema): RecordFrame {
  if (!schema.isClosed && record.propertyNames.every((name) => schema.propertyNames.includes(name))) return identity;
  return ({ text }) => {
    const members = Object.entries(parseJson(text) as object).filter(([name]) => schema.propertyNames.includes(name));
    return new RawJson(toJson(Object.fromEntries(members)));
  };
}

// The required members beside a record, as they are in an example.
function fixedMembers(schema: RecordSchema, hole: string): string[] {
  const names = schema.required.filter((name) => name !== hole);
  if (names.length === 0) return [];
  const example = schema.example as Readonly<Record<string, unknown>>;
  return names.map((name) => `${JSON.stringify(name)}:${toJson(example[name])}`);
}
