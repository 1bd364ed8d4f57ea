// The typed client against the service: retries, failures and pages.
import t from "tap";
import { createClient, retry } from "./support/client-module.ts";
import { startGateway } from "./support/gateway.ts";
import { listPets } from "./support/pets.ts";
import { start } from "./support/service.ts";

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

t.test("Retries 503 as often as maxRetries says, if it has a Retry-After of at most 60 s", async (t) => {
  const { port, key } = shared;
  let [requests, rejections] = [0, 0];
  let headers: Record<string, string> = {};
  let status = 503;
  const baseUrl = await startGateway(t, port, (response) => {
    requests += 1;
    if (requests > rejections) return false;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    return response.end('{"code":"unavailable","message":"Not now.","status":503}');
  });
  const client = createClient({ baseUrl, key, maxRetries: 3 });
  const list = async (sent: Record<string, string>, rejected: number) => {
    [headers, rejections, requests] = [sent, rejected, 0];
    const { data, error } = await client.GET("/pets");
    return { data, code: error?.code, requests };
  };
  status = 408;
  t.match(await list({}, 2), { data: [], requests: 3 }, "408 needs no Retry-After");
  t.match(await list({ "retry-after": "61" }, 99), { requests: 1 }, "but the client obeys one");
  status = 503;
  const served = { data: [], code: undefined, requests: 3 };
  t.same(await list({ "retry-after": "0" }, 2), served);
  t.same(await list({ "retry-after": new Date().toUTCString() }, 2), served, "a date");
  t.match(await list({ "retry-after": "0" }, 99), { code: "unavailable", requests: 4 }, "at most three retries");
  t.match(await list({ "retry-after": "61" }, 99), { code: "unavailable", requests: 1 }, "no retry after over 60 s");
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
  const options = { timeout: 60_000, maxRetries: 3, fetch };
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
    const { status } = await retry(new Request(`${baseUrl}/pets`, { method, headers }), { ...options, wait });
    return { status, requests, waits };
  };
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
    t.match(await send(method), { status: 503, requests: 4 }, `${method} is retried`);
  for (const method of ["POST", "PATCH"])
    t.match(await send(method), { status: 503, requests: 1 }, `${method} is not retried`);
  rejection.status = 500;
  t.match(await send("GET"), { status: 500, requests: 1 }, "500 is not retried");
  Object.assign(rejection, { status: 503, after: "20" });
  const { waits } = await send("GET");
  t.equal(waits.length, 3);
  t.ok(
    waits.every((wait, index) => wait >= 20_000 && wait <= Math.min(20_000 + 20_000 * 2 ** index, 60_000)),
    "each wait is at least Retry-After, and at most a minute",
  );
  t.ok(new Set(waits).size > 1, "with jitter");

  const request = new Request(`${baseUrl}/pets`, { signal: AbortSignal.timeout(200) });
  await t.rejects(retry(request, options), { name: "TimeoutError" }, "an abort ends the wait of 20 s");
});

t.test("Returns every failure as an error with a code, a message and a status", async (t) => {
  const { origin, port, key } = shared;
  const client = createClient({ baseUrl: `${origin}/v1`, key, onDeprecation: () => {} });
  const missing = await client.GET("/pets/{petId}", { params: { path: { petId: 42n } } });
  t.match(missing.error, { code: "pet_not_found", message: "No pet has the id 42.", status: 404, requestId: String });
  t.equal(missing.error?.requestId, missing.response.headers.get("x-request-id"));
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

  const unreachable = createClient({ baseUrl: "http://127.0.0.1:1/v1", key, maxRetries: 1 });
  t.match(await unreachable.GET("/pets"), {
    error: { code: "unreachable", message: /The Pet Store did not respond: .*(ECONNREFUSED|bad port)/, status: 0 },
    response: { ok: false, status: 0 },
  });

  const page = { status: 502, body: "<h1>Bad gateway</h1>" };
  const gateway = await startGateway(t, port, (response) =>
    response.writeHead(page.status, { "x-request-id": "gateway" }).end(page.body),
  );
  const behind = createClient({ baseUrl: gateway, key });
  t.match((await behind.GET("/pets")).error, {
    code: "unreadable",
    message: /Bad gateway/,
    status: 502,
    requestId: "gateway",
  });
  Object.assign(page, { status: 502, body: '{"code":"bad_gateway"}' });
  t.match((await behind.GET("/pets")).error, { code: "unreadable", status: 502 }, "not an error of the service");
  Object.assign(page, { status: 200, body: "<h1>Sign in</h1>" });
  t.match((await behind.GET("/pets")).error, {
    code: "unreadable",
    message: /Can't read .* 200: .*Sign in/,
    status: 200,
    requestId: "gateway",
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
  const withTimeout = createClient({ baseUrl, key, timeout: 50, maxRetries: 1 });
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
