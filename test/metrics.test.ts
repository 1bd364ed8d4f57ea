// What those who run the service see of it: /metrics and /status.json, held to calls that were made.

import { execFile } from "node:child_process";
import type { Worker } from "node:cluster";
import { EventEmitter, once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import t, { type Test } from "tap";
import { Callers } from "../src/callers.ts";
import { countRequests } from "../src/counts.ts";
import { listen } from "../src/exchange.ts";
import { gather, gatherHere, type Overview } from "../src/gathering.ts";
import { Histogram, quantile } from "../src/histogram.ts";
import { beginHistory } from "../src/history.ts";
import { gauge, type Snapshot } from "../src/metrics.ts";
import { openStore } from "../src/store/open.ts";
import type { Store } from "../src/store/store.ts";
import { newDatabase } from "./support/databases.ts";
import { findProgram } from "./support/debian.ts";
import { edit, folder } from "./support/files.ts";
import { freePort } from "./support/port.ts";
import { petstoreProcess as petstore, type Server, startServer, workersOf } from "./support/processes.ts";
import { addKey, type Service, start } from "./support/service.ts";

/** The values of Prometheus' text, by series. */
type Series = Record<string, number>;

function parse(text: string): Series {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(lines.map((line) => [line.replace(/ [^ ]*$/, ""), Number(line.replace(/^.* /, ""))]));
}

/** Those series of a metric that are not 0, without the metric's name. */
function nonzero(series: Series, name: string): Series {
  const own = Object.entries(series).filter(([line, value]) => line.replace(/\{.*/, "") === name && value !== 0);
  return Object.fromEntries(own.map(([line, value]) => [line.slice(name.length), value]));
}

async function scrape({ call }: Pick<Service, "call">): Promise<Series> {
  const { status, text, headers } = await call("GET", "/metrics", { key: null });
  if (status !== 200) throw new Error(`no metrics: ${status} ${text}`);
  if (headers["content-type"] !== "text/plain; version=0.0.4; charset=utf-8") throw new Error("of another type");
  return parse(text);
}

/** Scrapes until it is as it should be, for two seconds at most: what is counted when an answer has left may be a moment later. */
async function settled(service: Pick<Service, "call">, is: (series: Series) => boolean): Promise<Series> {
  for (const began = Date.now(); Date.now() - began < 2_000; await pause(10)) {
    const series = await scrape(service);
    if (is(series)) return series;
  }
  return scrape(service);
}

const pet = { name: "Rex", categoryId: 7 };
const requests = "petstore_requests_total";

const stores: Record<string, (t: Test) => Promise<Store>> = {
  SQLite: async () => openStore("sqlite::memory:"),
  PostgreSQL: async (t) => openStore(await newDatabase(t)),
};

for (const [name, open] of Object.entries(stores))
  t.test(`what was called is what is counted, over ${name}`, async (t) => {
    const store = await open(t);
    t.teardown(() => store.close());
    const service = await start(t, { store });
    const { call, raw } = service;
    const before = await scrape(service);
    t.same(nonzero(before, requests), {}, "nothing at first");
    t.equal(before[`${requests}{operation="getPet",method="GET",status="5xx"}`], 0, "but the series are there");

    const bob = await addKey(store, "bob");
    const body = JSON.stringify(pet);
    const head = `Host: x\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json`;
    const one = `POST /v1/pets HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    t.equal((await raw(one.repeat(64))).length, 64);
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
      '{operation="listPets",method="GET",status="2xx"}': 3,
      '{operation="listPets",method="GET",status="4xx"}': 2,
      '{operation="listPets",method="HEAD",status="2xx"}': 1,
      '{operation="createPet",method="POST",status="2xx"}': 64,
      '{operation="getPet",method="GET",status="2xx"}': 4,
      '{operation="other",method="GET",status="2xx"}': 2, // the scrape before, and /docs/
      '{operation="other",method="GET",status="3xx"}': 1,
      '{operation="other",method="GET",status="4xx"}': 1,
      '{operation="other",method="other",status="4xx"}': 2, // TRACE, and what is no HTTP
    };
    const series = await scrape(service);
    t.same(nonzero(series, requests), expected);
    const count = (operation: string) => series[`petstore_request_duration_seconds_count{operation="${operation}"}`];
    t.same(["listPets", "createPet", "getPet", "other"].map(count), [6, 64, 4, 5], "each has its time, but no HTTP");
    const took = series['petstore_request_duration_seconds_sum{operation="createPet"}'] as number;
    t.ok(took > 0.001 && took < 64 * 5, `${took} seconds`);

    const calls = nonzero(series, "petstore_store_batch_calls_sum");
    t.equal(calls['{method="pets_create"}'], 64, "each create went with some others");
    const batches = series['petstore_store_batch_calls_count{method="pets_create"}'] as number;
    t.ok(batches >= 1 && batches <= 32, `in ${batches} batches`);
    const questions = Object.keys(nonzero(series, "petstore_store_question_duration_seconds_count"));
    for (const method of ["pets_list", "pets_create", "keys_find"])
      t.ok(questions.includes(`{method="${method}"}`), method);
    t.equal(questions.includes('{method="pets_find"}'), true);

    t.equal(series.petstore_keys_in_use, 2);
    t.same(nonzero(series, "petstore_deprecated_calls_total"), {
      [`{operation="getPet",key="${(await store.keys.list()).find(({ name }) => name !== "bob")?.name}"}`]: 1,
      '{operation="getPet",key="bob"}': 3,
    });
    t.equal(series.petstore_requests_in_flight, 1, "the scrape itself");
    t.ok((series.petstore_connections_open as number) >= 1);
    t.equal(series.petstore_overload_refusals_total, 0);
    t.same(nonzero(series, "petstore_build_info"), { '{version="1.0.0",contract="1.1.0"}': 1 });
    t.ok((series.process_resident_memory_bytes as number) > 10_000_000);
    t.ok((series.process_cpu_seconds_total as number) > 0);
    const pool = Object.keys(series).filter((line) => line.startsWith("petstore_store_pool_"));
    t.equal(pool.length, name === "SQLite" ? 0 : 4);
    const next = await scrape(service);
    for (const [line, value] of Object.entries(series))
      if (/_(total|count|bucket|sum)(\{|$)/.test(line)) t.ok((next[line] ?? 0) >= value, `${line} never goes back`);
  });

t.test("whatever is called makes no more series", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT_FAILED: "99999/1s" } });
  const { call, port } = service;
  const any = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)] as T;
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "SEARCH", "LOCK"];
  const word = () => Math.random().toString(36).slice(2);
  const path = () =>
    any([
      `/${word()}`,
      `/v1/pets/${word()}`,
      `/v1/pets/${Math.floor(Math.random() * 1e9)}`,
      "/v1/pets",
      `/docs/${word()}`,
    ]);
  for (const method of methods) {
    await call(method, "/x");
    await call(method, "/v1/pets");
    await call(method, "/v1/pets/1");
  }
  await pause(1_200); // for the store to be told of it
  const names = async () => Object.keys(await scrape(service)).filter((line) => !line.startsWith("nodejs_gc_"));
  const before = await names();
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (more: string) => {
    text += more;
  });
  const answers = () => text.match(/HTTP\/1\.1 \d/g)?.length ?? 0;
  const wanted = 2_000;
  for (let n = 0; n < wanted; n++)
    socket.write(
      `${any(methods)} ${path()}?${word()} HTTP/1.1\r\nHost: ${word()}\r\nAuthorization: Bearer ${any([service.key, word()])}\r\n\r\n`,
    );
  for (const began = Date.now(); answers() < wanted && Date.now() - began < 20_000; ) await pause(20);
  socket.destroy();
  t.equal(answers(), wanted);
  t.same(await names(), before);
  t.ok(before.length < 400, `${before.length} series`);
});

t.test("clients that leave early are no longer under way", async (t) => {
  const release = Promise.withResolvers<void>();
  let working = 0;
  const slow = async () => {
    working += 1;
    await release.promise;
    return { status: 200, body: [] };
  };
  const { handlers } = await import("../src/handlers.ts");
  const service = await start(t, { handlers: { ...handlers, listPets: slow } });
  const { port, key } = service;
  const inFlight = async (count: number) =>
    (await settled(service, (series) => series.petstore_requests_in_flight === count)).petstore_requests_in_flight;
  const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
  const requests = [
    `GET /v1/pets HTTP/1.1\r\n${head}\r\n`,
    `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name"`,
  ];
  const idle = connect(port, "127.0.0.1");
  t.teardown(() => idle.destroy());
  idle.write(`GET /v1/pets/1 HTTP/1.1\r\n${head}\r\n`);
  await once(idle, "data");
  t.equal(await inFlight(1), 1, "what was answered is not under way, though its connection stays");
  const sockets = Array.from({ length: 20 }, (_, n) => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.write(requests[n % 2] as string);
    return socket;
  });
  t.equal(await inFlight(21), 21, "20, and the one that asks");
  t.equal(working, 10);
  const open = (await scrape(service)).petstore_connections_open as number;
  for (const [n, socket] of sockets.entries()) if (n < 10) socket.resetAndDestroy();
  t.equal(await inFlight(11), 11, "a connection that breaks off takes its request along");
  for (const socket of sockets) socket.destroy();
  t.equal(await inFlight(6), 6, "who only closes their own side may still wait for the answer");
  t.equal((await scrape(service)).petstore_connections_open, open - 15);
  release.resolve();
  t.equal(await inFlight(1), 1, "which is the end of it");
  t.equal((await scrape(service)).petstore_connections_open, open - 20);
});

t.test("the pool of PostgreSQL: what is in use, and what waits", async (t) => {
  const url = await newDatabase(t);
  const store = await openStore(url, { connections: 2 });
  t.teardown(() => store.close());
  const service = await start(t, { store, settings: { DATABASE_URL: url } });
  const operator = await addKey(store, "operator", undefined, true);
  await service.create(pet);
  const pool = (series: Series) =>
    ["connections_used", "connections_idle", "waiting", "connections_max"].map(
      (name) => series[`petstore_store_pool_${name}`],
    );
  t.match(pool(await settled(service, (series) => pool(series)[0] === 0)), [0, /[12]/, 0, 2]);
  // Who holds the row by which creates take turns holds them up, for 0.9 seconds each.
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("BEGIN; SELECT 1 FROM petstore.secret FOR UPDATE");
  let held = true;
  const creating = (async () => {
    while (held) await service.call("POST", "/v1/pets", { json: pet });
  })();
  const busy = await settled(service, (series) => (pool(series)[0] as number) >= 1);
  t.match(pool(busy), [/[12]/, /[01]/, /\d/, 2]);
  const status = await service.call("GET", "/status.json", { key: operator });
  t.match(status.body, { service: { store: "postgresql" }, store: { pool: { used: /[12]/, waiting: /\d/, size: 2 } } });
  held = false;
  await holder.end();
  await creating;
  t.equal(pool(await settled(service, (series) => pool(series)[0] === 0))[0], 0);
  const waiting = Array.from({ length: 50 }, () => store.check());
  await pause(0);
  t.match(store.figures.pool(), { used: 2, idle: 0, waiting: /^4\d$/, size: 2 });
  await Promise.all(waiting);
});

t.test("who may read /metrics", async (t) => {
  const trusting = { TRUST_PROXY: "127.0.0.1", METRICS_FROM: "10.0.0.0/8, 2001:db8::/32, ::1" };
  const services = {
    usual: await start(t),
    closed: await start(t, { settings: { METRICS_FROM: "none" } }),
    trusting: await start(t, { settings: trusting }),
  };
  const metrics = async (service: keyof typeof services, headers = {}, method = "GET") =>
    (await services[service].call(method, "/metrics", { key: null, headers })).status;
  t.equal(await metrics("usual"), 200, "this machine");
  t.equal(await metrics("usual", {}, "HEAD"), 200);
  t.equal(await metrics("usual", {}, "POST"), 405);
  t.equal(await metrics("closed"), 401, "nobody");
  t.equal(await metrics("closed", {}, "HEAD"), 401);
  for (const header of ["x-forwarded-for", "forwarded", "via", "x-real-ip"])
    t.equal(
      await metrics("usual", { [header]: "127.0.0.1" }),
      401,
      `${header}: not through a proxy that is not trusted`,
    );
  const shared = await start(t, { settings: { CORS_ORIGINS: "*" } });
  const page = { headers: { origin: "https://evil.example", host: "localhost" }, key: null };
  t.equal(
    (await shared.call("GET", "/metrics", page)).status,
    401,
    "no page of another origin, by the browser that is here",
  );
  t.equal(await metrics("usual", { host: "localhost:9000" }), 200, "through a tunnel, say");
  t.equal(await metrics("usual", { host: "evil.example" }), 401, "not a page whose name leads here");
  const from = (addresses: string) => metrics("trusting", { "x-forwarded-for": addresses });
  t.equal(await metrics("trusting"), 401, "the proxy itself is in none of the networks");
  t.equal(await from("10.1.2.3"), 200);
  t.equal(await from("2001:db8::7"), 200);
  t.equal(await from("::ffff:10.1.2.3"), 200, "an address of IPv4 in the form of IPv6");
  t.equal(await from("11.1.2.3"), 401);
  t.equal(await from("unknown"), 401);
  const network = await start(t, { settings: { TRUST_PROXY: "127.0.0.0/8, 192.0.2.0/24" } });
  const claimed = { headers: { "x-forwarded-for": "127.0.0.1, 192.0.2.7" }, key: null };
  t.equal((await network.call("GET", "/metrics", claimed)).status, 401, "who says through proxies to be this machine");
  t.equal((await network.call("GET", "/metrics", { key: null })).status, 200, "and who is");
  t.equal(await from("10.1.2.3, 11.1.2.3"), 401, "who made up what is before");
  t.equal(await from("11.1.2.3, 10.1.2.3"), 401, "or came through a proxy there");
  t.equal(await metrics("trusting", { "x-forwarded-for": "10.1.2.3", forwarded: "for=10.1.2.3" }), 401);

  const { closed } = services;
  const operator = await addKey(closed.store, "operator", undefined, true);
  const ask = (path: string, key: string | null) => closed.call("GET", path, { key });
  for (const path of ["/metrics", "/status.json"]) {
    t.match(await ask(path, operator), { status: 200, headers: { "cache-control": "no-store" } });
    t.match(await ask(path, closed.key), {
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="petstore", error="insufficient_scope"' },
      body: {
        code: "unauthorized",
        message: "The API key is not an operator's: make one with petstore keys create NAME --operator",
      },
    });
    t.match(await ask(path, null), { status: 401, body: { message: /needs an API key/ } });
    t.match(await ask(path, "wrong"), { status: 401, body: { message: /is not valid/ } });
  }
  t.equal((await services.usual.call("GET", "/status.json", { key: null })).status, 401, "no network opens the status");
  const strict = await start(t, { settings: { RATE_LIMIT_FAILED: "2/60s" } });
  const guess = async () => (await strict.call("GET", "/status.json", { key: "wrong" })).status;
  t.same([await guess(), await guess(), await guess()], [401, 401, 429], "wrong keys count as they do elsewhere");
});

t.test("who calls most: names of an hour, no more than a thousand in a step", async (t) => {
  const callers = new Callers(0);
  for (let n = 0; n < 1_500; n++) callers.called(`key ${n}`, 1, 1_000);
  callers.called("key 7", 20, 2_000);
  const [first, second, ...rest] = callers.mostActive(10_000);
  t.same(first, { name: "(other)", calls: 500, rate: 50 });
  t.same(second, { name: "key 7", calls: 21, rate: 2.1 });
  t.same([rest.length, rest[0]?.calls], [8, 1]);
  const inUse = (now: number) => callers.metrics(now)[0]?.values[0]?.value;
  t.equal(inUse(10_000), 1_500, "all are in use");
  callers.called("key 1", 1, 200_000);
  t.equal(inUse(302_500), 1, "for five minutes");
  for (let step = 1; step <= 6; step++) callers.step(step * 10_000);
  t.equal(callers.mostActive(70_000)[0]?.rate, 7.143, "the minute before, and what is now");
  callers.step(70_000);
  t.match(callers.mostActive(70_000)[0], { name: "(other)", calls: 500, rate: 0 });
  for (let step = 8; step <= 360; step++) callers.step(step * 10_000);
  t.equal(callers.mostActive(3_600_000)[0]?.calls, 500);
  callers.step(3_610_000);
  t.same(callers.mostActive(3_610_000), [], "after an hour nobody knows");

  for (let n = 0; n < 1_500; n++) callers.calledDeprecated("getPet", `key ${n}`, 2);
  callers.calledDeprecated("getPet", "key 3", 1);
  const values = callers.metrics(0)[1]?.values ?? [];
  const of = (key: string) => values.find(({ labels }) => labels.key === key)?.value;
  t.same([values.length, of("key 3"), of("key 999"), of("key 1000"), of("(other)")], [1_001, 3, 2, undefined, 1_000]);
});

t.test("what is no operation has a name of its own", async (t) => {
  t.throws(() => countRequests([{ id: "other", method: "GET" }]), {
    message: /^The operation other needs another name/,
  });
});

t.test("quantiles are what Prometheus makes of the same buckets", async (t) => {
  const histogram = new Histogram([1, 2, 4]);
  t.equal(quantile(0.5, histogram.bounds, histogram.counts), null);
  for (const value of [0.5, 1, 1.5, 2, 3, 3, 3, 4]) histogram.observe(value);
  t.same([histogram.counts, histogram.sum], [[2, 2, 4, 0], 18]);
  t.equal(quantile(0.5, histogram.bounds, histogram.counts), 2);
  t.equal(quantile(0.75, histogram.bounds, histogram.counts), 3);
  histogram.observe(100);
  t.equal(quantile(0.99, histogram.bounds, histogram.counts), 4, "above all bounds it is the last");
});

t.test("the history has a point for each step, and an hour at most", async (t) => {
  const metrics = (calls: number, failed: number): Snapshot["metrics"] => {
    const labels = { operation: "listPets", method: "GET" };
    const bucket = (le: string, value: number) => ({
      metricName: "x_bucket",
      labels: { operation: "listPets", le },
      value,
    });
    const shared = { help: "", type: "counter", aggregator: "sum" } as const;
    return [
      {
        ...shared,
        name: "petstore_requests_total",
        values: [
          { labels: { ...labels, status: "2xx" }, value: calls },
          { labels: { ...labels, status: "5xx" }, value: failed },
        ],
      },
      {
        ...shared,
        name: "petstore_request_duration_seconds",
        values: [bucket("0.001", calls), bucket("0.002", calls + failed), bucket("+Inf", calls + failed)],
      },
      gauge("process_resident_memory_bytes", "", calls),
    ];
  };
  const sample = (at: number, metrics: Snapshot["metrics"] = []) => ({ at, clock: at, metrics });
  const history = beginHistory(sample(0));
  history.add(sample(10_000, metrics(20, 0)));
  history.add(sample(20_000, metrics(20, 0)));
  history.add(sample(30_000, metrics(40, 20)));
  t.match(history.list(sample(40_000, metrics(40, 20))), {
    times: [10, 20, 30],
    operations: [
      {
        id: "listPets",
        now: { rate: 1.5, failed: 0.5, p50: 0.75, p99: 1.97 },
        rate: [2, 0, 4],
        p50: [0.5, null, 1],
        p99: [0.99, null, 1.98],
      },
    ],
    refused: [0, 0, 0],
    failed: [0, 0, 2],
    store: { p50: [null, null, null], p99: [null, null, null] },
    process: { memory: [20, 20, 40], delay: [0, 0, 0], inFlight: [0, 0, 0] },
  });
  for (let step = 4; step <= 500; step++) history.add(sample(step * 10_000, metrics(40, 20)));
  const last = history.list(sample(5_000_000, metrics(40, 20)));
  t.same([last.times.length, last.times[0], last.times.at(-1)], [361, 1_400, 5_000]);
  t.same(last.operations[0]?.now, { rate: 0, failed: 0, p50: null, p99: null }, "what was a minute ago is not now");

  // Somebody sets the clock back by an hour.
  history.add({ at: 1_400_000, clock: 5_010_000, metrics: metrics(50, 20) });
  const back = history.list({ at: 1_405_000, clock: 5_015_000, metrics: metrics(50, 20) });
  t.same([back.times, back.operations[0]?.rate], [[1_400], [1]], "no point lies in the future");
  t.match(back.operations[0]?.now, { rate: 0.154 }, "and no rate is made of it");
});

t.test("/status.json tells of the last hour", async (t) => {
  const store = await openStore("sqlite::memory:");
  t.teardown(() => store.close());
  const service = await start(t, { store, figures: gatherHere(() => t.fail(), 100) });
  const { call, create } = service;
  const alice = await addKey(store, "alice");
  const operator = await addKey(store, "op", undefined, true);
  await create(pet);
  for (let n = 0; n < 30; n++) await call("GET", "/v1/pets/1", { key: alice });
  await call("GET", "/v1/pets/2", { key: alice });
  await pause(1_300); // for the calls of deprecated operations to be written
  const { status, text } = await call("GET", "/status.json", { key: operator });
  t.equal(status, 200);
  const told = JSON.parse(text);
  t.match(told, {
    at: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
    service: { version: "1.0.0", contract: "1.1.0", started: /Z$/, workers: 1, store: "sqlite", reachable: true },
    step: 0.1,
    store: { pool: null },
  });
  t.same(
    told.operations.map((one: Record<string, unknown>) => [one.id, one.method, one.path, one.deprecated]),
    [
      ["listPets", "GET", "/pets", false],
      ["createPet", "POST", "/pets", false],
      ["getPet", "GET", "/pets/{petId}", true],
      ["other", "", "", false],
    ],
  );
  const points = told.times.length;
  t.ok(points >= 10 && points <= 16, `${points} points`);
  const { store: questions, process: ours, operations, refused, failed } = told;
  const lists = [refused, failed, questions.p50, questions.p99, ours.memory, ours.delay, ours.inFlight];
  for (const { rate, p50, p99 } of operations) lists.push(rate, p50, p99);
  t.ok(
    lists.every((list) => list.length === points),
    "all lists are as long as the times",
  );
  const all = (rates: number[]) => Math.round(rates.reduce((sum, rate) => sum + rate, 0) / 10);
  t.ok(Math.abs(all(operations[2].rate) - 31) <= 4, `31 calls: ${all(operations[2].rate)}`);
  t.ok(all(refused) >= 1, "a 404");
  t.ok(ours.memory.at(-1) > 10_000_000);
  t.same(told.keys.map(({ name, calls }: { name: string; calls: number }) => [name, calls]).slice(0, 1), [
    ["alice", 31],
  ]);
  t.match(told.deprecated, [
    {
      operation: "getPet",
      since: "2026-11-20",
      sunset: "2030-12-05",
      successor: "/pets",
      calls: 31,
      keys: [{ name: "alice", calls: 31 }],
    },
  ]);

  const away = async () => {
    throw new Error("not reachable");
  };
  const lost = await start(t, { store: { ...store, check: away, deprecated: { ...store.deprecated, list: away } } });
  t.match(await lost.call("GET", "/status.json", { key: operator }), {
    status: 200,
    text: /"reachable":false.*"deprecated":null\}$/,
  });
});

t.test("no counter goes back when a process leaves, and gauges go with it", async (t) => {
  const gathering = gather(() => t.fail(), 10_000);
  t.teardown(() => gathering.end());
  const shared = { help: "help", aggregator: "sum" } as const;
  const snapshot = (calls: number, memory: number): Snapshot => ({
    metrics: [
      { ...shared, name: "calls_total", type: "counter", values: [{ labels: { a: "b" }, value: calls }] },
      gauge("memory_bytes", "help", memory),
      gauge("delay_seconds", "help", memory, {}, "max"),
    ],
    calls: [["alice", 1]],
    deprecated: [],
  });
  const [one, other] = [{}, {}];
  gathering.put(one, snapshot(5, 10));
  gathering.put(other, snapshot(7, 30));
  const read = async () => {
    const series = parse(await gathering.metrics());
    return [series['calls_total{a="b"}'], series.memory_bytes, series.delay_seconds, series.petstore_keys_in_use];
  };
  t.same(await read(), [12, 40, 30, 1]);
  gathering.leave(other);
  t.same(await read(), [12, 10, 10, 1]);
  gathering.put(other, snapshot(1, 1));
  gathering.leave(other);
  gathering.leave({});
  t.same(await read(), [13, 10, 10, 1]);
});

/** The sum of a counter over all its series, as a service of several processes tells it. */
async function count({ url }: Server, name = requests, labels = ""): Promise<number> {
  const answer = await fetch(new URL("/metrics", url), { headers: { connection: "close" } });
  const series = nonzero(parse(await answer.text()), name);
  return Object.entries(series).reduce((sum, [line, value]) => sum + (line.includes(labels) ? value : 0), 0);
}

t.test("with WORKERS all is one sum, whichever answers, whoever is replaced or killed", async (t) => {
  const env = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`, LOG_LEVEL: "warn", WORKERS: "2" };
  const key = petstore(env, "keys", "create", "alice").stdout.trim();
  const operator = petstore(env, "keys", "create", "op", "--operator").stdout.trim();
  const server = await startServer(t, env);
  const call = (path = "/v1/pets/1", bearer = key) =>
    fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${bearer}`, connection: "close" } });
  const operation = 'operation="getPet"';
  for (let n = 0; n < 100; n++) await (await call()).text();
  await pause(1_200); // a worker that is not asked sends its own each second
  for (let n = 0; n < 5; n++) t.equal(await count(server, requests, operation), 100, "whichever answers");
  const resident = await count(server, "process_resident_memory_bytes");
  t.ok(resident > 100_000_000, `both have memory: ${resident}`);

  let last = 0;
  let going = true;
  const falls: string[] = [];
  const watching = (async () => {
    while (going) {
      const now = await count(server, requests, operation).catch(() => last); // while none listens
      if (now < last) falls.push(`${last} → ${now}`);
      last = now;
      await pause(20);
    }
  })();
  const loading = (async () => {
    while (going)
      await call().then(
        (answer) => answer.text(),
        () => {},
      );
  })();
  await pause(300);
  server.child.kill("SIGHUP");
  await pause(2_500);
  process.kill(workersOf(server)[0] as number, "SIGKILL");
  await pause(2_000);
  going = false;
  await Promise.all([watching, loading]);
  t.same(falls, []);
  t.ok(last > 100, `${last} calls`);
  await pause(1_200);
  const settledAt = await count(server, requests, operation);
  const now = await count(server, "process_resident_memory_bytes");
  t.ok(now < resident * 1.6, `what those had that are gone is no longer there: ${resident} → ${now}`);
  t.equal(await count(server, "petstore_deprecated_calls_total", 'key="alice"'), settledAt);

  const status = (await (await call("/status.json", operator)).json()) as Overview & { service: object };
  t.match(status, { service: { workers: 2, reachable: true } });
  t.ok(Math.abs((status.keys[0]?.calls as number) - settledAt) <= 1, "calls by key are of all processes, too");
  t.equal(status.keys[0]?.name, "alice");

  server.child.kill("SIGSTOP");
  t.teardown(() => server.child.kill("SIGCONT"));
  const began = Date.now();
  const refused = await call("/metrics");
  t.equal(refused.status, 503, "who keeps the figures does not answer");
  t.match(await refused.json(), {
    code: "unavailable",
    message: "The figures of all processes are not there. Try again.",
  });
  t.ok(Date.now() - began < 2_000);
  const many = await Promise.all(Array.from({ length: 60 }, async () => (await call("/metrics")).status));
  t.same([...new Set(many)], [503], "however many ask, none waits for longer");
  t.equal((await call()).status, 404, "all else goes on");
  server.child.kill("SIGCONT");
  await pause(300);
  t.ok((await count(server, requests, operation)) >= settledAt);
  t.match(await server.end("SIGTERM"), { code: 0 });
});

t.test("a process that can't make out what a worker of another version says, or can't count, goes on", async (t) => {
  const told: unknown[] = [];
  const gathering = gather((error) => told.push(error), 20);
  t.teardown(() => gathering.end());
  const worker = Object.assign(new EventEmitter(), { send: () => {} });
  listen(worker as unknown as Worker, gathering, (error) => told.push(error));
  worker.emit("message", { question: { id: 1, about: "trends" } });
  worker.emit("message", { figures: {} });
  worker.emit("message", { origin: "http://127.0.0.1:3000", address: "127.0.0.1" });
  await pause(50);
  t.equal(told.length, 2, "it says so");
  t.match(await gathering.metrics(), "petstore_keys_in_use 0");
});

const prometheus = await findProgram("prometheus", "prometheus");
const promtool = await findProgram("promtool", "prometheus");
const skip = [prometheus, promtool].flatMap((one) => ("reason" in one ? [one.reason] : []))[0] ?? false;

t.test(
  "Prometheus itself: promtool finds nothing to say, and what it scrapes is what was called",
  { skip },
  async (t) => {
    if ("reason" in prometheus || "reason" in promtool) return;
    const env = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`, LOG_LEVEL: "warn", METRICS_FROM: "none" };
    const key = petstore(env, "keys", "create", "alice").stdout.trim();
    const operator = petstore(env, "keys", "create", "prometheus", "--operator").stdout.trim();
    const server = await startServer(t, env);
    const ask = (path: string, bearer: string) =>
      fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${bearer}` } });
    for (let n = 0; n < 5; n++) await (await ask("/v1/pets/1", key)).text();

    const lint = execFile(promtool.path, ["check", "metrics"], { env: promtool.env });
    const said: string[] = [];
    for (const stream of [lint.stdout, lint.stderr]) stream?.on("data", (text) => said.push(String(text)));
    lint.stdin?.end(await (await ask("/metrics", operator)).text());
    const [code] = await once(lint, "close");
    t.same([code, said], [0, []]);

    const place = folder(t);
    const target = new URL(server.url).host;
    writeFileSync(join(place, "key"), operator);
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const [job = ""] = /^scrape_configs:\n(?: .*\n)+/m.exec(readme) ?? [];
    const config = edit(job, ["/etc/prometheus/petstore.key", join(place, "key")], ["127.0.0.1:3000", target]);
    writeFileSync(join(place, "prometheus.yml"), `global: { scrape_interval: 1s }\n${config}`);
    const port = await freePort();
    const options = [`--config.file=${join(place, "prometheus.yml")}`, `--storage.tsdb.path=${join(place, "data")}`];
    const running = execFile(prometheus.path, [...options, `--web.listen-address=127.0.0.1:${port}`], {
      env: prometheus.env,
    });
    const exit = once(running, "exit");
    t.teardown(async () => {
      running.kill("SIGTERM");
      await exit;
    });
    const find = async (expression: string): Promise<number | undefined> => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
      const answer = await fetch(url).catch(() => undefined); // it has not begun yet
      const { data } = ((await answer?.json()) ?? {}) as { data?: { result: { value: [number, string] }[] } };
      const [found] = data?.result ?? [];
      return found && Number(found.value[1]);
    };
    const expression = 'petstore_requests_total{operation="getPet",status="4xx"}';
    let value: number | undefined;
    for (const began = Date.now(); value === undefined && Date.now() - began < 30_000; await pause(200))
      value = await find(expression);
    t.equal(value, 5);
    t.equal(await find('up{job="petstore"}'), 1);
    t.equal(await find('petstore_deprecated_calls_total{key="alice"}'), 5);
    const [, queries = ""] = /```promql\n(.*?)```/s.exec(readme) ?? [];
    const rules = queries.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    t.equal(rules.length, 3);
    for (const rule of rules) {
      const asked = new URLSearchParams({ query: rule });
      t.match(
        await (await fetch(`http://127.0.0.1:${port}/api/v1/query?${asked}`)).json(),
        { status: "success" },
        rule,
      );
      const [plain] = rule.split(" > ");
      const names = plain?.match(/petstore_\w+/g) ?? [];
      for (const name of names) t.ok(await find(`count(${name})`), `${name} is there`);
    }
    const quantile = await find("histogram_quantile(0.99, sum by (le) (petstore_request_duration_seconds_bucket))");
    t.ok((quantile as number) > 0 && (quantile as number) <= 5, `${quantile} seconds`);
  },
);
