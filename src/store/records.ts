// Records: what a store keeps of a resource. A record is the JSON text of its response, which begins with its id.
import { parseJson, RawJson, toJson } from "../lib/index.ts";
import type { Page, PagePosition } from "./port.ts";

/** A collection of records of the same schema. The records have ids that the store generates, in ascending order. */
export interface Collection {
  /** The name of the table. */
  readonly name: string;
  /** The property that has the id, an int64. */
  readonly id: string;
  /** The properties of a record in the order in which they are written. Others follow. */
  readonly properties: readonly string[];
  readonly filters: readonly Filter[];
}

/** A condition by which a list can be filtered: the value of a property. Each store has an index for it. */
export interface Filter {
  /** The name of the filter in a query. */
  readonly name: string;
  readonly property: string;
  readonly type: "string" | "int64" | "number" | "boolean";
  /** Whether the property is an array, and the filter selects the records whose array contains the value. */
  readonly contains: boolean;
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
  return filters.filter((filter) => values[filter.name] !== undefined);
}

/** The name of the index that a list with this filter reads. */
export function indexName({ name }: Collection, filter: Filter): string {
  return `${name}_by_${filter.name}`;
}

/** Returns the JSON of a record that begins with its id. `members` is the result of `writeMembers`. */
export function writeRecord<R>(collection: Collection, id: bigint, members: string): RawJson<R> {
  return new RawJson(`${startOf(collection)}${id}${members}`);
}

/** Writes the members of a new record, behind its id: `,"name":"Rex"}`. */
export function writeMembers({ id, properties }: Collection, record: object): string {
  const members = record as Readonly<Record<string, unknown>>;
  let json = "";
  for (const name of properties)
    if (members[name] !== undefined && name !== id) json += writeMember(name, members[name]);
  for (const name in members)
    if (members[name] !== undefined && name !== id && !properties.includes(name))
      json += writeMember(name, members[name]);
  return `${json}}`;
}

function writeMember(name: string, value: unknown): string {
  const text =
    typeof value === "string" ? JSON.stringify(value) : typeof value === "object" ? toJson(value) : `${value}`;
  return `,${JSON.stringify(name)}:${text}`;
}

/** Returns the id of a record. Throws an Error if another program has written a record without one. */
export function readId(collection: Collection, text: string): bigint {
  const digits = leadingId(collection, text);
  if (digits !== undefined) return BigInt(digits);
  const id = (parseJson(text) as Readonly<Record<string, unknown>>)[collection.id];
  if (typeof id === "bigint" || Number.isSafeInteger(id)) return BigInt(id as bigint);
  throw new Error(`A record of ${collection.name} has no id.`);
}

/** Returns the JSON of a record without its id. */
export function withoutId(collection: Collection, text: string): string {
  const digits = leadingId(collection, text);
  if (digits === undefined) {
    const { [collection.id]: _, ...rest } = parseJson(text) as Readonly<Record<string, unknown>>;
    return toJson(rest);
  }
  const end = startOf(collection).length + digits.length;
  return text[end] === "}" ? "{}" : `{${text.slice(end + 1)}`;
}

// Returns the digits of the id at the beginning of a record; undefined if another program has written it otherwise.
function leadingId(collection: Collection, text: string): string | undefined {
  const start = startOf(collection);
  return text.startsWith(start) ? /^-?\d+(?=[,}])/.exec(text.slice(start.length, start.length + 21))?.[0] : undefined;
}

function startOf({ id }: Collection): string {
  return `{${JSON.stringify(id)}:`;
}

/** The direction in which a page is read, and the id from which on. */
export interface PageStart {
  readonly direction: Direction;
  readonly id: bigint;
}
/** In order of id, or in the opposite order. */
export type Direction = "forwards" | "backwards";

/** Returns where the query of a page begins to read. */
export function toPageStart(position: PagePosition = { after: 0n }): PageStart {
  return "after" in position
    ? { direction: "forwards", id: position.after }
    : { direction: "backwards", id: position.before };
}

/** Converts the JSON of up to `limit` + 1 records to a page. */
export function toPage<R>(
  collection: Collection,
  texts: readonly string[],
  limit: number,
  direction: Direction,
): Page<R> {
  const page = texts.length > limit ? texts.slice(0, limit) : [...texts];
  if (direction === "backwards") page.reverse();
  const [first, last] = [page[0], page.at(-1)];
  return {
    records: new RawJson(`[${page.join(",")}]`),
    firstId: first === undefined ? undefined : readId(collection, first),
    lastId: last === undefined ? undefined : readId(collection, last),
    more: texts.length > limit,
  };
}
