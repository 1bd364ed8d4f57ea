// The records of a collection in PostgreSQL. Concurrent creates, and concurrent gets, share one query.
//
// PostgreSQL generates ids before it commits, so that without a lock, a record could become visible after a record with a
// higher id. A client that has paged past the higher id would never see it. Creates therefore lock the only row of
// petstore.secret: records become visible in the order of their ids.
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { RawJson, UnavailableError } from "../../lib/index.ts";
import { Batcher, busyMessage } from "../batcher.ts";
import type { ChangeResult, CreateResult, IdempotencyKey, Page, RecordQuery, RecordStore } from "../port.ts";
import type { RecordLimit } from "../record-limit.ts";
import {
  type Collection,
  type Direction,
  type Filter,
  toPage,
  toPageStart,
  usedFilters,
  writeMembers,
  writeRecord,
} from "../records.ts";
import { idempotencyWindow } from "../rows.ts";
import { batchLimits, type ConnectionPool } from "./connection-pool.ts";
import type { IdempotencyRetention } from "./idempotency-retention.ts";
import { listStatement, type NamedStatement, recordStatements, statements } from "./postgres-statements.ts";

// Each attempt fails only if other calls have used the ids meanwhile that a count had permitted.
const maxAttempts = 10;

const maxChangeAttempts = 100; // of one change, while other processes change the same record

interface Create {
  /** The JSON of the record behind its id. */
  readonly members: string;
  readonly idempotencyKey: IdempotencyKey | undefined;
}

/** What the records of a collection need. `count` updates `limit`. */
interface Parts {
  readonly pool: ConnectionPool;
  readonly retention: IdempotencyRetention;
  readonly limit: RecordLimit;
  readonly count: () => Promise<void>;
}

/** Implements the records of the PostgreSQL store. */
export class PostgresRecords<R, N extends object> implements RecordStore<R, N> {
  readonly #collection: Collection;
  readonly #parts: Parts;
  readonly #statements: ReturnType<typeof recordStatements>;
  readonly #lists = new Map<string, NamedStatement>(); // by text; one for each combination of filters
  readonly #finds = new Batcher<bigint, RawJson<R> | undefined>(batchLimits, (ids) => this.#findAll(ids));
  readonly #inserts = new Batcher<Create, bigint | undefined>(batchLimits, (creates) => this.#insertAll(creates));

  constructor(collection: Collection, parts: Parts) {
    this.#collection = collection;
    this.#parts = parts;
    this.#statements = recordStatements(collection);
  }

  readonly list = async ({ limit, position, filter = {} }: RecordQuery): Promise<Page<R>> => {
    const filters = usedFilters(this.#collection, filter);
    const { direction, id } = toPageStart(position);
    const values = filters.map(({ name }) => filter[name]);
    const statement = this.#listStatement(filters, direction);
    const rows = await this.#parts.pool.queryArrays<[string]>(statement, ...values, id, limit + 1);
    const texts = rows.map(([record]) => record);
    return toPage(this.#collection, texts, limit, direction);
  };

  readonly find = (id: bigint): Promise<RawJson<R> | undefined> => this.#finds.add(id);

  readonly create = async (record: N, idempotencyKey?: IdempotencyKey): Promise<CreateResult<R>> => {
    const { limit, count } = this.#parts;
    const members = writeMembers(this.#collection, record);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const id = limit.isFull ? undefined : await this.#inserts.add({ members, idempotencyKey });
      if (id !== undefined) return { outcome: "created", id, record: writeRecord(this.#collection, id, members) };
      const repeated = idempotencyKey && (await this.#repeat(members, idempotencyKey));
      if (repeated !== undefined) return repeated;
      // The idempotency record has expired since, or the row of petstore.secret, which creates lock, is missing.
      if (limit.maxId === null) break;
      if (!limit.isFull) await count();
      if (limit.isFull) return { outcome: "full" };
    }
    throw new UnavailableError(busyMessage);
  };

  readonly change: RecordStore<R, N>["change"] = (id, edit) =>
    this.#replace(id, async (record) => {
      const edited = edit(record);
      if (edited === undefined) return { outcome: "unchanged", record };
      const changed = writeRecord<R>(this.#collection, id, writeMembers(this.#collection, edited));
      const rows = await this.#parts.pool.query(this.#statements.change, id, record.text, changed.text);
      return rows.length > 0 ? { outcome: "changed", record: changed } : undefined;
    });

  readonly remove: RecordStore<R, N>["remove"] = (id, isAllowed = () => true) =>
    this.#replace(id, async (record) => {
      if (!isAllowed(record)) return { outcome: "unchanged", record };
      const rows = await this.#parts.pool.query(this.#statements.remove, id, record.text);
      return rows.length > 0 ? { outcome: "changed", record } : undefined;
    });

  // `attempt` returns undefined if the record is no longer as it was read.
  async #replace(
    id: bigint,
    attempt: (record: RawJson<R>) => Promise<ChangeResult<R> | undefined>,
  ): Promise<ChangeResult<R>> {
    for (let count = 0; count < maxChangeAttempts; count++) {
      const record = await this.#finds.add(id);
      if (record === undefined) return { outcome: "missing" };
      const result = await attempt(record);
      if (result !== undefined) return result;
      await pause(Math.random() * count); // milliseconds
    }
    throw new UnavailableError(busyMessage);
  }

  #listStatement(filters: readonly Filter[], direction: Direction): NamedStatement {
    const text = listStatement(this.#collection, filters, direction);
    const known = this.#lists.get(text);
    if (known) return known;
    // A digest, because PostgreSQL ignores all but the first 63 characters of a name.
    const name = `list_${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
    const statement: NamedStatement = { name, text, method: `${this.#collection.name}_list` };
    this.#lists.set(text, statement);
    return statement;
  }

  async #findAll(ids: readonly bigint[]): Promise<(RawJson<R> | undefined)[]> {
    const { pool } = this.#parts;
    pool.metrics.observeBatch(this.#statements.find.method, ids.length);
    const rows = await pool.queryArrays<[bigint, string]>(this.#statements.find, [...new Set(ids)]);
    const records = new Map(rows.map(([id, record]) => [id, new RawJson<R>(record)]));
    return ids.map((id) => records.get(id));
  }

  // Returns the ids; undefined for a create whose idempotency key was used before, also by an earlier create of the batch, and
  // for the creates for which there is no room.
  async #insertAll(creates: readonly Create[]): Promise<(bigint | undefined)[]> {
    const { pool, limit, retention } = this.#parts;
    pool.metrics.observeBatch(this.#statements.create.method, creates.length);
    const now = Date.now();
    const usedKeys = new Set<string>();
    const unique = creates.filter(({ idempotencyKey }) => {
      const name = idempotencyKey && `${idempotencyKey.caller} ${idempotencyKey.key}`;
      return name === undefined || (!usedKeys.has(name) && usedKeys.add(name));
    });
    const column = (read: (create: Create) => unknown) => unique.map((create) => read(create) ?? null);
    const rows = await pool.query(
      this.#statements.create,
      column(({ idempotencyKey }) => idempotencyKey?.caller),
      column(({ idempotencyKey }) => idempotencyKey?.key),
      column(({ idempotencyKey }) => idempotencyKey?.digest),
      now,
      now - idempotencyWindow,
      column(({ members }) => members),
      limit.maxId,
    );
    retention.deleteExpired(now - idempotencyWindow, usedKeys.size);
    const ids = new Map(rows.map(({ id, ordinal }) => [unique[Number(ordinal) - 1], id as bigint]));
    return creates.map((create) => ids.get(create));
  }

  // Returns undefined if the key was not used. The digest proves that the record is the same as in the first call.
  async #repeat(members: string, { caller, key, digest }: IdempotencyKey): Promise<CreateResult<R> | undefined> {
    const { pool } = this.#parts;
    const { name } = this.#collection;
    const findRecord = { ...statements.findRecord, method: this.#statements.create.method };
    const [record] = await pool.query(findRecord, name, caller, key, Date.now() - idempotencyWindow);
    if (record === undefined) return undefined;
    if (Buffer.compare(record.digest as Uint8Array, digest) !== 0) return { outcome: "conflict" };
    const id = record.record_id as bigint;
    return { outcome: "repeated", id, record: writeRecord(this.#collection, id, members) };
  }
}
