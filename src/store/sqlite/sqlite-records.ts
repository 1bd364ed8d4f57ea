// The records of a collection in SQLite. A read never misses what another process has committed before.
import { RawJson } from "../../lib/index.ts";
import { scopeRange } from "../ids.ts";
import { type ListRow, lengthOf, maxPageBytes, numberOf, toPage, toPageStart, unmeasuredRows } from "../pages.ts";
import type { CreateResult, IdempotencyKey, RecordId, RecordQuery, RecordStore } from "../port.ts";
import { queryCount, queryPage } from "../query/index-page.ts";
import { createIndexReader } from "../query/index-statements.ts";
import type { RecordCount, RecordLimit } from "../record-limit.ts";
import {
  addressOf,
  type Collection,
  type FilterValues,
  idempotencyWindow,
  type NewRecord,
  numberedText,
  toNewRecord,
  toRepeated,
  usedFilters,
  writeLimited,
  writeRecord,
} from "../records.ts";
import { violationOf } from "./sqlite-constraints.ts";
import { indexDialect } from "./sqlite-indexes.ts";
import { type RecordStatements, type Statements, toValue } from "./sqlite-statements.ts";
import type { StatementRunner } from "./transactions.ts";

/** What the records of a collection need. */
export interface RecordParts {
  readonly collection: Collection;
  /** All collections, whose constraints a write can violate. */
  readonly collections: readonly Collection[];
  readonly statements: RecordStatements;
  /** The statements of the tables that all collections share. */
  readonly shared: Statements;
  readonly limit: RecordLimit;
  /** See `prepareDisclaim`. */
  readonly disclaim: () => void;
}

type Created<R> = Exclude<CreateResult<R>, { outcome: "conflict" }>;

/** Returns the records of a collection of the SQLite store. */
export function createSqliteRecords<R, N extends object>(
  transactions: StatementRunner,
  parts: RecordParts,
): RecordStore<R, N> {
  const { collection, statements, limit } = parts;
  const read = <T>(name: keyof RecordStore, work: () => T) => transactions.read(`${collection.name}_${name}`, work);
  const write = <T>(name: keyof RecordStore, work: () => T) =>
    transactions.write(`${collection.name}_${name}`, () => {
      try {
        return work();
      } catch (error) {
        throw violationOf(parts.collections, error) ?? error;
      }
    });
  const find = (id: RecordId): RawJson<R> | undefined => {
    const row = statements.find.get(id);
    return row && new RawJson(row.record as string);
  };
  const readersOf = (name: "list" | "count") => ({
    rows: (step: RecordQuery) => read(name, () => listRows(parts, step)),
    index: createIndexReader(indexDialect, collection, (text, ...values) =>
      read(name, () => statements.all(text, values)),
    ),
  });
  return {
    list: async (query) => {
      const readers = readersOf("list");
      const page = await queryPage<R>(collection, query, readers);
      return page ?? toPage(collection, await readers.rows(query), query);
    },
    hasHadRecords: () => read("hasHadRecords", () => statements.lastId.get()?.lastId !== 0n),
    find: (id) => read("find", () => find(id)),
    position: (id) => read("position", () => statements.position.get(id)?.id as bigint | undefined),
    count: async (filter = {}, where = []) => {
      if (where.length > 0) return queryCount(collection, { filter, where }, readersOf("count"));
      const { filters, values } = readFilter(collection, filter);
      return read("count", () => statements.countMatching(filters).get(...values)?.records as bigint);
    },
    create: (record, idempotencyKey, scope) => {
      const added = toNewRecord(collection, record, { scope });
      return write("create", () =>
        idempotencyKey === undefined ? create(parts, added) : createOnce(parts, added, idempotencyKey),
      );
    },
    put: (id, edit) =>
      write("put", () => {
        const record = find(id);
        const edited = edit(record);
        if (record) return { outcome: "changed", record: change(parts, id, edited, record) };
        const result: Created<R> =
          typeof id === "bigint"
            ? createNumbered(parts, id, edited)
            : create(parts, toNewRecord(collection, edited, { address: id }));
        return result.outcome === "full" ? result : { outcome: "created", record: result.record };
      }),
    change: (id, edit) =>
      write("change", () => {
        const record = find(id);
        if (record === undefined) return { outcome: "missing" };
        const edited = edit(record);
        if (edited === undefined) return { outcome: "unchanged", record };
        return { outcome: "changed", record: change(parts, id, edited, record) };
      }),
    remove: (id, isAllowed = () => true) =>
      write("remove", () => {
        const record = find(id);
        if (record === undefined) return { outcome: "missing" };
        if (!isAllowed(record)) return { outcome: "unchanged", record };
        statements.remove.run(id);
        limit.expire();
        return { outcome: "changed", record };
      }),
    removeBelow: (scope, maximum) =>
      write("removeBelow", () => {
        const { changes } = statements.removeBelow.run(...scopeRange(scope), maximum);
        limit.expire();
        return Number(changes);
      }),
  };
}

function readFilter(collection: Collection, filter: FilterValues) {
  const filters = usedFilters(collection, filter);
  return { filters, values: filters.map(({ name }) => toValue(filter[name])) };
}

// Reads in steps, because the records of the page can be large.
function listRows({ collection, statements }: RecordParts, query: RecordQuery): ListRow[] {
  const { limit, offset, filter = {}, maxBytes = maxPageBytes } = query;
  const { direction, from } = toPageStart(query);
  const { filters, values } = readFilter(collection, filter);
  const rows: ListRow[] = [];
  let [start, skipped] = [from, offset];
  for (;;) {
    const count = Math.min(limit + 1 - rows.length, unmeasuredRows);
    const selection = { filters, direction, limit: count, ...(skipped !== undefined && { offset: skipped }) };
    const skip = skipped === undefined ? [] : [skipped];
    const found = statements.list(selection).all(...values, start, count, ...skip) as unknown as ListRow[];
    rows.push(...found);
    const last = found.at(-1);
    if (last === undefined || found.length < count || rows.length > limit || lengthOf(rows) > maxBytes) break;
    start = numberOf(collection, last);
    skipped = undefined;
  }
  return rows;
}

function change<R>(
  { collection, statements, disclaim }: RecordParts,
  id: RecordId,
  record: object,
  { text }: RawJson<R>,
): RawJson<R> {
  const changed = writeRecord<R>(collection, id, writeLimited(collection, record, text));
  disclaim();
  statements.change.run(changed.text, id);
  return changed;
}

function create<R>(
  parts: RecordParts,
  added: NewRecord,
  onCreated?: (number: bigint, id: RecordId) => void,
): Created<R> {
  const { collection, statements, disclaim } = parts;
  const { members, key, scope } = added;
  if (!hasRoom(parts)) return { outcome: "full" };
  const generated = collection.isScoped ? [scope, members] : [members];
  const values = key === undefined ? generated : [key, writeRecord(collection, key, members).text];
  disclaim();
  const number = BigInt(statements.create.run(...values).lastInsertRowid);
  const id = addressOf(collection, added, number);
  if (collection.highestId !== undefined && number > collection.highestId()) {
    statements.remove.run(id);
    return { outcome: "full" };
  }
  onCreated?.(number, id);
  return { outcome: "created", id, record: writeRecord(collection, id, members) };
}

function createNumbered<R>(parts: RecordParts, number: bigint, record: object): Created<R> {
  const { collection, statements, limit, disclaim } = parts;
  const text = numberedText(collection, number, record);
  if (limit.maxId !== null) updateLimit(parts);
  if (limit.isFull) return { outcome: "full" };
  disclaim();
  statements.createNumbered.run(number, text);
  return { outcome: "created", id: number, record: new RawJson(text) };
}

function hasRoom(parts: RecordParts): boolean {
  const { statements, limit } = parts;
  if (limit.maxId === null) return true;
  const lastId = statements.lastId.get()?.lastId as bigint;
  if (lastId < limit.maxId) return true;
  if (limit.isFull) return false;
  updateLimit(parts);
  return lastId < limit.maxId;
}

function createOnce<R>(parts: RecordParts, added: NewRecord, { caller, key, digest }: IdempotencyKey): CreateResult<R> {
  const { deleteExpiredRecords, findRecord, saveRecord } = parts.shared;
  const { name } = parts.collection;
  const now = Date.now();
  deleteExpiredRecords.run(now - idempotencyWindow);
  const record = findRecord.get(name, caller, key, now - idempotencyWindow);
  if (record !== undefined) return toRepeated(parts.collection, record, digest, added.members);
  return create(parts, added, (number, id) =>
    saveRecord.run(name, caller, key, digest, number, typeof id === "string" ? id : null, now),
  );
}

/** Counts the records of a collection for its limit. */
export function updateLimit({ statements, limit }: RecordParts): void {
  const start = performance.now();
  limit.update(statements.count.get() as unknown as RecordCount, start);
}
