// Selects the schema in which a service has its tables: services that share a database have neither keys nor records in common.
import { hash } from "node:crypto";
import type { ClientBase } from "pg";
import { type Collection, quoteName } from "../records.ts";
import { petStoreService, type StoreOptions } from "../store-options.ts";
import { tableOf } from "./postgres-statements.ts";

/** What selects a schema. */
export type SchemaOptions = Pick<StoreOptions, "service" | "collections" | "report">;

// That of all services, before each had one of its own.
const formerSchema = petStoreService;

/** Returns the schema with the name of a service. PostgreSQL cuts off names after 63 bytes, and databases have some already. */
export function toSchema(service: string): string {
  const isFree = /^(?!pg_|public$|information_schema$).{1,63}$/.test(service);
  return isFree ? service : `service_${service.slice(0, 38)}_${hash("sha256", service).slice(0, 16)}`;
}

/**
 * Returns the schema of a service: the one with its name. A service with records in the former schema goes on using that, until the schema
 * is renamed. Rejects with an Error if these can be the records of another service.
 *
 * Tables with the names of its collections are no proof: a new service can have the same names. Records that match the document are, or
 * tables that never had a record.
 */
export async function findSchema(db: ClientBase, options: SchemaOptions): Promise<string> {
  const { service, collections, report } = options;
  const own = toSchema(service);
  const { rows: tables } = await db.query<{ schema: string; name: string | null }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_class c
       ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND has_schema_privilege(n.oid, 'USAGE')
     WHERE n.nspname IN ($1, $2)`,
    [own, formerSchema],
  );
  const has = (place: string, table: string) => tables.some(({ schema, name }) => schema === place && name === table);
  if (has(own, "record_schemas") || !has(formerSchema, "record_schemas")) return own;
  const shared = collections.filter(({ name }) => has(formerSchema, name));
  if (shared.length === 0) return own;
  const { rows: schemas } = await db.query(`SELECT collection, schema FROM ${formerSchema}.record_schemas`);
  const known = schemas.filter(({ collection }) => shared.some(({ name }) => name === collection));
  const isOwn = ({ name, schema }: Collection) =>
    known.some((one) => one.collection === name && one.schema === schema?.());
  // Records that were only imported have no schema until they are served.
  if (!shared.some(isOwn) && (known.length > 0 || (await haveRecords(db, shared)))) {
    if (tables.some(({ schema }) => schema === own)) return own; // an administrator has created it
    throw new Error(
      `its schema ${formerSchema} has a table ${shared[0]?.name}, which may be that of another service. If it is that of this one, run ALTER SCHEMA ${formerSchema} RENAME TO ${quoteName(own)}. If not, CREATE SCHEMA ${quoteName(own)}`,
    );
  }
  report?.(
    `Uses the schema ${formerSchema}, as before. If no other service does: ALTER SCHEMA ${formerSchema} RENAME TO ${quoteName(own)}.`,
  );
  return formerSchema;
}

async function haveRecords(db: ClientBase, collections: readonly Collection[]): Promise<boolean> {
  const tables = collections.map(({ name }) => `SELECT FROM ${tableOf(formerSchema, name)}`);
  const { rows } = await db.query(`SELECT ${tables.map((one) => `EXISTS (${one})`).join(" OR ")} AS found`);
  return rows[0].found;
}
