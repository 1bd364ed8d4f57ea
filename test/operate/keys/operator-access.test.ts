// Access control for /metrics and /status.json: src/operate/keys/operator-access.ts.
import t from "tap";
import { generateKey } from "../../../src/operate/keys/api-keys.ts";
import { addKey, type Service, start } from "../../support/service.ts";

t.test("Serves /metrics without a key to the networks of METRICS_FROM only", async (t) => {
  const usual = await start(t, { settings: { METRICS_FROM: "127.0.0.0/8, ::1" } });
  const read = async (service: Service, headers = {}, method = "GET") =>
    (await service.call(method, "/metrics", { key: null, headers })).status;
  t.equal(await read(usual), 200, "loopback");
  t.equal(await read(usual, {}, "HEAD"), 200);
  t.equal(await read(usual, {}, "POST"), 405);
  for (const header of ["x-forwarded-for", "forwarded", "via", "x-real-ip"])
    t.equal(await read(usual, { [header]: "127.0.0.1" }), 401, `${header}, from a proxy that is not trusted`);
  t.equal(await read(usual, { host: "localhost:9000" }), 200, "a tunnel");
  t.equal(await read(usual, { host: "evil.example" }), 401, "a page whose name resolves to loopback (DNS rebinding)");
  t.equal(
    (await usual.call("GET", "/status.json", { key: null })).status,
    401,
    "METRICS_FROM does not open the status",
  );

  const shared = await start(t, { settings: { METRICS_FROM: "127.0.0.0/8", CORS_ORIGINS: "*" } });
  const page = { origin: "https://evil.example", host: "localhost" };
  t.equal(await read(shared, page), 401, "a page of another origin, in a browser on this machine");

  const trusting = await start(t, {
    settings: { TRUST_PROXY: "127.0.0.1", METRICS_FROM: "10.0.0.0/8, 2001:db8::/32, ::1" },
  });
  const from = (addresses: string) => read(trusting, { "x-forwarded-for": addresses });
  t.equal(await read(trusting), 401, "the proxy itself is in none of the networks");
  t.equal(await from("10.1.2.3"), 200);
  t.equal(await from("2001:db8::7"), 200);
  t.equal(await from("::ffff:10.1.2.3"), 200, "an IPv4-mapped IPv6 address");
  t.equal(await from("11.1.2.3"), 401);
  t.equal(await from("unknown"), 401);
  t.equal(await from("10.1.2.3, 11.1.2.3"), 401, "an address that the client made up");
  t.equal(await from("11.1.2.3, 10.1.2.3"), 401, "a client of a proxy that is not trusted");
  t.equal(await read(trusting, { "x-forwarded-for": "10.1.2.3", forwarded: "for=10.1.2.3" }), 401);

  const networks = { TRUST_PROXY: "127.0.0.0/8, 192.0.2.0/24", METRICS_FROM: "127.0.0.0/8" };
  const network = await start(t, { settings: networks });
  t.equal(await read(network, { "x-forwarded-for": "127.0.0.1, 192.0.2.7" }), 401, "loopback as claimed by a proxy");
  t.equal(await read(network), 401, "a client of a trusted proxy that does not add its address");
});

t.test("Serves /metrics and /status.json only to operator keys by default", async (t) => {
  const closed = await start(t);
  const operator = await addKey(closed.store, "operator", undefined, true);
  const read = (path: string, key: string | null, method = "GET") => closed.call(method, path, { key });
  t.equal((await read("/metrics", null, "HEAD")).status, 401);
  for (const path of ["/metrics", "/status.json"]) {
    t.match(await read(path, operator), { status: 200, headers: { "cache-control": "no-store" } });
    t.match(await read(path, closed.key), {
      status: 403,
      headers: { "www-authenticate": 'Bearer realm="petstore", error="insufficient_scope"' },
      body: {
        code: "insufficient_scope",
        message: "The API key is not an operator key. Create one with keys create NAME --operator.",
      },
    });
    t.match(await read(path, null), { status: 401, body: { message: /requires an API key/ } });
    t.match(await read(path, "wrong"), { status: 401, body: { message: /is not valid/ } });
  }
});

t.test("Accepts OPERATOR_KEY for /metrics and /status.json without the store, and not for the API", async (t) => {
  const { key } = generateKey();
  const service = await start(t, { settings: { OPERATOR_KEY: key } });
  for (const path of ["/metrics", "/status.json"]) t.equal((await service.call("GET", path, { key })).status, 200);
  t.equal((await service.call("GET", "/v1/pets", { key })).status, 401);
  t.equal((await service.call("GET", "/metrics", { key: generateKey().key })).status, 401);
  const none = await start(t, { settings: { OPERATOR_KEY: "" } });
  t.equal((await none.call("GET", "/metrics", { key: null })).status, 401);
  t.equal((await none.call("GET", "/metrics", { key: "" })).status, 401);
});

t.test("Limits the rate of invalid keys at /status.json", async (t) => {
  const strict = await start(t, { settings: { RATE_LIMIT_FAILED: "2/60s" } });
  const guess = async () => (await strict.call("GET", "/status.json", { key: "wrong" })).status;
  t.same([await guess(), await guess(), await guess()], [401, 401, 429]);
});
