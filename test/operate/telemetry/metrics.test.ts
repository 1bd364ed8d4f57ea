// Metrics at /metrics, compared with the requests that were sent: src/operate/telemetry/snapshot-sender.ts and
// src/operate/telemetry/request-metrics.ts.
import { once } from "node:events";
import { connect } from "node:net";
import pg from "pg";
import t from "tap";
import { MetricsRegistry, sumSamples } from "../../../src/lib/metrics.ts";
import { version } from "../../../src/lib/version.ts";
import { Part } from "../../../src/openapi/source/part.ts";
import { RequestMetrics } from "../../../src/operate/telemetry/request-metrics.ts";
import { readDocument } from "../../../src/pets/document.ts";
import { handlers } from "../../../src/pets/handlers.ts";
import { newDatabase, stores } from "../../support/databases.ts";
import { readMetric } from "../../support/metrics.ts";
import { openPetStore } from "../../support/pets.ts";
import { createRandom } from "../../support/random.ts";
import { nonzero, openMetrics, type Series, scrape, scrapeUntil } from "../../support/series.ts";
import { addKey, start } from "../../support/service.ts";
import { until } from "../../support/wait.ts";

const pet = { name: "Rex", categoryId: 7 };
const requests = "petstore_requests_total";
const { content, operations } = await readDocument();

t.test("Requests that match no operation have the label other, or (other) if an operation has that id", async (t) => {
  const others = new MetricsRegistry();
  const metrics = new RequestMetrics(others, [{ id: "other", method: "GET", part: Part.of({}) }]);
  metrics.recordResponse(undefined, "GET", 404, 1);
  t.equal(sumSamples(others.collect(), "requests_total", { operation: "(other)" }), 1);
  t.equal(sumSamples(others.collect(), "requests_total", { operation: "other" }), 0);
  const registry = new MetricsRegistry();
  new RequestMetrics(registry, [{ id: "open", method: "GET", part: Part.of({}) }]);
  t.equal(sumSamples(registry.collect(), "requests_total"), 0, "an operation can declare no responses");
});

for (const [name, open] of Object.entries(stores))
  t.test(`Counts requests, their durations, and batches of the store (${name})`, async (t) => {
    const store = await openPetStore(await open(t));
    t.teardown(() => store.close());
    const service = await start(t, { store, settings: openMetrics });
    const { call, raw } = service;
    const before = await scrape(service);
    t.same(nonzero(before, requests), {}, "no requests yet");
    t.equal(
      before[`${requests}{operation="getPet",method="GET",status="500"}`],
      0,
      "the series of each operation exist from the start",
    );

    const bob = await addKey(store, "bob");
    for (let n = 0; n < 64; n++) await service.create(pet);
    for (let n = 0; n < 3; n++) await call("GET", "/v1/pets?limit=5");
    await call("GET", "/v1/pets?limit=0");
    await call("GET", "/v1/pets", { key: "wrong" });
    await call("HEAD", "/v1/pets");
    for (let n = 0; n < 4; n++) await call("GET", "/v1/pets/1", n === 0 ? {} : { key: bob });
    await call("GET", "/nope");
    await call("TRACE", "/v1/pets");
    await call("GET", "/docs/");
    await call("GET", "/");
    await raw("nonsense\r\n\r\n");

    const expected: Series = {
      '{operation="listPets",method="GET",status="200"}': 3,
      '{operation="listPets",method="GET",status="400"}': 1,
      '{operation="listPets",method="GET",status="401"}': 1,
      '{operation="listPets",method="HEAD",status="200"}': 1,
      '{operation="createPet",method="POST",status="201"}': 64,
      '{operation="getPet",method="GET",status="200"}': 4,
      '{operation="other",method="GET",status="200"}': 2, // the first scrape, and /docs/
      '{operation="other",method="GET",status="302"}': 1,
      '{operation="other",method="GET",status="404"}': 1,
      '{operation="other",method="other",status="405"}': 1,
      '{operation="other",method="other",status="400"}': 1, // the bytes that are not HTTP
    };
    const series = await scrape(service);
    t.same(nonzero(series, requests), expected);
    const count = (operation: string) => series[`petstore_request_duration_seconds_count{operation="${operation}"}`];
    t.same(["listPets", "createPet", "getPet", "other"].map(count), [6, 64, 4, 5], "each HTTP request has a duration");
    const took = series['petstore_request_duration_seconds_sum{operation="createPet"}'] as number;
    t.ok(took > 0.001 && took < 64 * 5, `${took} seconds`);

    const calls = nonzero(series, "petstore_store_batch_size_sum");
    t.equal(calls['{method="pets_create"}'], 64, "all creates went in batches");
    t.equal(series['petstore_store_batch_size_count{method="pets_create"}'], 64, "one after the other");
    const queries = Object.keys(nonzero(series, "petstore_store_query_duration_seconds_count"));
    for (const method of ["pets_list", "pets_create", "pets_find", "keys_find"])
      t.ok(queries.includes(`{method="${method}"}`), method);

    t.equal(series.petstore_keys_active, 2);
    t.same(nonzero(series, "petstore_deprecated_calls_total"), {
      [`{operation="getPet",key="${(await store.keys.list()).find(({ name }) => name !== "bob")?.name}"}`]: 1,
      '{operation="getPet",key="bob"}': 3,
    });
    t.equal(series.petstore_requests_in_flight, 1, "the scrape itself");
    t.ok((series.petstore_connections_open as number) >= 1);
    t.equal(series.petstore_requests_shed_total, 0);
    t.same(nonzero(series, "petstore_build_info"), {
      [`{version="${version}",contract="${content.info.version}"}`]: 1,
    });
    t.ok((series.process_resident_memory_bytes as number) > 10_000_000);
    t.ok((series.process_cpu_seconds_total as number) > 0);
    const pool = Object.keys(series).filter((line) => line.startsWith("petstore_store_pool_"));
    t.equal(pool.length, name === "sqlite" ? 0 : 4);
    const next = await scrape(service);
    const counters = Object.entries(series).filter(([line]) => /_(total|count|bucket|sum)(\{|$)/.test(line));
    t.ok(counters.length > 0);
    t.same(
      counters.filter(([line, value]) => !((next[line] ?? 0) >= value)),
      [],
      "no counter decreases",
    );
  });

t.test(
  "Requests with random methods, paths, hosts and keys create no new series, except for further statuses",
  async (t) => {
    const service = await start(t, { settings: { ...openMetrics, RATE_LIMIT_FAILED: "99999/1s" } });
    const { call, port } = service;
    const seed = Date.now() % 1_000_000;
    const { pick, int } = createRandom(seed);
    const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "SEARCH", "LOCK"];
    const word = () => int(2 ** 31).toString(36);
    const path = () =>
      pick([`/${word()}`, `/v1/pets/${word()}`, `/v1/pets/${int(1e9)}`, "/v1/pets", `/docs/${word()}`]);
    for (const method of methods) {
      await call(method, "/x");
      await call(method, "/v1/pets");
      await call(method, "/v1/pets/1");
    }
    // Once a second, the use of keys is written to the store, which creates a series.
    await scrapeUntil(service, (series) => {
      const known = nonzero(series, "petstore_store_query_duration_seconds_count");
      return known['{method="keys_touch"}'] !== undefined;
    });
    const names = async () => {
      const lines = Object.keys(await scrape(service)).filter((line) => !line.startsWith("nodejs_gc_"));
      return [...new Set(lines.map((line) => line.replace(/status="[2-5]\d\d"/, "status")))];
    };
    const before = await names();
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1").on("data", (more: string) => {
      text += more;
    });
    const received = () => text.match(/HTTP\/1\.1 \d/g)?.length ?? 0;
    const expected = 2_000;
    while (received() < expected) {
      const count = received() + 50; // a connection may have 64 requests without a response
      for (let n = 0; n < 50; n++)
        socket.write(
          `${pick(methods)} ${path()}?${word()} HTTP/1.1\r\nHost: ${word()}\r\nAuthorization: Bearer ${pick([service.key, word()])}\r\n\r\n`,
        );
      await until(
        () => received() >= count,
        () => `${received()} of ${expected} responses`,
      );
    }
    socket.destroy();
    t.equal(received(), expected);
    t.same(await names(), before, `seed ${seed}`);
    t.ok(before.length < 250 + 50 * operations.length, `${before.length} series`);
  },
);

t.test("Requests of clients that disconnect early are no longer in flight", async (t) => {
  const release = Promise.withResolvers<void>();
  let working = 0;
  const slow = async () => {
    working += 1;
    await release.promise;
    return { status: 200, body: [] };
  };
  const service = await start(t, { settings: openMetrics, handlers: { ...handlers, listPets: slow } });
  const { port, key } = service;
  const untilReported = (inFlight: number, open?: number) =>
    scrapeUntil(service, ({ petstore_requests_in_flight, petstore_connections_open }) => {
      return petstore_requests_in_flight === inFlight && (open === undefined || petstore_connections_open === open);
    });
  const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
  const requests = [
    `GET /v1/pets HTTP/1.1\r\n${head}\r\n`,
    `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name"`,
  ];
  const idle = connect(port, "127.0.0.1");
  t.teardown(() => idle.destroy());
  idle.write(`GET /v1/pets/1 HTTP/1.1\r\n${head}\r\n`);
  await once(idle, "data");
  await untilReported(1); // an idle connection has no request in flight; the scrape is one
  const sockets = Array.from({ length: 20 }, (_, n) => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.write(requests[n % 2] as string);
    return socket;
  });
  const { petstore_connections_open: open = 0 } = await untilReported(21); // 20, and the scrape
  t.equal(working, 10);
  for (const [n, socket] of sockets.entries()) if (n < 10) socket.resetAndDestroy();
  await untilReported(11); // a reset connection ends its request
  for (const socket of sockets) socket.destroy();
  await untilReported(6, open - 15); // a half-closed connection may still wait for the response
  release.resolve();
  await untilReported(1, open - 20); // all requests have their responses
});

t.test("Reports connections of the PostgreSQL pool that are in use, and queries that wait for one", async (t) => {
  const url = await newDatabase(t);
  const service = await start(t, { settings: { ...openMetrics, DATABASE_URL: url, DATABASE_POOL: "2" } });
  const { store } = service;
  await service.create(pet);
  const pool = (series: Series) =>
    ["connections_used", "connections_idle", "queries_waiting", "connections_max"].map(
      (name) => series[`petstore_store_pool_${name}`],
    );
  t.match(pool(await scrapeUntil(service, (series) => pool(series)[0] === 0)), [0, /[12]/, 0, 2]);
  // A lock on the row that serializes creates delays each of them by 0.9 s.
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("BEGIN; SELECT 1 FROM petstore.secret FOR UPDATE");
  let held = true;
  const creating = (async () => {
    while (held) await service.call("POST", "/v1/pets", { json: pet });
  })();
  const busy = await scrapeUntil(service, (series) => (pool(series)[0] as number) >= 1);
  t.match(pool(busy), [/[12]/, /[01]/, /\d/, 2]);
  held = false;
  await holder.end();
  await creating;
  await scrapeUntil(service, (series) => pool(series)[0] === 0);
  const waiting = Array.from({ length: 50 }, () => store.check());
  // The pool hands out idle connections in the next tick. No query has been answered by then.
  await new Promise((resolve) => process.nextTick(resolve));
  const read = (name: string) => readMetric(store, `store_pool_${name}`);
  t.same(["connections_used", "connections_idle", "connections_max"].map(read), [2, 0, 2]);
  t.equal(read("queries_waiting"), 48);
  await Promise.all(waiting);
});
