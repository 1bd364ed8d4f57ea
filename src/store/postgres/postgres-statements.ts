// The SQL statements of the PostgreSQL store. Each is prepared once per connection.
import type { StoreMethod } from "../port.ts";
import { type Column, type Direction, newPetColumns, petColumns } from "../rows.ts";

const petNames = newPetColumns.map(({ name }) => name).join(", ");
const petArrays = (first: number) => newPetColumns.map(({ type }, index) => `$${first + index}::${type}[]`).join(", ");
// The last id that was generated; NULL before the first one. Unlike a row, a sequence shows the ids of transactions that
// have not committed. The view pg_sequences calls this function, which needs no other privilege than nextval.
const lastPetId = "coalesce(pg_sequence_last_value('petstore.pets_id_seq'), 0)";

const keyColumns = "id, name, operator, created_at, expires_at, last_used_at, previous_expires_at";
const sentHashes = "ARRAY(SELECT decode(hex, 'hex') FROM unnest($1::text[]) AS hashes (hex))";

/** The texts of the statements, by name. */
export const statements = {
  find: `SELECT ${petColumns} FROM petstore.pets WHERE id = ANY ($1)`,
  // Creates a batch of pets, and returns the id and the ordinal of each pet that was created. A pet whose idempotency
  // key was used before is not created. If another process is using the key, the statement waits for its transaction.
  // The last parameter is the highest id that a pet may have, or NULL. LIMIT NULL sets no limit. The last id is read
  // after the lock is granted: the snapshot of the statement is older, and lacks the pets of creates that held the lock.
  create: `
    WITH lock AS MATERIALIZED (SELECT 1 FROM petstore.secret FOR UPDATE), last AS MATERIALIZED (
      SELECT ${lastPetId} AS id FROM lock
    ), numbered AS MATERIALIZED (
      SELECT nextval('petstore.pets_id_seq') AS id, input.* FROM (
        SELECT input.* FROM lock, unnest($1::bigint[], $2::text[], $3::bytea[], ${petArrays(6)})
          WITH ORDINALITY AS input (caller, key, digest, ${petNames}, ordinal)
        WHERE NOT EXISTS (
          SELECT 1 FROM petstore.idempotency AS used
          WHERE used.caller = input.caller AND used.key = input.key AND created_at > $5)
        ORDER BY ordinal
        LIMIT CASE WHEN $${6 + newPetColumns.length}::bigint IS NOT NULL
          THEN greatest(0, $${6 + newPetColumns.length} - (SELECT id FROM last)) END
      ) AS input
    ), claimed AS (
      INSERT INTO petstore.idempotency AS record (caller, key, digest, created_at, pet_id)
      SELECT caller, key, digest, $4::bigint, id FROM numbered WHERE key IS NOT NULL
      ON CONFLICT (caller, key) DO UPDATE
      SET digest = excluded.digest, created_at = excluded.created_at, pet_id = excluded.pet_id
      WHERE record.created_at <= $5
      RETURNING pet_id
    ), created AS (
      INSERT INTO petstore.pets (id, ${petNames})
      SELECT id, ${petNames} FROM numbered WHERE key IS NULL OR id IN (SELECT pet_id FROM claimed)
      RETURNING id
    )
    SELECT id, ordinal FROM created JOIN numbered USING (id)`,
  findRecord: "SELECT digest, pet_id FROM petstore.idempotency WHERE caller = $1 AND key = $2 AND created_at > $3",
  deleteExpiredRecords: `
    DELETE FROM petstore.idempotency WHERE (caller, key) IN (
      SELECT caller, key FROM petstore.idempotency
      WHERE created_at <= $1 ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED)
    RETURNING key`,
  createKey: `
    INSERT INTO petstore.keys (name, hash, created_at, expires_at, operator) VALUES ($1, decode($2, 'hex'), $3, $4, $5)
    ON CONFLICT (name) DO NOTHING RETURNING id`,
  listKeys: `SELECT ${keyColumns} FROM petstore.keys`,
  findKeys: `
    SELECT ${keyColumns}, encode(hash, 'hex') AS hash FROM petstore.keys WHERE hash = ANY (${sentHashes})
    UNION ALL
    SELECT ${keyColumns}, encode(previous_hash, 'hex') AS hash FROM petstore.keys
    WHERE previous_hash = ANY (${sentHashes}) AND previous_expires_at > $2`,
  rotateKey: `
    UPDATE petstore.keys SET previous_hash = hash, previous_expires_at = $3, hash = decode($2, 'hex')
    WHERE id = $1 AND previous_expires_at IS NOT DISTINCT FROM $4 RETURNING id`,
  revokeKey: "DELETE FROM petstore.keys WHERE name = $1 RETURNING id",
  // In order of id: two processes that lock the same rows in different orders would deadlock.
  touchKeys: `
    WITH used AS (
      SELECT keys.id, uses.at FROM petstore.keys JOIN unnest($1::bigint[], $2::bigint[]) AS uses (id, at) USING (id)
      ORDER BY keys.id FOR UPDATE OF keys
    )
    UPDATE petstore.keys SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE keys.id = used.id`,
  // In the order of the primary key, for the same reason.
  addCalls: `
    WITH expired AS (
      DELETE FROM petstore.deprecated_calls WHERE (operation, key, day) IN (
        SELECT operation, key, day FROM petstore.deprecated_calls WHERE day < $5 ORDER BY day LIMIT 100 FOR UPDATE SKIP LOCKED)
    )
    INSERT INTO petstore.deprecated_calls AS calls (operation, key, day, count)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS input (operation, key, day, count)
    ORDER BY operation COLLATE "C", key COLLATE "C", day
    ON CONFLICT (operation, key, day) DO UPDATE SET count = calls.count + excluded.count`,
  listCalls: `
    SELECT operation, key, day, count FROM petstore.deprecated_calls WHERE day >= $1 ORDER BY day DESC`,
  check: "SELECT 1",
};

export type StatementName = keyof typeof statements;

/**
 * Returns the statement that lists the pets with a value in each of `columns`. Its parameters are these values, the id
 * from which on the page is read, and the number of pets.
 */
export function listStatement(columns: readonly Column[], direction: Direction): string {
  const [start, limit] = [`$${columns.length + 1}`, `$${columns.length + 2}`];
  const [beyond, upTo, order] = direction === "forwards" ? [">", "<=", "ASC"] : ["<", ">=", "DESC"];
  // A range of the index on one column and the id, in its order. With `status = $1 ORDER BY id`, PostgreSQL may scan the
  // primary key instead, and skip millions of pets of other statuses.
  const range = columns.find(({ indexed }) => indexed);
  const conditions = columns.map((column, index) => {
    const value = `$${index + 1}`;
    const { name } = column;
    return column === range
      ? `(${name}, id) ${beyond} (${value}, ${start}) AND ${name} ${upTo} ${value}`
      : `${name} = ${value}`;
  });
  if (range === undefined) conditions.push(`id ${beyond} ${start}`);
  const orders = [...(range === undefined ? [] : [range.name]), "id"].map((name) => `${name} ${order}`).join(", ");
  return `SELECT ${petColumns} FROM petstore.pets WHERE ${conditions.join(" AND ")} ORDER BY ${orders} LIMIT ${limit}`;
}

/** The method of the store that runs each statement, for metrics. */
export const methods: Readonly<Record<StatementName, StoreMethod>> = {
  find: "pets_find",
  create: "pets_create",
  findRecord: "pets_create",
  deleteExpiredRecords: "expire",
  createKey: "keys_create",
  listKeys: "keys_list",
  findKeys: "keys_find",
  rotateKey: "keys_rotate",
  revokeKey: "keys_revoke",
  touchKeys: "keys_touch",
  addCalls: "deprecated_add",
  listCalls: "deprecated_list",
  check: "check",
};

/** Counts all pets, and reads the last id of a pet. Returns a `PetCount`, because pets appear in order of their ids. */
export const countPets = `
  SELECT (SELECT coalesce(max(id), 0) FROM petstore.pets) AS "lastId", count(*) AS pets FROM petstore.pets`;

/**
 * Reads the last id that was generated, while no create is in progress: each id up to it has a pet now, or never will.
 */
export const settledPetId = `
  WITH lock AS MATERIALIZED (SELECT 1 FROM petstore.secret FOR UPDATE) SELECT ${lastPetId} AS id FROM lock`;

/** Counts the other connections of this program to the database. A running service has at least one. */
export const countOtherConnections = `
  SELECT count(*) AS n FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'petstore' AND pid <> pg_backend_pid()`;

/** Lists the indexes of the store that are invalid, as after a CREATE INDEX CONCURRENTLY that failed. */
export const listInvalidIndexes = `
  SELECT index.relname AS name FROM pg_index JOIN pg_class AS index ON index.oid = indexrelid
  WHERE index.relnamespace = 'petstore'::regnamespace AND NOT indisvalid
  ORDER BY index.relname`;
