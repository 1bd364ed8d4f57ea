// The embedded store: one SQLite file, which several processes of one machine may share.
//
// WAL with synchronous=FULL: a commit returns when its pages are on the disk, so that an answered
// 201 survives kill -9 and power loss. Every statement is prepared once; node:sqlite is
// synchronous, and a statement by key costs a few microseconds. To wait for another process's lock
// inside SQLite would hold up all other requests: a write that finds one is tried again from here.
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { Unavailable } from "../errors.ts";
import { given, pet, remembered, toKey, toPet } from "./rows.ts";
import { inspect, migrate } from "./sqlite-migrations.ts";
import type { Key, NewPet, Pet, Store } from "./store.ts";

const busyTimeout = 5_000; // milliseconds
const busyPause = 10;

/** The statements, by name. */
export const statements = {
  list: `SELECT ${pet} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${pet} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  find: `SELECT ${pet} FROM pets WHERE id = ?`,
  create: `INSERT INTO pets (${given.map(({ name }) => name)}) VALUES (${given.map(() => "?")})`,
  // A few at a time: who comes after a quiet day must not wait for all of the day before.
  forget:
    "DELETE FROM idempotency WHERE (caller, key) IN (SELECT caller, key FROM idempotency WHERE created_at <= ? LIMIT 100)",
  recall: "SELECT digest, pet_id FROM idempotency WHERE caller = ? AND key = ? AND created_at > ?",
  remember: "REPLACE INTO idempotency (caller, key, digest, pet_id, created_at) VALUES (?, ?, ?, ?, ?)",
  createKey: "INSERT INTO keys (name, hash, created_at, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
  listKeys: "SELECT * FROM keys ORDER BY name",
  findKey: "SELECT * FROM keys WHERE hash = ?",
  revokeKey: "DELETE FROM keys WHERE name = ?",
  touchKey: "UPDATE keys SET last_used_at = max(ifnull(last_used_at, 0), ?) WHERE id = ?",
  secret: "SELECT value FROM secret",
};

/**
 * Opens the store in `file`, which is made where there is none if `create` says so, or `:memory:`.
 * Throws an Error that says what is wrong where the file can't be opened, is no store of ours, or
 * was made by a newer version.
 */
export function openSqlite(file: string, create = true): Store {
  const db = openFile(file, create);
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  const transaction = <T>(work: () => T): T => {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      if (db.isTransaction) rollback.run();
      throw error;
    }
  };

  const sql = Object.fromEntries(Object.entries(statements).map(([name, text]) => [name, db.prepare(text)])) as Record<
    keyof typeof statements,
    StatementSync
  >;

  const find = (id: bigint) => toPet(sql.find.get(id));
  const insert = (pet: NewPet): Pet => {
    const values = given.map(({ field }) => pet[field] ?? null);
    const id = BigInt(sql.create.run(...values).lastInsertRowid);
    return toPet({ ...pet, id }) as Pet;
  };

  return {
    pets: {
      list: reach(({ limit, after = 0n, ...filter }) => {
        const { status, ...others } = filter;
        others satisfies Record<string, never>; // a filter of the document that has no query here
        const rows =
          status === undefined ? sql.list.all(after, limit + 1) : sql.listByStatus.all(status, after, limit + 1);
        return { pets: rows.slice(0, limit).map((row) => toPet(row) as Pet), more: rows.length > limit };
      }),
      find: reach(find),
      create: reach((pet, once) => {
        if (once === undefined) return { outcome: "created", pet: insert(pet) };
        return transaction(() => {
          const now = Date.now();
          sql.forget.run(now - remembered);
          const record = sql.recall.get(once.caller, once.key, now - remembered);
          if (record === undefined) {
            const made = insert(pet);
            sql.remember.run(once.caller, once.key, once.digest, made.id, now);
            return { outcome: "created", pet: made };
          }
          if (Buffer.compare(record.digest as Uint8Array, once.digest) !== 0) return { outcome: "conflict" };
          return { outcome: "repeated", pet: find(record.pet_id as bigint) as Pet };
        });
      }),
    },
    keys: {
      create: reach(
        (name, hash, expiresAt) =>
          sql.createKey.run(name, hash, Date.now(), expiresAt?.getTime() ?? null).changes === 1n,
      ),
      list: reach(() => sql.listKeys.all().map((row) => toKey(row) as Key)),
      find: reach((hash) => toKey(sql.findKey.get(hash))),
      revoke: reach((name) => sql.revokeKey.run(name).changes === 1n),
      touch: reach((uses) =>
        transaction(() => {
          for (const [id, at] of uses) sql.touchKey.run(at.getTime(), id);
        }),
      ),
    },
    secret: sql.secret.get()?.value as Uint8Array,
    check: reach(() => void sql.secret.get()),
    close: async () => db.close(),
  };
}

/** A connection to a store of this version. Throws as `openSqlite` does. */
export function openFile(file: string, create: boolean): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    if (file !== ":memory:") {
      if (create) mkdirSync(dirname(file), { recursive: true });
      // Nobody but its owner reads the file: it holds the secret that signs cursors.
      closeSync(openSync(file, create ? "a" : "r+", 0o600));
    }
    db = new DatabaseSync(file, { timeout: busyTimeout, readBigInts: true });
    inspect(db); // before anything is written: it may be somebody else's
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    migrate(db);
    db.exec("PRAGMA busy_timeout = 0"); // from here on, `reach` waits
    return db;
  } catch (error) {
    db?.close();
    throw new Error(`The database ${file} can't be opened: ${(error as Error).message}.`, { cause: error });
  }
}

const busy = 5; // SQLITE_BUSY

// SQLite's primary result codes that speak of the surroundings, not of a bug of ours.
// https://www.sqlite.org/rescode.html
const surroundings = new Map([
  [busy, "locked by another process"],
  [6, "locked"], // SQLITE_LOCKED
  [8, "read-only"], // SQLITE_READONLY
  [10, "not readable or writable"], // SQLITE_IOERR
  [11, "damaged"], // SQLITE_CORRUPT
  [13, "out of space"], // SQLITE_FULL
  [14, "not accessible"], // SQLITE_CANTOPEN
  [26, "no database any more"], // SQLITE_NOTADB
]);

/** A synchronous method as the store's interface has it: a promise, and `Unavailable` for what is not a bug. */
function reach<A extends unknown[], T>(method: (...args: A) => T): (...args: A) => Promise<T> {
  return async (...args) => attempt(() => method(...args), Date.now() + busyTimeout);
}

async function attempt<T>(work: () => T, deadline: number): Promise<T> {
  try {
    return work();
  } catch (error) {
    const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
    if (code === busy && Date.now() < deadline) {
      await pause(busyPause);
      return attempt(work, deadline);
    }
    const reason = surroundings.get(code);
    if (reason === undefined) throw error;
    throw new Unavailable(`The store is ${reason}.`, { cause: error });
  }
}
