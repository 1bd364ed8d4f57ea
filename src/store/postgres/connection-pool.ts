// A pool of connections to PostgreSQL, which runs the statements of the store.
import pg from "pg";
import { UnavailableError } from "../../lib/index.ts";
import { socketOf } from "../../patches/pg-socket.ts";
import { busyMessage } from "../batcher.ts";
import { queryChannel } from "../query-channel.ts";
import { QueryMetrics } from "../query-metrics.ts";
import type { Row } from "../rows.ts";
import type { Hosts } from "./hosts.ts";
import { connectionOptions } from "./postgres-connection.ts";
import { isPreparedStatementLost, isReadOnlyError, toStoreError } from "./postgres-errors.ts";
import type { NamedStatement } from "./postgres-statements.ts";

/** The timeouts of the PostgreSQL store, in milliseconds. A call that exceeds one fails with `UnavailableError`. */
export interface PostgresTimeouts {
  /** For a connection, new or from the pool. */
  readonly connect: number;
  /** For a statement, after which PostgreSQL cancels it. */
  readonly statement: number;
  /** For the response to a query. The connection is then closed. */
  readonly query: number;
  /** After which the pool closes an idle connection, except the last one. No call fails. */
  readonly idle: number;
}

// `connect` and `query` together are less than 2 s. PostgreSQL cancels a statement before its caller stops waiting, so
// that no statements without callers accumulate. PGCONNECT_TIMEOUT, in seconds, replaces `connect`, as in libpq.
const getDefaultTimeouts = (): PostgresTimeouts => ({
  connect: Number(process.env.PGCONNECT_TIMEOUT) * 1_000 || 800,
  statement: 900,
  query: 1_000,
  idle: 10_000,
});

export interface PoolOptions {
  /** The maximum number of connections. */
  readonly size: number;
  /** Whether to prepare each statement once per connection. A pooler in transaction mode may not support it. */
  readonly prepare: boolean;
  readonly timeouts?: Partial<PostgresTimeouts> | undefined;
}

const maxWaitingPerConnection = 100; // queries

const checkInterval = 100; // milliseconds between two checks of the queries in progress

/** The limits of the calls that share one query. */
export const batchLimits = { maxBatch: 500, maxWaiting: 2_000 };

/**
 * Runs each query as one prepared statement, and so as one transaction: no transaction is left open between queries.
 * If a pooler mixes up the prepared statements of its clients, all further statements are unnamed.
 */
export class ConnectionPool {
  readonly metrics: QueryMetrics;
  readonly #options: pg.PoolConfig;
  readonly #acquired = new Map<pg.PoolClient, number>(); // when (performance.now), of the connections in use
  readonly #timer: NodeJS.Timeout;
  readonly #maxWaiting: number;
  readonly #mustBeWritable: boolean;
  #pool: pg.Pool;
  #prepare: boolean;

  constructor(hosts: Hosts, { size, prepare, timeouts }: PoolOptions) {
    const { connect, statement, query, idle } = { ...getDefaultTimeouts(), ...timeouts };
    this.#options = {
      ...connectionOptions,
      ...hosts.poolOptions(),
      max: size,
      min: 1, // `isOnlyConnection` detects a running service by it
      idleTimeoutMillis: idle,
      connectionTimeoutMillis: connect,
      statement_timeout: statement,
    };
    this.#pool = this.#createPool();
    this.#timer = setInterval(() => this.#closeUnresponsive(query), checkInterval).unref();
    this.#prepare = prepare;
    this.#mustBeWritable = hosts.mustBeWritable;
    this.#maxWaiting = size * maxWaitingPerConnection;
    this.metrics = new QueryMetrics(() => {
      const { totalCount, idleCount: idle, waitingCount: waiting } = this.#pool;
      return { used: totalCount - idle, idle, waiting, max: size };
    });
  }

  /** Runs a statement and returns its rows. Rejects with `UnavailableError` if too many queries wait for a connection. */
  query(statement: NamedStatement, ...values: unknown[]): Promise<Row[]> {
    return this.#query(statement, values);
  }

  /** Returns rows as arrays, which the driver creates in less time. Rejects like `query`. */
  queryArrays<R extends readonly unknown[]>(statement: NamedStatement, ...values: unknown[]): Promise<R[]> {
    return this.#query(statement, values, "array");
  }

  async #query<R>({ name, text, method }: NamedStatement, values: unknown[], rowMode?: "array"): Promise<R[]> {
    if (this.#pool.waitingCount >= this.#maxWaiting) throw new UnavailableError(busyMessage);
    const start = performance.now();
    const pool = this.#pool;
    const send = () => pool.query({ ...(this.#prepare && { name }), text, values, ...(rowMode && { rowMode }) });
    const run = () =>
      send().catch((error) => {
        if (!isPreparedStatementLost(error)) throw error;
        this.#prepare = false;
        return send();
      });
    const fail = (error: unknown) => {
      if (this.#mustBeWritable && isReadOnlyError(error)) this.#dropConnections(pool);
      throw this.#pool.ending ? error : toStoreError(error);
    };
    const result = queryChannel
      .tracePromise(run, { system: "postgresql", text })
      .finally(() => this.metrics.observeQuery(method, start));
    return result.then(({ rows }) => rows as R[], fail);
  }

  /** Closes all connections after their current query. */
  close(): Promise<void> {
    return this.#pool.end().finally(() => clearInterval(this.#timer));
  }

  #createPool(): pg.Pool {
    // The pool replaces an idle connection that breaks.
    return new pg.Pool(this.#options)
      .on("error", () => {})
      .on("acquire", (client) => this.#acquired.set(client, performance.now()))
      .on("release", (_, client) => this.#acquired.delete(client));
  }

  // Closes the connections whose query takes longer than `timeout` milliseconds, so that the query fails. Each acquires a
  // connection for one query.
  //
  // Not the option query_timeout of pg: its timers, one for each query, take a third of the CPU time of a page of 20 pets,
  // because V8 then moves more garbage to its old generation.
  #closeUnresponsive(timeout: number): void {
    for (const [client, since] of this.#acquired) {
      if (performance.now() - since <= timeout) continue;
      // The response can have arrived while the event loop was blocked: it is read before the immediate.
      setImmediate(() => {
        if (this.#acquired.get(client) === since) socketOf(client).destroy(new Error("PostgreSQL does not respond"));
      });
    }
  }

  // A primary that became a standby also answers reads, from data that is out of date. Its other connections are
  // therefore closed too, after their current query.
  #dropConnections(pool: pg.Pool): void {
    if (pool !== this.#pool || pool.ending) return;
    this.#pool = this.#createPool();
    pool.end();
  }
}
