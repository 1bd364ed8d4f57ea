// Bulk access to all tables of a store, to copy it exactly from one database to another.
import { newPetColumns } from "./rows.ts";

/** The columns of each table with their types. */
export const tables = {
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
  },
  pets: { id: "bigint", ...Object.fromEntries(newPetColumns.map(({ name, type }) => [name, type])) },
  idempotency: { pet_id: "bigint", caller: "bigint", key: "text", digest: "bytea", created_at: "bigint" },
  deprecated_calls: { operation: "text", key: "text", day: "bigint", count: "bigint" },
  imports: { digest: "bytea", lines: "bigint", pets: "bigint", complete: "bigint", written_at: "bigint" },
} as const satisfies Record<string, Readonly<Record<string, "bigint" | "text" | "bytea">>>;

export type Table = keyof typeof tables;

/** The columns by which the rows of a table are sorted. They are unique. */
export const sortKeys: Readonly<Record<Table, string>> = {
  keys: "id",
  pets: "id",
  idempotency: "pet_id",
  deprecated_calls: "operation, key, day",
  imports: "digest",
};

/** The values of a row, in the order of the table's columns. */
export type Values = readonly (bigint | string | Uint8Array | null)[];

/** The tables that generate ids. An id is never generated twice. */
export const idTables = ["keys", "pets"] as const satisfies Table[];

/** A table that generates ids. */
export type IdTable = (typeof idTables)[number];

/** The number of rows in a batch. */
export const batchSize = 1_000;

/** Reads the tables of a store within one transaction. */
export interface TableReader {
  /** Returns the random identities of the store, which a copy of its file has, too. A valid store has exactly one. */
  identities(): Promise<readonly Uint8Array[]>;
  /** Counts the rows of a table. */
  count(table: Table): Promise<number>;
  /** Returns all rows of a table in batches, sorted by its sort key. */
  rows(table: Table): AsyncIterable<readonly Values[]>;
  /** Returns the rows of the pets with a status in batches, sorted by id. */
  petsWith(status: string): AsyncIterable<readonly Values[]>;
  /** Returns the last id that was generated, or 0. */
  lastId(table: IdTable): Promise<bigint>;
  /**
   * Returns the problems of the schema, files and indexes, each as a sentence. Rejects with the reason if the tables
   * can't be read safely.
   */
  problems(): AsyncIterable<string>;
}

/** Writes tables. */
export interface TableWriter extends TableReader {
  /** Inserts rows. */
  add(table: Table, rows: readonly Values[]): Promise<void>;
  /** Deletes the row whose first column has this value, or all rows. */
  remove(table: Table, first?: Values[0]): Promise<void>;
  /** Sets the last id that was generated. */
  setLastId(table: IdTable, id: bigint): Promise<void>;
}

/**
 * The tables of a store, for tools. The service does not use them. The methods are bound and enumerable, as those of
 * `Store`.
 */
export interface Tables {
  /** Runs `work` on a snapshot of the store. */
  read<T>(work: (source: TableReader) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction, and rolls it back if `work` rejects. No other connection creates pets meanwhile,
   * and with `exclusive`, none writes anything. Rejects if other connections keep an exclusive lock from being granted.
   */
  write<T>(work: (target: TableWriter) => Promise<T>, options?: { readonly exclusive?: boolean }): Promise<T>;
  /** Returns whether this is the only connection to the store, as far as its database can tell. */
  isOnlyConnection(): Promise<boolean>;
  close(): Promise<void>;
}
