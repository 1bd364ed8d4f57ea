// Views with a column for each property of a record, for people who use SQL. They are not part of a store: a SQLite file with a view
// could be that of an attacker.
import { type Collection, idColumn, quoteName, type ViewColumn } from "./records.ts";
import * as sqlite from "./sqlite/sqlite-statements.ts";

/** Returns the statement that creates the view of a collection, such as `pets_view`, in a schema of PostgreSQL, or in SQLite. */
export async function createViewStatement(
  schema: string | undefined,
  collection: Collection,
  columns: readonly ViewColumn[],
): Promise<string> {
  const isSqlite = schema === undefined;
  const { toColumn } = isSqlite ? sqlite : await import("./postgres/postgres-statements.ts");
  const prefix = isSqlite ? "" : `${quoteName(schema)}.`;
  const view = quoteName(`${collection.name}_view`);
  const list = columns
    .filter(({ name }) => name !== collection.id)
    .map((column) => `  ${toColumn(column)} AS ${quoteName(column.name)}`);
  const create = isSqlite ? "CREATE TEMP VIEW" : "CREATE OR REPLACE VIEW";
  return `${create} ${prefix}${view} AS SELECT\n${[`  ${idColumn(collection)} AS ${quoteName(collection.id ?? "key")}`, ...list].join(",\n")}\nFROM ${prefix}${quoteName(collection.name)};`;
}
