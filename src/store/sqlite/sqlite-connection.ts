// Opens the file of a SQLite store, and migrates it.
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { OpenMode } from "../port.ts";
import type { Collection } from "../records.ts";
import { createMissingError } from "../schema-version.ts";
import { findExisting, migrate, readVersion } from "./sqlite-migrations.ts";

const openTimeout = 5_000; // milliseconds: the busy timeout while the store is opened

const { R_OK, W_OK } = constants;

/**
 * Opens a store of this version, with these collections, in `file` or `:memory:`. A store of an earlier version is migrated, unless `mode`
 * is `readonly`. Throws an Error with the reason if the file can't be opened, belongs to another program, or was created by a newer
 * version.
 */
export function openDatabase(file: string, mode: OpenMode, collections: readonly Collection[]): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    if (file !== ":memory:") {
      if (mode === "create" && !existsSync(file)) createFile(file);
      accessSync(file, mode === "readonly" ? R_OK : R_OK | W_OK);
    }
    const readOnly = mode === "readonly";
    db = new DatabaseSync(file, { timeout: openTimeout, readBigInts: true, readOnly, defensive: true });
    // The file can come from elsewhere: https://www.sqlite.org/security.html. The service needs no check of each page.
    db.exec(`PRAGMA trusted_schema = OFF; ${readOnly ? "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;" : ""}`);
    const version = readVersion(db); // before the first write: the file may belong to another program
    if (readOnly) {
      if (version < 1) throw createMissingError();
      findExisting(db, collections);
      return db;
    }
    // With recursive triggers, a deletion cascades within a collection.
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA recursive_triggers = ON;");
    migrate(db, collections);
    // A page by an index reads its records from all over the file: 2 MB, the default, is a third slower.
    db.exec("PRAGMA cache_size = -32000");
    db.exec("PRAGMA busy_timeout = 0"); // from here on, `retryWhileBusy` waits without blocking the event loop
    return db;
  } catch (error) {
    db?.close();
    throw new Error(`The database ${file} can't be opened: ${(error as Error).message}.`, { cause: error });
  }
}

// An existing file must not be opened like this: closing it would end all locks that this process has on it (POSIX), and so those of
// other connections. Another program could then remove the -wal file with their commits.
function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  closeSync(openSync(file, "a", 0o600)); // only the owner may read it: it contains the hashes of keys
}

/** Turns a store that no connection has open into a single file, which can be read without creating a -wal file. */
export function disableWal(file: string): void {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = DELETE");
  db.close();
}
