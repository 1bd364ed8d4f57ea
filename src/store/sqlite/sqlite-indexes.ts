// What indexes need of SQLite.
import type { IndexDialect } from "../query/index-statements.ts";
import type { IndexDatabase } from "../query/indexer.ts";
import { quoteName } from "../records.ts";
import { quoteText, type RecordStatements, toCondition } from "./sqlite-statements.ts";
import type { StatementRunner } from "./transactions.ts";

/** Returns the triggers that log the changes of records of a collection. */
export function changeTriggers(collection: string) {
  return (["INSERT", "UPDATE", "DELETE"] as const).map((event) => {
    const name = `${collection}.${event.toLowerCase()}`; // which no collection has
    const row = event === "DELETE" ? "OLD" : "NEW";
    const log = `INSERT INTO index_changes (collection, id, writer) VALUES (${quoteText(collection)}, ${row}.id, 0) ON CONFLICT DO NOTHING`;
    return {
      name,
      statement: `CREATE TRIGGER ${quoteName(name)} AFTER ${event} ON ${quoteName(collection)} BEGIN ${log}; END`,
    };
  });
}

/** The SQL of indexes. */
export const indexDialect: IndexDialect = {
  table: quoteName,
  parameter: (number) => `?${number}`,
  condition: toCondition,
  hex: (bytes) => `hex(${bytes})`, // the driver creates a text in less time than bytes
  sumsSizes: false, // it takes a third of the time
  size: "octet_length(r.record)",
  rows: (parameter) =>
    `SELECT CAST(value ->> 0 AS INTEGER) AS first, unhex(value ->> 1) AS value, CAST(value ->> 2 AS INTEGER) AS id FROM json_each(${parameter})`,
  batch: 50,
  triggers: (collection) => ({
    create: changeTriggers(collection).map(({ statement }) => statement),
    drop: changeTriggers(collection).map(({ name }) => `DROP TRIGGER ${quoteName(name)}`),
  }),
};

/** Returns the access of an indexer to a database. Its transactions are those of other writes, too. */
export function createIndexDatabase(
  transactions: StatementRunner,
  { all }: Pick<RecordStatements, "all">,
): IndexDatabase {
  const run = (text: string, ...values: readonly unknown[]) => all(text, values);
  return {
    dialect: indexDialect,
    read: async (work) => transactions.read("index", () => work(run)),
    write: (work) => transactions.write("index", () => work(run)),
  };
}
