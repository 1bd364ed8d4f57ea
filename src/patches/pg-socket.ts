// pg 8: the socket of a connection, which it does not declare
// (https://github.com/brianc/node-postgres/blob/master/packages/pg/lib/connection.js).
import type { Socket } from "node:net";
import type { PoolClient } from "pg";

/** Returns the socket of a connection to PostgreSQL. */
export function socketOf(client: PoolClient): Socket {
  return (client as PoolClient & { readonly connection: { readonly stream: Socket } }).connection.stream;
}
