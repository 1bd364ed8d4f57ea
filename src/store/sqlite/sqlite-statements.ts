// The SQL statements of the SQLite store. Each is prepared once per connection.
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { queryChannel } from "../query-channel.ts";
import { type Column, type Direction, newPetColumns, petColumns } from "../rows.ts";

const lastPetId = "ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0)";

/** The texts of the statements, by name. */
export const statements = {
  find: `SELECT ${petColumns} FROM pets WHERE id = ?`,
  create: `INSERT INTO pets (${newPetColumns.map(({ name }) => name)}) VALUES (${newPetColumns.map(() => "?")})`,
  // Not max(id): the ids of the last pets are not generated again after these pets are deleted.
  lastPetId: `SELECT ${lastPetId} AS lastId`,
  countPets: `SELECT ${lastPetId} AS lastId, (SELECT count(*) FROM pets) AS pets`,
  // In small steps: after a day without calls, the first one must not wait for the deletion of all records.
  deleteExpiredRecords:
    "DELETE FROM idempotency WHERE (caller, key) IN (SELECT caller, key FROM idempotency WHERE created_at <= ? LIMIT 100)",
  findRecord: "SELECT digest, pet_id FROM idempotency WHERE caller = ? AND key = ? AND created_at > ?",
  saveRecord: "REPLACE INTO idempotency (caller, key, digest, pet_id, created_at) VALUES (?, ?, ?, ?, ?)",
  createKey:
    "INSERT INTO keys (name, hash, created_at, expires_at, operator) VALUES (?, unhex(?), ?, ?, ?) ON CONFLICT (name) DO NOTHING",
  listKeys: "SELECT * FROM keys ORDER BY name",
  findKey: `
    SELECT * FROM keys
    WHERE hash = unhex(?1) OR (previous_hash = unhex(?1) AND previous_expires_at > ?2)`,
  rotateKey: `
    UPDATE keys SET previous_hash = hash, previous_expires_at = ?, hash = unhex(?)
    WHERE id = ? AND previous_expires_at IS ?`,
  revokeKey: "DELETE FROM keys WHERE name = ?",
  touchKey: "UPDATE keys SET last_used_at = max(ifnull(last_used_at, 0), ?) WHERE id = ?",
  addCalls: `
    INSERT INTO deprecated_calls (operation, key, day, count) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  deleteExpiredCalls: "DELETE FROM deprecated_calls WHERE day < ?",
  listCalls: "SELECT operation, key, day, count FROM deprecated_calls WHERE day >= ? ORDER BY day DESC",
  identity: "SELECT value FROM secret",
};

/**
 * Returns the statement that lists the pets with a value in each of `columns`. Its parameters are these values, the id
 * from which on the page is read, and the number of pets.
 */
export function listStatement(columns: readonly Column[], direction: Direction): string {
  const [comparison, order] = direction === "forwards" ? [">", "ASC"] : ["<", "DESC"];
  const conditions = [...columns.map(({ name }) => `${name} = ?`), `id ${comparison} ?`].join(" AND ");
  // SQLite's planner reads a bare parameter of LIMIT, and therefore compiles the statement again for each run. That takes
  // a third of the time of a page.
  return `SELECT ${petColumns} FROM pets WHERE ${conditions} ORDER BY id ${order} LIMIT ? + 0`;
}

/** The prepared statements of a connection, by name. */
export type Statements = Readonly<Record<keyof typeof statements, TracedStatement>> & {
  /** Returns the prepared `listStatement`. */
  list(columns: readonly Column[], direction: Direction): TracedStatement;
};

/** Prepares all statements; those that list pets when they are used first. */
export function prepareStatements(db: DatabaseSync): Statements {
  const prepared = Object.entries(statements).map(([name, text]) => {
    const statement = db.prepare(text);
    return [name, new TracedStatement(name === "find" ? returnPetRows(statement) : statement)];
  });
  const lists = new Map<string, TracedStatement>();
  const list = (columns: readonly Column[], direction: Direction) => {
    const text = listStatement(columns, direction);
    const statement = lists.get(text) ?? new TracedStatement(returnPetRows(db.prepare(text)));
    lists.set(text, statement);
    return statement;
  };
  return { ...Object.fromEntries(prepared), list };
}

// Makes a statement return pets as `PetRow`.
function returnPetRows(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  statement.setReadBigInts(false);
  return statement;
}

/** A prepared statement that is published on `queryChannel` each time it runs. */
export class TracedStatement {
  readonly #statement: StatementSync;

  constructor(statement: StatementSync) {
    this.#statement = statement;
  }

  all(...values: SQLInputValue[]): ReturnType<StatementSync["all"]> {
    return this.#read(() => this.#statement.all(...values));
  }

  get(...values: SQLInputValue[]): ReturnType<StatementSync["get"]> {
    return this.#read(() => this.#statement.get(...values));
  }

  run(...values: SQLInputValue[]): ReturnType<StatementSync["run"]> {
    return this.#trace(() => this.#statement.run(...values));
  }

  // A statement that reads numbers takes less time than one that reads bigints, but throws ERR_OUT_OF_RANGE if a number
  // can't represent an integer exactly.
  #read<T>(run: () => T): T {
    try {
      return this.#trace(run);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_OUT_OF_RANGE") throw error;
      this.#statement.setReadBigInts(true);
      try {
        return run();
      } finally {
        this.#statement.setReadBigInts(false);
      }
    }
  }

  // The message is a new object for each run: subscribers identify a run by its message.
  #trace<T>(run: () => T): T {
    if (!queryChannel.hasSubscribers) return run();
    return queryChannel.traceSync(run, { system: "sqlite", text: this.#statement.sourceSQL });
  }
}
