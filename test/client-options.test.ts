// The options of the typed client, exact numbers and deprecations, against the service.
import t from "tap";
import { readDocument } from "../src/pets/document.ts";
import { createClient, exactJson, parseExactJson } from "./support/client-module.ts";
import { startGateway } from "./support/gateway.ts";
import { start } from "./support/service.ts";

// Shared by the tests that need no pets of their own.
const shared = await start(t);

t.test("Respects the caller's idempotency key, parseAs, onDeprecation and BigInt.prototype.toJSON", async (t) => {
  const { origin, key } = await start(t);
  const onDeprecation = () => {
    throw new Error("boom");
  };
  const client = createClient({ baseUrl: `${origin}/v1/`, key, onDeprecation });
  const create = (name: string) =>
    client.POST("/pets", { body: { name, categoryId: 7n }, params: { header: { "Idempotency-Key": "mine" } } });
  t.same((await create("Rex")).data, { id: 1n, name: "Rex", categoryId: 7n });
  t.match((await create("Tom")).error, { code: "idempotency_key_reused" }, "the caller's idempotency key is sent");
  const got = await client.GET("/pets/{petId}", { params: { path: { petId: 1n } } });
  t.match(got.data, { name: "Rex" }, "an onDeprecation that throws does not fail the call");

  const text = await client.GET("/pets", { parseAs: "text" });
  t.equal(text.data as unknown, '[{"id":1,"name":"Rex","categoryId":7}]', "parseAs: text returns the text");

  Object.assign(BigInt.prototype, { toJSON: String });
  t.teardown(() => Reflect.deleteProperty(BigInt.prototype, "toJSON"));
  t.equal(exactJson({ id: 2n ** 63n - 1n, all: [1n] }), '{"id":9223372036854775807,"all":[1]}', "toJSON of BigInt");
});

t.test("Reports each deprecated operation once, with its sunset and its successor", async (t) => {
  const { origin, key } = shared;
  const { content, basePath } = await readDocument();
  const sunset = new Date(content.paths?.["/pets/{petId}"]?.get?.["x-sunset"] as string);
  const reported: object[] = [];
  const client = createClient({ baseUrl: `${origin}/v1`, key, onDeprecation: (one) => reported.push(one) });
  for (const petId of [1n, 1n, 42n]) await client.GET("/pets/{petId}", { params: { path: { petId } } });
  await client.GET("/pets");
  const operation = "GET /pets/{petId}";
  const successor = `${basePath}/pets`;
  const message = `The Pet Store operation ${operation} is deprecated. It will be removed on ${sunset.toUTCString()}. Use ${successor} instead.`;
  t.same(reported, [{ operation, sunset, successor, message }]);
});

t.test("Follows no redirect, which could send the request to another origin", async (t) => {
  let calls = 0;
  const baseUrl = await startGateway(t, Number(new URL(shared.origin).port), (response) => {
    calls += 1;
    return response.writeHead(307, { location: `${shared.origin}/v1/pets` }).end();
  });
  const client = createClient({ baseUrl, key: shared.key, headers: { "x-gateway": "secret" } });
  const { response, data } = await client.POST("/pets", { body: { name: "Rex", categoryId: 7n } });
  t.match([response.status, data, calls], [307, undefined, 1]);
});

t.test("Reads all pages at a rate limit, and continues after an error with its cursor", async (t) => {
  const { port, key, create } = await start(t, { settings: { RATE_LIMIT: "20/1s" } });
  for (let n = 1; n <= 15; n++) await create({ name: `Rex ${n}`, categoryId: 7 });
  let isAvailable = true;
  const baseUrl = await startGateway(t, port, (response) => {
    if (isAvailable) return false;
    const headers = { "retry-after": "300", "x-request-id": "r" };
    return response.writeHead(503, headers).end('{"code":"unavailable","message":"Not now.","status":503}');
  });
  const client = createClient({ baseUrl, key });
  const ids: bigint[] = [];
  for (let n = 0; n < 3; n++) for await (const { id } of client.pets({ limit: 1 })) ids.push(id);
  t.equal(ids.length, 45, "45 pages, although the limit allows 20 calls at once");

  const read: bigint[] = [];
  const readAll = async (cursor?: string) => {
    for await (const { id } of client.pets({ limit: 5, ...(cursor && { cursor }) })) {
      isAvailable = read.push(id) !== 5;
    }
  };
  const error = await readAll().catch((error) => error);
  t.match(error, {
    name: "PetStoreError",
    code: "unavailable",
    status: 503,
    requestId: "r",
    response: { status: 503 },
    details: undefined,
  });
  t.equal(error.failure.retryAfter, 300);
  t.equal(error.headers.get("retry-after"), "300");
  isAvailable = true;
  await readAll(error.cursor);
  t.same(
    read,
    Array.from({ length: 15 }, (_, index) => BigInt(index + 1)),
  );
});

t.test("Sends the headers of the caller in each form that fetch accepts", async (t) => {
  const { origin, key } = shared;
  for (const headers of [new Headers({ traceparent: "00-x" }), [["traceparent", "00-x"]], { traceparent: "00-x" }]) {
    const sent: Request[] = [];
    const send: typeof fetch = (request, init) => {
      sent.push(request as Request);
      return fetch(request, init);
    };
    await createClient({ baseUrl: `${origin}/v1`, key, headers: headers as Headers, fetch: send }).GET("/pets");
    t.equal(sent[0]?.headers.get("traceparent"), "00-x");
  }
});

t.test("Uses the caller's fetch and headers, and stops with the client's signal", async (t) => {
  const { origin, key } = shared;
  const sent: Request[] = [];
  const controller = new AbortController();
  const client = createClient({
    baseUrl: `${origin}/v1`,
    key,
    headers: { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" },
    fetch: (request, init) => {
      sent.push(request as Request);
      return fetch(request, init);
    },
    signal: controller.signal,
  });
  t.equal((await client.GET("/pets")).response.status, 200);
  t.match(sent[0]?.headers.get("traceparent"), /^00-4bf9/);
  t.equal(sent[0]?.headers.get("authorization"), `Bearer ${key}`);
  await Array.fromAsync(client.pets());
  t.equal(new URL(sent[1]?.url as string).search, "?limit=100", "the largest pages");
  controller.abort();
  t.match((await client.GET("/pets")).error, { code: "unreachable", message: /abort/ });
  t.equal(sent.length, 3, "and does not retry");
});

t.test("Throws a TypeError that does not show the value if an option is invalid", async (t) => {
  const valid = { baseUrl: "http://localhost/v1", key: "psk_" };
  const addresses = ["", "/v1", "petstore.example/v1", "ftp://petstore.example/v1", "http://localhost", undefined];
  for (const baseUrl of [...addresses, "http://localhost/v1?a=1", "http://me:secret@localhost/v1"])
    t.throws(() => createClient({ ...valid, baseUrl: baseUrl as string }), {
      name: "TypeError",
      message: "baseUrl must be an http or https URL without user, query or fragment that ends with /v1",
    });
  for (const key of ["", "psk_secret\n", "psk_ secret", undefined])
    t.throws(() => createClient({ ...valid, key: key as string }), {
      message: "key must be an API key, such as psk_…",
    });
  for (const timeout of [0, -1, 1.5, "500", Number.NaN, Number.POSITIVE_INFINITY])
    t.throws(() => createClient({ ...valid, timeout: timeout as number }), {
      message: "timeout must be a positive integer of milliseconds below 2^31",
    });
  for (const maxRetries of [-1, 1.5, Number.NaN])
    t.throws(() => createClient({ ...valid, maxRetries }), {
      message: "maxRetries must be an integer that is not negative",
    });
  for (const [name, value] of [
    ["bad name", "x"],
    ["traceparent", "secret\0"],
    ["traceparent", undefined as unknown as string],
  ] as const)
    t.throws(() => createClient({ ...valid, headers: { [name]: value } }), {
      message: "headers must have valid names and values",
    });
  for (const headers of [null, [["traceparent", undefined]], new Map([["traceparent", null]])])
    t.throws(() => createClient({ ...valid, headers: headers as unknown as Headers }), {
      message: "headers must have valid names and values",
    });
  for (const [name, rule] of [
    ["signal", "an AbortSignal"],
    ["fetch", "a function"],
    ["onDeprecation", "a function"],
  ] as const)
    t.throws(() => createClient({ ...valid, [name]: 5 }), { message: `${name} must be ${rule}` });
  t.ok(createClient({ ...valid, baseUrl: "https://gateway.example/shop/v1/" }));
});

t.test("Returns a 304 without data and without an error, and accepts undefined as the options of a call", async (t) => {
  const { origin, key } = shared;
  const client = createClient({ baseUrl: `${origin}/v1`, key });
  const first = await client.GET("/pets", undefined);
  t.ok(Array.isArray(first.data));
  const headers = { "if-none-match": first.response.headers.get("etag") };
  const second = await client.GET("/pets", { headers });
  t.match([second.response.status, second.data, second.error], [304, undefined, undefined]);
});

t.test("Parses and serializes JSON with exact integers, whatever its texts contain", async (t) => {
  const map = {
    schemas: { Node: { properties: { id: { exact: true }, nested: { items: { schemas: ["Node"] } } } } },
    operations: {},
  };
  const parse = (text: string) => parseExactJson(text, { schemas: ["Node"] }, map);
  const text = exactJson({ id: 2n ** 63n - 1n, name: "int64:1", n: [1, 1.5, -2e3] });
  t.equal(text, '{"id":9223372036854775807,"name":"int64:1","n":[1,1.5,-2000]}');
  const names = ['a "1": 2', "\\", '\\"7', "int64:x:5", "9223372036854775807"];
  for (const name of names) {
    const parsed = parse(JSON.stringify({ id: 7, name, other: 7, nested: [{ id: -8 }] }));
    t.same(parsed, { id: 7n, name, other: 7, nested: [{ id: -8n }] });
  }
  t.same(parse('{"id":1.5,"x":1e3,"y":-0,"z":12345678901234567890}'), {
    id: 1.5,
    x: 1000,
    y: -0,
    z: 12345678901234567000,
  });
  t.equal(parse("7"), 7);
  for (const wrong of ["", "{", "01", "[1,]", "{'id':1}"]) t.throws(() => parse(wrong), SyntaxError);
});

t.test("An error names the invalid parts of the request", async (t) => {
  const { origin, key } = await start(t);
  const client = createClient({ baseUrl: `${origin}/v1`, key });
  const error = await (async () => {
    for await (const _ of client.pets({ limit: 101 })) t.fail();
  })().catch((error) => error);
  t.match(error, { code: "invalid_parameter", details: [{ location: "query", name: "limit" }] });
});
