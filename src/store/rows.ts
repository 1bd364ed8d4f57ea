// Maps rows of the table `keys` to keys. The representation is the same in all stores: integers are bigints, times are
// milliseconds since 1970, and a missing value is NULL.
import type { Key } from "./port.ts";

/** A row, by the column names of its query. */
export type Row = Readonly<Record<string, unknown>>;

/** The retention of an idempotency record, in milliseconds. */
export const idempotencyWindow = 24 * 60 * 60 * 1000;

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
    scopes: typeof row.scopes === "string" ? row.scopes.split(" ").filter(Boolean) : undefined,
  };
}
