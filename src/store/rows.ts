// Maps rows to pets and keys. The representation is the same in all stores: integers are bigints, times are
// milliseconds since 1970, and a missing value is NULL.
import { RawJson } from "../lib/index.ts";
import type { Key, NewPet, Page, PagePosition, Pet, PetFilter } from "./port.ts";

/** A row, by the column names of its query. */
export type Row = Readonly<Record<string, unknown>>;

/** The retention of an idempotency record, in milliseconds. */
export const idempotencyWindow = 24 * 60 * 60 * 1000;

/** The column of a field of a pet. */
export interface Column {
  readonly name: string;
  readonly type: keyof typeof fieldTypes;
  /** Whether the field can be missing. */
  readonly nullable?: true;
  /** Whether each store has an index on the column and the id, which a filter by this column needs in a large store. */
  readonly indexed?: true;
}

// The type of the field of a column, in the words of the document.
const fieldTypes = { bigint: "int64", text: "string" } as const;

// The column of each field of a pet, in the document's order. A new field of the document needs a column here.
const columns = {
  id: { name: "id", type: "bigint" },
  name: { name: "name", type: "text" },
  categoryId: { name: "category_id", type: "bigint" },
  status: { name: "status", type: "text", nullable: true, indexed: true },
} as const satisfies Record<keyof Pet, Column>;
const fields = Object.keys(columns) as (keyof Pet)[];

type Columns = typeof columns;
type FieldType<C extends Column> = `${(typeof fieldTypes)[C["type"]]}${C extends { nullable: true } ? "?" : ""}`;

/** The fields of a pet that the store holds, with their types. `?` marks a field that can be missing. */
export const petFieldTypes = Object.fromEntries(
  Object.entries<Column>(columns).map(([field, { type, nullable }]) => [
    field,
    `${fieldTypes[type]}${nullable ? "?" : ""}`,
  ]),
) as { readonly [Field in keyof Columns]: FieldType<Columns[Field]> };

const { id: _, ...rest } = petFieldTypes;
/** The fields of a new pet that the store holds, with their types. */
export const newPetFieldTypes = rest;

/** The parameters by which a list can be filtered, with their types. Each is a field of a pet. */
export const petFilterTypes = { status: "string?" } as const satisfies Partial<Record<keyof Pet, string>>;

/** The fields of a new pet, with their columns. */
export const newPetColumns = fields.slice(1).map((field) => ({ field: field as keyof NewPet, ...columns[field] }));

/** The columns of a pet for SELECT, as the drivers return them in a `PetRow`. */
export const petColumns = fields.map((field) => columns[field].name).join(", ");

/**
 * A row of `petColumns`: an integer is a bigint, or a number that is exact. Drivers create an array in less time than an
 * object.
 */
export type PetRow = readonly [id: Integer, ...fields: (Integer | string | null)[]];
type Integer = bigint | number;

const names = fields.map((field, index) => `${index === 0 ? "{" : ","}"${field}":`);

/** Serializes a pet. Missing values are omitted, and an int64 is exact. */
export function toPetJson(row: PetRow): RawJson<Pet> {
  return new RawJson(serialize(row));
}

function serialize(row: PetRow): string {
  let json = "";
  for (let index = 0; index < names.length; index++) {
    const value = row[index] as PetRow[number];
    if (value !== null) json += `${names[index]}${typeof value === "string" ? JSON.stringify(value) : value}`;
  }
  return `${json}}`;
}

/** Returns the row of a new pet. */
export function toPetRow(id: bigint, pet: NewPet): PetRow {
  return [id, ...newPetColumns.map(({ field }) => pet[field] ?? null)];
}

/** The columns of a filter, in the document's order, and the values that they must have. */
export interface ColumnFilter {
  readonly columns: readonly Column[];
  readonly values: readonly (string | bigint)[];
}

/** Converts a filter to columns. Throws an Error if it has a name that is no field of a pet, so that no SQL has one. */
export function toColumnFilter(filter: PetFilter): ColumnFilter {
  // Fails to compile if the document adds a filter that is no field of a pet.
  const values: Readonly<Partial<Pick<Pet, keyof PetFilter>>> = filter;
  const unknown = Object.keys(values).find((name) => !fields.includes(name as keyof Pet));
  if (unknown !== undefined) throw new Error(`The pets have no field '${unknown}'.`);
  const used = fields.filter((field): field is keyof PetFilter => values[field as keyof PetFilter] !== undefined);
  return {
    columns: used.map((field) => columns[field]),
    values: used.map((field) => values[field] as string | bigint),
  };
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

/** Converts up to `limit` + 1 rows to a page. */
export function toPage(rows: readonly PetRow[], limit: number, direction: Direction): Page {
  const page = rows.length > limit ? rows.slice(0, limit) : [...rows];
  if (direction === "backwards") page.reverse();
  const [first, last] = [page[0], page.at(-1)];
  return {
    pets: new RawJson(`[${page.map(serialize).join(",")}]`),
    firstId: first && BigInt(first[0]),
    lastId: last && BigInt(last[0]),
    more: rows.length > limit,
  };
}

/** Converts a row of the table `keys` to a key. */
export function toKey(row: Row | undefined): Key | undefined {
  if (row === undefined) return undefined;
  const toDate = (time: unknown) => (time === null ? undefined : new Date(Number(time)));
  return {
    id: row.id as bigint,
    name: row.name as string,
    operator: row.operator === 1n,
    createdAt: new Date(Number(row.created_at)),
    expiresAt: toDate(row.expires_at),
    lastUsedAt: toDate(row.last_used_at),
    previousExpiresAt: toDate(row.previous_expires_at),
  };
}
