// CORS: the origins, methods and headers that the service allows.
import { Validator } from "@seriousme/openapi-schema-validator";
import t from "tap";
import { parse } from "yaml";
import { documentText } from "../../support/files.ts";
import { type Service, start } from "../../support/service.ts";
import { startTraced } from "../../support/traces.ts";

const origin = "https://app.example";
const callFrom = (service: Service, method: string, path: string, headers: Record<string, string> = {}) =>
  service.call(method, path, { headers: { origin, ...headers } });

interface Operation {
  parameters?: { name: string; in: string }[];
  responses: Record<string, { headers?: Record<string, unknown> }>;
}

/** The methods, request headers and response headers of the document, which CORS must allow. */
function readPromise() {
  const { paths } = new Validator().resolveRefs({ specification: parse(documentText) }) as unknown as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.values(paths).flatMap((path) => Object.entries(path));
  const sorted = (names: string[]) => [...new Set(names)].sort().join(", ");
  const parameters = operations.flatMap(([, { parameters = [] }]) => parameters);
  const responses = operations.flatMap(([, { responses }]) => Object.values(responses));
  return {
    methods: sorted(operations.flatMap(([method]) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]))),
    sent: sorted([
      "Authorization",
      "Content-Type",
      ...(operations.some(([, { responses }]) => "304" in responses) ? ["If-Match", "If-None-Match"] : []),
      ...parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name),
    ]),
    received: sorted(responses.flatMap(({ headers = {} }) => Object.keys(headers))),
  };
}

t.test("CORS is off by default", async (t) => {
  const service = await start(t);
  const preflight = { "access-control-request-method": "POST" };
  for (const response of [
    await callFrom(service, "GET", "/v1/pets"),
    await callFrom(service, "OPTIONS", "/v1/pets", preflight),
    await callFrom(service, "GET", "/v1/nothing"),
  ])
    t.notOk(
      Object.keys(response.headers).some((name) => name.startsWith("access-control-")),
      `${response.status}`,
    );
  t.match(await callFrom(service, "OPTIONS", "/v1/pets", preflight), { status: 405 });
});

t.test("Pages of CORS_ORIGINS may make all calls of the document and read its headers", async (t) => {
  const { methods, sent, received } = readPromise();
  t.match(received, /X-Request-Id/);
  const service = await start(t, { settings: { CORS_ORIGINS: `${origin}, https://other.example` } });
  const preflight = await service.call("OPTIONS", "/v1/pets", {
    key: null,
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,idempotency-key",
    },
  });
  t.match(preflight, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": sent,
      "access-control-max-age": "7200",
      vary: "origin",
    },
  });
  for (const [response, status] of [
    [await callFrom(service, "GET", "/v1/pets"), 200],
    [await callFrom(service, "GET", "/v1/pets", { authorization: "Bearer wrong" }), 401],
    [await callFrom(service, "GET", "/v1/nothing"), 404],
    [await callFrom(service, "OPTIONS", "/v1/pets"), 405],
  ] as const)
    t.match(response, {
      status,
      headers: {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": received,
        "access-control-allow-credentials": undefined,
      },
    });
  const stranger = await callFrom(service, "GET", "/v1/pets", { origin: `${origin}.evil` });
  t.match(stranger.headers, { "access-control-allow-origin": undefined, vary: "origin" });
  t.match(await callFrom(service, "OPTIONS", "/v1/pets", { "access-control-request-method": "POST", origin: "null" }), {
    status: 403,
    body: {
      code: "cross_site_request",
      message: /^Pages of null .*, add their origin to --origin \(CORS_ORIGINS\)\.$/,
    },
  });
  t.match((await service.call("GET", "/v1/pets")).headers, {
    "access-control-allow-origin": undefined,
    vary: "origin",
  });
});

t.test("Pages may send and read the headers of traces if tracing is on", async (t) => {
  const service = await startTraced(t, { settings: { CORS_ORIGINS: origin } });
  const names = /\btraceparent, tracestate\b/;
  const preflight = { "access-control-request-method": "POST" };
  t.match((await callFrom(service, "OPTIONS", "/v1/pets", preflight)).headers, {
    "access-control-allow-headers": names,
    "access-control-expose-headers": names,
  });
});

t.test("The origin localhost is that of all pages of this machine, with any port", async (t) => {
  const service = await start(t, { settings: { CORS_ORIGINS: `localhost,${origin}` } });
  const allowed = async (origin: string) =>
    (await callFrom(service, "GET", "/v1/pets", { origin })).headers["access-control-allow-origin"];
  for (const one of ["http://localhost:5173", "https://localhost", "http://127.0.0.1:8080", "http://[::1]:1", origin])
    t.equal(await allowed(one), one);
  for (const one of ["http://localhost.evil.example", "http://127.0.0.1.evil.example", "null", "capacitor://localhost"])
    t.equal(await allowed(one), undefined, one);
});

t.test("CORS_ORIGINS=* lets pages of any origin call the service", async (t) => {
  const service = await start(t, { settings: { CORS_ORIGINS: "*" } });
  t.match((await callFrom(service, "GET", "/v1/pets")).headers, {
    "access-control-allow-origin": "*",
    vary: undefined,
  });
});
