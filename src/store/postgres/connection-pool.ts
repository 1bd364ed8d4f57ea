// A pool of connections to PostgreSQL, which runs the statements of the store.
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { UnavailableError } from "../../lib/index.ts";
import { socketOf } from "../../patches/pg-socket.ts";
import { busyMessage } from "../batcher.ts";
import type { Row } from "../keys.ts";
import { limitPauses } from "../pause-limit.ts";
import { queryChannel } from "../query/query-channel.ts";
import { QueryMetrics } from "../query/query-metrics.ts";
import { TransactionSlots } from "../transaction-slots.ts";
import { connectionOptions, type Database } from "./postgres-connection.ts";
import {
  isConflict,
  isDuplicateKey,
  isLockTimeout,
  isPreparedStatementLost,
  isReadOnlyError,
  toStoreError,
} from "./postgres-errors.ts";
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
  /** Returns the error that a caller gets instead of one of PostgreSQL; undefined if it is that. */
  readonly convert?: ((error: unknown) => Error | undefined) | undefined;
}

const maxWaitingPerConnection = 100; // queries

const checkInterval = 100; // milliseconds between two checks of the queries in progress

/** The limits of the calls that share one query. */
export const batchLimits = { maxBatch: 500, maxWaiting: 2_000 };

const maxAttempts = 10; // of a transaction, while others are faster

/** Runs the statements of the store, each as its own transaction or all in one. */
export interface Queries {
  readonly metrics: QueryMetrics;
  /** Runs a statement and returns its rows. Rejects with `UnavailableError` if too many queries wait for a connection. */
  query<R = Row>(statement: NamedStatement, ...values: unknown[]): Promise<R[]>;
}

/**
 * Runs each query as one prepared statement, and so as one transaction, unless several are in a `transaction`.
 * If a pooler mixes up the prepared statements of its clients, all further statements are unnamed.
 */
export class ConnectionPool implements Queries {
  readonly metrics: QueryMetrics;
  readonly #options: pg.PoolConfig;
  readonly #acquired = new Map<pg.PoolClient, number>(); // when (performance.now), of the connections in use
  readonly #timer: NodeJS.Timeout;
  readonly #maxWaiting: number;
  readonly #slots: TransactionSlots;
  readonly #mustBeWritable: boolean;
  #pool: pg.Pool;
  #prepare: boolean;
  readonly #convert: NonNullable<PoolOptions["convert"]>;

  constructor({ hosts, schema }: Database, { size, prepare, timeouts, convert = () => undefined }: PoolOptions) {
    const { connect, statement, query, idle } = { ...getDefaultTimeouts(), ...timeouts };
    this.#options = {
      ...connectionOptions(schema),
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
    this.#convert = convert;
    this.#mustBeWritable = hosts.mustBeWritable;
    this.#maxWaiting = size * maxWaitingPerConnection;
    this.#slots = new TransactionSlots(Math.max(1, size - Math.ceil(size / 5)));
    this.metrics = new QueryMetrics(() => {
      const { totalCount, idleCount: idle, waitingCount: waiting } = this.#pool;
      return { used: totalCount - idle, idle, waiting, max: size };
    });
  }

  async query<R = Row>(statement: NamedStatement, ...values: unknown[]): Promise<R[]> {
    this.#requireRoom();
    const pool = this.#pool;
    const send = () => this.#send<R>(pool, statement, values);
    const run = () =>
      send().catch((error) => {
        if (!isPreparedStatementLost(error)) throw error;
        this.#prepare = false;
        return send();
      });
    return run().catch((error) => this.#fail(error, pool));
  }

  /**
   * Runs `work` in a transaction, which `begin` begins, on one of four fifths of the connections. Runs it again, with what `again` begins, if another transaction was
   * faster. Rejects like `query`, and with what `work` throws.
   */
  transaction<T>(begin: string, work: (queries: Queries) => Promise<T>, again = begin): Promise<T> {
    return this.#slots.run(() => this.#repeat(begin, work, again));
  }

  async #repeat<T>(begin: string, work: (queries: Queries) => Promise<T>, again: string): Promise<T> {
    const pool = this.#pool;
    const start = performance.now();
    try {
      for (let attempt = 1; ; attempt++) {
        this.#requireRoom();
        const client = await pool.connect().catch((error) => this.#fail(error, pool));
        const result = await this.#transact(client, attempt === 1 ? begin : again, work);
        if ("value" in result) return result.value;
        if (attempt === maxAttempts || !this.#isRepeatable(result.failure)) this.#fail(result.failure, pool);
        await pause(Math.random() * 2 ** attempt); // milliseconds
      }
    } finally {
      this.metrics.observeQuery("transaction", start);
    }
  }

  async #transact<T>(
    client: pg.PoolClient,
    begin: string,
    work: (queries: Queries) => Promise<T>,
  ): Promise<{ readonly value: T } | { readonly failure: unknown }> {
    const ignore = () => {}; // the current query rejects, too
    client.on("error", ignore);
    let failure: unknown; // of the first query that has failed: PostgreSQL rejects all others
    const run = <R>(send: () => Promise<R>): Promise<R> => {
      if (failure !== undefined) throw failure;
      this.#acquired.set(client, performance.now()); // each query has its own timeout
      return send().catch((error) => {
        failure ??= error;
        throw error;
      });
    };
    let broken: Error | undefined;
    let hasEnded = false; // what is sent behind ROLLBACK or COMMIT would be committed on its own
    const sendOpen = <R>(send: () => Promise<R>) => {
      if (hasEnded) throw new Error("The transaction has ended.");
      return run(send);
    };
    try {
      await run(() => client.query(begin));
      const value = await limitPauses((call) =>
        work({
          metrics: this.metrics,
          query: (statement, ...values) => call(async () => sendOpen(() => this.#send(client, statement, values))),
        }),
      ).finally(() => {
        hasEnded = true;
      });
      const { command } = await run(() => client.query("COMMIT"));
      // It is ROLLBACK if a query has failed for whose result the work did not wait.
      if (command !== "COMMIT") throw new Error("A call of the transaction has failed, and was not awaited.");
      return { value };
    } catch (error) {
      await client.query("ROLLBACK").catch((error) => {
        broken = error;
      });
      if (failure === undefined) throw error;
      return { failure };
    } finally {
      client.off("error", ignore);
      client.release(broken);
    }
  }

  // Whether the same transaction can succeed now.
  #isRepeatable(error: unknown): boolean {
    if (!isPreparedStatementLost(error)) return isConflict(error) || isDuplicateKey(error) || isLockTimeout(error);
    this.#prepare = false;
    return true;
  }

  async #send<R>(
    to: pg.Pool | pg.PoolClient,
    { name, text, method, rowMode }: NamedStatement,
    values: unknown[],
  ): Promise<R[]> {
    const start = performance.now();
    const run = () => to.query({ ...(this.#prepare && { name }), text, values, ...(rowMode && { rowMode }) });
    const result = queryChannel
      .tracePromise(run, { system: "postgresql", text })
      .catch((error) => {
        throw this.#convert(error) ?? error;
      })
      .finally(() => this.metrics.observeQuery(method, start));
    return result.then(({ rows }) => rows as R[]);
  }

  #requireRoom(): void {
    if (this.#pool.waitingCount >= this.#maxWaiting) throw new UnavailableError(busyMessage);
  }

  #fail(error: unknown, pool: pg.Pool): never {
    if (this.#mustBeWritable && isReadOnlyError(error)) this.#dropConnections(pool);
    // pg-pool reports a connection that is not free in time like a server that does not respond.
    const isUsed = pool.totalCount - pool.idleCount >= Number(this.#options.max);
    if (isUsed && /timeout exceeded when trying to connect/.test(String(error)))
      throw new UnavailableError(busyMessage);
    throw this.#pool.ending ? error : toStoreError(error);
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
