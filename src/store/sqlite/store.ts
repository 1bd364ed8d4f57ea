// The embedded store: one SQLite file, which several processes of one machine may share.
//
// WAL with synchronous=FULL: a commit returns when its pages are on the disk, so that an answered
// 201 survives kill -9 and power loss. Every statement is prepared once; node:sqlite is
// synchronous, and a statement by key costs a few microseconds.

// How much of what was read is kept in memory.
import type {
  CreateResult,
  DailyCalls,
  IdempotencyKey,
  Key,
  NewPet,
  OpenMode,
  Page,
  Pet,
  PetQuery,
  Store,
  StoreMethod,
  StoreTimeouts,
} from "../port.ts";
import { traced } from "../query-channel.ts";
import { createQueryMetrics } from "../query-metrics.ts";
import { idempotencyWindow, newPetColumns, petColumns, toKey, toPage, toPet } from "../rows.ts";
import { openFile, watchFiles } from "./connection.ts";
import { createTransactionScheduler } from "./transactions.ts";

const mostKeys = 10_000;
const mostPets = 10_000;
const mostPages = 100; // of up to 100 pets

/** The statements, by name. */
export const statements = {
  list: `SELECT ${petColumns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${petColumns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  find: `SELECT ${petColumns} FROM pets WHERE id = ?`,
  create: `INSERT INTO pets (${newPetColumns.map(({ name }) => name)}) VALUES (${newPetColumns.map(() => "?")})`,
  // A few at a time: who comes after a quiet day must not wait for all of the day before.
  forget:
    "DELETE FROM idempotency WHERE (caller, key) IN (SELECT caller, key FROM idempotency WHERE created_at <= ? LIMIT 100)",
  recall: "SELECT digest, pet_id FROM idempotency WHERE caller = ? AND key = ? AND created_at > ?",
  remember: "REPLACE INTO idempotency (caller, key, digest, pet_id, created_at) VALUES (?, ?, ?, ?, ?)",
  createKey:
    "INSERT INTO keys (name, hash, created_at, expires_at, operator) VALUES (?, unhex(?), ?, ?, ?) ON CONFLICT (name) DO NOTHING",
  listKeys: "SELECT * FROM keys ORDER BY name",
  findKey: "SELECT * FROM keys WHERE hash = unhex(?)",
  revokeKey: "DELETE FROM keys WHERE name = ?",
  touchKey: "UPDATE keys SET last_used_at = max(ifnull(last_used_at, 0), ?) WHERE id = ?",
  addCalls: `
    INSERT INTO deprecated_calls (operation, key, day, count) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  forgetCalls: "DELETE FROM deprecated_calls WHERE day < ?",
  listCalls: "SELECT operation, key, day, count FROM deprecated_calls WHERE day >= ? ORDER BY day DESC",
  secret: "SELECT value FROM secret",
};

/** Opens the store in `file`, or `:memory:`. Throws as `openFile` does. */
export function openSqlite(file: string, access: OpenMode, { lock }: StoreTimeouts): Store {
  const db = openFile(file, access);
  const sql = Object.fromEntries(
    Object.entries(statements).map(([name, text]) => [name, traced(db.prepare(text))]),
  ) as Record<keyof typeof statements, ReturnType<typeof traced>>;
  const kept = watchFiles(db);
  const figures = createQueryMetrics();
  const turns = createTransactionScheduler(db, kept, figures, lock);
  const pages = turns.cache<Page>(mostPages);
  const pets = turns.cache<Pet>(mostPets);
  const keys = turns.cache<Key | null>(mostKeys);

  const list = ({ limit, after = 0n, ...filter }: PetQuery): Page => {
    const { status, ...others } = filter;
    others satisfies Record<string, never>; // a filter of the document that has no query here
    const name = `${after} ${limit} ${status}`;
    const known = pages.get(name);
    if (known !== undefined) return known;
    const since = performance.now();
    const rows = status === undefined ? sql.list.all(after, limit + 1) : sql.listByStatus.all(status, after, limit + 1);
    figures.observeQuery("pets_list", since);
    const page = toPage(rows, limit);
    // What is added here comes after all others: it changes no page that others follow.
    if (page.more) pages.set(name, page);
    return page;
  };

  const readPet = (id: bigint) => toPet(sql.find.get(id));

  // A pet does not change; if it ever does, who changes it must forget it here.
  const find = (id: bigint): Pet | undefined => {
    const known = pets.get(`${id}`);
    if (known !== undefined) return known;
    const since = performance.now();
    const pet = readPet(id);
    figures.observeQuery("pets_find", since);
    if (pet !== undefined) pets.set(`${id}`, Object.freeze(pet));
    return pet;
  };

  const insert = (pet: NewPet): Pet => {
    const values = newPetColumns.map(({ field }) => pet[field] ?? null);
    const id = BigInt(sql.create.run(...values).lastInsertRowid);
    return toPet({ ...pet, id }) as Pet;
  };

  const create = (pet: NewPet, once?: IdempotencyKey): CreateResult => {
    if (once === undefined) return { outcome: "created", pet: insert(pet) };
    const now = Date.now();
    sql.forget.run(now - idempotencyWindow);
    const record = sql.recall.get(once.caller, once.key, now - idempotencyWindow);
    if (record === undefined) {
      const made = insert(pet);
      sql.remember.run(once.caller, once.key, once.digest, made.id, now);
      return { outcome: "created", pet: made };
    }
    if (Buffer.compare(record.digest as Uint8Array, once.digest) !== 0) return { outcome: "conflict" };
    // Not to be remembered: if this transaction fails, another pet may get the id.
    return { outcome: "repeated", pet: readPet(record.pet_id as bigint) as Pet };
  };

  const findKey = (hash: string): Key | undefined => {
    const known = keys.get(hash);
    if (known !== undefined) return known ?? undefined;
    const since = performance.now();
    const key = toKey(sql.findKey.get(hash));
    figures.observeQuery("keys_find", since);
    keys.set(hash, key ?? null); // also that there is none: who is told so asks again, as a rule
    return key;
  };

  // Methods as the store's interface has them.
  const reads =
    <A extends unknown[], T>(method: (...args: A) => T) =>
    (...args: A): Promise<T> =>
      turns.read(() => method(...args));
  const writes =
    <A extends unknown[], T>(name: StoreMethod, method: (...args: A) => T) =>
    (...args: A): Promise<T> =>
      turns.write(name, () => method(...args));

  return {
    pets: { list: reads(list), find: reads(find), create: writes("pets_create", create) },
    keys: {
      create: writes("keys_create", (name, hash, { expiresAt, operator = false } = {}) => {
        keys.clear();
        const expires = expiresAt?.getTime() ?? null;
        return sql.createKey.run(name, hash, Date.now(), expires, Number(operator)).changes === 1n;
      }),
      list: reads(() => sql.listKeys.all().map((row) => toKey(row) as Key)),
      find: reads(findKey),
      revoke: writes("keys_revoke", (name) => {
        keys.clear();
        return sql.revokeKey.run(name).changes === 1n;
      }),
      touch: writes("keys_touch", (uses) => {
        keys.clear();
        for (const [id, at] of uses) sql.touchKey.run(at.getTime(), id);
      }),
    },
    deprecated: {
      add: writes("deprecated_add", (calls, since) => {
        for (const { operation, key, day, count } of calls) sql.addCalls.run(operation, key, day, count);
        sql.forgetCalls.run(since);
      }),
      list: reads((since) => sql.listCalls.all(since).map((row) => ({ ...row }) as unknown as DailyCalls)),
    },
    metrics: figures,
    secret: sql.secret.get()?.value as Uint8Array,
    check: reads(() => {
      sql.secret.get();
      kept();
    }),
    close: async () => db.close(),
  };
}
