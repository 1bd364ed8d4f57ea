// Rows as the stores keep them, alike in each: integers are bigints, times are milliseconds since
// 1970, and what was not given is NULL.

import type { Key, NewPet, Page, Pet } from "./port.ts";
/** A row by the names that its query gave the columns. */
export type Row = Readonly<Record<string, unknown>>;

/** For how long an Idempotency-Key is remembered, in milliseconds. */
export const idempotencyWindow = 24 * 60 * 60 * 1000;

interface Column {
  readonly name: string;
  readonly type: "bigint" | "text";
}

// Where each field of a pet is kept, in the document's order. What the document adds must be added here.
const columns = {
  id: { name: "id", type: "bigint" },
  name: { name: "name", type: "text" },
  categoryId: { name: "category_id", type: "bigint" },
  status: { name: "status", type: "text" },
} satisfies Record<keyof Pet, Column>;
const fields = Object.keys(columns) as (keyof Pet)[];

/** The columns of a pet, each under its field's name, as a query selects them. */
export const petColumns = fields.map((field) => `${columns[field].name} AS "${field}"`).join(", ");

/** What a new pet may bring: the field, and its column. */
export const newPetColumns = fields.slice(1).map((field) => ({ field: field as keyof NewPet, ...columns[field] }));

/** The pet in a row that selected `pet`. */
export function toPet(row: Row | undefined): Pet | undefined {
  if (row === undefined) return undefined;
  const pet: Record<string, unknown> = {};
  for (const field of fields) if (row[field] !== null && row[field] !== undefined) pet[field] = row[field];
  return pet as Pet;
}

/** The page that rows of `pet` make which were asked for up to one more than the limit. Nobody may change it: many may have it. */
export function toPage(rows: readonly Row[], limit: number): Page {
  const pets = rows.slice(0, limit).map((row) => Object.freeze(toPet(row) as Pet));
  return { pets: Object.freeze(pets), more: rows.length > limit };
}

/** The key in a row of the keys. */
export function toKey(row: Row | undefined): Key | undefined {
  if (row === undefined) return undefined;
  const time = (column: unknown) => (column === null ? undefined : new Date(Number(column)));
  return {
    id: row.id as bigint,
    name: row.name as string,
    operator: row.operator === 1n,
    createdAt: new Date(Number(row.created_at)),
    expiresAt: time(row.expires_at),
    lastUsedAt: time(row.last_used_at),
  };
}
