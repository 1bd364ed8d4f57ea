// Outages of PostgreSQL under load: how long callers wait, and that nothing is lost.
import pg from "pg";
import t, { type Test } from "tap";
import { generateKey } from "../../../src/operate/keys/api-keys.ts";
import { petstore } from "../../support/command.ts";
import { newDatabase } from "../../support/databases.ts";
import type { StoredPet } from "../../support/http.ts";
import { assertAllStored, type Load, startLoad } from "../../support/load.ts";
import { startNetwork } from "../../support/network.ts";
import { openPetStore } from "../../support/pets.ts";
import { query, startPostgres } from "../../support/postgres.ts";
import { startServer } from "../../support/processes.ts";
import { start } from "../../support/service.ts";
import { until } from "../../support/wait.ts";

delete process.env.PGCONNECT_TIMEOUT; // the timeouts of production

/** Waits until another `n` creates have succeeded. */
function acknowledges({ acknowledged, tally }: Load, n: number): Promise<true> {
  const before = acknowledged.size;
  return until(
    () => (acknowledged.size >= before + n ? true : undefined),
    () => `creates don't succeed: ${JSON.stringify(tally)}`,
  );
}

/** Asserts that clients received 200, 201, and 503 in the documented shape within two seconds. */
function checkResponses(t: Test, { tally, rejections }: Load): void {
  t.same(Object.keys(tally).sort(), ["200", "201", "503"], JSON.stringify(tally));
  t.same(
    rejections.filter(({ status, retryAfter, body }) => {
      const { code, message, status: same } = JSON.parse(body);
      return status !== 503 || same !== 503 || code !== "unavailable" || !message || retryAfter !== "1";
    }),
    [],
  );
  const slowest = Math.max(...rejections.map(({ ms }) => ms));
  t.ok(slowest < 2_000, `the slowest took ${Math.round(slowest)} ms`);
}

t.test("PostgreSQL stops, crashes and terminates connections under load: nothing is lost", async (t) => {
  const database = await startPostgres();
  t.teardown(database.end);
  const url = database.url("postgres");
  const operatorKey = generateKey().key;
  const settings = { DATABASE_URL: url, LOG_LEVEL: "fatal", OPERATOR_KEY: operatorKey };
  const key = (await petstore(settings, ["keys", "create", "a"])).stdout.trim();
  const server = await startServer(t, settings);
  const origin = new URL(server.url).origin;
  const load = startLoad([server.url], key);
  t.teardown(load.stop);
  for (const command of ["stop", "kill"] as const) {
    await acknowledges(load, 50);
    await database.sendCommand(command);
    const before = load.rejections.length;
    await until(
      () => (load.rejections.length > before + 50 ? true : undefined),
      () => `no 503: ${JSON.stringify(load.tally)}`,
    );
    t.equal((await fetch(`${origin}/healthz`)).status, 200);
    const asOperator = { headers: { authorization: `Bearer ${operatorKey}` } };
    const metrics = await fetch(`${origin}/metrics`, asOperator);
    t.equal(metrics.status, 200, "the metrics do not depend on the database");
    t.match(await metrics.text(), /^petstore_requests_total\{.*status="503".*\} [1-9]/m);
    const ready = await until(
      async () => {
        const response = await fetch(`${origin}/readyz`);
        return response.status === 503 ? response : undefined;
      },
      () => "/readyz does not report the outage",
    );
    t.match(await ready.json(), { code: "unavailable" });
    t.match(await (await fetch(`${origin}/status.json`, asOperator)).json(), { store: "postgresql" });
    t.equal(ready.headers.get("retry-after"), "1");
    await database.sendCommand("start");
    const started = performance.now();
    await until(
      async () => ((await fetch(`${origin}/readyz`)).status === 200 ? true : undefined),
      () => "not ready again",
    );
    const ms = Math.round(performance.now() - started);
    t.ok(ms < 5_000, `ready again after ${ms} ms`);
  }
  for (let n = 0; n < 10; n++) {
    await acknowledges(load, 10);
    await query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'");
  }
  await acknowledges(load, 50);
  await load.stop();
  checkResponses(t, load);
  assertAllStored(
    t,
    (await query(url, "SELECT record ->> 'name' AS name, id::text AS id FROM petstore.pets")) as unknown as StoredPet[],
    load.acknowledged,
  );
  t.match(await server.end("SIGTERM"), { code: 0 }, "it did not crash");
});

t.test("responds with 503 within four seconds to 400 calls while all connections are in use", async (t) => {
  const url = await newDatabase(t);
  const store = await openPetStore(url, { connections: 2 });
  t.teardown(() => store.close());
  const service = await start(t, { store });
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  await blocker.query("BEGIN; LOCK TABLE petstore.pets IN ACCESS EXCLUSIVE MODE");
  const began = performance.now();
  const paths = ["", "&status=available", "&status=pending", "&status=sold"].flatMap((filter) =>
    Array.from({ length: 100 }, (_, n) => `/v1/pets?limit=${n + 1}${filter}`),
  );
  const responses = await Promise.all(paths.map((path) => service.call("GET", path)));
  const ms = Math.round(performance.now() - began);
  t.ok(ms < 4_000, `all calls had a response after ${ms} ms`);
  t.ok(responses.every(({ status, headers }) => status === 503 && headers["retry-after"] === "1"));
  await blocker.query("ROLLBACK");
  t.match(await service.call("GET", "/v1/pets"), { status: 200 });
  await blocker.end();
});

t.test("responds with 503 within two seconds while the network loses all data", async (t) => {
  const network = await startNetwork(t, await newDatabase(t));
  const store = await openPetStore(network.url, { connections: 2 });
  t.teardown(() => store.close());
  const service = await start(t, { store });
  const list = async () => {
    const began = performance.now();
    const { status } = await service.call("GET", "/v1/pets");
    return { status, ms: performance.now() - began };
  };
  t.match(await list(), { status: 200 });
  network.losesData = true;
  const responses = await Promise.all(Array.from({ length: 50 }, list));
  t.same(
    responses.filter(({ status, ms }) => status !== 503 || ms > 2_000),
    [],
  );
  network.losesData = false;
  const restored = performance.now();
  await until(
    async () => ((await list()).status === 200 ? true : undefined),
    () => "the store is still unavailable",
  );
  const ms = Math.round(performance.now() - restored);
  t.ok(ms < 5_000, `available again after ${ms} ms`);
});
