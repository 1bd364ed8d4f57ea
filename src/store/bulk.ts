// What a store keeps, as tables: for moving it from one to another, whole and exactly.

import { newPetColumns } from "./rows.ts";
/** Each table in the order in which to fill them, with its columns and their types. */
export const tables = {
  keys: {
    id: "bigint",
    name: "text",
    hash: "bytea",
    created_at: "bigint",
    expires_at: "bigint",
    last_used_at: "bigint",
    operator: "bigint",
  },
  pets: { id: "bigint", ...Object.fromEntries(newPetColumns.map(({ name, type }) => [name, type])) },
  idempotency: { pet_id: "bigint", caller: "bigint", key: "text", digest: "bytea", created_at: "bigint" },
  deprecated_calls: { operation: "text", key: "text", day: "bigint", count: "bigint" },
  imports: { digest: "bytea", lines: "bigint", pets: "bigint", complete: "bigint", written_at: "bigint" },
} as const satisfies Record<string, Readonly<Record<string, "bigint" | "text" | "bytea">>>;

/** The name of a table. */
export type Table = keyof typeof tables;

/** What the rows of a table are sorted by, which no two have in common. */
export const primaryKeys: Readonly<Record<Table, string>> = {
  keys: "id",
  pets: "id",
  idempotency: "pet_id",
  deprecated_calls: "operation, key, day",
  imports: "digest",
};

/** A row: its values in the order of the table's columns. */
export type Values = readonly (bigint | string | Uint8Array | null)[];

/** The tables that give out ids, which are never given out again. */
export const idTables = ["keys", "pets"] as const satisfies Table[];

/** A table that gives out ids. */
export type IdTable = (typeof idTables)[number];

/** Counts the records of Idempotency-Keys whose pet is not there; `place` goes before the names of the tables. */
export const countOrphans = (place = "") =>
  `SELECT count(*) AS n FROM ${place}idempotency WHERE NOT EXISTS (SELECT 1 FROM ${place}pets WHERE id = pet_id)`;

/** How many rows are read and written at a time. */
export const batchSize = 1_000;

/** Tables to read. */
export interface TableReader {
  /** What signs cursors: one, if all is well. */
  secrets(): Promise<readonly Uint8Array[]>;
  /** How many rows a table has. */
  count(table: Table): Promise<number>;
  /** All rows of a table in its order, a batch at a time; of the pets, if asked for, those of one status. */
  rows(table: Table, status?: string): AsyncIterable<readonly Values[]>;
  /** The last id that was given out, 0 where none was. */
  lastId(table: IdTable): Promise<bigint>;
  /** What the database finds wrong with itself, each in a sentence. */
  problems(): AsyncIterable<string>;
}

/** Tables to fill. */
export interface TableWriter extends TableReader {
  setSecret(secret: Uint8Array): Promise<void>;
  add(table: Table, rows: readonly Values[]): Promise<void>;
  /** Takes out the row whose first value it is, or all rows. */
  remove(table: Table, first?: Values[0]): Promise<void>;
  setLastId(table: IdTable, id: bigint): Promise<void>;
}

/** The tables of a store, which no service need be told of. */
export interface Tables {
  /** Lets `work` see the store as it is at one moment, whatever is written meanwhile. */
  read<T>(work: (source: TableReader) => Promise<T>): Promise<T>;
  /**
   * Lets `work` write, in one transaction: where it rejects, nothing was changed. Nobody else creates pets meanwhile;
   * where it is `alone`, nobody writes anything. Rejects where somebody reads for long what is to be taken alone.
   */
  write<T>(work: (target: TableWriter) => Promise<T>, options?: { readonly alone?: boolean }): Promise<T>;
  /** Whether nobody else has the store open, as far as its database tells. */
  isAlone(): Promise<boolean>;
  close(): Promise<void>;
}
