// What PostgreSQL is asked.

import type { StoreMethod } from "../port.ts";
import { newPetColumns, petColumns } from "../rows.ts";

const names = newPetColumns.map(({ name }) => name).join(", ");
const arrays = (first: number) => newPetColumns.map(({ type }, index) => `$${first + index}::${type}[]`).join(", ");
const keyColumns = "id, name, operator, created_at, expires_at, last_used_at";

/** The statements, by name. */
export const statements = {
  list: `SELECT ${petColumns} FROM petstore.pets WHERE id > $1 ORDER BY id LIMIT $2`,
  // As a range of the index, whose order is asked for: told that the status is one, PostgreSQL may take
  // the ids' own index and pass over all pets of other statuses, and there may be millions.
  listByStatus: `
    SELECT ${petColumns} FROM petstore.pets WHERE (status, id) > ($1, $2) AND status <= $1
    ORDER BY status, id LIMIT $3`,
  find: `SELECT ${petColumns} FROM petstore.pets WHERE id = ANY ($1)`,
  // Many at once, each with its place. In the answer are those that were made: where a key has been
  // used, its pet is not, and if it has just been used by another process, its record is waited for.
  create: `
    WITH turn AS MATERIALIZED (SELECT 1 FROM petstore.secret FOR UPDATE), numbered AS MATERIALIZED (
      SELECT nextval('petstore.pets_id_seq') AS id, asked.* FROM (
        SELECT asked.* FROM turn, unnest($1::bigint[], $2::text[], $3::bytea[], ${arrays(6)})
          WITH ORDINALITY AS asked (caller, key, digest, ${names}, place)
        WHERE NOT EXISTS (
          SELECT 1 FROM petstore.idempotency AS used
          WHERE used.caller = asked.caller AND used.key = asked.key AND created_at > $5)
        ORDER BY place
      ) AS asked
    ), claimed AS (
      INSERT INTO petstore.idempotency AS mine (caller, key, digest, created_at, pet_id)
      SELECT caller, key, digest, $4::bigint, id FROM numbered WHERE key IS NOT NULL
      ON CONFLICT (caller, key) DO UPDATE
      SET digest = excluded.digest, created_at = excluded.created_at, pet_id = excluded.pet_id
      WHERE mine.created_at <= $5
      RETURNING pet_id
    ), made AS (
      INSERT INTO petstore.pets (id, ${names})
      SELECT id, ${names} FROM numbered WHERE key IS NULL OR id IN (SELECT pet_id FROM claimed)
      RETURNING id
    )
    SELECT id, place FROM made JOIN numbered USING (id)`,
  recall: `
    SELECT digest, pets.* FROM petstore.idempotency
    JOIN (SELECT ${petColumns} FROM petstore.pets) AS pets ON pets.id = pet_id
    WHERE caller = $1 AND key = $2 AND created_at > $3`,
  forget: `
    DELETE FROM petstore.idempotency WHERE (caller, key) IN (
      SELECT caller, key FROM petstore.idempotency
      WHERE created_at <= $1 ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED)
    RETURNING key`,
  createKey: `
    INSERT INTO petstore.keys (name, hash, created_at, expires_at, operator) VALUES ($1, decode($2, 'hex'), $3, $4, $5)
    ON CONFLICT (name) DO NOTHING RETURNING id`,
  listKeys: `SELECT ${keyColumns} FROM petstore.keys`,
  findKeys: `
    SELECT ${keyColumns}, encode(hash, 'hex') AS hash FROM petstore.keys
    WHERE hash = ANY (ARRAY(SELECT decode(asked, 'hex') FROM unnest($1::text[]) AS asked))`,
  revokeKey: "DELETE FROM petstore.keys WHERE name = $1 RETURNING id",
  // In order of id: two processes that lock the same rows in another order would wait for each other.
  touchKeys: `
    WITH used AS (
      SELECT keys.id, uses.at FROM petstore.keys JOIN unnest($1::bigint[], $2::bigint[]) AS uses (id, at) USING (id)
      ORDER BY keys.id FOR UPDATE OF keys
    )
    UPDATE petstore.keys SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE keys.id = used.id`,
  // In the order of their key, as above.
  addCalls: `
    WITH old AS (
      DELETE FROM petstore.deprecated_calls WHERE (operation, key, day) IN (
        SELECT operation, key, day FROM petstore.deprecated_calls WHERE day < $5 ORDER BY day LIMIT 100 FOR UPDATE SKIP LOCKED)
    )
    INSERT INTO petstore.deprecated_calls AS known (operation, key, day, count)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS called (operation, key, day, count)
    ORDER BY operation COLLATE "C", key COLLATE "C", day
    ON CONFLICT (operation, key, day) DO UPDATE SET count = known.count + excluded.count`,
  listCalls: `
    SELECT operation, key, day, count FROM petstore.deprecated_calls WHERE day >= $1 ORDER BY day DESC`,
  check: "SELECT 1",
};

/** What each statement is for, as figures name it. */
export const methods: Readonly<Record<keyof typeof statements, StoreMethod>> = {
  list: "pets_list",
  listByStatus: "pets_list",
  find: "pets_find",
  create: "pets_create",
  recall: "pets_create",
  forget: "forget",
  createKey: "keys_create",
  listKeys: "keys_list",
  findKeys: "keys_find",
  revokeKey: "keys_revoke",
  touchKeys: "keys_touch",
  addCalls: "deprecated_add",
  listCalls: "deprecated_list",
  check: "check",
};

/** Counts who else is connected to the database for us: a service keeps one connection at least. */
export const others = `
  SELECT count(*) AS n FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'petstore' AND pid <> pg_backend_pid()`;

/** Each index of the store, with its table and what it sorts by. */
export const indexes = `
  SELECT own.relname AS name, of.relname AS table, indisvalid AS valid,
    ARRAY(SELECT pg_get_indexdef(indexrelid, n, true) FROM generate_series(1, indnkeyatts) AS n) AS columns
  FROM pg_index JOIN pg_class AS own ON own.oid = indexrelid JOIN pg_class AS of ON of.oid = indrelid
  WHERE of.relnamespace = 'petstore'::regnamespace AND indpred IS NULL
  ORDER BY own.relname`;

const ways = (off: readonly string[]) => off.map((way) => `SET LOCAL enable_${way} = off`).join("; ");

/** What leaves PostgreSQL one way to the rows of a table, until the transaction ends. */
export const plans = {
  table: ways(["indexscan", "indexonlyscan", "bitmapscan"]),
  index: ways(["seqscan", "bitmapscan", "sort", "incremental_sort"]),
};
