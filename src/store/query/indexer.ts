// Keeps the entries of indexes in the background: triggers log the numbers of records that were changed, by any program, and this reads
// the records and replaces their entries. Queries do not need it: they read records with changes themselves.
import { setTimeout } from "node:timers/promises";
import { parseJson, UnavailableError } from "../../lib/index.ts";
import type { RecordStore } from "../port.ts";
import type { Collection } from "../records.ts";
import type { StoreOptions } from "../store-options.ts";
import { compileEntry } from "./conditions.ts";
import { type Specification, specificationsOf } from "./index-range.ts";
import { entryColumns, type IndexDialect, type RunStatement } from "./index-statements.ts";

/** What an indexer needs of a database. */
export interface IndexDatabase {
  readonly dialect: IndexDialect;
  read<T>(work: (run: RunStatement) => T | Promise<T>): Promise<T>;
  /** Runs `work` in one transaction; undefined if another process has the lock of the indexer. */
  write<T>(work: (run: RunStatement) => Promise<T>): Promise<T | undefined>;
}

interface Index extends Specification {
  readonly id: bigint;
  readonly collection: string;
  readonly specification: string;
  readonly filledTo: bigint;
  readonly isComplete: boolean;
  /** The number of records of its collection that have changed; `manyChanges` if there are more. */
  readonly changes: number;
}

type ChangedRow = [id: bigint, writer: bigint | null, record: string | null, key?: string];

const interval = 1_000; // milliseconds between two looks for the writes of other programs
const pause = 4; // milliseconds in which changes are collected
const stepTime = 5; // milliseconds of a transaction
const manyChanges = 500;
const longStepTime = 25; // milliseconds, if there are many changes, so that writes can't outrun it

/** Updates the indexes of collections until it is closed. One that is not declared when it starts is removed. */
export class Indexer {
  readonly #collections: readonly Collection[];
  readonly #database: IndexDatabase;
  readonly #inBackground: StoreOptions["inBackground"];
  readonly #next = new Map<string, bigint>(); // the last change that was read: deleted rows before it take time in PostgreSQL
  #timer: NodeJS.Timeout | undefined;
  #obsolete: ReadonlySet<bigint> | undefined;
  #running: Promise<void> | undefined;
  #failure: unknown;
  #isWanted = false;
  #hasIndexes = false;

  /** `inBackground` receives an error that is no failure of the database, after which it ends. */
  constructor(collections: readonly Collection[], database: IndexDatabase, inBackground: StoreOptions["inBackground"]) {
    this.#collections = collections;
    this.#database = database;
    this.#inBackground = inBackground;
    if (collections.length === 0) return;
    this.#timer = setInterval(this.wake, interval).unref();
    this.wake();
  }

  /** Looks for changes now. */
  readonly wake = (): void => {
    if (this.#timer === undefined) return;
    this.#isWanted = true;
    this.#running ??= this.#run();
  };

  /** Returns records whose writes wake it. */
  watch<R, N extends object>(records: RecordStore<R, N>): RecordStore<R, N> {
    const { create, put, change, remove, removeBelow } = records;
    const after = <A extends readonly unknown[], T>(write: (...values: A) => Promise<T>) => {
      return (...values: A) => write(...values).finally(this.wake);
    };
    const writes = { create: after(create), put: after(put), change: after(change), remove: after(remove) };
    return { ...records, ...writes, removeBelow: after(removeBelow) };
  }

  /** Resolves when there is nothing to do, or another process does it. Rejects if it has failed. */
  async wait(): Promise<void> {
    await this.#running;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Ends, after the current transaction if there is one. */
  close(): Promise<void> | undefined {
    this.#end();
    return this.#running;
  }

  #end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWanted && this.#timer) {
        // The first look is at once: what another process declares later is not obsolete.
        if (this.#obsolete) await setTimeout(pause);
        this.#isWanted = false;
        while (this.#timer && (await this.#step()));
      }
      if (!this.#hasIndexes) this.#end();
    } catch (error) {
      if (error instanceof UnavailableError) return; // until the next look
      this.#end();
      this.#failure = error;
      this.#inBackground?.(Promise.reject(error));
    } finally {
      this.#running = undefined;
    }
  }

  // Returns whether there may be more to do.
  async #step(): Promise<boolean> {
    const isNeeded = await this.#database.read(async (run) => (await this.#findTask(run)) !== undefined);
    if (!isNeeded) return false;
    const start = performance.now();
    const isDone = await this.#database.write(async (run) => {
      for (let task = await this.#findTask(run); task; task = await this.#findTask(run)) {
        const isBehind = await task();
        if (performance.now() - start > (isBehind ? longStepTime : stepTime)) return true;
      }
      return false;
    });
    return isDone ?? false;
  }

  // The result is a function that returns whether there are many changes.
  async #findTask(run: RunStatement): Promise<(() => Promise<boolean>) | undefined> {
    const indexes = await this.#readIndexes(run);
    this.#hasIndexes = indexes.length > 0 || this.#collections.some((one) => specificationsOf(one).length > 0);
    this.#obsolete ??= new Set(indexes.filter((one) => !this.#isDeclared(one)).map(({ id }) => id));
    for (const collection of this.#collections) {
      const own = indexes.filter((one) => one.collection === collection.name);
      const missing = specificationsOf(collection).find((text) => !own.some((one) => one.specification === text));
      if (missing !== undefined) return () => this.#add(run, collection, missing, own.length === 0);
      const obsolete = own.find(({ id }) => this.#obsolete?.has(id));
      if (obsolete) return () => this.#remove(run, obsolete, own.length === 1);
      const incomplete = own.find(({ isComplete }) => !isComplete);
      const [{ changes } = { changes: 0 }] = own;
      if (!incomplete && changes === 0) continue;
      return async () => {
        if (incomplete) await this.#fill(run, collection, incomplete);
        if (changes > 0) await this.#applyChanges(run, collection, own);
        return changes === manyChanges;
      };
    }
    return undefined;
  }

  #isDeclared({ collection, specification }: Index): boolean {
    return this.#collections.some((one) => one.name === collection && specificationsOf(one).includes(specification));
  }

  async #readIndexes(run: RunStatement): Promise<Index[]> {
    const { table } = this.#database.dialect;
    const changed = `SELECT 1 FROM ${table("index_changes")} AS c WHERE c.collection = i.collection LIMIT ${manyChanges}`;
    const rows = await run(
      `SELECT id, collection, specification, filled_to, complete, (SELECT count(*) FROM (${changed}) AS changed) FROM ${table("record_indexes")} AS i ORDER BY i.id`,
    );
    return (rows as [bigint, string, string, bigint, bigint, bigint][])
      .filter(([, name]) => this.#collections.some((one) => one.name === name))
      .map(([id, collection, specification, filledTo, complete, changes]) => {
        const state = { id, collection, specification, filledTo, isComplete: complete === 1n };
        return { ...state, changes: Number(changes), ...(JSON.parse(specification) as Specification) };
      });
  }

  async #add(run: RunStatement, { name }: Collection, specification: string, isFirst: boolean): Promise<boolean> {
    const { table, parameter, triggers } = this.#database.dialect;
    if (isFirst) for (const statement of triggers(name).create) await run(statement);
    await run(
      `INSERT INTO ${table("record_indexes")} (collection, specification, filled_to, complete) VALUES (${parameter(1)}, ${parameter(2)}, 0, 0)`,
      name,
      specification,
    );
    return false;
  }

  async #remove(run: RunStatement, { id, collection }: Index, isLast: boolean): Promise<boolean> {
    const { table, parameter, triggers, batch } = this.#database.dialect;
    const [indexes, entries] = [table("record_indexes"), table("index_entries")];
    await run(`UPDATE ${indexes} SET complete = 0 WHERE id = ${parameter(1)}`, id);
    const removed = await run(
      `DELETE FROM ${entries} WHERE (index_id, value) IN (SELECT index_id, value FROM ${entries} WHERE index_id = ${parameter(1)} LIMIT ${batch}) RETURNING id`,
      id,
    );
    if (removed.length > 0) return false;
    await run(`DELETE FROM ${indexes} WHERE id = ${parameter(1)}`, id);
    if (!isLast) return false;
    for (const statement of triggers(collection).drop) await run(statement);
    await run(`DELETE FROM ${table("index_changes")} WHERE collection = ${parameter(1)}`, collection);
    return false;
  }

  async #fill(run: RunStatement, collection: Collection, index: Index): Promise<void> {
    const { table, parameter, batch } = this.#database.dialect;
    const rows = await run(
      `SELECT r.id, NULL, ${entryColumns(collection)} FROM ${table(collection.name)} AS r WHERE r.id > ${parameter(1)} ORDER BY r.id LIMIT ${batch}`,
      index.filledTo,
    );
    await this.#replaceEntries(run, [index], rows as ChangedRow[]);
    await run(
      `UPDATE ${table("record_indexes")} SET filled_to = ${parameter(1)}, complete = ${parameter(2)} WHERE id = ${parameter(3)}`,
      rows.at(-1)?.[0] ?? index.filledTo,
      rows.length < batch ? 1n : 0n,
      index.id,
    );
  }

  // Each record is read in the same snapshot as its changes, or later. Those that are committed meanwhile remain.
  async #applyChanges(run: RunStatement, collection: Collection, indexes: readonly Index[]): Promise<void> {
    const { table, parameter, rows: rowsOf, batch } = this.#database.dialect;
    const { name } = collection;
    const changes = table("index_changes");
    const rows = (await run(
      `SELECT c.id, c.writer, ${entryColumns(collection)}
       FROM (
         SELECT id, writer FROM ${changes} WHERE collection = ${parameter(1)} AND id > ${parameter(2)}
         ORDER BY id, writer LIMIT ${batch}
       ) AS c LEFT JOIN ${table(name)} AS r ON r.id = c.id`,
      name,
      this.#next.get(name) ?? -1n,
    )) as ChangedRow[];
    this.#next.set(name, rows.length < batch ? -1n : (rows.at(-1)?.[0] ?? -1n));
    await this.#replaceEntries(run, indexes, rows);
    await run(
      `DELETE FROM ${changes} WHERE collection = ${parameter(1)} AND (id, writer) IN (SELECT id, first FROM (${rowsOf(parameter(2))}) AS done)`,
      name,
      writeRows(rows.map(([id, writer]) => [writer ?? 0n, "", id])),
    );
  }

  async #replaceEntries(run: RunStatement, indexes: readonly Index[], rows: readonly ChangedRow[]): Promise<void> {
    const { table, parameter, rows: rowsOf } = this.#database.dialect;
    const entries = table("index_entries");
    const sent = `(${rowsOf(parameter(1))}) AS sent`;
    const records = [...new Map(rows.map((row) => [row[0], row])).values()];
    const compiled = indexes.map((index) => ({ ...index, entryOf: compileEntry(index.orders) }));
    const wanted = new Set<string>();
    for (const [id, , text, key] of records) {
      if (text === null) continue;
      const record = parseJson(text, Number.POSITIVE_INFINITY);
      const scope = key?.slice(0, key.lastIndexOf("/") + 1);
      for (const { id: index, isScoped, entryOf } of compiled)
        wanted.add(toKey(index, entryOf(record, id, isScoped ? scope : undefined), id));
    }
    const places = records.flatMap(([id]) => indexes.map((index): Entry => [index.id, "", id]));
    const rowsFound = await run(
      `SELECT e.index_id, e.value, e.id FROM ${sent} CROSS JOIN ${entries} AS e WHERE e.index_id = sent.first AND e.id = sent.id`,
      writeRows(places),
    );
    const found = new Set((rowsFound as [bigint, Uint8Array, bigint][]).map((entry) => toKey(...entry)));
    const [removed, added] = [found.difference(wanted), wanted.difference(found)];
    if (removed.size > 0)
      await run(
        `DELETE FROM ${entries} WHERE (index_id, value) IN (SELECT first, value FROM ${sent})`,
        writeRows([...removed].map(fromKey)),
      );
    if (added.size > 0)
      await run(
        `INSERT INTO ${entries} (index_id, value, id) SELECT first, value, id FROM ${sent}`,
        writeRows([...added].map(fromKey)),
      );
  }
}

type Entry = readonly [index: bigint, hex: string, id: bigint];

function toKey(index: bigint, value: Uint8Array, id: bigint): string {
  return `${index},${Buffer.from(value).toString("hex")},${id}`;
}

function fromKey(key: string): Entry {
  const [index, hex, id] = key.split(",") as [string, string, string];
  return [BigInt(index), hex, BigInt(id)];
}

// The integers as texts, which are exact.
function writeRows(rows: readonly Entry[]): string {
  return JSON.stringify(rows.map(([first, hex, id]) => [`${first}`, hex, `${id}`]));
}
