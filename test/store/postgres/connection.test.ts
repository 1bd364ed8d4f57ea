// Connections of the PostgreSQL store: errors at the start, and failures of the network or the database.
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { latestVersion } from "../../../src/store/migrations.ts";
import { recordStatements, statementsOf } from "../../../src/store/postgres/postgres-statements.ts";
import { petstore } from "../../support/command.ts";
import { idempotentCall, openStore, rex, untilUsable } from "../../support/conformance.ts";
import { emptyDatabase, newDatabase } from "../../support/databases.ts";
import type { StoredPet } from "../../support/http.ts";
import { assertAllStored, startLoad } from "../../support/load.ts";
import { readMetric } from "../../support/metrics.ts";
import { startNetwork } from "../../support/network.ts";
import { openPetStore, petCollection, petsOf } from "../../support/pets.ts";
import { connectTo, disconnect, query } from "../../support/postgres.ts";
import { start } from "../../support/service.ts";
import { until } from "../../support/wait.ts";

const readPets = async (url: string) =>
  (await query(url, "SELECT record ->> 'name' AS name, id::text AS id FROM petstore.pets")) as unknown as StoredPet[];

t.test("An error at the start names the database without user, password and options", async (t) => {
  for (const user of ["", "user:password@"])
    await t.rejects(openPetStore(`postgres://${user}127.0.0.1:1/pets?connect_timeout=1`), {
      message: /^The database postgres:\/\/127\.0\.0\.1:1\/pets can't be opened: /,
    });
  await t.rejects(openPetStore("postgres://user:pass?word@127.0.0.1:1/pets"), {
    message: "The URL of a database must be sqlite:PATH or postgres://HOST/DATABASE.",
  });
});

t.test("Reports in one line why the database can't be opened, without the password", async (t) => {
  const url = await emptyDatabase(t);
  const { hostname, port, username, pathname } = new URL(url);
  const rejects = async (address: string, message: RegExp) => {
    const { status, stderr } = await petstore({ DATABASE_URL: address }, ["migrate"]);
    t.match({ status, stderr }, { status: 1, stderr: message }, String(message));
    t.match(stderr, /^petstore: The database postgres:\/\/[\w.]+:\d+\/\w* can't be opened: .*\n$/);
    t.notMatch(stderr, /secret/);
  };
  await rejects("postgres://petstore:secret%20word@127.0.0.1:9/x", /connect ECONNREFUSED 127\.0\.0\.1:9/);
  await rejects("postgres://petstore:secret%20word@localhost:9/x", /connect ECONNREFUSED/);
  await rejects(`postgres://${username}:secret@${hostname}:${port}${pathname}`, /password authentication failed/);
  const misleading = "postgres://127.0.0.1:9?secret@127.0.0.1:9/x"; // the password looks like a host and a query
  await rejects(misleading, /connect ECONNREFUSED/);
  await rejects(
    `postgres://${username}@${hostname}:${port}${pathname}`,
    /it requires a password\. Set it in the URL, PGPASSWORD or ~\/\.pgpass/,
  );
  await rejects(`${url}_not`, /database "\w+" does not exist/);
  await rejects(`${url}?sslmode=verify-full`, /does not support SSL/);

  await query(url, "CREATE SCHEMA petstore");
  await query(url, "CREATE TABLE petstore.songs (title text)");
  await rejects(url, /its schema petstore belongs to another program/);
  await query(url, "DROP TABLE petstore.songs");
  await (await openPetStore(url)).close(); // an empty schema that an administrator created
  await query(url, "INSERT INTO petstore.migrations VALUES (99, now())");
  await rejects(
    url,
    new RegExp(`its schema version is 99, but this release supports at most ${latestVersion}\\. Use a newer release`),
  );
  await query(url, `CREATE DATABASE ${pathname.slice(1)}_latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  t.teardown(() => query(url, `DROP DATABASE ${pathname.slice(1)}_latin WITH (FORCE)`));
  await rejects(`${url}_latin`, /its encoding is LATIN1, but must be UTF8/);
});

t.test("Waits for a connection for 0.8 seconds, or for those of PGCONNECT_TIMEOUT", async (t) => {
  const network = await startNetwork(t, await newDatabase(t));
  const { PGCONNECT_TIMEOUT: timeout = "" } = process.env;
  t.teardown(() => {
    process.env.PGCONNECT_TIMEOUT = timeout;
  });
  for (const [value, ms] of [
    ["", 800],
    ["1.2", 1_200],
  ] as const) {
    process.env.PGCONNECT_TIMEOUT = value;
    // One that is only read does not look for indexes, which begins to connect when the store is opened.
    const store = await openPetStore(network.url, { mode: "readonly" });
    network.losesData = true;
    const start = performance.now();
    await t.rejects(store.check(), { message: "The database is not reachable." });
    const waited = Math.round(performance.now() - start);
    t.ok(waited >= ms - 50, `rejected after ${waited} ms`);
    network.losesData = false;
    await store.close();
  }
});

t.test("Limits how many calls wait while all connections are in use", async (t) => {
  const url = await newDatabase(t);
  // PostgreSQL cancels a statement long before the store stops waiting, as with the defaults.
  const timeouts = { postgres: { connect: 1_000, statement: 200, query: 10_000 } };
  const store = await openPetStore(url, { connections: 2, timeouts });
  await untilUsable(store); // the first connection may take longer than these short timeouts
  const service = await start(t, { store });
  const blocker = await connectTo(t, url);
  await blocker.query("BEGIN; LOCK TABLE petstore.pets IN ACCESS EXCLUSIVE MODE");
  const paths = ["", "&status=available", "&status=pending", "&status=sold"].flatMap((filter) =>
    Array.from({ length: 100 }, (_, n) => `/v1/pets?limit=${n + 1}${filter}`),
  );
  const responses = await Promise.all(paths.map((path) => service.call("GET", path)));
  t.ok(responses.every(({ status, headers }) => status === 503 && headers["retry-after"] === "1"));
  const lists = Array.from({ length: 400 }, (_, n) =>
    petsOf(store).list({ limit: 40, position: { after: BigInt(n) } }),
  );
  const messages = (await Promise.allSettled(lists)).map((list) => list.status === "rejected" && list.reason.message);
  t.ok(messages.includes("The database is busy."), "some are rejected at once");
  t.ok(messages.includes("The database is too slow."), "some are rejected when PostgreSQL cancels their statement");
  await blocker.query("ROLLBACK");
  t.match(await service.call("GET", "/v1/pets"), { status: 200 });
  await service.app.close();
  await store.close();
});

t.test("A create whose connection is cut happens at most once, and its retry succeeds", async (t) => {
  const url = await newDatabase(t);
  const network = await startNetwork(t, url);
  const store = await openStore(t, network.url);
  const service = await start(t, { store });
  const create = (key: string) =>
    service.call("POST", "/v1/pets", { json: { name: key, categoryId: 1 }, headers: { "idempotency-key": key } });
  const { name } = recordStatements("petstore", petCollection).create;
  for (const when of ["before", "after"] as const)
    for (let n = 0; n < 5; n++) {
      network.cut = { text: `\0${name}\0`, when }; // as in the message that binds the statement
      t.match(await create(`${when}-${n}`), { status: 503, headers: { "retry-after": "1" } });
      network.cut = undefined;
      // PostgreSQL may still be committing a statement whose response was cut.
      const expected = when === "before" ? 0 : 1;
      const count = async () => (await readPets(url)).filter(({ name }) => name === `${when}-${n}`).length;
      await until(async () => (await count()) === expected, `not ${expected} pets: ${when}-${n}`);
      t.equal(await count(), expected);
      t.match(await create(`${when}-${n}`), { status: 201, body: { name: `${when}-${n}` } });
    }
  t.equal((await readPets(url)).length, 10, "no pet was created twice");
});

t.test("A failed deletion of expired idempotency records is repeated, and fails no create", async (t) => {
  const url = await newDatabase(t);
  const network = await startNetwork(t, url);
  const store = await openStore(t, network.url);
  const create = async (keys: number[]) => {
    for (const key of keys)
      t.match(await petsOf(store).create(rex, { ...idempotentCall, key: `${key}` }), { outcome: "created" });
  };
  const countExpired = async () => (await query(url, "SELECT 1 FROM petstore.idempotency WHERE created_at = 0")).length;
  await create([1]);
  await query(url, "UPDATE petstore.idempotency SET created_at = 0");
  network.cut = { text: statementsOf("petstore").expire.name, when: "before" };
  await create([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await until(() => readMetric(store, "store_query_duration_seconds", { method: "expire" }) > 0, "nothing is deleted");
  t.equal(await countExpired(), 1);
  network.cut = undefined;
  await create([11]);
  await until(async () => (await countExpired()) === 0, "the expired record is still there");
});

t.test("Responds with 503 while the network loses all data, and recovers by itself", async (t) => {
  const network = await startNetwork(t, await newDatabase(t));
  const timeouts = { postgres: { connect: 400, statement: 400, query: 400 } };
  const store = await openStore(t, network.url, { connections: 2, timeouts });
  await untilUsable(store); // the first connection may take longer than these short timeouts
  const service = await start(t, { store });
  const list = async () => (await service.call("GET", "/v1/pets")).status;
  const succeeds = () => until(async () => (await list()) === 200, "the store is still unavailable");
  await succeeds();
  await sleep(500); // the connections are idle for longer than the timeout of a query
  network.losesData = true;
  const statuses = await Promise.all(Array.from({ length: 50 }, list));
  t.same(new Set(statuses), new Set([503]));
  network.losesData = false;
  await succeeds();
});

t.test("Loses nothing while its connections are terminated under load", async (t) => {
  const url = await newDatabase(t);
  const store = await openStore(t, url);
  const service = await start(t, { store });
  const load = startLoad([`${service.origin}/v1`], service.key, 16);
  for (let n = 0; n < 20; n++) {
    const before = load.acknowledged.size;
    await until(
      () => load.acknowledged.size > before,
      () => `no create succeeds: ${JSON.stringify(load.tally)}`,
    );
    await disconnect(url);
  }
  await load.stop();
  t.same(Object.keys(load.tally).sort(), ["200", "201", "503"], JSON.stringify(load.tally));
  assertAllStored(t, await readPets(url), load.acknowledged);
});
