// Maps errors of PostgreSQL and its driver to errors of the store.
import pg from "pg";
import { UnavailableError, UnstorableValue } from "../../lib/index.ts";

// The SQLSTATE codes, or classes of codes, whose cause is the environment, not a bug:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const unavailableReasons: Readonly<Record<string, string>> = {
  "08": "not reachable", // connection exception
  "2200H": "out of ids", // sequence generator limit exceeded
  "25": "read-only", // invalid transaction state: a standby instead of the primary
  "26000": "not usable through its connection pooler", // invalid SQL statement name, as with DATABASE_PREPARE=on
  "28": "not accessible", // invalid authorization
  "3D": "missing", // invalid catalog name
  "40": "busy", // transaction rollback
  "42P05": "not usable through its connection pooler", // duplicate prepared statement
  "53": "out of resources", // insufficient resources
  "55": "locked", // object not in prerequisite state
  "57": "not running", // operator intervention
  "57014": "too slow", // query canceled
  "58": "not readable or writable", // system error
  XX: "failing with an internal error", // internal error
};

/** Returns whether a server rejected a write because it is read-only, such as a standby. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "25006"; // read_only_sql_transaction
}

/** Returns whether another row has a value of the row that was to be inserted, which must be unique. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505"; // unique_violation
}

/** Returns whether a transaction was rolled back because of another one: a failed serialization, or a deadlock. */
export function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === "40001" || error.code === "40P01");
}

/** Returns whether a lock was not granted in time. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "55P03"; // lock_not_available
}

/** Converts an error of pg to `UnavailableError` if its cause is not a bug. Returns any other error unchanged. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) {
    const code = error.code as string;
    const reason = unavailableReasons[code] ?? unavailableReasons[code.slice(0, 2)];
    return reason === undefined ? error : new UnavailableError(`The database is ${reason}.`, { cause: error });
  }
  // pg reports failed connections as plain errors. Errors of other classes, such as TypeError, are bugs.
  const isConnectionError = error instanceof AggregateError || (error as Error).constructor === Error;
  return isConnectionError ? new UnavailableError("The database is not reachable.", { cause: error }) : error;
}

/**
 * Returns whether a statement has not run because a pooler in transaction mode, such as PgBouncer before 1.21, has given
 * the connection to a server connection with the prepared statements of other clients.
 */
export function isPreparedStatementLost(error: unknown): boolean {
  // duplicate_prepared_statement, by Parse, and invalid_sql_statement_name, by Bind
  return error instanceof pg.DatabaseError && (error.code === "42P05" || error.code === "26000");
}

/** Returns JSON. Throws an UnstorableValue if a text in it has U+0000, which the indexes of PostgreSQL reject. */
export function requireStorable(json: string): string {
  // Without escaped backslashes, the escape can only be one.
  if (json.includes("\\u0000") && json.replaceAll("\\\\", "").includes("\\u0000"))
    throw new UnstorableValue("must have no U+0000, which PostgreSQL does not store");
  return json;
}

/** Returns a value. Throws like `requireStorable` if it is a text with U+0000. */
export function requireStorableText<T>(value: T): T {
  if (typeof value === "string") requireStorable(JSON.stringify(value));
  return value;
}

/** Returns the reason why a database can't be opened, without a final period. */
export function toOpenFailure(error: unknown): string {
  // If a host name has several addresses, Node rejects with an AggregateError, whose own message is empty.
  const [first = error] = (error as AggregateError).errors ?? [];
  const { message } = first as Error;
  const lacksPassword = message.startsWith("SASL") && message.endsWith("client password must be a string");
  return lacksPassword ? "it requires a password. Set it in the URL, PGPASSWORD or ~/.pgpass" : message;
}
