// Rate limits of calls by key, and of invalid keys by address, over HTTP and with a manual clock.
import t from "tap";
import { toNetwork } from "../../../src/http/connection/networks.ts";
import { generateKey } from "../../../src/operate/keys/api-keys.ts";
import { TokenBuckets } from "../../../src/operate/limits/token-bucket.ts";
import type { Key } from "../../../src/store/port.ts";
import { editDocument, setOperation } from "../../support/document.ts";
import type { HttpResponse } from "../../support/responses.ts";
import { addKey, type Service, start } from "../../support/service.ts";
import { readConfig } from "../../support/settings.ts";

let now = 0; // milliseconds
const overrides = { clock: () => now };
const list = (service: Service, key: string | null = service.key, headers: Record<string, string> = {}) =>
  service.call("GET", "/v1/pets", { key, headers });
const rateLimitOf = ({ headers }: HttpResponse) => [headers["ratelimit-policy"], headers.ratelimit];

t.test("Limits the calls of each key, and reports the limit in every response", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT: "3/2s" }, overrides });
  const other = await addKey(service.store, `other-${service.port}`);
  t.same(rateLimitOf(await list(service)), ['"calls";q=3;w=2', '"calls";r=2;t=1']);
  const bad = await service.call("GET", "/v1/pets?limit=0");
  t.equal(bad.status, 400);
  t.same(rateLimitOf(bad)[1], '"calls";r=1;t=2', "a rejected request counts, too");
  t.same(rateLimitOf(await service.call("GET", "/v1/pets/1"))[1], '"calls";r=0;t=2', "every operation counts");
  const tooManyRequests = {
    status: 429,
    headers: { "retry-after": "1", "ratelimit-policy": '"calls";q=3;w=2', ratelimit: '"calls";r=0;t=2' },
    body: {
      code: "too_many_requests",
      message: "This API key exceeds the limit of 3 requests per 2 seconds. Try again in 1 second.",
    },
  };
  t.match(await list(service), tooManyRequests);
  t.equal((await list(service, other)).status, 200, "another key has its own limit");
  t.same(rateLimitOf(await list(service, null)), [undefined, undefined], "a request without a key has no limit");
  t.equal((await list(service, null)).status, 401);
});

t.test("During the grace period of a rotation, the new key and the previous one share the limit", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT: "3/2s" }, overrides });
  const previous = await addKey(service.store, "rotated");
  t.same(rateLimitOf(await list(service, previous))[1], '"calls";r=2;t=1');
  const { key, hash } = generateKey();
  const rotated = (await service.store.keys.list()).find(({ name }) => name === "rotated") as Key;
  t.ok(await service.store.keys.rotate(rotated, hash, new Date(Date.now() + 60_000)));
  t.same(rateLimitOf(await list(service, key))[1], '"calls";r=1;t=2');
  t.same(rateLimitOf(await list(service, previous))[1], '"calls";r=0;t=2');
  t.equal((await list(service, key)).status, 429);
});

t.test("Gives a client that has used its limit one request after the other, at the average rate", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT: "3/2s" }, overrides });
  const listMany = async (count: number) => {
    const statuses: number[] = [];
    for (let n = 0; n < count; n++) statuses.push((await list(service)).status);
    return statuses;
  };
  t.same(await listMany(4), [200, 200, 200, 429]);
  now += 666;
  t.same(await listMany(1), [429]);
  now += 1;
  t.same(await listMany(2), [200, 429], "after a third of the period");
  now += 1_334;
  t.same(await listMany(3), [200, 200, 429]);
  now += 100_000;
  t.same(await listMany(4), [200, 200, 200, 429], "never more than the limit at once");
});

t.test("Limits the calls of each key to 10,000 per minute by default", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT: "" }, overrides });
  t.same(rateLimitOf(await list(service)), ['"calls";q=10000;w=60', '"calls";r=9999;t=1']);
});

t.test("Limits no calls and sends no RateLimit headers with RATE_LIMIT=none", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT: "none" } });
  for (let n = 0; n < 150; n++) t.same(rateLimitOf(await list(service)), [undefined, undefined]);
});

t.test("Does not limit calls without a key, if the operation needs none", async (t) => {
  const document = editDocument(setOperation("getPet", { security: [] }));
  const { call } = await start(t, { document, settings: { RATE_LIMIT: "1/60s" }, overrides });
  for (let n = 0; n < 3; n++) {
    const response = await call("GET", "/v1/pets/1", { key: null });
    t.equal(response.status, 404);
    t.same(rateLimitOf(response), [undefined, undefined]);
  }
});

t.test("Limits invalid keys by address", async (t) => {
  const service = await start(t, { settings: { RATE_LIMIT_FAILED: "3/1s" }, overrides });
  t.equal((await list(service)).status, 200);
  for (const left of [2, 1, 0]) {
    const response = await list(service, `psk_wrong${left}`);
    t.equal(response.status, 401);
    t.same(rateLimitOf(response), ['"failed-credentials";q=3;w=1', `"failed-credentials";r=${left};t=1`]);
  }
  const newConnection = { connection: "close" };
  t.match(await list(service, "psk_wrong", newConnection), {
    status: 429,
    headers: { "retry-after": "1" },
    body: { message: /^This network address exceeds the limit of 3 failed authentications per 1 second\./ },
  });
  t.equal((await list(service, service.key, newConnection)).status, 200, "never rejects a valid key");
  t.equal((await list(service, null)).status, 401, "a request without a key does not count");
  t.equal((await service.call("GET", "/docs")).status, 200);
  now += 1_000;
  t.equal((await list(service, "psk_wrong")).status, 401, "has its limit again");
});

t.test("Counts pipelined invalid keys", async (t) => {
  const { raw } = await start(t, { settings: { RATE_LIMIT_FAILED: "3/60s" } });
  const guesses = Array.from(
    { length: 20 },
    (_, n) => `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer psk_${n}\r\n\r\n`,
  );
  const statuses = (await raw(guesses.join(""))).map(({ status }) => status);
  t.same(statuses, [401, 401, 401, ...Array(17).fill(429)]);
});

t.test("Takes the client's address from X-Forwarded-For only if TRUST_PROXY trusts the peer", async (t) => {
  const from = (address: string) => ({ "x-forwarded-for": address });
  const direct = await start(t, { settings: { RATE_LIMIT_FAILED: "1/60s" } });
  t.equal((await list(direct, "psk_wrong", from("192.0.2.1"))).status, 401);
  t.equal((await list(direct, "psk_wrong", from("192.0.2.2"))).status, 429, "ignores the header of other peers");

  const proxied = await start(t, { settings: { RATE_LIMIT_FAILED: "1/60s", TRUST_PROXY: "127.0.0.0/8, ::1" } });
  t.equal((await list(proxied, "psk_wrong", from("192.0.2.1"))).status, 401);
  t.equal((await list(proxied, "psk_wrong", from("192.0.2.1"))).status, 429);
  t.equal((await list(proxied, "psk_wrong", from("192.0.2.2"))).status, 401, "another client of the proxy");
  t.equal(
    (await list(proxied, "psk_wrong", from("192.0.2.9, 192.0.2.2"))).status,
    429,
    "ignores addresses before the one that the proxy added",
  );
  t.equal((await list(proxied, "psk_wrong", from("2001:db8:1:2:3::4"))).status, 401);
  t.equal((await list(proxied, "psk_wrong", from("2001:db8:1:2:ffff::5"))).status, 429, "counts a /64 of IPv6 as one");
  t.same(["192.0.2.1", "::ffff:192.0.2.1", "::1", "2001:db8::", "2001:db8:1:2:3:4:5:6", "made up"].map(toNetwork), [
    "192.0.2.1",
    "192.0.2.1",
    "0:0:0:0::/64",
    "2001:db8:0:0::/64",
    "2001:db8:1:2::/64",
    "unknown",
  ]);
});

t.test("Counts at most 100,000 clients, and forgets those that have their whole limit again", async (t) => {
  const time = { now: 0 };
  const buckets = new TokenBuckets({ count: 1, seconds: 60 }, () => time.now);
  for (let n = 0; n < 100_000; n++) buckets.take(`${n}`);
  t.match(buckets.take("1"), { allowed: false });
  buckets.take("another");
  t.match(buckets.take("0"), { allowed: true }, "the one that was used least recently is evicted");
  t.match(buckets.take("99999"), { allowed: false });
  time.now = 60_000;
  t.match(buckets.take("99999"), { allowed: true, used: 1 });
});

t.test("Rejects invalid settings of limits and networks", async (t) => {
  for (const [setting, value] of [
    ["RATE_LIMIT", "100"],
    ["RATE_LIMIT", "0/60s"],
    ["RATE_LIMIT", "none/60s"],
    ["RATE_LIMIT", "100/60"],
    ["RATE_LIMIT_FAILED", "100/1d"],
    ["RATE_LIMIT_STORE", "localhost:6379"],
    ["RATE_LIMIT_STORE", "redis://"],
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
    rateLimit: { count: 5_000, seconds: 3_600 },
    rateLimitFailed: { count: 10, seconds: 120 },
    trustProxy: ["::1/128", "10.0.0.1"],
  });
  const store = "rediss://user:x@valkey.example:6380/2";
  t.equal(readConfig({ RATE_LIMIT_STORE: store }).rateLimitStore, store);
  t.same(readConfig({ METRICS_FROM: "127.0.0.0/8, ::1" }).metricsFrom, ["127.0.0.0/8", "::1"]);
  t.same(readConfig({ METRICS_FROM: "none" }).metricsFrom, []);
});
