// Maps errors of PostgreSQL and its driver to errors of the store.
import pg from "pg";
import { Unavailable } from "../../lib/index.ts";

// The SQLSTATE codes, or classes of codes, whose cause is the environment, not a bug:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const unavailableReasons: Readonly<Record<string, string>> = {
  "08": "not reachable", // connection exception
  "25": "read-only", // invalid transaction state: a standby instead of the primary
  "28": "not accessible", // invalid authorization
  "3D": "not there", // invalid catalog name
  "40": "busy", // transaction rollback
  "53": "out of room", // insufficient resources
  "55": "locked", // object not in prerequisite state
  "57": "not running", // operator intervention
  "57014": "too slow", // query canceled
  "58": "not readable or writable", // system error
  XX: "damaged", // internal error
};

/** Converts an error of pg to `Unavailable` if its cause is not a bug. Returns any other error unchanged. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) {
    const code = error.code as string;
    const reason = unavailableReasons[code] ?? unavailableReasons[code.slice(0, 2)];
    return reason === undefined ? error : new Unavailable(`The store is ${reason}.`, { cause: error });
  }
  // pg reports failed connections as plain errors. Errors of other classes, such as TypeError, are bugs.
  const isConnectionError = error instanceof AggregateError || (error as Error).constructor === Error;
  return isConnectionError ? new Unavailable("The store is not reachable.", { cause: error }) : error;
}

/** Returns the reason why a database can't be opened, without a final period. */
export function toOpenFailure(error: unknown): string {
  // If a host name has several addresses, Node rejects with an AggregateError, whose own message is empty.
  const [first = error] = (error as AggregateError).errors ?? [];
  const { message } = first as Error;
  const lacksPassword = message.startsWith("SASL") && message.endsWith("client password must be a string");
  return lacksPassword ? "it asks for a password: give it in the URL, in PGPASSWORD or in ~/.pgpass" : message;
}
