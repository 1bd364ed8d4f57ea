// The SQL statements of the PostgreSQL store. Each is prepared once per connection.
import { hash } from "node:crypto";
import type { RecordStore, StoreMethod } from "../port.ts";
import { type Collection, type Filter, idColumn, quoteName, type ViewColumn, writeRecord } from "../records.ts";

/** A statement: the name under which it is prepared, its text, and the method of the store that runs it, for metrics. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly method: StoreMethod;
  /** The form of its rows. The driver creates an array in less time than an object, the default. */
  readonly rowMode?: "array" | undefined;
}

// By text, for their hashes. PostgreSQL keeps the same ones: for each collection, one for each combination of filters.
const statements = new Map<string, NamedStatement>();

/**
 * Returns a statement. Its text makes its name: a pooler can mix up the prepared statements of its clients, which can be services with
 * other schemas.
 */
export function toStatement(method: StoreMethod, text: string, rowMode?: "array"): NamedStatement {
  const statement = statements.get(text) ?? { name: hash("sha256", text).slice(0, 32), text, method, rowMode };
  statements.set(text, statement);
  return statement;
}

const keyColumns = "id, name, operator, created_at, expires_at, last_used_at, previous_expires_at, scopes";
const sentHashes = "ARRAY(SELECT decode(hex, 'hex') FROM unnest($1::text[]) AS hashes (hex))";

/** Returns the statements of the tables that each store has, by method. */
export function statementsOf(schema: string) {
  const own = quoteName(schema);
  const texts = {
    expire: `
    DELETE FROM ${own}.idempotency WHERE (collection, caller, key) IN (
      SELECT collection, caller, key FROM ${own}.idempotency
      WHERE created_at <= $1 ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED)
    RETURNING key`,
    keys_create: `
    INSERT INTO ${own}.keys (name, hash, created_at, expires_at, operator, scopes)
    VALUES ($1, decode($2, 'hex'), $3, $4, $5, $6)
    ON CONFLICT (name) DO NOTHING RETURNING id`,
    keys_list: `SELECT ${keyColumns} FROM ${own}.keys`,
    keys_find: `
    SELECT ${keyColumns}, encode(hash, 'hex') AS hash FROM ${own}.keys WHERE hash = ANY (${sentHashes})
    UNION ALL
    SELECT ${keyColumns}, encode(previous_hash, 'hex') AS hash FROM ${own}.keys
    WHERE previous_hash = ANY (${sentHashes}) AND previous_expires_at > $2`,
    keys_rotate: `
    UPDATE ${own}.keys SET previous_hash = hash, previous_expires_at = $3, hash = decode($2, 'hex')
    WHERE id = $1 AND previous_expires_at IS NOT DISTINCT FROM $4 RETURNING id`,
    keys_revoke: `DELETE FROM ${own}.keys WHERE name = $1 RETURNING id`,
    // In order of id: two processes that lock the same rows in different orders would deadlock.
    keys_touch: `
    WITH used AS (
      SELECT keys.id, uses.at FROM ${own}.keys JOIN unnest($1::bigint[], $2::bigint[]) AS uses (id, at) USING (id)
      ORDER BY keys.id FOR UPDATE OF keys
    )
    UPDATE ${own}.keys SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE keys.id = used.id`,
  };
  const all = Object.entries(texts).map(([method, text]) => [method, toStatement(method as StoreMethod, text)]);
  return Object.fromEntries(all) as { readonly [Method in keyof typeof texts]: NamedStatement };
}

/** Returns a text in quotes. */
export function quoteText(text: string): string {
  return `E'${text.replaceAll(/['\\]/g, "\\$&")}'`;
}

/** Returns the name of a table, such as that of a collection, with its schema. */
export function tableOf(schema: string, name: string): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

/** Returns the name of the sequence of the ids of a table. */
export function sequenceOf(schema: string, table: string): string {
  return tableOf(schema, `${table}_id_seq`);
}

/** Returns the statement that makes other transactions wait before they create records. */
export function lockCreates(schema: string): string {
  return `SELECT 1 FROM ${tableOf(schema, "secret")} FOR UPDATE`;
}

/** Returns the parameters of a function for advisory locks: a lock of this kind, for the schema. */
export function lockOf(schema: string, kind: number): string {
  return `${kind}, hashtext(${quoteText(schema)})`;
}

// The last id that was generated; NULL before the first one. Unlike a row, a sequence shows the ids of transactions that
// have not committed. The view pg_sequences calls this function, which needs no other privilege than nextval.
const lastIdOf = (schema: string, collection: Collection) =>
  `coalesce(pg_sequence_last_value(${quoteText(sequenceOf(schema, collection.name))}), 0)`;

/** The types of filters in SQL. */
const types = { string: "text", int64: "bigint", number: "numeric", boolean: "boolean" } as const;

/** Returns the expression of the value of a filter, in parentheses. */
export function expressionOf({ property, member, type, contains, isScope }: Omit<Filter, "name" | "isLong">): string {
  if (isScope) return "(substring(key from '^.*/'))"; // up to the last slash
  if (contains) return `((record -> ${quoteText(property)})::jsonb)`;
  const names = [property, ...(member === undefined ? [] : [member])].map(quoteText);
  const text = `record ${names.map((name, index) => `${index === names.length - 1 ? "->>" : "->"} ${name}`).join(" ")}`;
  return type === "string" ? `(${text})` : `((${text})::${types[type]})`;
}

/**
 * Returns the statement that precedes each write of records: what this process writes can violate the schemas of others, so that they no
 * longer hold for all records. Undefined for a collection without a schema.
 */
export function disclaimSchemas(own: string, { name, schema }: Collection): string | undefined {
  if (schema === undefined) return undefined;
  const others = `collection = ${quoteText(name)} AND schema <> ${quoteText(schema())}`;
  return `DELETE FROM ${quoteName(own)}.record_schemas WHERE ${others} AND coalesce(upgraded_to, -1) < 0`;
}

const transactionLock = 0x70657476; // the next one after that of the update of indexes

/** Returns the statement that waits for a transaction that runs alone, or with `isAlone`, for all others. */
export function lockTransactions(schema: string, isAlone: boolean): string {
  return `SELECT pg_advisory_xact_lock${isAlone ? "" : "_shared"}(${lockOf(schema, transactionLock)})`;
}

/** Returns the statements of a collection, by name. */
export function recordStatements(schema: string, collection: Collection) {
  const own = quoteName(schema);
  const table = tableOf(schema, collection.name);
  const sequence = quoteText(sequenceOf(schema, collection.name));
  const lastId = lastIdOf(schema, collection);
  const [start] = writeRecord({ ...collection, isScoped: false }, 0n, "").text.split(/0$/) as [string];
  const { name } = collection;
  const column = idColumn(collection);
  const hasKeys = column === "key";
  const isGenerated = collection.idType === "int64";
  const key = hasKeys && isGenerated ? "record_key || id" : "record_key";
  const disclaim = disclaimSchemas(schema, collection);
  const disclaimed = disclaim ? `, disclaimed AS (${disclaim})` : ""; // last: transactions lock the tables in this order
  const define = (method: keyof RecordStore, text: string, rowMode?: "array") =>
    toStatement(`${name}_${method}`, text, rowMode);
  const found = `${column}, record`;
  // In a transaction. Row locks are not granted in the order of the requests: overlapping FOR KEY SHARE locks starve others. Advisory
  // locks are. NO KEY UPDATE, so that others can refer to what it finds. What a transaction finds, it often changes: if it could share the lock, two of them would wait for each other. 256 of each table, because the lock table of the server is limited (max_locks_per_transaction).
  const locked = (columns: string, strength: "KEY SHARE" | "NO KEY UPDATE") => `
    WITH lock AS MATERIALIZED (
      SELECT pg_advisory_xact_lock${strength === "KEY SHARE" ? "_shared" : ""}(
        hashtext(${quoteText(table)}), hashtext(($1::${hasKeys ? "text" : "bigint"})::text) & 255)
    )
    SELECT ${columns} FROM lock, ${table} AS found WHERE ${column} = $1 FOR ${strength} OF found`;
  return {
    // PostgreSQL keeps its plan; that for an array of unknown length, it makes for each run.
    find: define("find", `SELECT ${found} FROM ${table} WHERE ${column} = $1`, "array"),
    findForUpdate: define("find", locked(found, "NO KEY UPDATE"), "array"),
    lockAll: define("list", `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`),
    findAll: define("find", `SELECT ${found} FROM ${table} WHERE ${column} = ANY ($1)`, "array"),
    position: define("position", `SELECT id FROM ${table} WHERE ${column} = $1`),
    positionLocked: define("position", locked("id", "KEY SHARE")),
    // The sequence generates higher ids afterwards. It can't be set lower, because creates wait for the lock.
    createNumbered: define(
      "put",
      `
    WITH lock AS MATERIALIZED (${lockCreates(schema)}), moved AS MATERIALIZED (
      SELECT setval(${sequence}, greatest($1, ${lastId})) FROM lock
    )${disclaimed}
    INSERT INTO ${table} (id, record) SELECT $1::bigint, $2::json FROM moved ON CONFLICT (id) DO NOTHING RETURNING id`,
    ),
    lastId: define("create", `SELECT ${lastId} AS id`),
    // Only as it was read: another process can have changed it since.
    change: define(
      "change",
      `
    WITH changed AS (
      UPDATE ${table} SET record = $3::json WHERE ${column} = $1 AND record::text = $2 RETURNING id
    )${disclaimed}
    SELECT id FROM changed`,
    ),
    removeBelow: define(
      "removeBelow",
      `
    WITH removed AS (
      DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${column} >= $1 AND ${column} < $2 LIMIT $3) RETURNING id
    )
    SELECT count(*) AS removed FROM removed`,
    ),
    remove: define("remove", `DELETE FROM ${table} WHERE ${column} = $1 AND record::text = $2 RETURNING id`),
    findIdempotencyRecord: define(
      "create",
      `
    SELECT digest, record_id, record_key FROM ${own}.idempotency
    WHERE collection = ${quoteText(name)} AND caller = $1 AND key = $2 AND created_at > $3`,
    ),
    // Creates a batch of records, and returns the id and the ordinal of each that was created. A record whose idempotency
    // key was used before is not created. If another process is using the key, the statement waits for its transaction.
    // $7 is the highest number that a record may have, or NULL. LIMIT NULL sets no limit. The last number is read after the lock
    // is granted: the snapshot of the statement is older, and lacks the records of creates that held it. So it fails if one of
    // them has an id of $8, the ids that are texts, or else the scopes.
    create: define(
      "create",
      `
    WITH lock AS MATERIALIZED (${lockCreates(schema)}), last AS MATERIALIZED (
      SELECT ${lastId} AS id FROM lock
    ), numbered AS MATERIALIZED (
      SELECT nextval(${sequence}) AS id, input.* FROM (
        SELECT input.* FROM lock, unnest($1::bigint[], $2::text[], $3::bytea[], $6::text[], ${hasKeys ? "$8" : "ARRAY[NULL]"}::text[])
          WITH ORDINALITY AS input (caller, key, digest, record, record_key, ordinal)
        WHERE ${hasKeys && !isGenerated ? `NOT EXISTS (SELECT 1 FROM ${table} AS other WHERE other.key = record_key) AND ` : ""}NOT EXISTS (
          SELECT 1 FROM ${own}.idempotency AS used
          WHERE used.collection = ${quoteText(name)} AND used.caller = input.caller AND used.key = input.key
            AND created_at > $5)
        ORDER BY ordinal
        LIMIT CASE WHEN $7::bigint IS NOT NULL THEN greatest(0, $7 - (SELECT id FROM last)) END
      ) AS input
    ), claimed AS (
      INSERT INTO ${own}.idempotency AS record (collection, caller, key, digest, created_at, record_id, record_key)
      SELECT ${quoteText(name)}, caller, key, digest, $4::bigint, id, ${key} FROM numbered WHERE key IS NOT NULL
      ON CONFLICT (collection, caller, key) DO UPDATE
      SET digest = excluded.digest, created_at = excluded.created_at, record_id = excluded.record_id,
        record_key = excluded.record_key
      WHERE record.created_at <= $5
      RETURNING record_id
    ), created AS (
      INSERT INTO ${table} (id, record${hasKeys ? ", key" : ""})
      SELECT id, ${isGenerated ? `(${quoteText(start)} || id || record)::json` : "record::json"}${hasKeys ? `, ${key}` : ""} FROM numbered
      WHERE key IS NULL OR id IN (SELECT record_id FROM claimed)
      RETURNING id
    )${disclaimed}
    SELECT id, ordinal FROM created JOIN numbered USING (id)`,
    ),
  };
}

/** Counts all records, and reads the last id of one. Returns a `RecordCount`: records appear in order of their ids. */
export function countRecords(schema: string, collection: Collection): string {
  const table = tableOf(schema, collection.name);
  return `SELECT (SELECT coalesce(max(id), 0) FROM ${table}) AS "lastId", count(*) AS records FROM ${table}`;
}

/**
 * Reads the last id that was generated, while no create is in progress: each id up to it has a record now, or never will.
 */
export function settledId(schema: string, collection: Collection): string {
  return `
  WITH lock AS MATERIALIZED (${lockCreates(schema)}) SELECT ${lastIdOf(schema, collection)} AS id FROM lock`;
}

/** Returns the expression of a column of a view. */
export function toColumn({ name, type }: ViewColumn): string {
  return type === "json" ? `record -> ${quoteText(name)}` : expressionOf({ property: name, type, contains: false });
}

/** Returns the expression by which a filter is indexed, in parentheses. `value` is one, by default that of the record. */
export function indexedOf(filter: Filter, value = expressionOf(filter)): string {
  return filter.isLong && !filter.contains ? `(md5(${value}))` : value;
}

/** Returns the condition of a filter. */
export function toCondition(filter: Filter, value: string): string {
  const property = expressionOf(filter);
  return filter.contains ? `${property} @> to_jsonb(${value}::${types[filter.type]})` : `${property} = ${value}`;
}

/** Lists the indexes that are valid, or those that are not, as after a CREATE INDEX CONCURRENTLY that failed. */
export function listIndexes(schema: string, isValid: boolean): string {
  return `
  SELECT index.relname AS name FROM pg_catalog.pg_index JOIN pg_catalog.pg_class AS index ON index.oid = indexrelid
  WHERE index.relnamespace = ${quoteText(quoteName(schema))}::regnamespace AND indisvalid = ${isValid}
  ORDER BY index.relname`;
}
