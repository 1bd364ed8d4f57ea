// Bulk access to all tables of a store, to copy it exactly from one database to another.
import { type Collection, type Filter, idColumn } from "./records.ts";

type ColumnType = "bigint" | "text" | "bytea" | "json";

/** The columns of a table with their types. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** The tables that each store has beside those of its collections. */
export const sharedTables = {
  keys: {
    id: "bigint",
    name: "text",
    hash: "bytea",
    created_at: "bigint",
    expires_at: "bigint",
    last_used_at: "bigint",
    operator: "bigint",
    previous_hash: "bytea",
    previous_expires_at: "bigint",
    scopes: "text",
  },
  idempotency: {
    record_id: "bigint",
    record_key: "text",
    collection: "text",
    caller: "bigint",
    key: "text",
    digest: "bytea",
    created_at: "bigint",
  },
  imports: { digest: "bytea", lines: "bigint", records: "bigint", complete: "bigint", written_at: "bigint" },
  record_schemas: { collection: "text", schema: "text", upgraded_to: "bigint" },
} as const satisfies Record<string, Columns>;

/** The names that a collection can't have. */
export const reservedNames: readonly string[] = [
  ...Object.keys(sharedTables),
  "deprecated_calls",
  "index_changes",
  "index_entries",
  "record_indexes",
  "secret",
  "migrations",
];

/** Returns the columns of the table of a collection: the number of a record, its JSON, and its id if that is a text. */
export function recordColumns(collection: Collection): Columns {
  return { id: "bigint", record: "json", ...(idColumn(collection) === "key" && { key: "text" }) };
}

/** The columns by which the rows of a shared table are sorted. They are unique. */
const sortKeys: Readonly<Record<keyof typeof sharedTables, string>> = {
  keys: "id",
  idempotency: "collection, record_id",
  imports: "digest",
  record_schemas: "collection, schema",
};

/** A table: its name, its columns, and the columns by which its rows are sorted. */
export interface Table {
  readonly name: string;
  readonly columns: Columns;
  readonly sortKey: string;
  /** The collection whose records the table has; undefined for a shared table. */
  readonly collection?: Collection;
}

/** Returns the tables of a store with these collections, in the order in which they are copied. */
export function tablesOf(collections: readonly Collection[]): readonly Table[] {
  const { keys, ...others } = sharedTables;
  const shared = (name: keyof typeof sharedTables): Table => ({
    name,
    columns: sharedTables[name],
    sortKey: sortKeys[name],
  });
  const records = collections.map((collection) => ({
    name: collection.name,
    columns: recordColumns(collection),
    sortKey: "id",
    collection,
  }));
  return [shared("keys"), ...records, ...Object.keys(others).map((name) => shared(name as keyof typeof others))];
}

/** Returns the collections whose records tables have. */
export function collectionsIn(tables: readonly Table[]): readonly Collection[] {
  return tables.flatMap(({ collection }) => collection ?? []);
}

/**
 * Returns the collections of other documents among tables: those whose text, such as their definition, is that of a collection with this
 * name. `collections` are those of the document.
 */
export function findOthers(
  collections: readonly Collection[],
  tables: readonly { readonly name?: unknown; readonly text?: unknown }[],
  textOf: (form: Collection) => unknown,
): Collection[] {
  const known = new Set<unknown>([...reservedNames, ...collections.map(({ name }) => name)]);
  return tables.flatMap(({ name, text }) => {
    if (typeof name !== "string" || known.has(name) || !/^[\w-]{1,40}$/.test(name)) return [];
    const forms = (["int64", "string"] as const).map((idType) => ({ name, id: undefined, idType }));
    return forms.map((form) => ({ ...form, properties: [], filters: [] })).filter((form) => textOf(form) === text);
  });
}

/** Returns the names of the tables that generate ids. An id is never generated twice. */
export function idTablesOf(tables: readonly Table[]): readonly string[] {
  return tables.filter(({ name, collection }) => name === "keys" || collection).map(({ name }) => name);
}

/** The values of a row, in the order of the table's columns. */
export type Values = readonly (bigint | string | Uint8Array | null)[];

/** The number of rows in a batch. */
export const batchSize = 1_000;

/** Reads the tables of a store within one transaction. */
export interface TableReader {
  readonly tables: readonly Table[];
  /** Returns the random identities of the store, which a copy of its file has, too. A valid store has exactly one. */
  identities(): Promise<readonly Uint8Array[]>;
  /** Returns the tables and indexes that neither this release nor the collections have, such as `index pets_by_color`. */
  unneeded(): Promise<readonly string[]>;
  /** Counts the rows of a table. */
  count(table: string): Promise<number>;
  /** Returns all rows of a table in batches, sorted by its sort key. Of a table with ids, those after an id. */
  rows(table: string, after?: bigint): AsyncIterable<readonly Values[]>;
  /** Returns the rows of the records of a collection that match a filter, in batches, sorted by id. */
  matching(collection: Collection, filter: Filter, value: unknown): AsyncIterable<readonly Values[]>;
  /** Returns the last id that was generated, or 0. */
  lastId(table: string): Promise<bigint>;
  /**
   * Returns the problems of the schema, files and indexes, each as a sentence. Rejects with the reason if the tables
   * can't be read safely.
   */
  problems(): AsyncIterable<string>;
}

/** Writes tables. */
export interface TableWriter extends TableReader {
  /** Inserts rows. */
  add(table: string, rows: readonly Values[]): Promise<void>;
  /** Replaces the records of a collection with these numbers. */
  change(table: string, rows: readonly Values[]): Promise<void>;
  /** Deletes the rows whose first column has this value, or all rows. */
  remove(table: string, first?: Values[0]): Promise<void>;
  /** Sets the last id that was generated. */
  setLastId(table: string, id: bigint): Promise<void>;
}

/**
 * The tables of a store, for tools. The service does not use them. The methods are bound and enumerable, as those of
 * `Store`.
 */
export interface Tables {
  readonly tables: readonly Table[];
  /** Runs `work` on a snapshot of the store. */
  read<T>(work: (source: TableReader) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction, and rolls it back if `work` rejects. No other connection creates records meanwhile,
   * and with `blocks`, none writes anything, or reads or writes tables as this one does. Rejects if other connections keep the locks from
   * being granted.
   */
  write<T>(work: (target: TableWriter) => Promise<T>, options?: { readonly blocks?: "writes" | "all" }): Promise<T>;
  /** Returns whether this is the only connection to the store, as far as its database can tell. */
  isOnlyConnection(): Promise<boolean>;
  close(): Promise<void>;
}

/** Returns the table with this name. Throws an Error for another name, so that no SQL has one. */
export function findTable(tables: readonly Table[], name: string): Table {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`The store has no table '${name}'.`);
  return table;
}
