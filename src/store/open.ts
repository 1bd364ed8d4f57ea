// Selects the implementation of a store by its URL.
import { isAbsolute, sep } from "node:path";
import { parseDatabaseUrl } from "../lib/index.ts";
import { sharedTables, type Tables } from "./bulk.ts";
import { toSortedKeys } from "./keys.ts";
import type { Key, OpenMode, Store } from "./port.ts";
import type { PostgresTimeouts } from "./postgres/connection-pool.ts";
import { openSqliteTables } from "./sqlite/sqlite-bulk.ts";
import { openSqliteStore, type SqliteTimeouts } from "./sqlite/sqlite-store.ts";
import { petStoreService, type StoreOptions } from "./store-options.ts";

/** Options of `openDatabase`: by default, a store of the Pet Store is created, without collections. Each store uses its own timeouts only. */
export interface OpenOptions extends Partial<StoreOptions> {
  /** The size of the connection pool (PostgreSQL only). */
  readonly connections?: number;
  /** Whether to use prepared statements (PostgreSQL only). */
  readonly prepare?: boolean;
  readonly timeouts?: StoreTimeouts;
}

/** The timeouts of each store, if they differ from the defaults. */
export interface StoreTimeouts {
  readonly sqlite?: Partial<SqliteTimeouts>;
  readonly postgres?: Partial<PostgresTimeouts>;
}

/** Options of `openTables`. The collections show whether the former schema has records of the service. */
export interface OpenTablesOptions extends Partial<Pick<StoreOptions, "service" | "collections">> {
  /** Milliseconds for which to retry LOCK TABLE (PostgreSQL only). */
  readonly lockTimeout?: number;
}

/**
 * Opens the store of a database URL: `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. Rejects if the database can't
 * be opened, with an Error that contains the reason.
 */
export async function openDatabase(
  url: string,
  { connections: size = 10, prepare = true, timeouts = {}, ...others }: OpenOptions = {},
): Promise<Store> {
  const file = toFile(url);
  const { service = petStoreService, mode = "create", collections = [], maxRecords = null } = others;
  const options = { ...others, service, mode, collections, maxRecords };
  if (file !== undefined) return openSqliteStore(file, options, timeouts.sqlite);
  const { openPostgresStore } = await import("./postgres/postgres-store.ts"); // loads the driver only if it is used
  return openPostgresStore(url, options, { size, prepare, timeouts: timeouts.postgres });
}

/** Opens the tables of a store, for tools that copy it. Rejects like `openDatabase`. */
export async function openTables(
  url: string,
  mode: OpenMode,
  { service = petStoreService, collections = [], lockTimeout = 5_000 }: OpenTablesOptions = {},
): Promise<Tables> {
  const file = toFile(url);
  if (file !== undefined) return openSqliteTables(file, mode, collections);
  const { openPostgresTables } = await import("./postgres/postgres-bulk.ts");
  return openPostgresTables(url, { service, mode, collections }, lockTimeout);
}

/** Returns the schema that has the tables of a service; undefined for SQLite. Rejects like `openDatabase`. */
export async function readSchema(
  url: string,
  { service = petStoreService, collections = [] }: OpenTablesOptions,
): Promise<string | undefined> {
  if (toFile(url) !== undefined) return undefined;
  const connection = await import("./postgres/postgres-connection.ts");
  return connection.readSchema(url, { service, collections });
}

// The collections only show the schema: a store without their tables is opened, too.
async function openShared(url: string, options: OpenTablesOptions): Promise<Tables> {
  return openTables(url, "readonly", { service: await readSchema(url, options) });
}

/** Returns the API keys of a store, sorted by name. Does not migrate it. Rejects like `openTables`. */
export async function readKeys(url: string, options: OpenTablesOptions): Promise<Key[]> {
  const tables = await openShared(url, options);
  const rows = await tables.read((source) => Array.fromAsync(source.rows("keys"))).finally(() => tables.close());
  const columns = Object.keys(sharedTables.keys);
  return toSortedKeys(rows.flat().map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]]))));
}

/** Returns whether a store exists. Rejects like `openTables` with the mode `readonly`. */
export async function storeExists(url: string, options: OpenTablesOptions): Promise<boolean> {
  try {
    await (await openShared(url, options)).close();
    return true;
  } catch (error) {
    if (isMissingStore(error)) return false;
    throw error;
  }
}

/** Returns whether an error of `openDatabase` or `openTables` means that the database contains no store yet. */
export function isMissingStore(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === "ENOENT";
}

/** Returns whether a database URL names a database in memory, which ends with its process. */
export function isInMemory(url: string): boolean {
  return toFile(url) === ":memory:";
}

// Returns an absolute path or `:memory:`; undefined for PostgreSQL. SQLite gives relative names such as file:x another meaning. path.resolve would
// remove `..` together with a symbolic link before it, but the system follows the link first.
function toFile(url: string): string | undefined {
  const database = parseDatabaseUrl(url);
  if (database === undefined) throw new Error("The URL of a database must be sqlite:PATH or postgres://HOST/DATABASE.");
  if (database.kind === "postgresql") return undefined;
  const { file = ":memory:" } = database;
  return file === ":memory:" || isAbsolute(file) ? file : `${process.cwd()}${sep}${file}`;
}
