// Records: what a store keeps of a resource. A record is the JSON text of its response, which begins with its id.
import { hash } from "node:crypto";
import { isTooDeep, parseJson, RawJson, RecordTooLarge, toJson } from "../lib/index.ts";
import { findKeyProblem, type IdForm, makeId, maxNumber } from "./ids.ts";
import type { CreateResult, RecordId } from "./port.ts";
import type { Order } from "./query/conditions.ts";
import type { TextKind } from "./query/value-bytes.ts";

/**
 * A collection of records of the same schema. Each record has a number, which the store generates in ascending order. It is the
 * position of the record in lists, and its id if the ids are int64.
 */
export interface Collection {
  /** The name of the table. */
  readonly name: string;
  /** The property that has the id; undefined if a record has no such property, or has it at a deeper place. */
  readonly id: string | undefined;
  /** The type of the ids: the number of the record, or a text, which is that of a new record, or a UUID. */
  readonly idType: "int64" | "string";
  /** Returns the highest number that can be an id, if ids are int64: behind it, the store creates no record. */
  readonly highestId?: () => bigint;
  /** Returns the hash of the schema that the records match which this process writes. */
  readonly schema?: () => string;
  /** The form of an id that is a text and that the store makes. The default is a UUID. */
  readonly idForm?: IdForm | undefined;
  /** Precedes each id that the store makes. */
  readonly idPrefix?: string | undefined;
  /**
   * Whether each record belongs to a scope, such as a shop: ids are then unique in their scope, and the address of a record consists of
   * both, see `toAddress`.
   */
  readonly isScoped?: boolean;
  /** Whether a SQLite file that is only read can lack it, such as a backup of an earlier release. */
  readonly isOptional?: boolean;
  /** The properties of a record in the order in which they are written. Others follow. */
  readonly properties: readonly string[];
  /** The maximum size of a record in bytes, without its id. The default is 1 MiB. */
  readonly maxBytes?: number;
  readonly filters: readonly Filter[];
  /** The orders in which entries of all records are kept, within their scope. The first members can be those that queries compare. */
  readonly indexes?: readonly (readonly Order[])[];
  /** The members that no two records of a scope have in common, each alone or some together. Undefined if they are not known. */
  readonly uniques?: readonly (readonly KeyMember[])[];
  readonly references?: readonly Reference[];
}

/** A member of a record, of which the value counts. Times are compared as instants, to the millisecond, and UUIDs in any case. */
export interface KeyMember extends Pick<Filter, "property" | "member" | "type"> {
  readonly kind?: TextKind | undefined;
}

/** A member that has the id of a record of another collection, or of the same one. */
export interface Reference extends KeyMember {
  /** The name of the other collection, which has no scopes. */
  readonly to: string;
  /** What happens to the record when the other one is deleted. By `restrict`, the other one can't be deleted. */
  readonly onDelete: "restrict" | "cascade" | "setNull" | "removeMember";
}

/** A condition by which a list can be filtered: the value of a property. Each store has an index for it. */
export interface Filter {
  /** The name of the filter in a query. */
  readonly name: string;
  readonly property: string;
  /** The member of the property, an object, that has the value. */
  readonly member?: string;
  readonly type: "string" | "int64" | "number" | "boolean";
  /** Whether the property is an array, and the filter selects the records whose array contains the value. */
  readonly contains: boolean;
  /** Whether the value is the scope of the record, and not that of a property. */
  readonly isScope?: boolean;
  /** Whether a text can be longer than an entry of an index: PostgreSQL rejects one of more than 2,704 bytes. */
  readonly isLong: boolean;
}

/** A column of a view: the property of a record. `json` is an array or object, or has values of several types. */
export interface ViewColumn {
  readonly name: string;
  readonly type: Filter["type"] | "json";
}

/** The values of filters by name. */
export type FilterValues = Readonly<Record<string, unknown>>;

/**
 * Returns the filters of a query in the collection's order. Throws an Error if a name is that of no filter, so that no SQL has
 * one.
 */
export function usedFilters({ name, filters }: Collection, values: FilterValues): readonly Filter[] {
  const unknown = Object.keys(values).find((key) => !filters.some((filter) => filter.name === key));
  if (unknown !== undefined) throw new Error(`The collection ${name} has no filter '${unknown}'.`);
  return filters.filter(({ name }) => Object.hasOwn(values, name) && values[name] !== undefined);
}

/** The name of the index that a list with this filter reads. */
export function indexName({ name }: Collection, filter: Filter): string {
  const whole = `${name}_by_${filter.name}`;
  return Buffer.byteLength(whole) <= maxIndexName
    ? whole
    : `${name.slice(0, 40)}_by_${hash("sha256", whole).slice(0, 16)}`;
}

const maxIndexName = 63; // bytes; PostgreSQL ignores the rest

/** Returns a name of SQL in quotes, such as that of a table. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The column of the table with the ids. */
export function idColumn({ idType, isScoped }: Collection): "id" | "key" {
  return idType === "int64" && !isScoped ? "id" : "key";
}

/** The filter of a collection by scope. Its name is that of no parameter of a query. */
export const scopeFilter: Filter = {
  name: "/",
  property: "/",
  type: "string",
  contains: false,
  isScope: true,
  isLong: false,
};

/** Returns the id of a record from its address. That of a collection without scopes is the address. */
export function idOf({ isScoped, idType }: Collection, address: RecordId): RecordId {
  if (!isScoped) return address;
  const id = decodeURIComponent(`${address}`.slice(`${address}`.lastIndexOf("/") + 1));
  return idType === "int64" ? BigInt(id) : id;
}

/** Returns the JSON of a new record with a number. Throws an Error if it is out of range. */
export function numberedText(collection: Collection, number: bigint, record: object): string {
  if (collection.idType !== "int64" || collection.isScoped)
    throw new Error(`The ids of ${collection.name} are no numbers of the store.`);
  if (number < 1n || number > maxNumber) throw new Error(`An id of ${collection.name} must be from 1 to ${maxNumber}.`);
  return writeRecord(collection, number, writeLimited(collection, record)).text;
}

/** A record that is to be created: its text behind the id, and its address if that is not made of a number of the store. */
export interface NewRecord {
  readonly members: string;
  readonly key: string | undefined;
  readonly scope: string;
}

/**
 * Returns a record that is to be created in a scope, with an address, or a new UUID. Throws an Error if the address is invalid.
 */
export function toNewRecord(collection: Collection, record: object, place: Place = {}): NewRecord {
  return { members: writeLimited(collection, record), key: newAddress(collection, place), scope: place.scope ?? "" };
}

/** Returns the address of a new record; undefined if it is made of a number of the store. Throws an Error if it is invalid. */
export function newAddress(collection: Collection, { address, scope = "" }: Place): string | undefined {
  if (collection.idType === "int64") {
    if (address !== undefined) throw new Error(`The store makes the ids of ${collection.name}.`);
    return undefined;
  }
  const key = address ?? scope + makeId(collection.idForm, collection.idPrefix);
  const problem = findKeyProblem(key);
  if (problem !== undefined)
    throw new Error(`The property ${collection.id ?? "with the id"} of ${collection.name} ${problem}.`);
  return key;
}

/** Where a record is created: at an address, or with a new id in a scope. */
export interface Place {
  readonly address?: string | undefined;
  readonly scope?: string | undefined;
}

/** Returns the address of a record that was created with a number. */
export function addressOf(
  { isScoped }: Collection,
  { key, scope }: Omit<NewRecord, "members">,
  number: bigint,
): RecordId {
  return key ?? (isScoped ? `${scope}${number}` : number);
}

/** Returns the JSON of a record that begins with its id. `members` is the result of `writeMembers`. */
export function writeRecord<R>(collection: Collection, address: RecordId, members: string): RawJson<R> {
  const id = idOf(collection, address);
  if (collection.id === undefined) return new RawJson(`{${members.replace(/^,/, "")}`);
  return new RawJson(`${startOf(collection)}${typeof id === "string" ? JSON.stringify(id) : id}${members}`);
}

/** The retention of an idempotency record, in milliseconds. */
export const idempotencyWindow = 24 * 60 * 60 * 1000;

/**
 * Returns the result of a create whose Idempotency-Key was used before, from the row of its first use. The digest proves that the
 * record is the same.
 */
export function toRepeated<R>(
  collection: Collection,
  row: Readonly<Record<string, unknown>>,
  digest: Uint8Array,
  members: string,
): CreateResult<R> {
  if (Buffer.compare(row.digest as Uint8Array, digest) !== 0) return { outcome: "conflict" };
  const id = (row.record_key ?? row.record_id) as RecordId;
  return { outcome: "repeated", id, record: writeRecord(collection, id, members) };
}

/** Writes the members of a new record, behind its id: `,"name":"Rex"}`. */
export function writeMembers({ id, properties }: Collection, record: object): string {
  const members = record as Readonly<Record<string, unknown>>;
  let json = "";
  // A property can have the name of a member that each object inherits, such as `constructor`.
  for (const name of properties)
    if (Object.hasOwn(members, name) && members[name] !== undefined && name !== id)
      json += writeMember(name, members[name]);
  for (const name in members)
    if (members[name] !== undefined && name !== id && !properties.includes(name))
      json += writeMember(name, members[name]);
  return `${json}}`;
}

/** The maximum size of a record in bytes, if its collection has none: that of the body of a request. */
export const defaultMaxBytes = 1_048_576;

/**
 * Writes the members of a record like `writeMembers`. Throws a RecordTooLarge if it exceeds the maximum size of the collection, and that
 * of the record `previous`, or if it is nested too deeply to be read again.
 */
export function writeLimited(collection: Collection, record: object, previous = ""): string {
  const members = writeMembers(collection, record);
  const { name, maxBytes = defaultMaxBytes } = collection;
  const isLarge = members.length * 3 > maxBytes && Buffer.byteLength(members) > maxBytes;
  if (isLarge && Buffer.byteLength(members) > Buffer.byteLength(previous))
    throw new RecordTooLarge(`A record of ${name} must have at most ${maxBytes} bytes.`, { isTooDeep: false });
  // Each level has two brackets.
  if (members.length > 2_000 && isTooDeep(record))
    throw new RecordTooLarge(`A record of ${name} must be nested at most 1,000 levels deep.`, { isTooDeep: true });
  return members;
}

function writeMember(name: string, value: unknown): string {
  const text =
    typeof value === "string" ? JSON.stringify(value) : typeof value === "object" ? toJson(value) : `${value}`;
  return `,${JSON.stringify(name)}:${text}`;
}

/** Returns the id of a record. Throws an Error if another program has written a record without one. */
export function readId(collection: Collection, text: string): RecordId {
  const leading = leadingId(collection, text);
  if (leading !== undefined) return collection.idType === "int64" ? BigInt(leading) : (JSON.parse(leading) as string);
  const id = (parseJson(text) as Readonly<Record<string, unknown>>)[collection.id ?? ""];
  if (collection.idType === "string" && typeof id === "string") return id;
  if (collection.idType === "int64" && (typeof id === "bigint" || Number.isSafeInteger(id)))
    return BigInt(id as bigint);
  throw new Error(`A record of ${collection.name} has no id.`);
}

/** Returns the JSON of a record without its id. */
export function withoutId(collection: Collection, text: string): string {
  if (collection.id === undefined) return text;
  const leading = leadingId(collection, text);
  if (leading === undefined) {
    const { [collection.id]: _, ...rest } = parseJson(text) as Readonly<Record<string, unknown>>;
    return toJson(rest);
  }
  const end = startOf(collection).length + leading.length;
  return text[end] === "}" ? "{}" : `{${text.slice(end + 1)}`;
}

const idPatterns = { int64: /-?\d{1,19}(?=[,}])/y, string: /"(?:[^"\\]|\\.)*"(?=[,}])/y } as const;

// Returns the JSON of the id at the beginning of a record; undefined if another program has written it otherwise.
function leadingId(collection: Collection, text: string): string | undefined {
  const start = startOf(collection);
  if (!text.startsWith(start)) return undefined;
  const pattern = idPatterns[collection.idType];
  pattern.lastIndex = start.length;
  return pattern.exec(text)?.[0];
}

function startOf({ id = "" }: Collection): string {
  return `{${JSON.stringify(id)}:`;
}
