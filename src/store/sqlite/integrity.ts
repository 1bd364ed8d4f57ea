// Finds the problems of a SQLite file, which an attacker may have written (https://www.sqlite.org/security.html). A view
// in the place of a table, or pages that refer to each other, can make a query endless. The schema is therefore compared
// before any query of a table, and the pages are checked before any query that depends on them.
import { DatabaseSync } from "node:sqlite";
import { constraintPattern } from "../constraints.ts";
import { type Collection, indexName } from "../records.ts";
import { changeTriggers } from "./sqlite-indexes.ts";
import { migrate, readVersion } from "./sqlite-migrations.ts";

const maxNameLength = 80; // characters

/**
 * Yields the problems of a database, each as a sentence. Throws an Error with the reason if its tables can't be read safely.
 */
export function* findProblems(db: DatabaseSync, collections: readonly Collection[]): Generator<string> {
  const differences = findSchemaDifferences(db, collections);
  yield* differences;
  if (differences.length > 0) throw new Error("its schema is not that of this release");
  for (const { integrity_check: report } of db.prepare("PRAGMA integrity_check").iterate()) {
    const lines = String(report).split("\n");
    for (const line of lines) if (!/^(ok$|\*\*\*)/.test(line)) yield `SQLite: ${line}.`;
    // The first report is that of the pages, and the next one needs queries. `iterate` has not run them yet.
    if (lines[0]?.startsWith("***")) throw new Error("its pages are damaged");
  }
  if (db.prepare("SELECT 1 FROM sqlite_sequence WHERE typeof(seq) <> 'integer'").get())
    yield "The table sqlite_sequence has a last id that is not an integer.";
}

/** Compares the schema with the one that the migrations create for its version. Returns the differences, each as a sentence. */
function findSchemaDifferences(db: DatabaseSync, collections: readonly Collection[]): string[] {
  const model = new DatabaseSync(":memory:");
  migrate(model, collections, readVersion(db));
  const triggers = collections.flatMap(({ name }) => changeTriggers(name)); // of a collection with indexes
  for (const { statement } of triggers) model.exec(statement);
  const missing = new Map(readSchema(model));
  model.close();
  const differences: string[] = [];
  for (const [name, definition] of readSchema(db)) {
    const expected = missing.get(name);
    missing.delete(name);
    if (expected === undefined) {
      if (!isFilterIndex(definition, collections) && !isConstraint(name, collections))
        differences.push(`The ${name.slice(0, maxNameLength)} is not part of the schema.`);
    } else if (expected !== definition) differences.push(`The ${name} differs from that of this release.`);
  }
  // A backup of an earlier document lacks the index of a later filter. The service creates it when it opens the store.
  const indexes = collections.flatMap((one) => one.filters.map((filter) => `index ${indexName(one, filter)}`));
  const optional = new Set([...indexes, ...triggers.map(({ name }) => `trigger ${name}`)]);
  for (const name of missing.keys())
    if (!optional.has(name) && !isConstraint(name, collections)) differences.push(`The ${name} is missing.`);
  return differences;
}

// The value of a property, or the scope. All quotes are doubled.
const filterIndex =
  /^'([\w-]+)''CREATE INDEX "(?:[^"]|"")+" ON "([\w-]+)" \((?:record ->> ''(?:[^']|'{4})+''|rtrim\(key, replace\(key, ''\/'', '{4}\)\)), id\)'$/;

// Whether it is the index of a filter that an earlier document had, or a later one. It does no harm.
function isFilterIndex(definition: string, collections: readonly Collection[]): boolean {
  const [, table, indexed] = filterIndex.exec(definition) ?? [];
  return table === indexed && collections.some(({ name }) => name === table);
}

// Whether it enforces a constraint, which another version of the document can lack. Only writes run it, and a restore copies rows.
function isConstraint(typeAndName: string, collections: readonly Collection[]): boolean {
  const [type, name = ""] = typeAndName.split(" ");
  const [, owner] = constraintPattern.exec(name) ?? [];
  return (type === "index" || type === "trigger") && collections.some((one) => one.name === owner);
}

// Returns the types and names of all tables, indexes, views and triggers, with their definitions, and the encoding of all
// texts. A crafted file can have the same name twice.
function readSchema(db: DatabaseSync): [name: string, definition: string][] {
  const rows = db
    .prepare("SELECT type || ' ' || name AS name, quote(tbl_name) || quote(sql) AS definition FROM sqlite_schema")
    .all();
  const encoding = db.prepare("PRAGMA encoding").get()?.encoding;
  return [
    ["encoding", `${encoding}`],
    ...rows.map(({ name, definition }) => [`${name}`, `${definition}`] as [string, string]),
  ];
}
