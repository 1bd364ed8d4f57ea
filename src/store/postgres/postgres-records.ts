// The records of a collection in PostgreSQL. Concurrent creates, and concurrent gets, share one query.
//
// PostgreSQL generates ids before it commits, so that without a lock, a record could become visible after a record with a
// higher id. A client that has paged past the higher id would never see it. Creates therefore lock the only row of
// the table secret: records become visible in the order of their ids.
import { setTimeout as pause } from "node:timers/promises";
import { RawJson, UnavailableError } from "../../lib/index.ts";
import { Batcher, busyMessage } from "../batcher.ts";
import { findKeyProblem, maxInt64, scopeRange } from "../ids.ts";
import type { ChangeResult, CreateResult, IdempotencyKey, PutResult, RecordId, RecordStore } from "../port.ts";
import type { RecordLimit } from "../record-limit.ts";
import {
  addressOf,
  type Collection,
  idColumn,
  idempotencyWindow,
  type NewRecord,
  numberedText,
  toNewRecord,
  toRepeated,
  writeLimited,
  writeRecord,
} from "../records.ts";
import { batchLimits, type Queries } from "./connection-pool.ts";
import { isDuplicateKey, requireStorable } from "./postgres-errors.ts";
import { createPostgresLists } from "./postgres-lists.ts";
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
  /** See `createIdempotencyRetention`. */
  readonly deleteExpired: (time: number, newRecords: number) => void;
  readonly limit: RecordLimit;
  readonly count: () => Promise<void>;
  /** Whether `pool` runs one transaction, in which what is found is locked. */
  readonly isTransaction?: boolean;
}

/** The parts, and the queries that concurrent calls share. */
interface SharedParts<R> extends RecordParts {
  readonly finds: Batcher<RecordId, RawJson<R> | undefined>;
  readonly inserts: Batcher<Create, bigint | undefined>;
}

/** Returns the records of a collection of the PostgreSQL store. */
export function createPostgresRecords<R, N extends object>(parts: RecordParts): RecordStore<R, N> {
  const { collection, statements, pool, limit, isTransaction } = parts;
  const shared: SharedParts<R> = {
    ...parts,
    finds: new Batcher(batchLimits, (ids) => findAll(parts, ids)),
    inserts: new Batcher(batchLimits, (creates) => insertAll(parts, creates)),
  };
  const lists = createPostgresLists<R>(parts);
  let locking: Promise<unknown> | undefined;
  // What a transaction reads must not change before it ends. There is no row to lock for a list, or for a record that does not exist.
  const lockAll = () => {
    locking ??= pool.query(statements.lockAll);
    return locking;
  };
  return {
    ...lists,
    ...(isTransaction && {
      list: (query) => lockAll().then(() => lists.list(query)),
      count: (...selection) => lockAll().then(() => lists.count(...selection)),
    }),
    hasHadRecords: async () => {
      const [row] = await pool.query(statements.lastId);
      return row?.id !== 0n;
    },
    find: async (id) => {
      const found = await find(shared, id);
      if (found !== undefined || !isTransaction) return found;
      await lockAll();
      return find(shared, id);
    },
    position: async (id) => {
      if (!isStorableId(id)) return undefined;
      const [row] = await pool.query(isTransaction ? statements.positionLocked : statements.position, id);
      return row?.id as bigint | undefined;
    },
    create: async (record, idempotencyKey, scope) => {
      const created = await create(shared, { ...toNewRecord(collection, record, { scope }), idempotencyKey });
      if (created === undefined) throw new UnavailableError(busyMessage);
      return created;
    },
    put: (id, edit) => {
      const add = async (): Promise<PutResult<R> | undefined> => {
        if (typeof id === "bigint") return createNumbered(parts, id, edit(undefined));
        const added = toNewRecord(collection, edit(undefined), { address: id });
        const created = await create(shared, { ...added, idempotencyKey: undefined });
        if (created && "record" in created) return { outcome: "created", record: created.record };
        return created && { outcome: "full" };
      };
      return replace<R, PutResult<R>>(shared, id, (record) => change(parts, id, record, edit(record)), add);
    },
    change: (id, edit) =>
      replace<R, ChangeResult<R>>(shared, id, async (record) => {
        const edited = edit(record);
        return edited === undefined ? { outcome: "unchanged", record } : change(parts, id, record, edited);
      }),
    remove: (id, isAllowed = () => true) =>
      replace<R, ChangeResult<R>>(shared, id, async (record) => {
        if (!isAllowed(record)) return { outcome: "unchanged", record };
        const rows = await pool.query(statements.remove, id, record.text);
        if (rows.length === 0) return undefined;
        limit.expire();
        return { outcome: "changed", record };
      }),
    removeBelow: async (scope, maximum) => {
      const [row] = await pool.query(statements.removeBelow, ...scopeRange(scope), maximum);
      limit.expire();
      return Number(row?.removed);
    },
  };
}

async function find<R>(parts: SharedParts<R>, id: RecordId): Promise<RawJson<R> | undefined> {
  if (!isStorableId(id)) return undefined;
  const { isTransaction, pool, statements } = parts;
  if (!isTransaction) return parts.finds.add(id);
  const [row] = await pool.query<[RecordId, string]>(statements.findForUpdate, id);
  return row && new RawJson(row[1]);
}

// Returns undefined if another record has the id, or others were faster each time.
async function create<R>(parts: SharedParts<R>, added: Create): Promise<CreateResult<R> | undefined> {
  const { collection, limit, count } = parts;
  const { key, idempotencyKey } = added;
  const members = requireStorable(added.members);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const number = limit.isFull ? undefined : await insert(parts, added);
    if (number !== undefined) {
      const id = addressOf(collection, added, number);
      return { outcome: "created", id, record: writeRecord(collection, id, members) };
    }
    const repeated = idempotencyKey && (await repeat<R>(parts, members, idempotencyKey));
    if (repeated !== undefined) return repeated;
    if (key !== undefined && (await parts.finds.add(key))) break;
    if (await isExhausted(parts)) return { outcome: "full" };
    // The idempotency record has expired since, or the row of the table secret, which creates lock, is missing.
    if (limit.maxId === null) break;
    if (!limit.isFull) await count();
    if (limit.isFull) return { outcome: "full" };
  }
  return undefined;
}

// Returns undefined if another record has the number.
async function createNumbered<R>(
  { collection, statements, pool, limit, count, isTransaction }: RecordParts,
  number: bigint,
  record: object,
): Promise<PutResult<R> | undefined> {
  const text = requireStorable(numberedText(collection, number, record));
  if (limit.maxId !== null && !isTransaction) await count(); // which waits for the transaction
  if (limit.isFull) return { outcome: "full" };
  const rows = await pool.query(statements.createNumbered, number, text);
  return rows.length > 0 ? { outcome: "created", record: new RawJson(text) } : undefined;
}

// The highest id that the schema allows, or else the highest number that a new record may have; null sets no limit.
function maxIdOf({ limit: { maxId }, collection }: RecordParts): bigint | null {
  const highest = collection.highestId?.() ?? maxInt64;
  return highest < (maxId ?? maxInt64) ? highest : maxId;
}

async function isExhausted(parts: RecordParts): Promise<boolean> {
  const highest = parts.collection.highestId?.();
  if (highest === undefined || maxIdOf(parts) !== highest) return false;
  const [row] = await parts.pool.query(parts.statements.lastId);
  return (row?.id as bigint) >= highest;
}

// Returns undefined if the record was not created, also if another process has created one with its id meanwhile.
async function insert<R>({ inserts }: SharedParts<R>, added: Create): Promise<bigint | undefined> {
  try {
    return await inserts.add(added);
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

// Returns undefined if the record is no longer as it was read.
async function change<R>(
  { collection, statements, pool }: RecordParts,
  id: RecordId,
  { text }: RawJson<R>,
  edited: object,
): Promise<{ readonly outcome: "changed"; readonly record: RawJson<R> } | undefined> {
  const record = writeRecord<R>(collection, id, requireStorable(writeLimited(collection, edited, text)));
  const rows = await pool.query(statements.change, id, text, record.text);
  return rows.length > 0 ? { outcome: "changed", record } : undefined;
}

// `attempt` and `add` return undefined if another process was faster.
async function replace<R, T>(
  parts: SharedParts<R>,
  id: RecordId,
  attempt: (record: RawJson<R>) => Promise<T | undefined>,
  add: () => Promise<T | undefined> | { readonly outcome: "missing" } = () => ({ outcome: "missing" }),
): Promise<T> {
  for (let count = 0; count < maxChangeAttempts; count++) {
    const record = await find(parts, id);
    const result = await (record === undefined ? add() : attempt(record));
    if (result !== undefined) return result as T;
    await pause(Math.random() * count); // milliseconds
  }
  throw new UnavailableError(busyMessage);
}

async function findAll<R>(
  { pool, statements }: RecordParts,
  ids: readonly RecordId[],
): Promise<(RawJson<R> | undefined)[]> {
  pool.metrics.observeBatch(statements.find.method, ids.length);
  const rows = await (ids.length === 1
    ? pool.query<[RecordId, string]>(statements.find, ids[0])
    : pool.query<[RecordId, string]>(statements.findAll, [...new Set(ids)]));
  const records = new Map(rows.map(([id, record]) => [id, new RawJson<R>(record)]));
  return ids.map((id) => records.get(id));
}

// Returns the numbers; undefined for a create whose idempotency key or id was used before, also by an earlier create of the batch,
// and for the creates for which there is no room.
async function insertAll(parts: RecordParts, creates: readonly Create[]): Promise<(bigint | undefined)[]> {
  const { collection, statements, pool, deleteExpired } = parts;
  pool.metrics.observeBatch(statements.create.method, creates.length);
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
    statements.create,
    column(({ idempotencyKey }) => idempotencyKey?.caller),
    column(({ idempotencyKey }) => idempotencyKey?.key),
    column(({ idempotencyKey }) => idempotencyKey?.digest),
    now,
    now - idempotencyWindow,
    column(({ members, key }) => (key === undefined ? members : writeRecord(collection, key, members).text)),
    maxIdOf(parts),
    ...(idColumn(collection) === "key" ? [column(({ key, scope }) => key ?? scope)] : []),
  );
  deleteExpired(now - idempotencyWindow, usedKeys.size);
  const ids = new Map(rows.map(({ id, ordinal }) => [unique[Number(ordinal) - 1], id as bigint]));
  return creates.map((create) => ids.get(create));
}

// Returns undefined if the key was not used.
async function repeat<R>(
  { collection, statements, pool }: RecordParts,
  members: string,
  { caller, key, digest }: IdempotencyKey,
): Promise<CreateResult<R> | undefined> {
  const values = [caller, key, Date.now() - idempotencyWindow];
  const [record] = await pool.query(statements.findIdempotencyRecord, ...values);
  return record && toRepeated(collection, record, digest, members);
}

// PostgreSQL has no NUL in a text.
function isStorableId(id: RecordId): boolean {
  return typeof id === "bigint" || findKeyProblem(id) === undefined;
}
