// The store for several machines: PostgreSQL, which any number of processes may share.
//
// Each call is one statement and so one transaction, prepared once on each connection: nothing is
// ever left open between two of them. PostgreSQL gives out ids before it commits, so of two pets
// the later may be seen first, and a list that was read past it would never show the earlier one.
// Here creates take turns, by a lock on the one row of petstore.secret: what has a lower id is
// there before what has a higher one, as in the embedded store.
import pg from "pg";
import { Unavailable } from "../errors.ts";
import { connection, prepare, toFailure } from "./postgres-connection.ts";
import { given, pet, type Row, remembered, toKey, toPet } from "./rows.ts";
import type { Key, Once, Pet, Store } from "./store.ts";

// Milliseconds: together less than two seconds, after which a caller is told that there is no answer.
// The database gives up before we do, so that no work piles up there which nobody waits for.
const connectTimeout = 800;
const statementTimeout = 900;
const answerTimeout = 1_000;

const busy = "The store is busy.";

// How many calls may wait for a connection, for each that the pool has.
const mostWaiting = 100;

const values = given.map(({ name, type }) => ({ name, type }));
const turn = "turn AS MATERIALIZED (SELECT 1 FROM petstore.secret FOR UPDATE)";
const insert = `INSERT INTO petstore.pets (${values.map(({ name }) => name)})`;
const parameters = (first: number) => values.map(({ type }, index) => `$${first + index}::${type}`).join(", ");
const keyColumns = "id, name, created_at, expires_at, last_used_at";

/** The statements, by name. */
export const statements = {
  list: `SELECT ${pet} FROM petstore.pets WHERE id > $1 ORDER BY id LIMIT $2`,
  // As a range of the index, whose order is asked for: told that the status is one, PostgreSQL may take
  // the ids' own index and pass over all pets of other statuses, and there may be millions.
  listByStatus: `
    SELECT ${pet} FROM petstore.pets WHERE (status, id) > ($1, $2) AND status <= $1
    ORDER BY status, id LIMIT $3`,
  find: `SELECT ${pet} FROM petstore.pets WHERE id = $1`,
  create: `WITH ${turn} ${insert} SELECT ${parameters(1)} FROM turn RETURNING ${pet}`,
  // No row where the key has been used. In a race the second waits for the first's record and then
  // finds that it is not expired.
  createOnce: `
    WITH ${turn}, claim AS (
      INSERT INTO petstore.idempotency AS mine (caller, key, digest, created_at, pet_id)
      SELECT $1::bigint, $2::text, $3::bytea, $4::bigint, nextval('petstore.pets_id_seq') FROM turn
      WHERE NOT EXISTS (SELECT 1 FROM petstore.idempotency WHERE caller = $1 AND key = $2 AND created_at > $5)
      ON CONFLICT (caller, key) DO UPDATE
      SET digest = excluded.digest, created_at = excluded.created_at, pet_id = excluded.pet_id
      WHERE mine.created_at <= $5
      RETURNING pet_id
    )
    ${insert.replace("(", "(id, ")} SELECT pet_id, ${parameters(6)} FROM claim RETURNING ${pet}`,
  recall: `
    SELECT digest, pets.* FROM petstore.idempotency
    JOIN (SELECT ${pet} FROM petstore.pets) AS pets ON pets.id = pet_id
    WHERE caller = $1 AND key = $2 AND created_at > $3`,
  forget: `
    DELETE FROM petstore.idempotency WHERE (caller, key) IN (
      SELECT caller, key FROM petstore.idempotency
      WHERE created_at <= $1 ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED)`,
  createKey: `
    INSERT INTO petstore.keys (name, hash, created_at, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (name) DO NOTHING RETURNING id`,
  listKeys: `SELECT ${keyColumns} FROM petstore.keys`,
  findKey: `SELECT ${keyColumns} FROM petstore.keys WHERE hash = $1`,
  revokeKey: "DELETE FROM petstore.keys WHERE name = $1 RETURNING id",
  // In order of id: two processes that lock the same rows in another order would wait for each other.
  touchKeys: `
    WITH used AS (
      SELECT keys.id, uses.at FROM petstore.keys JOIN unnest($1::bigint[], $2::bigint[]) AS uses (id, at) USING (id)
      ORDER BY keys.id FOR UPDATE OF keys
    )
    UPDATE petstore.keys SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE keys.id = used.id`,
  check: "SELECT 1",
};

/**
 * Opens the store in the database that `url` names, with at most `connections` to it; what else pg
 * reads from a URL holds. Where there is no store it is made if `create` says so. Rejects with an
 * Error that says what is wrong where the database can't be reached, or was made by a newer version.
 */
export async function openPostgres(url: string, create: boolean, connections: number): Promise<Store> {
  const secret = await prepare(url, create);
  const pool = new pg.Pool({
    ...connection(url),
    max: connections,
    connectionTimeoutMillis: connectTimeout,
    statement_timeout: statementTimeout,
    query_timeout: answerTimeout,
  });
  // A connection that breaks while nobody uses it: the pool replaces it.
  pool.on("error", () => {});

  const ask = async (name: keyof typeof statements, ...values: unknown[]): Promise<Row[]> => {
    if (pool.waitingCount >= connections * mostWaiting) throw new Unavailable(busy);
    try {
      return (await pool.query({ name, text: statements[name], values })).rows;
    } catch (error) {
      throw pool.ending ? error : toFailure(error);
    }
  };
  const one = async (...call: Parameters<typeof ask>) => (await ask(...call))[0];

  // A few old records go with every tenth new one: none piles up. What fails there, the next one does.
  let claims = 0;
  const forget = async (before: number) => {
    claims += 1;
    if (claims % 10 === 0) await ask("forget", before).catch(() => {});
  };

  const createOnce = async (pet: unknown[], { caller, key, digest }: Once): ReturnType<Store["pets"]["create"]> => {
    const now = Date.now();
    const made = await one("createOnce", caller, key, digest, now, now - remembered, ...pet);
    if (made !== undefined) {
      await forget(now - remembered);
      return { outcome: "created", pet: toPet(made) as Pet };
    }
    const record = await one("recall", caller, key, now - remembered);
    // Another process, whose clock is ahead, let go of it in between.
    if (record === undefined) throw new Unavailable(busy);
    if (Buffer.compare(record.digest as Uint8Array, digest) !== 0) return { outcome: "conflict" };
    return { outcome: "repeated", pet: toPet(record) as Pet };
  };

  return {
    pets: {
      async list({ limit, after = 0n, ...filter }) {
        const { status, ...others } = filter;
        others satisfies Record<string, never>; // a filter of the document that has no query here
        const rows = await (status === undefined
          ? ask("list", after, limit + 1)
          : ask("listByStatus", status, after, limit + 1));
        return { pets: rows.slice(0, limit).map((row) => toPet(row) as Pet), more: rows.length > limit };
      },
      find: async (id) => toPet(await one("find", id)),
      async create(pet, once) {
        const values = given.map(({ field }) => pet[field] ?? null);
        if (once !== undefined) return createOnce(values, once);
        const made = await one("create", ...values);
        if (made === undefined) throw new Unavailable(busy); // nobody has a turn: somebody took the secret away
        return { outcome: "created", pet: toPet(made) as Pet };
      },
    },
    keys: {
      create: async (name, hash, expiresAt) =>
        (await one("createKey", name, hash, Date.now(), expiresAt?.getTime() ?? null)) !== undefined,
      // Sorted here: the order of a text column depends on the database's locale.
      list: async () =>
        (await ask("listKeys")).map((row) => toKey(row) as Key).sort((a, b) => (a.name < b.name ? -1 : 1)),
      find: async (hash) => toKey(await one("findKey", hash)),
      revoke: async (name) => (await one("revokeKey", name)) !== undefined,
      async touch(uses) {
        const at = [...uses.values()].map((date) => date.getTime());
        await ask("touchKeys", [...uses.keys()], at);
      },
    },
    secret,
    check: async () => void (await ask("check")),
    close: () => pool.end(),
  };
}
