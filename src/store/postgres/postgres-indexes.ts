// What indexes need of PostgreSQL.
import type { IndexDialect } from "../query/index-statements.ts";
import type { IndexDatabase } from "../query/indexer.ts";
import type { ConnectionPool, Queries } from "./connection-pool.ts";
import { lockOf, quoteText, tableOf, toCondition, toStatement } from "./postgres-statements.ts";

const lockKind = 0x70657475; // the next one after that of the creation of indexes

/** Returns the SQL of indexes in a schema. */
export function createDialect(schema: string): IndexDialect {
  const log = tableOf(schema, "log_changes");
  return {
    table: (name) => tableOf(schema, name),
    parameter: (number) => `$${number}`,
    condition: toCondition,
    hex: (bytes) => `encode(${bytes}, 'hex')`,
    sumsSizes: true,
    size: "pg_column_size(r.record)",
    rows: (parameter) =>
      `SELECT (value ->> 0)::bigint AS first, decode(value ->> 1, 'hex') AS value, (value ->> 2)::bigint AS id FROM json_array_elements(${parameter}::json) AS all_rows (value)`,
    batch: 500,
    triggers: (collection) => {
      const table = tableOf(schema, collection);
      const events = Object.entries({ INSERT: "NEW", UPDATE: "NEW", DELETE: "OLD" });
      const limit = "SET LOCAL lock_timeout = 100"; // writes wait behind a lock that is not granted
      return {
        create: [
          limit,
          `CREATE OR REPLACE FUNCTION ${log}() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
            INSERT INTO ${tableOf(schema, "index_changes")} (collection, id, writer)
            SELECT TG_ARGV[0], id, txid_current() FROM changed_rows ON CONFLICT DO NOTHING;
            RETURN NULL;
          END $body$`,
          ...events.map(
            ([event, rows]) => `CREATE TRIGGER log_${event} AFTER ${event} ON ${table}
              REFERENCING ${rows} TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION ${log}(${quoteText(collection)})`,
          ),
        ],
        drop: [limit, ...events.map(([event]) => `DROP TRIGGER log_${event} ON ${table}`)],
      };
    },
  };
}

// Rows are found by their keys, also with a plan of the time at which the tables were small.
const slowPlans = ["seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort"].map(
  (name) => `SET LOCAL enable_${name} = off`,
);
const begin = ["BEGIN ISOLATION LEVEL READ COMMITTED", ...slowPlans].join("; ");

/** Returns the access of an indexer to a database. */
export function createIndexDatabase(pool: ConnectionPool, schema: string): IndexDatabase {
  const runIn =
    (queries: Queries) =>
    (text: string, ...values: readonly unknown[]) =>
      queries.query<unknown[]>(toStatement("index", text, "array"), ...values);
  return {
    dialect: createDialect(schema),
    read: async (work) => work(runIn(pool)),
    write: (work) =>
      pool.transaction(begin, async (queries) => {
        const run = runIn(queries);
        const [row] = await run(`SELECT pg_try_advisory_xact_lock(${lockOf(schema, lockKind)})`);
        return row?.[0] === true ? work(run) : undefined;
      }),
  };
}
