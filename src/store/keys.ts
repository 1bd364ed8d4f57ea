// API keys: the rule for their names, and what the stores have in common. The representation of rows is the same in all stores:
// integers are bigints, times are milliseconds since 1970, and a missing value is NULL.
import type { Key, KeyStore } from "./port.ts";

/** The rule for the names of keys, which are also in logs and metrics. */
export const keyNameRule = "A name has 1 to 64 letters, digits or . _ - @, and begins with a letter, a digit or _.";

/** Returns whether a key can have this name. */
export function isKeyName(text: string): boolean {
  return /^\w[\w.@-]{0,63}$/.test(text);
}

/** A row, by the column names of its query. */
export type Row = Readonly<Record<string, unknown>>;

/** Converts a row of the table `keys` to a key. */
export function toKey(row: Row): Key {
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

/** Converts rows to keys, in order of name. Not in SQL: the order of a text column of PostgreSQL depends on the locale. */
export function toSortedKeys(rows: readonly Row[]): Key[] {
  return rows.map(toKey).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** A method whose statement is the same in all stores. Those that write return a row if they have found or added the key. */
type Method = `keys_${"create" | "list" | "rotate" | "revoke"}`;

/** Returns the keys of a store. `run` runs the statement of a method. `others` are the methods that differ. */
export function createKeyStore(
  run: (method: Method, ...values: (string | bigint | number | null)[]) => Promise<readonly Row[]>,
  others: Pick<KeyStore, "find" | "touch">,
): KeyStore {
  const change = async (...call: Parameters<typeof run>) => (await run(...call)).length > 0;
  return {
    create: (name, hash, { expiresAt, operator = false, scopes } = {}) => {
      const expires = expiresAt?.getTime() ?? null;
      return change("keys_create", name, hash, Date.now(), expires, Number(operator), scopes?.join(" ") ?? null);
    },
    list: async () => toSortedKeys(await run("keys_list")),
    rotate: (key, hash, previousExpiresAt) => {
      const known = key.previousExpiresAt?.getTime() ?? null;
      return change("keys_rotate", key.id, hash, previousExpiresAt.getTime(), known);
    },
    revoke: (name) => change("keys_revoke", name),
    ...others,
  };
}
