// The records of a collection in SQLite. A read never misses what another process has committed before.
import { RawJson } from "../../lib/index.ts";
import { type ListRow, lengthOf, maxPageBytes, numberOf, toPage, toPageStart, unmeasuredRows } from "../pages.ts";
import type { CreateResult, IdempotencyKey, Page, RecordId, RecordQuery, RecordStore, StoreMethod } from "../port.ts";
import type { RecordCount, RecordLimit } from "../record-limit.ts";
import {
  addressOf,
  type Collection,
  idempotencyWindow,
  type NewRecord,
  numberedText,
  scopeRange,
  toNewRecord,
  toRepeated,
  usedFilters,
  writeLimited,
  writeRecord,
} from "../records.ts";
import { type RecordStatements, type Statements, toValue } from "./sqlite-statements.ts";
import type { StatementRunner } from "./transactions.ts";

/** What the records of a collection need. */
export interface RecordParts {
  readonly collection: Collection;
  readonly statements: RecordStatements;
  /** The statements of the tables that all collections share. */
  readonly shared: Statements;
  readonly limit: RecordLimit;
  /** See `prepareDisclaim`. */
  readonly disclaim: () => void;
}

type Created<R> = Exclude<CreateResult<R>, { outcome: "conflict" }>;

/** Implements the records of the SQLite store. */
export class SqliteRecords<R, N extends object> implements RecordStore<R, N> {
  readonly #transactions: StatementRunner;
  readonly #parts: RecordParts;

  constructor(transactions: StatementRunner, parts: RecordParts) {
    this.#transactions = transactions;
    this.#parts = parts;
  }

  readonly list = (query: RecordQuery): Promise<Page<R>> => this.#read("list", () => this.#list(query));

  readonly find = (id: RecordId): Promise<RawJson<R> | undefined> => this.#read("find", () => this.#find(id));

  readonly position = (id: RecordId): Promise<bigint | undefined> =>
    this.#read("position", () => this.#parts.statements.position.get(id)?.id as bigint | undefined);

  readonly count: RecordStore<R, N>["count"] = (filter = {}) =>
    this.#read("count", () => {
      const filters = usedFilters(this.#parts.collection, filter);
      const values = filters.map(({ name }) => toValue(filter[name]));
      return this.#parts.statements.countMatching(filters).get(...values)?.records as bigint;
    });

  readonly create: RecordStore<R, N>["create"] = (record, idempotencyKey, scope) => {
    const added = toNewRecord(this.#parts.collection, record, { scope });
    return this.#write("create", () =>
      idempotencyKey === undefined ? this.#create(added) : this.#createOnce(added, idempotencyKey),
    );
  };

  readonly put: RecordStore<R, N>["put"] = (id, edit) =>
    this.#write("put", () => {
      const record = this.#find(id);
      const edited = edit(record);
      if (record) return { outcome: "changed", record: this.#change(id, edited, record) };
      const isNumber = typeof id === "bigint";
      const result = isNumber
        ? this.#createNumbered(id, edited)
        : this.#create(toNewRecord(this.#parts.collection, edited, { address: id }));
      return result.outcome === "full" ? result : { outcome: "created", record: result.record };
    });

  readonly change: RecordStore<R, N>["change"] = (id, edit) =>
    this.#write("change", () => {
      const record = this.#find(id);
      if (record === undefined) return { outcome: "missing" };
      const edited = edit(record);
      if (edited === undefined) return { outcome: "unchanged", record };
      return { outcome: "changed", record: this.#change(id, edited, record) };
    });

  readonly remove: RecordStore<R, N>["remove"] = (id, isAllowed = () => true) =>
    this.#write("remove", () => {
      const record = this.#find(id);
      if (record === undefined) return { outcome: "missing" };
      if (!isAllowed(record)) return { outcome: "unchanged", record };
      this.#parts.statements.remove.run(id);
      this.#parts.limit.expire();
      return { outcome: "changed", record };
    });

  readonly removeBelow = (scope: string, limit: number): Promise<number> =>
    this.#write("removeBelow", () => {
      const { changes } = this.#parts.statements.removeBelow.run(...scopeRange(scope), limit);
      this.#parts.limit.expire();
      return Number(changes);
    });

  #write<T>(name: keyof RecordStore, work: () => T): Promise<T> {
    return this.#transactions.write(this.#method(name), work);
  }

  #read<T>(name: keyof RecordStore, work: () => T): Promise<T> {
    return this.#transactions.read(this.#method(name), work);
  }

  #method(name: keyof RecordStore): StoreMethod {
    return `${this.#parts.collection.name}_${name}`;
  }

  // Reads in steps, because the records of the page can be large.
  #list(query: RecordQuery): Page<R> {
    const { limit, position, offset, filter = {}, maxBytes = maxPageBytes } = query;
    const { direction, from } = toPageStart(position);
    const filters = usedFilters(this.#parts.collection, filter);
    const values = filters.map(({ name }) => toValue(filter[name]));
    const rows: ListRow[] = [];
    let [start, skipped] = [from, offset];
    for (;;) {
      const count = Math.min(limit + 1 - rows.length, unmeasuredRows);
      const selection = { filters, direction, limit: count, ...(skipped !== undefined && { offset: skipped }) };
      const skip = skipped === undefined ? [] : [skipped];
      const found = this.#parts.statements
        .list(selection)
        .all(...values, start, count, ...skip) as unknown as ListRow[];
      rows.push(...found);
      const last = found.at(-1);
      if (last === undefined || found.length < count || rows.length > limit) break;
      if (lengthOf(rows) > maxBytes) break;
      start = numberOf(this.#parts.collection, last);
      skipped = undefined;
    }
    return toPage(this.#parts.collection, rows, query, direction);
  }

  #find(id: RecordId): RawJson<R> | undefined {
    const row = this.#parts.statements.find.get(id);
    return row && new RawJson(row.record as string);
  }

  #change(id: RecordId, record: N, { text }: RawJson<R>): RawJson<R> {
    const changed = writeRecord<R>(this.#parts.collection, id, writeLimited(this.#parts.collection, record, text));
    this.#parts.disclaim();
    this.#parts.statements.change.run(changed.text, id);
    return changed;
  }

  #create(added: NewRecord, onCreated?: (number: bigint, id: RecordId) => void): Created<R> {
    const { members, key, scope } = added;
    if (!this.#hasRoom()) return { outcome: "full" };
    const generated = this.#parts.collection.isScoped ? [scope, members] : [members];
    const values = key === undefined ? generated : [key, writeRecord(this.#parts.collection, key, members).text];
    this.#parts.disclaim();
    const number = BigInt(this.#parts.statements.create.run(...values).lastInsertRowid);
    const id = addressOf(this.#parts.collection, added, number);
    if (this.#isBeyond(number)) {
      this.#parts.statements.remove.run(id);
      return { outcome: "full" };
    }
    onCreated?.(number, id);
    return { outcome: "created", id, record: writeRecord(this.#parts.collection, id, members) };
  }

  #createNumbered(number: bigint, record: N): Created<R> {
    const text = numberedText(this.#parts.collection, number, record);
    if (this.#parts.limit.maxId !== null) updateLimit(this.#parts);
    if (this.#parts.limit.isFull) return { outcome: "full" };
    this.#parts.disclaim();
    this.#parts.statements.createNumbered.run(number, text);
    return { outcome: "created", id: number, record: new RawJson(text) };
  }

  #isBeyond(number: bigint): boolean {
    const { highestId } = this.#parts.collection;
    return highestId !== undefined && number > highestId();
  }

  #hasRoom(): boolean {
    if (this.#parts.limit.maxId === null) return true;
    const lastId = this.#parts.statements.lastId.get()?.lastId as bigint;
    if (lastId < this.#parts.limit.maxId) return true;
    if (this.#parts.limit.isFull) return false;
    updateLimit(this.#parts);
    return lastId < this.#parts.limit.maxId;
  }

  #createOnce(added: NewRecord, { caller, key, digest }: IdempotencyKey): CreateResult<R> {
    const { deleteExpiredRecords, findRecord, saveRecord } = this.#parts.shared;
    const { name } = this.#parts.collection;
    const now = Date.now();
    deleteExpiredRecords.run(now - idempotencyWindow);
    const record = findRecord.get(name, caller, key, now - idempotencyWindow);
    if (record === undefined)
      return this.#create(added, (number, id) =>
        saveRecord.run(name, caller, key, digest, number, typeof id === "string" ? id : null, now),
      );
    return toRepeated(this.#parts.collection, record, digest, added.members);
  }
}

/** Counts the records of a collection for its limit. */
export function updateLimit({ statements, limit }: RecordParts): void {
  const start = performance.now();
  limit.update(statements.count.get() as unknown as RecordCount, start);
}
