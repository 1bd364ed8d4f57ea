// Connects to PostgreSQL, and migrates the store.
import pg from "pg";
import { redactUrl } from "../../lib/index.ts";
import { latestVersion } from "../migrations.ts";
import type { RecordCount } from "../record-limit.ts";
import type { Collection } from "../records.ts";
import { createMigrationError, createMissingError } from "../schema-version.ts";
import type { StoreOptions } from "../store-options.ts";
import { Hosts } from "./hosts.ts";
import { migrateConstraints } from "./postgres-constraints.ts";
import { toOpenFailure } from "./postgres-errors.ts";
import { migrate, readVersion, requireCollections } from "./postgres-migrations.ts";
import { findSchema, type SchemaOptions, toSchema } from "./postgres-schema.ts";
import { countRecords } from "./postgres-statements.ts";

const connectTimeout = 10_000; // milliseconds

// Returns int8 values as bigint, without loss of precision, and JSON as its text.
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => {
    if (id === pg.types.builtins.INT8) return BigInt;
    return id === pg.types.builtins.JSON ? (text: string) => text : pg.types.getTypeParser(id, format);
  },
};

/** A database, and the schema in which a service has its tables. */
export interface Database {
  readonly hosts: Hosts;
  readonly schema: string;
}

/** Returns the options of all connections. The URL may contain further options of pg. */
export function connectionOptions(schema: string): pg.ClientConfig {
  return { types, keepAlive: true, fallback_application_name: schema };
}

/**
 * Opens a single connection, without a pool, and by default without timeouts for its queries. Tries each host. Rejects
 * with the reasons if all fail.
 */
export async function connect({ hosts, schema }: Database, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const errors: unknown[] = [];
  while (errors.length < hosts.urls.length) {
    const url = hosts.current;
    try {
      return await connectTo(url, hosts, { ...connectionOptions(schema), ...options });
    } catch (error) {
      errors.push(error);
      hosts.skip(url);
    }
  }
  throw errors.length === 1 ? errors[0] : new Error(errors.map(toOpenFailure).join("; "));
}

async function connectTo(url: string, hosts: Hosts, options: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeout,
    ...options,
  });
  client.on("error", () => {}); // the current query rejects too
  try {
    await client.connect();
    await hosts.checkServer(client);
  } catch (error) {
    await client.end(); // if the password is missing, pg leaves the connection open until PostgreSQL closes it, after 60 s
    throw error;
  }
  return client;
}

/** What the store reads when it opens. */
export interface PreparedDatabase extends Database {
  /** A count of the records of each collection; empty if they are not limited. */
  readonly counts: ReadonlyMap<Collection, RecordCount>;
}

/**
 * Migrates the store as the mode allows, and counts its records if they are limited. Rejects with the reason if the store
 * can't be opened.
 */
export function prepareDatabase(url: string, options: StoreOptions): Promise<PreparedDatabase> {
  return withDatabase(url, options, async (client, database) => {
    return { ...database, counts: await prepare(client, database.schema, options) };
  });
}

/** Returns the schema of a service. Rejects like `prepareDatabase`. */
export function readSchema(url: string, options: SchemaOptions): Promise<string> {
  return withDatabase(url, options, async (_, { schema }) => schema);
}

async function withDatabase<T>(
  url: string,
  options: SchemaOptions,
  work: (client: pg.Client, database: Database) => Promise<T>,
): Promise<T> {
  try {
    const hosts = new Hosts(url);
    const client = await connect({ hosts, schema: toSchema(options.service) });
    const run = async () => work(client, { hosts, schema: await findSchema(client, options) });
    return await run().finally(() => client.end());
  } catch (error) {
    throw new Error(`The database ${redactUrl(url)} can't be opened: ${toOpenFailure(error)}.`, { cause: error });
  }
}

async function prepare(
  client: pg.Client,
  schema: string,
  { mode, collections, maxRecords }: StoreOptions,
): Promise<PreparedDatabase["counts"]> {
  const version = await readVersion(client, schema);
  const counts = new Map<Collection, RecordCount>();
  if (mode !== "create" && version === 0) throw createMissingError();
  if (mode === "readonly") {
    if (version < latestVersion)
      throw createMigrationError(`its schema version is ${version}, but this release requires ${latestVersion}`);
    await requireCollections(client, schema, collections);
    return counts;
  }
  await migrate(client, schema, collections);
  await migrateConstraints(client, schema, collections);
  if (maxRecords !== null)
    for (const collection of collections)
      counts.set(collection, (await client.query(countRecords(schema, collection))).rows[0]);
  return counts;
}
