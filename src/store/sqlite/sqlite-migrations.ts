// The schema of the SQLite store, as numbered migrations. A released migration is never edited: append a new one.
import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { requireKnownVersion } from "../schema-version.ts";

// "pets", in ASCII. Distinguishes the files of this program from those of others (PRAGMA application_id).
const applicationId = 0x70657473;

const migrations: readonly ((db: DatabaseSync) => void)[] = [
  (db) => {
    // AUTOINCREMENT: an id is never generated twice, even if its pet was deleted.
    db.exec(`
      CREATE TABLE pets (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        category_id INTEGER NOT NULL,
        status TEXT
      ) STRICT;
      CREATE INDEX pets_by_status ON pets (status, id);

      CREATE TABLE keys (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        hash BLOB NOT NULL UNIQUE,
        created_at INTEGER NOT NULL, -- milliseconds since 1970, like all times here
        expires_at INTEGER,
        last_used_at INTEGER
      ) STRICT;

      CREATE TABLE idempotency (
        caller INTEGER NOT NULL,
        key TEXT NOT NULL,
        digest BLOB NOT NULL,
        pet_id INTEGER NOT NULL REFERENCES pets (id),
        created_at INTEGER NOT NULL,
        PRIMARY KEY (caller, key)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX idempotency_by_age ON idempotency (created_at);

      CREATE TABLE secret (value BLOB NOT NULL) STRICT; -- one random value, which identifies the store
    `);
    db.prepare("INSERT INTO secret (value) VALUES (?)").run(randomBytes(32));
  },
  (db) => {
    db.exec(`
      ALTER TABLE keys ADD COLUMN operator INTEGER NOT NULL DEFAULT 0;

      CREATE TABLE deprecated_calls (
        operation TEXT NOT NULL,
        key TEXT NOT NULL,
        day INTEGER NOT NULL, -- since 1970
        count INTEGER NOT NULL,
        PRIMARY KEY (operation, key, day)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX deprecated_calls_by_day ON deprecated_calls (day);

      -- The progress of the import of a file, by the SHA-256 of its bytes.
      CREATE TABLE imports (
        digest BLOB NOT NULL PRIMARY KEY,
        lines INTEGER NOT NULL,
        pets INTEGER NOT NULL,
        complete INTEGER NOT NULL,
        written_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `);
  },
  // Without a foreign key: a record remains after its pet is deleted. SQLite can't drop a constraint.
  (db) =>
    db.exec(`
      CREATE TABLE new_idempotency (
        caller INTEGER NOT NULL,
        key TEXT NOT NULL,
        digest BLOB NOT NULL,
        pet_id INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (caller, key)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_idempotency (caller, key, digest, pet_id, created_at)
        SELECT caller, key, digest, pet_id, created_at FROM idempotency;
      DROP TABLE idempotency;
      ALTER TABLE new_idempotency RENAME TO idempotency;
      CREATE INDEX idempotency_by_age ON idempotency (created_at);
    `),
  // The hash that the last rotation replaced, and the end of its grace period.
  (db) =>
    db.exec(`
      ALTER TABLE keys ADD COLUMN previous_hash BLOB;
      ALTER TABLE keys ADD COLUMN previous_expires_at INTEGER;
      CREATE INDEX keys_by_previous_hash ON keys (previous_hash, previous_expires_at);
    `),
];

/** The version of the schema of this release. */
export const latestVersion = migrations.length;

/**
 * Returns the version of a database, 0 if it is empty. Throws if it belongs to another program or is of a newer
 * version.
 */
export function readVersion(db: DatabaseSync): number {
  const read = (pragma: string) => Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
  const version = read("user_version");
  const owner = read("application_id");
  const hasNoTables = db.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
  const isNew = hasNoTables && version === 0 && owner === 0;
  if (!isNew && (hasNoTables || owner !== applicationId)) throw new Error("it belongs to another program");
  requireKnownVersion(version, latestVersion);
  return version;
}

/** Migrates a database to a version in one transaction. Does not lock a database of this version or a later one. */
export function migrate(db: DatabaseSync, version = latestVersion): void {
  if (readVersion(db) >= version) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated the database while this one waited for the lock.
    for (const [index, apply] of [...migrations.entries()].slice(readVersion(db), version)) {
      apply(db);
      db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${index + 1};`);
    }
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
