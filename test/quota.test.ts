// What a client can't take for itself: quotas, time, connections, memory.

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { connect as tlsConnect } from "node:tls";
import t from "tap";
import { readConfig } from "../src/config.ts";
import { Refusal } from "../src/errors.ts";
import { buildQuota, toNetwork } from "../src/quota.ts";
import type { Answer } from "./support/answers.ts";
import { certify } from "./support/certificate.ts";
import { folder } from "./support/files.ts";
import { petstoreProcess as petstore, startServer } from "./support/processes.ts";
import { addKey, type Service, start } from "./support/service.ts";
import { attacks } from "./support/slow-clients.ts";
import { until } from "./support/wait.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const list = (service: Service, key: string | null = service.key, headers: Record<string, string> = {}) =>
  service.call("GET", "/v1/pets", { key, headers });
const quotaOf = ({ headers }: Answer) => [headers["ratelimit-policy"], headers.ratelimit?.replace(/t=\d+/, "t=…")];

t.test("each key has a quota of its own, which every answer tells", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT: "3/2s" } });
  const other = await addKey(service.store, `other-${service.port}`);
  t.same(quotaOf(await list(service)), ['"calls";q=3;w=2', '"calls";r=2;t=…']);
  const bad = await service.call("GET", "/v1/pets?limit=0");
  t.equal(bad.status, 400);
  t.same(quotaOf(bad)[1], '"calls";r=1;t=…', "a bad request counts, too");
  t.same(quotaOf(await service.call("GET", "/v1/pets/1"))[1], '"calls";r=0;t=…', "whatever the operation");
  const over = await list(service);
  t.match(over, {
    status: 429,
    headers: { "retry-after": /^[12]$/, "ratelimit-policy": '"calls";q=3;w=2' },
    body: {
      code: "too_many_requests",
      message: /^This key has made too many calls in 2 seconds: at most 3\. Try again in [12] seconds\.$/,
    },
  });
  t.equal((await list(service, other)).status, 200, "another key has its own");
  t.equal((await list(service, null)).status, 401, "who shows no key learns nothing of quotas");
  await pause(Number(over.headers["retry-after"]) * 1_000);
  t.equal((await list(service)).status, 200, "after Retry-After there is quota again");
});

t.test("without RATE_LIMIT a key may call as often as it likes, and no answer speaks of quotas", async (t) => {
  const service = await start(t);
  for (let n = 0; n < 150; n++) t.same(quotaOf(await list(service)), [undefined, undefined]);
});

t.test("wrong keys can't be tried at speed", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT_FAILED: "3/1s" } });
  t.equal((await list(service)).status, 200);
  for (const left of [2, 1, 0]) {
    const answer = await list(service, `psk_wrong${left}`);
    t.equal(answer.status, 401);
    t.same(quotaOf(answer), ['"failed-credentials";q=3;w=1', `"failed-credentials";r=${left};t=…`]);
  }
  const fresh = { connection: "close" };
  t.match(await list(service, "psk_wrong", fresh), {
    status: 429,
    headers: { "retry-after": "1" },
    body: { message: /^Too many wrong keys came from this address in 1 seconds: at most 3\./ },
  });
  t.equal((await list(service, service.key, fresh)).status, 429, "a right guess looks like a wrong one");
  t.equal((await list(service, null)).status, 401, "who shows no key guesses none");
  t.equal((await service.call("GET", "/docs")).status, 200);
  await pause(1_000);
  t.equal((await list(service)).status, 200, "the address is let in again");
  t.equal((await list(service, "psk_wrong")).status, 401, "and may err again");
});

t.test("many wrong keys at once are counted as well as one after the other", async (t) => {
  const { raw } = await start(t, { settings: { RATE_LIMIT_FAILED: "3/60s" } });
  const guesses = Array.from(
    { length: 20 },
    (_, n) => `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer psk_${n}\r\n\r\n`,
  );
  const statuses = (await raw(guesses.join(""))).map(({ status }) => status);
  t.same(statuses, [401, 401, 401, ...Array(17).fill(429)]);
});

t.test("a client that was let in is not shut out by others behind its address", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT_FAILED: "2/60s" } });
  const socket = connect(service.port, "127.0.0.1").setEncoding("latin1");
  t.teardown(() => socket.destroy());
  const ask = async (key: string) => {
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    return String(await once(socket, "data")).slice(9, 12);
  };
  t.equal(await ask(service.key), "200");
  for (let n = 0; n < 5; n++) await list(service, "psk_wrong");
  t.equal(await ask(service.key), "200");
  t.equal(await ask("psk_guess"), "429", "another key on the same connection is a guess");
  t.equal(await ask(service.key), "429", "and nobody knows that connection any more");
});

t.test("who comes from where: the connection, or what a trusted proxy says", async (t) => {
  const from = (address: string) => ({ "x-forwarded-for": address });
  const open = await start(t, { settings: { RATE_LIMIT_FAILED: "1/60s" } });
  t.equal((await list(open, "psk_wrong", from("192.0.2.1"))).status, 401);
  t.equal((await list(open, "psk_wrong", from("192.0.2.2"))).status, 429, "nobody else is believed");

  const behind = await start(t, { settings: { RATE_LIMIT_FAILED: "1/60s", TRUST_PROXY: "127.0.0.0/8, ::1" } });
  t.equal((await list(behind, "psk_wrong", from("192.0.2.1"))).status, 401);
  t.equal((await list(behind, "psk_wrong", from("192.0.2.1"))).status, 429);
  t.equal((await list(behind, "psk_wrong", from("192.0.2.2"))).status, 401, "another client of the proxy");
  t.equal(
    (await list(behind, "psk_wrong", from("192.0.2.9, 192.0.2.2"))).status,
    429,
    "what a client makes up before it is not looked at",
  );
  t.equal((await list(behind, "psk_wrong", from("2001:db8:1:2:3::4"))).status, 401);
  t.equal((await list(behind, "psk_wrong", from("2001:db8:1:2:ffff::5"))).status, 429, "of IPv6 a site has 64 bits");
  t.same(["192.0.2.1", "::ffff:192.0.2.1", "::1", "2001:db8::", "2001:db8:1:2:3:4:5:6", "made up"].map(toNetwork), [
    "192.0.2.1",
    "192.0.2.1",
    "0:0:0:0::/64",
    "2001:db8:0:0::/64",
    "2001:db8:1:2::/64",
    "unknown",
  ]);
});

t.test("quotas take no more memory than for 100,000 names, and forget those whose period ended first", async (t) => {
  const quota = buildQuota("calls", { count: 1, seconds: 60 }, "Too many");
  for (let n = 0; n < 100_000; n++) quota.take(`${n}`);
  t.type(quota.take("0").refusal, Refusal);
  quota.take("one more");
  t.equal(quota.take("0").refusal, undefined);
  t.type(quota.take("99999").refusal, Refusal);
});

t.test("the settings of limits say what they may be", async (t) => {
  for (const [setting, value] of [
    ["RATE_LIMIT", "100"],
    ["RATE_LIMIT", "0/60s"],
    ["RATE_LIMIT", "100/60"],
    ["RATE_LIMIT_FAILED", "100/1d"],
    ["MAX_CONNECTIONS", "0"],
    ["TRUST_PROXY", "yes"],
    ["TRUST_PROXY", "10.0.0.0/33"],
    ["TRUST_PROXY", "0.0.0.0/0"],
    ["TRUST_PROXY", "10.0.0.0/8/8"],
    ["TRUST_PROXY", "10.0.0.0/x"],
    ["TRUST_PROXY", "10.0.0.1,"],
    ["METRICS_FROM", "everywhere"],
    ["METRICS_FROM", "none, ::1"],
    ["CORS_ORIGINS", "app.example"],
    ["CORS_ORIGINS", "https://app.example/"],
    ["CORS_ORIGINS", "https://[,*"],
  ] as const)
    t.throws(() => readConfig({ [setting]: value }), { message: `${setting} must be ` }, `${setting}=${value}`);
  t.match(readConfig({ RATE_LIMIT: "5000/1h", RATE_LIMIT_FAILED: "10/2m", TRUST_PROXY: "::1/128,10.0.0.1" }), {
    RATE_LIMIT: { count: 5_000, seconds: 3_600 },
    RATE_LIMIT_FAILED: { count: 10, seconds: 120 },
    TRUST_PROXY: ["::1/128", "10.0.0.1"],
  });
  t.same(readConfig({}).METRICS_FROM, ["127.0.0.0/8", "::1"]);
  t.same(readConfig({ METRICS_FROM: "none" }).METRICS_FROM, []);
});

t.test("connections over the limit are refused, and the log says how many", async (t) => {
  const service = await start(t, { settings: { MAX_CONNECTIONS: "3" } });
  const sockets: Socket[] = [];
  t.teardown(() => sockets.map((socket) => socket.destroy()));
  const open = async () => {
    const socket = connect(service.port, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    return Promise.race([once(socket, "data").then(() => "answered"), once(socket, "close").then(() => "closed")]);
  };
  t.same([await open(), await open(), await open(), await open()], ["answered", "answered", "answered", "closed"]);
  t.same(
    [await open(), await open(), await open()],
    ["answered", "answered", "answered"],
    "those that did nothing made room",
  );
  await until(
    () => service.logs.find(({ dropped }) => Number(dropped) > 0),
    () => JSON.stringify(service.logs),
  );
});

/** Asks for lists that are dear, on so many connections, ten at once on each, and counts the answers by status. */
function flood(url: string, key: string, connections: number) {
  const { port, pathname } = new URL(url);
  const statuses: Record<string, number> = {};
  let retryAfter = 0;
  const some = () => {
    const query = `limit=${50 + Math.floor(Math.random() * 50)}&status=${["available", "pending", "sold"][Math.floor(Math.random() * 3)]}`;
    return `GET ${pathname}/pets?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  };
  const ten = () => Array.from({ length: 10 }, some).join("");
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), "127.0.0.1")
      .setEncoding("latin1")
      .on("error", () => {});
    let left = 10;
    socket.write(ten());
    socket.on("data", (chunk: string) => {
      for (const [, status = ""] of chunk.matchAll(/HTTP\/1\.1 (\d+)/g)) {
        statuses[status] = (statuses[status] ?? 0) + 1;
        left -= 1;
      }
      retryAfter += chunk.match(/retry-after: [123]\r\n/g)?.length ?? 0;
      if (left > 0) return;
      left += 10;
      socket.write(ten());
    });
    return socket;
  });
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return { statuses, retryAfter };
  };
  return stop;
}

t.test("too much to do: some is refused at once, /healthz is answered, and afterwards all is as before", async (t) => {
  const env = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`, LOG_LEVEL: "warn" };
  const key = petstore(env, "keys", "create", "many").stdout.trim();
  const db = new DatabaseSync(env.DATABASE_URL.slice("sqlite:".length));
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO pets (name, category_id, status)
    SELECT 'Rex', i, CASE i % 3 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' ELSE 'pending' END FROM n`);
  db.close();
  const { url, out } = await startServer(t, env);
  const stop = flood(url, key, 64);
  for (let n = 0; n < 20; n++) {
    for (const path of ["/healthz", "/readyz"]) t.equal((await fetch(new URL(path, url))).status, 200);
    await pause(100);
  }
  const { statuses, retryAfter } = stop();
  t.same(Object.keys(statuses), ["200", "503"]);
  t.ok((statuses[200] ?? 0) > 1_000, JSON.stringify(statuses));
  t.ok(Math.abs(retryAfter - (statuses[503] ?? 0)) < 100, "each tells when to come again");
  const refused = await until(
    () => /"refused":(\d+).*too much to do/.exec(out.stdout)?.[1],
    () => out.stdout,
  );
  t.ok(Number(refused) > 0, "the log tells how many, once a second");
  t.ok(out.stdout.split("\n").length < 40);
  const metrics = await (await fetch(new URL("/metrics", url))).text();
  const [, counted] = /^petstore_overload_refusals_total (\d+)$/m.exec(metrics) ?? [];
  t.ok(Math.abs(Number(counted) - (statuses[503] ?? 0)) < 1_000, `${counted} of ${statuses[503]} are in /metrics`);
  await pause(3_000); // as Retry-After has it at most
  for (let n = 0; n < 50; n++)
    t.equal((await fetch(`${url}/pets`, { headers: { authorization: `Bearer ${key}` } })).status, 200);
});

t.test("little memory left: calls are refused until there is more", async (t) => {
  const place = folder(t);
  const file = join(place, "fill.cjs");
  writeFileSync(
    file,
    `const { getHeapStatistics } = require("node:v8");
     let kept = [];
     process.on("SIGUSR2", () => {
       if (kept.length > 0) {
         kept = [];
         return;
       }
       const { heap_size_limit } = getHeapStatistics();
       while (getHeapStatistics().used_heap_size < 0.93 * heap_size_limit) kept.push(Array.from({ length: 10_000 }, (_, n) => ({ n })));
     });`,
  );
  const flags = `--max-old-space-size=256 --max-semi-space-size=1 --require ${file}`;
  const env = { DATABASE_URL: `sqlite:${join(place, "petstore.db")}`, LOG_LEVEL: "warn" };
  const key = petstore(env, "keys", "create", "a").stdout.trim();
  const { url, child } = await startServer(t, { ...env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} ${flags}` });
  const call = () => fetch(`${url}/pets`, { headers: { authorization: `Bearer ${key}` } });
  t.equal((await call()).status, 200);
  child.kill("SIGUSR2");
  await pause(3_000);
  const refused = await call();
  t.match(refused, { status: 503 });
  t.match(await refused.json(), {
    code: "unavailable",
    message: "The service has too much to do. Try again.",
    status: 503,
  });
  t.equal((await fetch(new URL("/healthz", url))).status, 200);
  child.kill("SIGUSR2");
  const began = Date.now();
  let { status } = await call();
  for (; status !== 200 && Date.now() - began < 15_000; { status } = await call()) await pause(200);
  t.equal(status, 200);
});

// Asks for more than the system keeps for who does not read: 8 files of 1.4 MB.
const askMuch = "GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n".repeat(8);
const untilCut = async (socket: Socket) => {
  const began = performance.now();
  socket.on("error", () => {}).write(askMuch);
  socket.pause();
  // Who does not read does not see it end either: its own bytes tell.
  for (; socket.writable && performance.now() - began < 60_000; await pause(500)) socket.write("G");
  return performance.now() - began;
};
const cuts = (async () => {
  const env = { DATABASE_URL: "sqlite::memory:" };
  const plain = await startServer(t, env);
  const { files, cert } = await certify(t, 1);
  const secure = await startServer(t, { ...env, ...files });
  const port = ({ url }: { url: string }) => Number(new URL(url).port);
  return Promise.all([
    untilCut(connect(port(plain), "127.0.0.1")),
    untilCut(tlsConnect({ port: port(secure), host: "127.0.0.1", ca: cert, servername: "localhost" })),
  ]);
})();

// Reads 1.5 MB a second, and has always asked for more.
const steady = (async () => {
  const { url } = await startServer(t, { DATABASE_URL: "sqlite::memory:" });
  const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  t.teardown(() => socket.destroy());
  socket.write(askMuch.repeat(6));
  let bytes = 0;
  for (const began = performance.now(); performance.now() - began < 36_000; await pause(100))
    bytes += (socket.read(150_000) ?? socket.read())?.length ?? 0;
  return { isThere: socket.writable && !socket.destroyed, bytes };
})();

// Who does not read holds some 3 MB of the system's memory each, which is why there are fewer of them.
for (const [name, attack] of Object.entries(attacks))
  t.test(`many clients with ${name} don't keep a good one from its answer`, async (t) => {
    const count = name === "slow reading" ? 100 : 2_000;
    const env = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`, LOG_LEVEL: "error" };
    const key = petstore(env, "keys", "create", "good").stdout.trim();
    const { url } = await startServer(t, env);
    const attacked = attack(url, key, count);
    const times: number[] = [];
    for (let n = 0; n < 60; n++) {
      const began = performance.now();
      const answer = await fetch(`${url}/pets`, { headers: { authorization: `Bearer ${key}` } });
      t.equal(answer.status, 200);
      await answer.text();
      times.push(performance.now() - began);
      await pause(50);
    }
    t.ok(Math.max(...times) < 2_000, `the slowest took ${Math.round(Math.max(...times))} ms`);
    t.equal(await (await attacked)(), count, "they were there all the time");
  });

t.test("a client has half a minute to take its answer", async (t) => {
  for (const held of await cuts)
    t.ok(held > 29_000 && held < 45_000, `the connection was cut after ${Math.round(held)} ms`);
});

t.test("who reads all the time, and asks for more, is not cut", async (t) => {
  const { isThere, bytes } = await steady;
  t.ok(isThere, `it has read ${bytes} bytes`);
});

t.test("of those that do not read the longest go first, where there are many", async (t) => {
  const { url } = await startServer(t, { DATABASE_URL: "sqlite::memory:" });
  const sockets = Array.from({ length: 250 }, () =>
    connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {}),
  );
  t.teardown(() => sockets.map((socket) => socket.destroy()));
  for (const socket of sockets) {
    socket.pause().write(askMuch);
    await pause(5);
  }
  const began = performance.now();
  const gone = () => sockets.map((socket, index) => (socket.writable ? -1 : index)).filter((index) => index >= 0);
  for (; gone().length < 50 && performance.now() - began < 15_000; await pause(500))
    for (const socket of sockets) if (socket.writable) socket.write("G");
  await pause(1_500);
  for (const socket of sockets) if (socket.writable) socket.write("G");
  await pause(100);
  t.ok(gone().length >= 50 && gone().length < 100, `${gone().length} are gone`);
  t.ok(Math.max(...gone()) < 120, `the last of them was number ${Math.max(...gone())}`);
});
