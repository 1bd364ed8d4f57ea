// pg 8: the socket of a connection, which it does not declare
// (https://github.com/brianc/node-postgres/blob/master/packages/pg/lib/connection.js).
import type { Socket } from "node:net";
import type { ClientBase } from "pg";

/** Returns the socket of a connection to PostgreSQL. */
export function socketOf(client: ClientBase): Socket {
  return (client as ClientBase & { readonly connection: { readonly stream: Socket } }).connection.stream;
}
