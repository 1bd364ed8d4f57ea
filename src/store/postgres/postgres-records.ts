// The records of a collection in PostgreSQL. Concurrent creates, and concurrent gets, share one query.
//
// PostgreSQL generates ids before it commits, so that without a lock, a record could become visible after a record with a
// higher id. A client that has paged past the higher id would never see it. Creates therefore lock the only row of
// the table secret: records become visible in the order of their ids.
import { setTimeout as pause } from "node:timers/promises";
import { RawJson, UnavailableError } from "../../lib/index.ts";
import { Batcher, busyMessage } from "../batcher.ts";
import { findKeyProblem, maxInt64 } from "../ids.ts";
import type {
  ChangeResult,
  CreateResult,
  IdempotencyKey,
  Page,
  PutResult,
  RecordId,
  RecordQuery,
  RecordStore,
} from "../port.ts";
import type { RecordLimit } from "../record-limit.ts";
import {
  addressOf,
  type Collection,
  idColumn,
  idempotencyWindow,
  type NewRecord,
  numberedText,
  scopeRange,
  toNewRecord,
  toRepeated,
  writeLimited,
  writeRecord,
} from "../records.ts";
import { batchLimits, type Queries } from "./connection-pool.ts";
import type { IdempotencyRetention } from "./idempotency-retention.ts";
import { isDuplicateKey, requireStorable } from "./postgres-errors.ts";
import { PostgresLists } from "./postgres-lists.ts";
import type { recordStatements } from "./postgres-statements.ts";

const maxAttempts = 10; // of a create, while other calls use the ids that a count had permitted
const maxChangeAttempts = 100; // of one change, while other processes change the same record

type Create = NewRecord & { readonly idempotencyKey: IdempotencyKey | undefined };

/** What the records of a collection need. `count` updates `limit`. */
export interface RecordParts {
  readonly schema: string;
  readonly collection: Collection;
  readonly statements: ReturnType<typeof recordStatements>;
  readonly pool: Queries;
  readonly retention: IdempotencyRetention;
  readonly limit: RecordLimit;
  readonly count: () => Promise<void>;
  /** Whether `pool` runs one transaction, in which what is found is locked. */
  readonly isTransaction?: boolean;
}

/** Implements the records of the PostgreSQL store. */
export class PostgresRecords<R, N extends object> implements RecordStore<R, N> {
  readonly #collection: Collection;
  readonly #parts: RecordParts;
  #lists: PostgresLists<R> | undefined; // created at its first use: most transactions list nothing
  readonly #finds = new Batcher<RecordId, RawJson<R> | undefined>(batchLimits, (ids) => this.#findAll(ids));
  readonly #inserts = new Batcher<Create, bigint | undefined>(batchLimits, (creates) => this.#insertAll(creates));

  constructor(parts: RecordParts) {
    this.#collection = parts.collection;
    this.#parts = parts;
  }

  readonly list = (query: RecordQuery): Promise<Page<R>> => this.#getLists().list(query);

  readonly find = async (id: RecordId): Promise<RawJson<R> | undefined> => this.#find(id);

  readonly position = async (id: RecordId): Promise<bigint | undefined> => {
    if (!isStorableId(id)) return undefined;
    const { isTransaction, pool, statements } = this.#parts;
    const [row] = await pool.query(isTransaction ? statements.positionLocked : statements.position, id);
    return row?.id as bigint | undefined;
  };

  readonly count: RecordStore<R, N>["count"] = (filter = {}) => this.#getLists().count(filter);

  readonly create: RecordStore<R, N>["create"] = async (record, idempotencyKey, scope) => {
    const created = await this.#create({ ...toNewRecord(this.#collection, record, { scope }), idempotencyKey });
    if (created === undefined) throw new UnavailableError(busyMessage);
    return created;
  };

  readonly put = (id: RecordId, edit: (record: RawJson<R> | undefined) => N): Promise<PutResult<R>> =>
    this.#replace<PutResult<R>>(
      id,
      (record) => this.#change(id, record, edit(record)),
      async () => {
        if (typeof id === "bigint") return this.#createNumbered(id, edit(undefined));
        const added = toNewRecord(this.#collection, edit(undefined), { address: id });
        const created = await this.#create({ ...added, idempotencyKey: undefined });
        if (created && "record" in created) return { outcome: "created", record: created.record };
        return created && { outcome: "full" };
      },
    );

  readonly change: RecordStore<R, N>["change"] = (id, edit) =>
    this.#replace<ChangeResult<R>>(id, async (record) => {
      const edited = edit(record);
      return edited === undefined ? { outcome: "unchanged", record } : this.#change(id, record, edited);
    });

  readonly remove: RecordStore<R, N>["remove"] = (id, isAllowed = () => true) =>
    this.#replace<ChangeResult<R>>(id, async (record) => {
      if (!isAllowed(record)) return { outcome: "unchanged", record };
      const rows = await this.#parts.pool.query(this.#parts.statements.remove, id, record.text);
      if (rows.length === 0) return undefined;
      this.#parts.limit.expire();
      return { outcome: "changed", record };
    });

  readonly removeBelow = async (scope: string, limit: number): Promise<number> => {
    const [row] = await this.#parts.pool.query(this.#parts.statements.removeBelow, ...scopeRange(scope), limit);
    this.#parts.limit.expire();
    return Number(row?.removed);
  };

  #getLists(): PostgresLists<R> {
    this.#lists ??= new PostgresLists(this.#parts);
    return this.#lists;
  }

  async #find(id: RecordId, isForUpdate = false): Promise<RawJson<R> | undefined> {
    if (!isStorableId(id)) return undefined;
    const { isTransaction, pool, statements } = this.#parts;
    if (!isTransaction) return this.#finds.add(id);
    const statement = isForUpdate ? statements.findForUpdate : statements.findLocked;
    const [row] = await pool.query<[RecordId, string]>(statement, id);
    return row && new RawJson(row[1]);
  }

  // Returns undefined if another record has the id, or others were faster each time.
  async #create(added: Create): Promise<CreateResult<R> | undefined> {
    const { limit, count } = this.#parts;
    const { key, idempotencyKey } = added;
    const members = requireStorable(added.members);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const number = limit.isFull ? undefined : await this.#insert(added);
      if (number !== undefined) {
        const id = addressOf(this.#collection, added, number);
        return { outcome: "created", id, record: writeRecord(this.#collection, id, members) };
      }
      const repeated = idempotencyKey && (await this.#repeat(members, idempotencyKey));
      if (repeated !== undefined) return repeated;
      if (key !== undefined && (await this.#finds.add(key))) break;
      if (await this.#isExhausted()) return { outcome: "full" };
      // The idempotency record has expired since, or the row of the table secret, which creates lock, is missing.
      if (limit.maxId === null) break;
      if (!limit.isFull) await count();
      if (limit.isFull) return { outcome: "full" };
    }
    return undefined;
  }

  // Returns undefined if another record has the number.
  async #createNumbered(number: bigint, record: N): Promise<PutResult<R> | undefined> {
    const text = requireStorable(numberedText(this.#collection, number, record));
    const { limit, count, pool, isTransaction } = this.#parts;
    if (limit.maxId !== null && !isTransaction) await count(); // which waits for the transaction
    if (limit.isFull) return { outcome: "full" };
    const rows = await pool.query(this.#parts.statements.createNumbered, number, text);
    return rows.length > 0 ? { outcome: "created", record: new RawJson(text) } : undefined;
  }

  // The highest id that the schema allows, or else the highest number that a new record may have; null sets no limit.
  get #maxId(): bigint | null {
    const [limit, highest = maxInt64] = [this.#parts.limit.maxId, this.#collection.highestId?.()];
    return highest < (limit ?? maxInt64) ? highest : limit;
  }

  async #isExhausted(): Promise<boolean> {
    const { highestId } = this.#collection;
    if (highestId === undefined || this.#maxId !== highestId()) return false;
    const [row] = await this.#parts.pool.query(this.#parts.statements.lastId);
    return (row?.id as bigint) >= highestId();
  }

  // Returns undefined if the record was not created, also if another process has created one with its id meanwhile.
  async #insert(added: Create): Promise<bigint | undefined> {
    try {
      return await this.#inserts.add(added);
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  }

  // Returns undefined if the record is no longer as it was read.
  async #change(id: RecordId, record: RawJson<R> | undefined, edited: N) {
    const members = requireStorable(writeLimited(this.#collection, edited, record?.text));
    const changed = writeRecord<R>(this.#collection, id, members);
    const rows = await this.#parts.pool.query(this.#parts.statements.change, id, record?.text, changed.text);
    return rows.length > 0 ? ({ outcome: "changed", record: changed } as const) : undefined;
  }

  // `attempt` and `create` return undefined if another process was faster.
  async #replace<T>(
    id: RecordId,
    attempt: (record: RawJson<R>) => Promise<T | undefined>,
    create: () => Promise<T | undefined> | { readonly outcome: "missing" } = () => ({ outcome: "missing" }),
  ): Promise<T> {
    for (let count = 0; count < maxChangeAttempts; count++) {
      const record = await this.#find(id, true);
      const result = await (record === undefined ? create() : attempt(record));
      if (result !== undefined) return result as T;
      await pause(Math.random() * count); // milliseconds
    }
    throw new UnavailableError(busyMessage);
  }

  async #findAll(ids: readonly RecordId[]): Promise<(RawJson<R> | undefined)[]> {
    const { pool, statements: own } = this.#parts;
    pool.metrics.observeBatch(own.find.method, ids.length);
    const rows = await (ids.length === 1
      ? pool.query<[RecordId, string]>(own.find, ids[0])
      : pool.query<[RecordId, string]>(own.findAll, [...new Set(ids)]));
    const records = new Map(rows.map(([id, record]) => [id, new RawJson<R>(record)]));
    return ids.map((id) => records.get(id));
  }

  // Returns the numbers; undefined for a create whose idempotency key or id was used before, also by an earlier create of the batch,
  // and for the creates for which there is no room.
  async #insertAll(creates: readonly Create[]): Promise<(bigint | undefined)[]> {
    const { pool, retention } = this.#parts;
    pool.metrics.observeBatch(this.#parts.statements.create.method, creates.length);
    const now = Date.now();
    const usedKeys = new Set<string | undefined>();
    const usedIds = new Set<string | undefined>();
    const unique = creates.filter(({ idempotencyKey, key }) => {
      const name = idempotencyKey && `${idempotencyKey.caller} ${idempotencyKey.key}`;
      if (usedKeys.has(name) || usedIds.has(key)) return false;
      if (name !== undefined) usedKeys.add(name);
      if (key !== undefined) usedIds.add(key);
      return true;
    });
    const column = (read: (create: Create) => unknown) => unique.map((create) => read(create) ?? null);
    const rows = await pool.query(
      this.#parts.statements.create,
      column(({ idempotencyKey }) => idempotencyKey?.caller),
      column(({ idempotencyKey }) => idempotencyKey?.key),
      column(({ idempotencyKey }) => idempotencyKey?.digest),
      now,
      now - idempotencyWindow,
      column(({ members, key }) => (key === undefined ? members : writeRecord(this.#collection, key, members).text)),
      this.#maxId,
      ...(idColumn(this.#collection) === "key" ? [column(({ key, scope }) => key ?? scope)] : []),
    );
    retention.deleteExpired(now - idempotencyWindow, usedKeys.size);
    const ids = new Map(rows.map(({ id, ordinal }) => [unique[Number(ordinal) - 1], id as bigint]));
    return creates.map((create) => ids.get(create));
  }

  // Returns undefined if the key was not used.
  async #repeat(members: string, { caller, key, digest }: IdempotencyKey): Promise<CreateResult<R> | undefined> {
    const { pool, statements: own } = this.#parts;
    const [record] = await pool.query(own.findIdempotencyRecord, caller, key, Date.now() - idempotencyWindow);
    return record && toRepeated(this.#collection, record, digest, members);
  }
}

// PostgreSQL has no NUL in a text.
function isStorableId(id: RecordId): boolean {
  return typeof id === "bigint" || findKeyProblem(id) === undefined;
}
