// The typed client against the service. It is imported from source, or from the module that CLIENT_MODULE names:
// test/tooling/package.test.ts runs this file with the client of the installed package.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { buffer } from "node:stream/consumers";
import t, { type Test } from "tap";
import { readDocument } from "../src/pets/document.ts";
import { listPets } from "./support/pets.ts";
import { start } from "./support/service.ts";

const clientModule = new URL(process.env.CLIENT_MODULE ?? "../openapi/client/client.ts", import.meta.url);
const { createClient, exactJson }: typeof import("../openapi/client/client.ts") = await import(clientModule.href);
const { retry }: typeof import("../openapi/client/retry.ts") = await import(
  new URL(`retry${extname(clientModule.pathname)}`, clientModule).href
);

// Shared by the tests that need no pets of their own.
const shared = await start(t);

t.test("Retries a create with the same idempotency key if the connection breaks, and creates one pet", async (t) => {
  const { port, key, store } = await start(t);
  let lost = 0;
  const baseUrl = await startGateway(t, port, (response, upstream) => {
    // The service has created the pet, but the client receives no response.
    if (response.req.method !== "POST" || lost === 2) return false;
    lost += 1;
    upstream.destroy();
    return response.destroy();
  });
  const { data } = await createClient({ baseUrl, key }).POST("/pets", { body: { name: "Rex", categoryId: 7n } });
  t.same(data, { id: 1n, name: "Rex", categoryId: 7n });
  t.equal(lost, 2);
  t.equal((await listPets(store, { limit: 10 })).pets.length, 1);
});

t.test("Retries 503 up to three times if it has a Retry-After of at most 30 s", async (t) => {
  const { port, key } = shared;
  let [requests, rejections] = [0, 0];
  let headers: Record<string, string> = {};
  const baseUrl = await startGateway(t, port, (response) => {
    requests += 1;
    if (requests > rejections) return false;
    response.writeHead(503, { "content-type": "application/json", ...headers });
    return response.end('{"code":"unavailable","message":"Not now.","status":503}');
  });
  const client = createClient({ baseUrl, key });
  const list = async (sent: Record<string, string>, rejected: number) => {
    [headers, rejections, requests] = [sent, rejected, 0];
    const { data, error } = await client.GET("/pets");
    return { data, code: error?.code, requests };
  };
  const served = { data: [], code: undefined, requests: 3 };
  t.same(await list({ "retry-after": "0" }, 2), served);
  t.same(await list({ "retry-after": new Date().toUTCString() }, 2), served, "a date");
  t.match(await list({ "retry-after": "0" }, 99), { code: "unavailable", requests: 4 }, "at most three retries");
  t.match(await list({ "retry-after": "31" }, 99), { code: "unavailable", requests: 1 }, "no retry after over 30 s");
  for (const text of [undefined, "-5", "1.5", "soon", "soon GMT"])
    t.match(
      await list(text ? { "retry-after": text } : {}, 99),
      { code: "unavailable", requests: 1 },
      `no retry if Retry-After is ${text}`,
    );
});

t.test("Retries only idempotent methods, waits for Retry-After, and stops when aborted", async (t) => {
  const { port, key } = shared;
  const rejection = { status: 503, after: "0" };
  let requests = 0;
  const baseUrl = await startGateway(t, port, (response) => {
    requests += 1;
    return response.writeHead(rejection.status, { "retry-after": rejection.after }).end();
  });
  const send = async (method: string) => {
    requests = 0;
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await retry(new Request(`${baseUrl}/pets`, { method, headers }), 60_000, wait);
    return { status, requests, waits };
  };
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
    t.match(await send(method), { status: 503, requests: 4 }, `${method} is retried`);
  for (const method of ["POST", "PATCH"])
    t.match(await send(method), { status: 503, requests: 1 }, `${method} is not retried`);
  rejection.status = 500;
  t.match(await send("GET"), { status: 500, requests: 1 }, "500 is not retried");
  Object.assign(rejection, { status: 503, after: "20" });
  t.same((await send("GET")).waits, [20_000, 20_000, 20_000], "each wait is that of Retry-After");

  const request = new Request(`${baseUrl}/pets`, { signal: AbortSignal.timeout(200) });
  await t.rejects(retry(request, 60_000), { name: "TimeoutError" }, "an abort ends the wait of 20 s");
});

t.test("Returns every failure as an error with a code, a message and a status", async (t) => {
  const { origin, port, key } = shared;
  const client = createClient({ baseUrl: `${origin}/v1`, key, warn: () => {} });
  const missing = await client.GET("/pets/{petId}", { params: { path: { petId: 42n } } });
  t.same(missing.error, { code: "pet_not_found", message: "No pet has the id 42.", status: 404 });
  t.equal(missing.response.status, 404);
  const unauthorized = createClient({ baseUrl: `${origin}/v1`, key: "psk_wrong" });
  t.match((await unauthorized.GET("/pets")).error, { code: "unauthorized", status: 401 });
  await t.rejects(Array.fromAsync(unauthorized.pets()), {
    name: "PetStoreError",
    failure: { code: "unauthorized", status: 401 },
  });
  const aborted = { code: "unreachable", message: /abort/ };
  t.match((await client.GET("/pets", { signal: AbortSignal.abort() })).error, aborted);
  t.equal((await client.GET("/pets")).response.url, `${origin}/v1/pets`);

  const unreachable = createClient({ baseUrl: "http://127.0.0.1:1/v1", key });
  t.match(await unreachable.GET("/pets"), {
    error: { code: "unreachable", message: /The Pet Store did not respond: .*(ECONNREFUSED|bad port)/, status: 0 },
    response: { ok: false, status: 0 },
  });

  const page = { status: 502, body: "<h1>Bad gateway</h1>" };
  const gateway = await startGateway(t, port, (response) => response.writeHead(page.status).end(page.body));
  const behind = createClient({ baseUrl: gateway, key });
  t.match((await behind.GET("/pets")).error, { code: "unreadable", message: /Bad gateway/, status: 502 });
  Object.assign(page, { status: 200, body: "<h1>Sign in</h1>" });
  t.match((await behind.GET("/pets")).error, {
    code: "unreadable",
    message: /Can't read .* 200: .*Sign in/,
    status: 200,
  });
});

t.test("Returns a timeout or an abort as unreachable, and does not retry what the caller aborted", async (t) => {
  const { port, key } = shared;
  let requests = 0;
  let controller = new AbortController();
  const baseUrl = await startGateway(t, port, () => {
    requests += 1;
    controller.abort();
    return true; // never responds
  });
  const withTimeout = createClient({ baseUrl, key, timeout: 50 });
  t.match((await withTimeout.POST("/pets", { body: { name: "", categoryId: 1n } })).error, {
    code: "unreachable",
    message: /timeout/,
  });
  const client = createClient({ baseUrl, key });
  const aborted = { code: "unreachable", message: /abort/ };
  [requests, controller] = [0, new AbortController()];
  t.match((await client.GET("/pets", { signal: controller.signal })).error, aborted);
  t.equal(requests, 1, "an aborted request is not retried");
  controller = new AbortController();
  await t.rejects(Array.fromAsync(client.pets({}, { signal: controller.signal })), {
    name: "PetStoreError",
    failure: aborted,
  });
});

t.test("Follows the links of a list, and throws if a link or a page is invalid", async (t) => {
  const { port, key, create } = await start(t);
  for (const name of ["Rex", "Tom", "Max"]) await create({ name, categoryId: 7 });
  const page = { status: 200, body: undefined as string | undefined, link: (real: string) => real };
  const baseUrl = await startGateway(t, port, (response, { headers }) => {
    if (headers.link) headers.link = page.link(String(headers.link));
    if (page.body === undefined) return false;
    return response.writeHead(page.status, headers.link ? { link: headers.link } : {}).end(page.body);
  });
  const client = createClient({ baseUrl, key });
  const names = async () => (await Array.fromAsync(client.pets({ limit: 1 }))).map(({ name }) => name);
  for (const [name, link] of Object.entries<(real: string) => string>({
    "an unchanged link": (real) => real,
    "a token": (real) => real.replace('rel="next"', "REL=next"),
    "several relations": (real) => real.replace('"next"', '"prev NEXT"'),
    "other parameters": (real) => real.replace("; rel", '; title="a, <b>; rel=c"; rel'),
    "other links": (real) => `</x?cursor=no>; rel="next-archive", ${real}, </y>; rel=last`,
    "another origin": (real) => real.replace("</v1", "<https://elsewhere.example/v1"),
  })) {
    page.link = link;
    t.same(await names(), ["Rex", "Tom", "Max"], name);
  }
  const cursors = ["a", "b", "a"];
  page.link = () => `</v1/pets?limit=1&cursor=${cursors.shift()}>; rel=next`;
  page.body = "[]";
  await t.rejects(names(), { name: "PetStoreError", failure: { message: /next page/ } }, "a circle of links");
  page.body = undefined;
  for (const link of ["<http://[>; rel=next", "<>; rel=next", "</v1/pets?limit=1>; rel=next"]) {
    page.link = () => link;
    await t.rejects(names(), { name: "PetStoreError", failure: { code: "unreadable", message: /next page/ } }, link);
  }
  for (const [status, body] of [
    [200, ""],
    [200, "null"],
    [200, '{"ok":true}'],
    [204, ""],
  ] as const) {
    Object.assign(page, { status, body });
    await t.rejects(names(), { name: "PetStoreError", failure: { code: "unreadable" } }, `${status} ${body}`);
  }
});

t.test("Respects the caller's idempotency key, parseAs, warn and BigInt.prototype.toJSON", async (t) => {
  const { origin, key } = await start(t);
  const warn = () => {
    throw new Error("boom");
  };
  const client = createClient({ baseUrl: `${origin}/v1/`, key, warn });
  const create = (name: string) =>
    client.POST("/pets", { body: { name, categoryId: 7n }, params: { header: { "Idempotency-Key": "mine" } } });
  t.same((await create("Rex")).data, { id: 1n, name: "Rex", categoryId: 7n });
  t.match((await create("Tom")).error, { code: "idempotency_key_reused" }, "the caller's idempotency key is sent");
  const got = await client.GET("/pets/{petId}", { params: { path: { petId: 1n } } });
  t.match(got.data, { name: "Rex" }, "a warn that throws does not fail the call");

  const text = await client.GET("/pets", { parseAs: "text" });
  t.equal(text.data as unknown, '[{"id":1,"name":"Rex","categoryId":7}]', "parseAs: text returns the text");

  Object.assign(BigInt.prototype, { toJSON: String });
  t.teardown(() => Reflect.deleteProperty(BigInt.prototype, "toJSON"));
  t.equal(exactJson({ id: 2n ** 63n - 1n, all: [1n] }), '{"id":9223372036854775807,"all":[1]}', "toJSON of BigInt");
});

t.test("Warns once about each deprecated operation, with its sunset and its successor", async (t) => {
  const { origin, key } = shared;
  const { content, basePath } = await readDocument();
  const sunset = content.paths?.["/pets/{petId}"]?.get?.["x-sunset"] as string;
  const warnings: string[] = [];
  const client = createClient({ baseUrl: `${origin}/v1`, key, warn: (message) => warnings.push(message) });
  for (const petId of [1n, 1n, 42n]) await client.GET("/pets/{petId}", { params: { path: { petId } } });
  await client.GET("/pets");
  const date = new Date(sunset).toUTCString();
  t.same(warnings, [
    `The Pet Store operation GET /pets/{petId} is deprecated. It will be removed on ${date}. Use ${basePath}/pets instead.`,
  ]);
});

t.test("Throws a TypeError that does not show the value if an option is invalid", async (t) => {
  const valid = { baseUrl: "http://localhost/v1", key: "psk_" };
  const addresses = ["", "/v1", "petstore.example/v1", "ftp://petstore.example/v1", "http://localhost", undefined];
  for (const baseUrl of [...addresses, "http://localhost/v1?a=1", "http://me:secret@localhost/v1"])
    t.throws(() => createClient({ ...valid, baseUrl: baseUrl as string }), {
      name: "TypeError",
      message: "baseUrl must be an http or https URL that ends with /v1",
    });
  for (const key of ["", "psk_secret\n", "psk_ secret", undefined])
    t.throws(() => createClient({ ...valid, key: key as string }), {
      message: "key must be an API key, such as psk_…",
    });
  for (const timeout of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    t.throws(() => createClient({ ...valid, timeout }), {
      message: "timeout must be a positive number of milliseconds below 2^31",
    });
  t.ok(createClient({ ...valid, baseUrl: "https://gateway.example/shop/v1/" }));
});

/**
 * Starts a gateway in front of the service and returns its URL. `intercept` returns true if it has handled the
 * response.
 */
async function startGateway(
  t: Test,
  port: number,
  intercept: (response: ServerResponse, upstream: IncomingMessage) => unknown,
): Promise<string> {
  const gateway = createServer(async (incoming, response) => {
    const { method, url, headers } = incoming;
    const outgoing = request({ host: "127.0.0.1", port, method, path: url, headers });
    outgoing.end(await buffer(incoming));
    const [upstream] = (await once(outgoing, "response")) as [IncomingMessage];
    if (intercept(response, upstream)) return upstream.destroy();
    response.writeHead(upstream.statusCode as number, upstream.headers);
    upstream.pipe(response);
  });
  gateway.listen(0, "127.0.0.1");
  await once(gateway, "listening");
  t.teardown(() => {
    gateway.closeAllConnections();
    gateway.close();
  });
  return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`;
}
