// Creates the tables and indexes of the SQLite store, and adds what a database lacks.
import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { findOthers } from "../bulk.ts";
import { type Dialect, forgetIndexes, latestVersion, listNames, migrations } from "../migrations.ts";
import { type Collection, idColumn, indexName, quoteName } from "../records.ts";
import { createFormError, createMigrationError, requireKnownVersion } from "../schema-version.ts";
import { constraintSchema, prepareConstraints } from "./sqlite-constraints.ts";
import { changeTriggers } from "./sqlite-indexes.ts";
import { expressionOf } from "./sqlite-statements.ts";

// "pets", in ASCII. Distinguishes the files of this program from those of others (PRAGMA application_id).
const applicationId = 0x70657473;

const dialect: Dialect = {
  id: "INTEGER PRIMARY KEY AUTOINCREMENT",
  integer: "INTEGER",
  text: "TEXT",
  bytes: "BLOB",
  options: "STRICT",
  keyedOptions: "STRICT, WITHOUT ROWID",
  prefix: "",
};

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

/** Returns the statements that create the tables, indexes and triggers of collections, by name. */
function collectionSchema(collections: readonly Collection[]): Map<string, string> {
  const statements = collections.flatMap((collection): [string, string][] => {
    const table = quoteName(collection.name);
    // A filter of an array has no index: SQLite has none for the items of an array.
    const indexes = collection.filters
      .filter(({ contains }) => !contains)
      .map((filter): [string, string] => {
        const name = indexName(collection, filter);
        return [name, `CREATE INDEX ${quoteName(name)} ON ${table} (${expressionOf(filter)}, id)`];
      });
    const key = idColumn(collection) === "key" ? ", key TEXT NOT NULL UNIQUE" : "";
    return [
      [collection.name, `CREATE TABLE ${table} (id ${dialect.id}, record TEXT NOT NULL${key}) STRICT`],
      ...indexes,
    ];
  });
  return new Map([...statements, ...constraintSchema(collections)]);
}

/**
 * Returns the statements that create what a database lacks, and replace what it has of another form. Throws an Error if it has a
 * table of another form, or records that violate a new constraint.
 */
function listMissing(db: DatabaseSync, collections: readonly Collection[]): string[] {
  const find = db.prepare("SELECT type, sql FROM sqlite_schema WHERE name = ?");
  const obsolete = prepareConstraints(db, collections);
  const missing = [...collectionSchema(collections)].flatMap(([name, statement]) => {
    const found = find.get(name);
    if (found?.sql === statement) return [];
    if (found === undefined) return [statement];
    if (found.type === "table") throw createFormError(name);
    return [`DROP ${found.type} ${quoteName(name)}`, statement];
  });
  return [...obsolete, ...missing];
}

/** Returns the tables and indexes that a database does not need. */
export function listUnneeded(db: DatabaseSync, collections: readonly Collection[]): string[] {
  const triggers = collections.flatMap((one) => changeTriggers(one.name)).map(({ name }) => name);
  const needed = new Set([...listNames(dialect), ...collectionSchema(collections).keys(), ...triggers]);
  return db
    .prepare(
      "SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all()
    .flatMap(({ type, name }) => (needed.has(name as string) ? [] : [`${type} ${name}`]));
}

/** Returns the collections that a database has of other documents: their definitions are exactly those of this release. */
export function findOtherCollections(db: DatabaseSync, collections: readonly Collection[]): Collection[] {
  const tables = db.prepare("SELECT DISTINCT name, sql AS text FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  return findOthers(collections, tables.all(), (form) => collectionSchema([form]).get(form.name));
}

/**
 * Returns the collections without the optional ones whose table a database lacks. Throws an Error if it lacks another one. It can lack an
 * index.
 */
export function findExisting(db: DatabaseSync, collections: readonly Collection[]): readonly Collection[] {
  const find = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?");
  return collections.filter(({ name, isOptional }) => {
    const exists = find.get(name) !== undefined;
    if (!exists && !isOptional) throw createMigrationError(`it lacks the table ${name}`);
    return exists;
  });
}

/**
 * Migrates a database to a version, and creates the tables and indexes of collections, in one transaction. Does not lock a
 * database that has all of it.
 */
export function migrate(db: DatabaseSync, collections: readonly Collection[], version = latestVersion): void {
  const isComplete = () => readVersion(db) >= version && listMissing(db, collections).length === 0;
  if (isComplete()) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated the database while this one waited for the lock.
    const current = readVersion(db);
    for (const [index, write] of [...migrations.entries()].slice(current, version)) {
      db.exec(write(dialect));
      db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${index + 1};`);
    }
    if (current === 0) db.prepare("INSERT INTO secret (value) VALUES (?)").run(randomBytes(32));
    const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?");
    const added = collections.filter(({ name }) => hasTable.get(name) === undefined);
    for (const statement of listMissing(db, collections)) db.exec(statement);
    if (hasTable.get("record_indexes")) for (const { name } of added) db.exec(forgetIndexes("", name));
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
