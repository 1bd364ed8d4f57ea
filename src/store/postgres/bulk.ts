import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { batchSize, countOrphans, primaryKeys, type Table, type Tables, type TableWriter, tables } from "../bulk.ts";
import type { OpenMode } from "../port.ts";
import { connect, prepareDatabase } from "./connection.ts";
import { indexes, others, plans } from "./statements.ts";

/**
 * Opens the tables of the store in PostgreSQL. A write that is to take them alone retries for `lockTimeout` milliseconds
 * while others hold them. Rejects as `openPostgres` does.
 */
export async function openPostgresTables(url: string, access: OpenMode, lockTimeout: number): Promise<Tables> {
  await prepareDatabase(url, access);
  const db = await connect(url);
  const start = async (begin: string, deadline = performance.now() + lockTimeout): Promise<void> => {
    try {
      await db.query(begin);
    } catch (error) {
      if ((error as { code?: string }).code !== "55P03") throw error; // lock_not_available
      if (performance.now() > deadline) throw new Error(held, { cause: error });
      await db.query("ROLLBACK");
      await pause(200); // in which creates get their turn
      await start(begin, deadline);
    }
  };
  const within = async <T>(begin: string, work: (target: TableWriter) => Promise<T>): Promise<T> => {
    try {
      await start(begin);
      const result = await work(over(db));
      await db.query("COMMIT");
      return result;
    } catch (error) {
      await db.query("ROLLBACK").catch(() => {}); // where the connection broke, that is done
      throw error;
    }
  };
  return {
    // Locked before the moment that is seen: a table that is emptied (TRUNCATE) after it would be empty in it, too.
    read: (work) => within(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${lock("ACCESS SHARE")}`, work),
    // At last the row by which creates take turns (src/store/postgres/store.ts): until the end, there are none.
    write: (work, { alone = false } = {}) =>
      within(`BEGIN; ${alone ? takeAll : lock("ROW EXCLUSIVE")}; SELECT 1 FROM petstore.secret FOR UPDATE`, work),
    async isAlone() {
      // What has just ended may still be listed, our own first look at the database for one.
      for (let looks = 0; looks < 20; looks++) {
        const [{ n }] = (await db.query(others)).rows;
        if (n === 0n) return true;
        await pause(50);
      }
      return false;
    },
    close: () => db.end(),
  };
}

// Tables before the row, and first the one that a create takes first: two that lock in another order would wait
// for each other.
const places = ["idempotency", ...Object.keys(tables).filter((name) => name !== "idempotency")].map(
  (name) => `petstore.${name}`,
);
const lock = (mode: string, of = places) => `LOCK TABLE ${of} IN ${mode} MODE`;

// Creates wait behind who waits for a table, and are 503 after 900 ms. The second time is for a vacuum, which gives way
// after one second; who only reads is not in the way of that lock.
const takeAll = `
  SET LOCAL lock_timeout = 500; ${lock("ACCESS EXCLUSIVE", places.slice(0, 1))};
  SET LOCAL lock_timeout = 3000; ${lock("SHARE ROW EXCLUSIVE", places.slice(1))}`;
const held =
  "Others use the store, for a backup, an export or an import: try again when they are done. Nothing was changed.";

function over(db: Client): TableWriter {
  const columns = (table: Table) => Object.keys(tables[table]);
  return {
    async count(table) {
      const { rows } = await db.query(`SELECT count(*) AS n FROM petstore.${table}`);
      return Number(rows[0].n);
    },
    async *rows(table, status) {
      // By status as a range of its index: see listByStatus.
      const [rest, ...values] =
        status === undefined
          ? [`ORDER BY ${primaryKeys[table]}`]
          : ["WHERE status >= $1 AND status <= $1 ORDER BY status, id", status];
      await db.query(`DECLARE reading CURSOR FOR SELECT ${columns(table)} FROM petstore.${table} ${rest}`, [...values]);
      const next = async () => (await db.query({ text: `FETCH ${batchSize} FROM reading`, rowMode: "array" })).rows;
      try {
        for (let some = await next(); some.length > 0; some = await next()) yield some;
      } finally {
        await db.query("CLOSE reading").catch(() => {}); // where the transaction failed, it is closed
      }
    },
    async lastId(table) {
      const { rows } = await db.query(`SELECT last_value, is_called FROM petstore.${table}_id_seq`);
      return rows[0].is_called ? rows[0].last_value : rows[0].last_value - 1n;
    },
    secrets: async () => (await db.query("SELECT value FROM petstore.secret")).rows.map(({ value }) => value),
    async *problems() {
      for (const { name, table, columns, valid } of (await db.query(indexes)).rows) {
        const [first] = columns;
        // Which way PostgreSQL goes to the rows is its own choice: here it has no other one.
        const ask = async (plan: string, text: string) => {
          await db.query(`SAVEPOINT plan; ${plan}`);
          const { rows } = await db.query(text);
          await db.query("ROLLBACK TO plan; RELEASE plan");
          return rows[0];
        };
        const whole = await ask(plans.table, `SELECT count(*) AS n FROM petstore.${table}`);
        const found = await ask(
          plans.index,
          `SELECT count(*) AS n, count(*) FILTER (WHERE before > it) AS wrong
           FROM (SELECT ${first} AS it, lag(${first}) OVER (ORDER BY ${columns}) AS before FROM petstore.${table}) AS sorted`,
        );
        if (!valid) yield `The index ${name} is not in use: PostgreSQL takes it for invalid.`;
        else if (found.n !== whole.n || found.wrong > 0n)
          yield `The index ${name} disagrees with its table: it leads to ${found.n} of ${whole.n} rows, ${found.wrong} of them out of order.`;
      }
      const [{ n: lost }] = (await db.query(countOrphans("petstore."))).rows;
      if (lost > 0n) yield `${lost} records of Idempotency-Keys name a pet that is not there.`;
    },
    async setSecret(secret) {
      await db.query("UPDATE petstore.secret SET value = $1", [secret]);
    },
    async add(table, rows) {
      const types = Object.values(tables[table]);
      const lists = types.map((type, index) => `$${index + 1}::${type}[]`);
      await db.query(
        `INSERT INTO petstore.${table} (${columns(table)}) SELECT * FROM unnest(${lists})`,
        types.map((_, index) => rows.map((row) => row[index])),
      );
    },
    async remove(table, first) {
      const place = `petstore.${table}`;
      const where = `WHERE ${columns(table)[0]} = $1`;
      if (first !== undefined) await db.query(`DELETE FROM ${place} ${where}`, [first]);
      // To delete a pet is to look for its record, past all those that this transaction has deleted.
      else await db.query(table === "idempotency" ? `TRUNCATE ${place}` : `DELETE FROM ${place}`);
    },
    // Not undone by a rollback: the caller sets it last.
    async setLastId(table, id) {
      await db.query("SELECT setval($1, $2, $3)", [`petstore.${table}_id_seq`, id || 1n, id > 0n]);
    },
  };
}
