// Selects the schema in which a service has its tables: services that share a database have neither keys nor records in common.
import { hash } from "node:crypto";
import type { ClientBase } from "pg";
import type { Collection } from "../records.ts";
import { petStoreService, type StoreOptions } from "../store-options.ts";

/** What selects a schema. */
export type SchemaOptions = Pick<StoreOptions, "mode" | "service" | "collections" | "report">;

// That of all services, before each had one of its own.
const formerSchema = petStoreService;

// The `day` of the rows of deprecated_calls that have services of the former schema, and their collections. No backup has them.
const serviceDay = 99_999_999;

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
 * records of which nothing is known, if no other service has proven that they are its own. From then on, a row is the proof, so that the
 * document can change.
 */
export async function findSchema(db: ClientBase, options: SchemaOptions): Promise<string> {
  const { mode, service, collections, report } = options;
  const own = toSchema(service);
  const { rows: tables } = await db.query<{ schema: string; name: string | null }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_class c
       ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND has_schema_privilege(n.oid, 'USAGE')
     WHERE n.nspname IN ($1, $2)`,
    [own, formerSchema],
  );
  const has = (place: string, table: string) => tables.some(({ schema, name }) => schema === place && name === table);
  if (has(own, "record_schemas") || !has(formerSchema, "record_schemas")) return own;
  const select = `SELECT operation AS service, key AS collection FROM ${formerSchema}.deprecated_calls WHERE day = $1`;
  const { rows: services } = await db.query(select, [serviceDay]);
  if (!services.some(({ service }) => service === own)) {
    const shared = collections.filter(({ name }) => has(formerSchema, name));
    if (shared.length === 0) return own;
    const { rows: schemas } = await db.query(`SELECT collection, schema FROM ${formerSchema}.record_schemas`);
    const known = shared.filter(({ name }) => schemas.some(({ collection }) => collection === name));
    const matches = ({ name, schema }: Collection) =>
      schemas.some((one) => one.collection === name && one.schema === schema?.());
    const proven = (known.length === 0 ? shared : shared.filter(matches))
      .map(({ name }) => name)
      .filter((name) => !services.some(({ collection }) => collection === name));
    if (proven.length === 0) {
      if (tables.some(({ schema }) => schema === own)) return own; // an administrator has created it
      throw new Error(
        `its schema ${formerSchema} has a table ${shared[0]?.name}, which may be that of another service. If it is that of this one, rename the schema to ${own}. If not, create the schema ${own}`,
      );
    }
    const insert = `INSERT INTO ${formerSchema}.deprecated_calls SELECT $1, unnest($2::text[]), $3, 0 ON CONFLICT DO NOTHING`;
    if (mode !== "readonly") await db.query(insert, [own, proven, serviceDay]).catch(() => {}); // a standby can't, but the primary will
  }
  report?.(
    `Uses the schema ${formerSchema}, as before. If no other service does: ALTER SCHEMA ${formerSchema} RENAME TO ${own}.`,
  );
  return formerSchema;
}
