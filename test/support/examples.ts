// Checks the examples of the document: the service accepts each request and returns each response literally.
import { isDeepStrictEqual } from "node:util";
import type { Test } from "tap";
import { parse } from "yaml";
import { UnavailableError } from "../../src/lib/problem.ts";
import { handlers } from "../../src/pets/handlers.ts";
import { findOperation, findParameter } from "./document.ts";
import { documentText } from "./files.ts";
import type { HttpResponse } from "./responses.ts";
import { type Service, start } from "./service.ts";

type Content = { example?: unknown; examples?: Record<string, { value: unknown }> };
type Response = { content?: Record<string, Content> };
type Services = Record<"service" | "faulty" | "limited" | "stopped" | "full" | "slow", Service>;
type Requests = Record<string, () => Promise<HttpResponse>>;

const document = parse(documentText);
const rex = { name: "Rex", categoryId: 7, status: "available" };

/** Sends a request for each example of the document, through Prism if `prism`, and compares the response with it. */
export async function checkExamples(t: Test, { prism = false } = {}): Promise<void> {
  const services = await startServices(t, prism);
  const requests = toRequests(services);
  const operations = new Set(Object.keys(requests).map((name) => name.split(" ")[0]));
  const documented = readExamples(operations);
  const examples = new Map(documented.map(({ name, value }) => [name, value]));
  for (const [name, send] of Object.entries(requests)) {
    t.same((await send()).body, examples.get(name), name);
    examples.delete(name);
  }
  t.same([...examples.keys()], [], "there is a request for each example");

  const bodies = documented.flatMap(({ value }) => [value, ...((value as { details?: unknown[] }).details ?? [])]);
  const { NewPet, ...others } = document.components.schemas;
  for (const json of NewPet.examples)
    t.match(await services.service.call("POST", "/v1/pets", { json }), { status: 201 });
  for (const [name, { examples = [] }] of Object.entries<{ examples?: unknown[] }>(others))
    for (const example of examples)
      t.ok(
        bodies.some((body) => isDeepStrictEqual(body, example)),
        `an example of ${name}`,
      );
  await checkHeaders(t, services);
}

async function startServices(t: Test, prism: boolean): Promise<Services> {
  const service = await start(t, { prism });
  const full = await start(t, { settings: { MAX_RECORDS: "1" } });
  await full.create(rex);
  const fail = async () => {
    throw new Error("a fault");
  };
  const unavailable = async () => {
    throw new UnavailableError("The database is not reachable.");
  };
  return {
    service,
    faulty: await start(t, { handlers: { ...handlers, listPets: fail, getPet: fail } }),
    limited: await start(t, { settings: { RATE_LIMIT: "100/60s" } }),
    stopped: await start(t, {
      store: {
        ...service.store,
        records: (name) => ({ ...service.store.records(name), list: unavailable, find: unavailable }),
      },
    }),
    full,
    slow: await start(t, { overrides: { headersTimeout: 500 } }),
  };
}

/** Returns the request for each example of a response. The order matters, because some requests create pets. */
function toRequests({ service, faulty, limited, stopped, full, slow }: Services): Requests {
  const { call } = service;
  const create = (example: string) => {
    const { value } = findOperation(document, "createPet").requestBody.content["application/json"].examples[example];
    return call("POST", "/v1/pets", { json: value });
  };
  const malformed = async (line: string) => (await service.raw(`${line} HTTP/1.1\r\n\r\n`))[0] as HttpResponse;
  const exceedLimit = async (path: string) => {
    let response = await limited.call("GET", path);
    for (let n = 0; n < 1_000 && response.status !== 429; n++) response = await limited.call("GET", path);
    return response;
  };
  return {
    "listPets 200 none": () => call("GET", "/v1/pets?status=sold"),
    "createPet 201 complete": () => create("complete"),
    "createPet 201 least": () => create("least"),
    "listPets 200 page": () => call("GET", "/v1/pets"),
    "getPet 200 found": () => call("GET", `/v1/pets/${findParameter(document, "getPet", "petId").example}`),
    "listPets 400 invalid_parameter": () => call("GET", "/v1/pets?limit=101&state=sold"),
    "listPets 400 invalid_cursor": () => call("GET", "/v1/pets?cursor=x"),
    "listPets 400 malformed_request": () => malformed("GET /v1/pets"),
    "createPet 400 invalid_body": () => call("POST", "/v1/pets", { json: { name: 5 } }),
    "createPet 400 invalid_parameter": () =>
      call("POST", "/v1/pets", { json: rex, headers: { "idempotency-key": "a,b" } }),
    "createPet 400 malformed_request": () => malformed("POST /v1/pets"),
    "getPet 400 invalid_parameter": () => call("GET", "/v1/pets/rex"),
    "getPet 400 malformed_request": () => malformed("GET /v1/pets/1"),
    "getPet 404 pet_not_found": () => call("GET", "/v1/pets/42"),
    "Unauthorized unauthorized": () => call("GET", "/v1/pets", { key: null }),
    "DeprecatedUnauthorized unauthorized": () => call("GET", "/v1/pets/1", { key: null }),
    "MethodNotAllowed method_not_allowed": () => call("DELETE", "/v1/pets"),
    "PreconditionFailed precondition_failed": () => call("GET", "/v1/pets", { headers: { "if-match": '"x"' } }),
    "DeprecatedPreconditionFailed precondition_failed": () =>
      call("GET", "/v1/pets/1", { headers: { "if-match": '"x"' } }),
    "ContentTooLarge content_too_large": () => call("POST", "/v1/pets", { json: `"${"x".repeat(70_000)}"` }),
    "UnsupportedMediaType unsupported_media_type": () =>
      call("POST", "/v1/pets", { body: "name=Rex", headers: { "content-type": "text/plain" } }),
    "UnprocessableContent idempotency_key_reused": async () => {
      const headers = { "idempotency-key": "one" };
      await call("POST", "/v1/pets", { json: rex, headers });
      return call("POST", "/v1/pets", { json: { ...rex, name: "Tom" }, headers });
    },
    "InternalError internal_error": () => faulty.call("GET", "/v1/pets"),
    "DeprecatedInternalError internal_error": () => faulty.call("GET", "/v1/pets/1"),
    "TooManyRequests too_many_requests": () => exceedLimit("/v1/pets"),
    "DeprecatedTooManyRequests too_many_requests": () => exceedLimit("/v1/pets/1"),
    "Unavailable unavailable": () => stopped.call("GET", "/v1/pets"),
    "DeprecatedUnavailable unavailable": () => stopped.call("GET", "/v1/pets/1"),
    "InsufficientStorage store_full": () => full.call("POST", "/v1/pets", { json: rex }),
    ...readFailures(slow, "/v1/pets", "Failure"),
    ...readFailures(slow, "/v1/pets/1", "DeprecatedFailure"),
  };
}

function readFailures({ raw }: Service, path: string, response: string): Requests {
  const send = async (text: string) => (await raw(text))[0] as HttpResponse;
  return {
    [`${response} request_timeout`]: async () => (await raw(`GET ${path} HTTP/1.1\r\n`, "more"))[0] as HttpResponse,
    [`${response} headers_too_large`]: () =>
      send(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`),
    [`${response} not_implemented`]: () => send(`CREATE ${path} HTTP/1.1\r\nHost: x\r\n\r\n`),
  };
}

/** Reads the examples in the responses of these operations, and in the responses that operations share. */
function readExamples(operations: ReadonlySet<string | undefined>) {
  const read = (name: string, { content = {} }: Response) =>
    Object.values(content).flatMap(({ example, examples = example ? { example: { value: example } } : {} }) =>
      Object.entries(examples).map(([label, { value }]) => ({ name: `${name} ${label}`, value })),
    );
  const own = Object.values<Record<string, { operationId: string; responses: Record<string, Response> }>>(
    document.paths,
  )
    .flatMap((item) => Object.values(item))
    .filter(({ operationId }) => operations.has(operationId))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([, response]) => !("$ref" in response))
        .flatMap(([status, response]) => read(`${operationId} ${status}`, response)),
    );
  const shared = Object.entries<Response>(document.components.responses);
  return [...own, ...shared.flatMap(([name, response]) => read(name, response))];
}

async function checkHeaders(t: Test, { service, stopped }: Services): Promise<void> {
  const { call } = service;
  for (let n = 0; n < 20; n++) await service.create({ name: "Tom", categoryId: 3 });
  const counted = await start(t, { settings: { RATE_LIMIT: "100/24h" } }); // long, so that it gives no request back
  const limited = await start(t, { settings: { RATE_LIMIT: "100/60s" } });
  for (let n = 0; n < 42; n++) await counted.call("GET", "/v1/pets");
  const responses: Record<string, HttpResponse> = {
    RateLimit: await counted.call("GET", "/v1/pets"),
    "RateLimit-Policy": await limited.call("GET", "/v1/pets"),
    Deprecation: await call("GET", "/v1/pets/1"),
    Sunset: await call("GET", "/v1/pets/1"),
    "WWW-Authenticate": await call("GET", "/v1/pets", { key: null }),
    Allow: await call("DELETE", "/v1/pets"),
    "Retry-After": await stopped.call("GET", "/v1/pets"),
    Link: await call("GET", "/v1/pets?limit=20"),
    "X-Request-Id": await call("GET", "/v1/pets"),
    Location: await counted.call("POST", "/v1/pets", { json: rex, headers: { "idempotency-key": "one" } }),
    "Idempotency-Replayed": await counted.call("POST", "/v1/pets", {
      json: rex,
      headers: { "idempotency-key": "one" },
    }),
    ETag: await call("GET", "/v1/pets/1"),
    "Accept-Post": await call("POST", "/v1/pets", { body: "Rex", headers: { "content-type": "text/plain" } }),
  };
  // Replaces the values that differ in each response: cursors, request ids and seconds.
  const normalize = (text: unknown) =>
    String(text).replace(/(?<=cursor=)[\w-]+(?=>)|^[0-9a-f-]{36}$|(?<=;t=)\d+$/, "…");
  for (const [name, { example }] of Object.entries<{ example: unknown }>(document.components.headers))
    t.equal(normalize(responses[name]?.headers[name.toLowerCase()]), normalize(example), `the example of ${name}`);
}
