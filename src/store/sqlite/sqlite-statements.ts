// The SQL statements of the SQLite store. Each is prepared once per connection.
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { type ListSelection, listColumns } from "../pages.ts";
import { queryChannel } from "../query/query-channel.ts";
import { type Collection, type Filter, idColumn, quoteName, type ViewColumn, writeRecord } from "../records.ts";

/** The texts of the statements, by name. */
export const statements = {
  // In small steps: after a day without calls, the first one must not wait for the deletion of all records.
  deleteExpiredRecords:
    "DELETE FROM idempotency WHERE (collection, caller, key) IN (SELECT collection, caller, key FROM idempotency WHERE created_at <= ? LIMIT 100)",
  findRecord: `
    SELECT digest, record_id, record_key FROM idempotency WHERE collection = ? AND caller = ? AND key = ? AND created_at > ?`,
  saveRecord: `
    REPLACE INTO idempotency (collection, caller, key, digest, record_id, record_key, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  keys_create: `
    INSERT INTO keys (name, hash, created_at, expires_at, operator, scopes) VALUES (?, unhex(?), ?, ?, ?, ?)
    ON CONFLICT (name) DO NOTHING RETURNING id`,
  keys_list: "SELECT * FROM keys",
  keys_find: `
    SELECT * FROM keys
    WHERE hash = unhex(?1) OR (previous_hash = unhex(?1) AND previous_expires_at > ?2)`,
  keys_rotate: `
    UPDATE keys SET previous_hash = hash, previous_expires_at = ?3, hash = unhex(?2)
    WHERE id = ?1 AND previous_expires_at IS ?4 RETURNING id`,
  keys_revoke: "DELETE FROM keys WHERE name = ? RETURNING id",
  keys_touch: "UPDATE keys SET last_used_at = max(ifnull(last_used_at, 0), ?) WHERE id = ?",
  identity: "SELECT value FROM secret",
};

/** Returns the expression of the value of a filter. That of a simple name is the same in PostgreSQL. */
export function expressionOf(
  { property, member, isScope }: Pick<Filter, "property" | "member" | "isScope">,
  record = "record",
): string {
  if (isScope) return "rtrim(key, replace(key, '/', ''))"; // up to the last slash
  if (member !== undefined) return `${record} ->> ${quoteText(pathOf(property, member))}`;
  const isSimple = /^[a-z_]\w*$/i.test(property);
  return `${record} ->> ${quoteText(isSimple ? property : pathOf(property))}`;
}

/** Returns the path of a member in SQL. */
export function pathOf(...names: readonly string[]): string {
  return ["$", ...names.map((name) => JSON.stringify(name))].join(".");
}

/** Returns the expression of a column of a view. */
export function toColumn({ name, type }: ViewColumn): string {
  return type === "json" ? `record -> ${quoteText(pathOf(name))}` : expressionOf({ property: name });
}

/** Returns a text in quotes. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns the texts of the statements of a collection, by name. */
export function recordStatements(collection: Collection) {
  const table = quoteName(collection.name);
  const column = idColumn(collection);
  const lastId = `ifnull((SELECT seq FROM sqlite_sequence WHERE name = ${quoteText(collection.name)}), 0)`;
  const [start] = writeRecord({ ...collection, isScoped: false }, 0n, "").text.split(/0$/) as [string];
  return {
    find: `SELECT record FROM ${table} WHERE ${column} = ?`,
    position: `SELECT id FROM ${table} WHERE ${column} = ?`,
    create:
      collection.idType === "string"
        ? `INSERT INTO ${table} (key, record) VALUES (?, ?)`
        : // Behind the highest id, the id is NULL, and SQLite fails as if it had to generate one.
          `INSERT INTO ${table} (id${column === "key" ? ", key" : ""}, record)
           SELECT id${column === "key" ? ", ? || ifnull(id, 0)" : ""}, ${quoteText(start)} || ifnull(id, 0) || ?
           FROM (SELECT CASE WHEN seq < 9223372036854775807 THEN seq + 1 END AS id FROM (SELECT ${lastId} AS seq))`,
    // SQLite generates higher ids afterwards.
    createNumbered: `INSERT INTO ${table} (id, record) VALUES (?, ?)`,
    change: `UPDATE ${table} SET record = ? WHERE ${column} = ?`,
    remove: `DELETE FROM ${table} WHERE ${column} = ?`,
    removeBelow: `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${column} >= ? AND ${column} < ? LIMIT ?)`,
    // Not max(id): the ids of the last records are not generated again after these records are deleted.
    lastId: `SELECT ${lastId} AS lastId`,
    count: `SELECT ${lastId} AS lastId, (SELECT count(*) FROM ${table}) AS records`,
  };
}

/**
 * Returns the statement that lists the records that match `filters`. Its parameters are the values of the filters, the id from
 * which on the page is read, the number of records, and that of those that are skipped, if there is an offset.
 */
export function listStatement(collection: Collection, { filters, direction, offset }: ListSelection): string {
  const [comparison, order] = direction === "forwards" ? [">", "ASC"] : ["<", "DESC"];
  const conditions = [...filters.map((filter) => toCondition(filter)), `id ${comparison} ?`].join(" AND ");
  // SQLite's planner reads a bare parameter of LIMIT, and therefore compiles the statement again for each run. That takes
  // a third of the time of a page.
  return `SELECT ${listColumns(collection)} FROM ${quoteName(collection.name)} WHERE ${conditions} ORDER BY id ${order} LIMIT ? + 0${offset === undefined ? "" : " OFFSET ? + 0"}`;
}

/** Returns the statement that counts the records that match filters. Its parameters are their values. */
export function countStatement(collection: Collection, filters: readonly Filter[]): string {
  const conditions = ["true", ...filters.map((filter) => toCondition(filter))].join(" AND ");
  return `SELECT count(*) AS records FROM ${quoteName(collection.name)} WHERE ${conditions}`;
}

/** Returns the condition of a filter, with a parameter for its value. */
export function toCondition(filter: Filter, value = "?"): string {
  if (!filter.contains) return `${expressionOf(filter)} = ${value}`;
  return `EXISTS (SELECT 1 FROM json_each(record, ${quoteText(pathOf(filter.property))}) WHERE value = ${value})`;
}

/** Returns the value of a filter as a parameter. SQLite has no booleans: the value of a JSON boolean is 0 or 1. */
export function toValue(value: unknown): SQLInputValue {
  return typeof value === "boolean" ? Number(value) : (value as SQLInputValue);
}

/** The prepared statements of a connection, by name. */
export type Statements = Readonly<Record<keyof typeof statements, TracedStatement>>;

/** The prepared statements of a collection, by name. `list` and `countMatching` return those of a selection, and `all` runs others. */
export type RecordStatements = Readonly<ReturnType<typeof prepareRecordStatements>>;

/** Prepares the statements of the tables that each store has. */
export function prepareStatements(db: DatabaseSync): Statements {
  return prepareAll(db, statements);
}

/**
 * Returns a function that runs before a record is written: what this process writes can violate the schemas of others, so that they no
 * longer hold for all records. Not a trigger, which doubles the CPU time of an insert. It is not published.
 */
export function prepareDisclaim(db: DatabaseSync, { name, schema }: Collection): () => void {
  if (schema === undefined) return () => {};
  const statement = db.prepare(
    "DELETE FROM record_schemas WHERE collection = ? AND schema <> ? AND ifnull(upgraded_to, -1) < 0",
  );
  return () => void statement.run(name, schema());
}

/** Prepares the statements of a collection; those that list records when they are used first. */
export function prepareRecordStatements(db: DatabaseSync, collection: Collection) {
  const { prepare, all } = prepareSelections(db);
  return {
    ...prepareAll(db, recordStatements(collection)),
    list: (selection: ListSelection) => prepare(listStatement(collection, selection), true),
    countMatching: (filters: readonly Filter[]) => prepare(countStatement(collection, filters), false),
    all,
  };
}

/** Returns functions that prepare statements when they are used first: `all` runs one, and returns its rows as arrays. */
export function prepareSelections(db: DatabaseSync) {
  const prepared = new Map<string, TracedStatement>();
  const prepare = (text: string, hasArrays: boolean) => {
    const known = prepared.get(text);
    if (known) return known;
    const statement = db.prepare(text);
    statement.setReturnArrays(hasArrays); // the driver creates an array in less time than an object
    const traced = new TracedStatement(statement);
    prepared.set(text, traced);
    return traced;
  };
  const all = (text: string, values: readonly unknown[]) =>
    prepare(text, true).all(...values.map(toValue)) as unknown as unknown[][];
  return { prepare, all };
}

function prepareAll<N extends string>(
  db: DatabaseSync,
  texts: Readonly<Record<N, string>>,
): Record<N, TracedStatement> {
  const prepared = Object.entries<string>(texts).map(([name, text]) => [name, new TracedStatement(db.prepare(text))]);
  return Object.fromEntries(prepared);
}

/** A prepared statement that is published on `queryChannel` each time it runs. */
export class TracedStatement {
  readonly #statement: StatementSync;

  constructor(statement: StatementSync) {
    this.#statement = statement;
  }

  all(...values: SQLInputValue[]): ReturnType<StatementSync["all"]> {
    return this.#trace(() => this.#statement.all(...values));
  }

  get(...values: SQLInputValue[]): ReturnType<StatementSync["get"]> {
    return this.#trace(() => this.#statement.get(...values));
  }

  run(...values: SQLInputValue[]): ReturnType<StatementSync["run"]> {
    return this.#trace(() => this.#statement.run(...values));
  }

  // The message is a new object for each run: subscribers identify a run by its message.
  #trace<T>(run: () => T): T {
    if (!queryChannel.hasSubscribers) return run();
    return queryChannel.traceSync(run, { system: "sqlite", text: this.#statement.sourceSQL });
  }
}
