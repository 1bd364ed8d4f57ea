// The records of a collection in SQLite. Each read is a single statement, so it never misses what another process has
// committed before.
import { RawJson } from "../../lib/index.ts";
import type { CreateResult, IdempotencyKey, Page, RecordId, RecordQuery, RecordStore, StoreMethod } from "../port.ts";
import { type RecordCount, RecordLimit } from "../record-limit.ts";
import {
  addressOf,
  type Collection,
  type ListRow,
  type NewRecord,
  numberedText,
  scopeRange,
  toNewRecord,
  toPage,
  toPageStart,
  usedFilters,
  writeMembers,
  writeRecord,
} from "../records.ts";
import { idempotencyWindow } from "../rows.ts";
import { type RecordStatements, type Statements, toValue } from "./sqlite-statements.ts";
import type { TransactionScheduler } from "./transactions.ts";

/** What all collections of a store share. */
interface SharedParts {
  readonly transactions: TransactionScheduler;
  readonly statements: Statements;
  /** The maximum number of records; null sets no limit. */
  readonly maxRecords: bigint | null;
}

type Created<R> = Exclude<CreateResult<R>, { outcome: "conflict" }>;

/** Implements the records of the SQLite store. */
export class SqliteRecords<R, N extends object> implements RecordStore<R, N> {
  readonly #collection: Collection;
  readonly #shared: SharedParts;
  readonly #statements: RecordStatements;
  readonly #limit: RecordLimit;

  /** Counts the records, if there is a maximum number. */
  constructor(collection: Collection, statements: RecordStatements, shared: SharedParts) {
    this.#collection = collection;
    this.#shared = shared;
    this.#statements = statements;
    this.#limit = new RecordLimit(shared.maxRecords);
    if (shared.maxRecords !== null) this.#count();
  }

  readonly list = (query: RecordQuery): Promise<Page<R>> => this.#read("list", () => this.#list(query));

  readonly find = (id: RecordId): Promise<RawJson<R> | undefined> => this.#read("find", () => this.#find(id));

  readonly position = (id: RecordId): Promise<bigint | undefined> =>
    this.#read("position", () => this.#statements.position.get(id)?.id as bigint | undefined);

  readonly count: RecordStore<R, N>["count"] = (filter = {}) =>
    this.#read("count", () => {
      const filters = usedFilters(this.#collection, filter);
      const values = filters.map(({ name }) => toValue(filter[name]));
      return this.#statements.countMatching(filters).get(...values)?.records as bigint;
    });

  readonly create: RecordStore<R, N>["create"] = (record, idempotencyKey, scope) => {
    const added = toNewRecord(this.#collection, record, { scope });
    return this.#write("create", () =>
      idempotencyKey === undefined ? this.#create(added) : this.#createOnce(added, idempotencyKey),
    );
  };

  readonly put: RecordStore<R, N>["put"] = (id, edit) =>
    this.#write("put", () => {
      const record = this.#find(id);
      const edited = edit(record);
      if (record) return { outcome: "changed", record: this.#change(id, edited) };
      const isNumber = typeof id === "bigint";
      const result = isNumber
        ? this.#createNumbered(id, edited)
        : this.#create(toNewRecord(this.#collection, edited, { address: id }));
      return result.outcome === "full" ? result : { outcome: "created", record: result.record };
    });

  readonly change: RecordStore<R, N>["change"] = (id, edit) =>
    this.#write("change", () => {
      const record = this.#find(id);
      if (record === undefined) return { outcome: "missing" };
      const edited = edit(record);
      if (edited === undefined) return { outcome: "unchanged", record };
      return { outcome: "changed", record: this.#change(id, edited) };
    });

  readonly remove: RecordStore<R, N>["remove"] = (id, isAllowed = () => true) =>
    this.#write("remove", () => {
      const record = this.#find(id);
      if (record === undefined) return { outcome: "missing" };
      if (!isAllowed(record)) return { outcome: "unchanged", record };
      this.#statements.remove.run(id);
      this.#limit.expire();
      return { outcome: "changed", record };
    });

  readonly removeBelow = (scope: string): Promise<void> =>
    this.#write("removeBelow", () => {
      this.#statements.removeBelow.run(...scopeRange(scope));
      this.#limit.expire();
    });

  #write<T>(name: keyof RecordStore, work: () => T): Promise<T> {
    return this.#shared.transactions.write(this.#method(name), work);
  }

  #read<T>(name: keyof RecordStore, work: () => T): Promise<T> {
    return this.#shared.transactions.read(this.#method(name), work);
  }

  #method(name: keyof RecordStore): StoreMethod {
    return `${this.#collection.name}_${name}`;
  }

  #list({ limit, position, offset, filter = {} }: RecordQuery): Page<R> {
    const { direction, from } = toPageStart(position);
    const filters = usedFilters(this.#collection, filter);
    const values = filters.map(({ name }) => toValue(filter[name]));
    const selection = { filters, direction, limit: limit + 1, ...(offset !== undefined && { offset }) };
    const skipped = offset === undefined ? [] : [offset];
    const rows = this.#statements.list(selection).all(...values, from, limit + 1, ...skipped) as unknown as ListRow[];
    return toPage(this.#collection, rows, limit, direction);
  }

  #find(id: RecordId): RawJson<R> | undefined {
    const row = this.#statements.find.get(id);
    return row && new RawJson(row.record as string);
  }

  #change(id: RecordId, record: N): RawJson<R> {
    const changed = writeRecord<R>(this.#collection, id, writeMembers(this.#collection, record));
    this.#statements.change.run(changed.text, id);
    return changed;
  }

  #create(added: NewRecord, onCreated?: (number: bigint, id: RecordId) => void): Created<R> {
    const { members, key, scope } = added;
    if (!this.#hasRoom()) return { outcome: "full" };
    const generated = this.#collection.isScoped ? [scope, members] : [members];
    const values = key === undefined ? generated : [key, writeRecord(this.#collection, key, members).text];
    const number = BigInt(this.#statements.create.run(...values).lastInsertRowid);
    const id = addressOf(this.#collection, added, number);
    onCreated?.(number, id);
    return { outcome: "created", id, record: writeRecord(this.#collection, id, members) };
  }

  #createNumbered(number: bigint, record: N): Created<R> {
    const text = numberedText(this.#collection, number, record);
    if (this.#limit.maxId !== null) this.#count();
    if (this.#limit.isFull) return { outcome: "full" };
    this.#statements.createNumbered.run(number, text);
    return { outcome: "created", id: number, record: new RawJson(text) };
  }

  #hasRoom(): boolean {
    if (this.#limit.maxId === null) return true;
    const lastId = this.#statements.lastId.get()?.lastId as bigint;
    if (lastId < this.#limit.maxId) return true;
    if (this.#limit.isFull) return false;
    this.#count();
    return lastId < this.#limit.maxId;
  }

  #count(): void {
    const start = performance.now();
    this.#limit.update(this.#statements.count.get() as unknown as RecordCount, start);
  }

  #createOnce(added: NewRecord, { caller, key, digest }: IdempotencyKey): CreateResult<R> {
    const { deleteExpiredRecords, findRecord, saveRecord } = this.#shared.statements;
    const { name } = this.#collection;
    const now = Date.now();
    deleteExpiredRecords.run(now - idempotencyWindow);
    const record = findRecord.get(name, caller, key, now - idempotencyWindow);
    if (record === undefined)
      return this.#create(added, (number, id) =>
        saveRecord.run(name, caller, key, digest, number, typeof id === "string" ? id : null, now),
      );
    if (Buffer.compare(record.digest as Uint8Array, digest) !== 0) return { outcome: "conflict" };
    const id = (record.record_key ?? record.record_id) as RecordId;
    return { outcome: "repeated", id, record: writeRecord(this.#collection, id, added.members) };
  }
}
