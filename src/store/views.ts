// Views with a column for each property of a record, for people who use SQL. They are not part of a store: a SQLite file with a view
// could be that of an attacker.
import { parseDatabaseUrl } from "../lib/index.ts";
import { type Collection, idColumn, type ViewColumn } from "./records.ts";
import * as sqlite from "./sqlite/sqlite-statements.ts";

/** Returns the statement that creates the view of a collection, in the SQL of a database, such as `pets_view`. */
export async function createViewStatement(
  url: string,
  collection: Collection,
  columns: readonly ViewColumn[],
): Promise<string> {
  const isSqlite = parseDatabaseUrl(url)?.kind === "sqlite";
  const { quoteName, toColumn, tableOf } = isSqlite ? sqlite : await import("./postgres/postgres-statements.ts");
  const view = { ...collection, name: `${collection.name}_view` };
  const list = columns
    .filter(({ name }) => name !== collection.id)
    .map((column) => `  ${toColumn(column)} AS ${quoteName(column.name)}`);
  const create = isSqlite ? "CREATE TEMP VIEW" : "CREATE OR REPLACE VIEW";
  return `${create} ${tableOf(view)} AS SELECT\n${[`  ${idColumn(collection)} AS ${quoteName(collection.id ?? "key")}`, ...list].join(",\n")}\nFROM ${tableOf(collection)};`;
}
