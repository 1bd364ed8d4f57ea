// Maps rows to pets and keys. The representation is the same in all stores: integers are bigints, times are
// milliseconds since 1970, and a missing value is NULL.
import type { Key, NewPet, Page, Pet } from "./port.ts";

/** A row, by the column names of its query. */
export type Row = Readonly<Record<string, unknown>>;

/** The retention of an idempotency record, in milliseconds. */
export const idempotencyWindow = 24 * 60 * 60 * 1000;

interface Column {
  readonly name: string;
  readonly type: "bigint" | "text";
}

// The column of each field of a pet, in the document's order. A new field of the document needs a column here.
const columns = {
  id: { name: "id", type: "bigint" },
  name: { name: "name", type: "text" },
  categoryId: { name: "category_id", type: "bigint" },
  status: { name: "status", type: "text" },
} satisfies Record<keyof Pet, Column>;
const fields = Object.keys(columns) as (keyof Pet)[];

/** The columns of a pet for SELECT, each with the name of its field. */
export const petColumns = fields.map((field) => `${columns[field].name} AS "${field}"`).join(", ");

/** The fields of a new pet, with their columns. */
export const newPetColumns = fields.slice(1).map((field) => ({ field: field as keyof NewPet, ...columns[field] }));

/** Converts a row of `petColumns` to a pet. */
export function toPet(row: Row | undefined): Pet | undefined {
  if (row === undefined) return undefined;
  const pet: Record<string, unknown> = {};
  for (const field of fields) if (row[field] !== null && row[field] !== undefined) pet[field] = row[field];
  return pet as Pet;
}

/** Converts up to `limit` + 1 rows of `petColumns` to a page. Freezes it, because several callers may share it. */
export function toPage(rows: readonly Row[], limit: number): Page {
  const pets = rows.slice(0, limit).map((row) => Object.freeze(toPet(row) as Pet));
  return { pets: Object.freeze(pets), more: rows.length > limit };
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
  };
}
