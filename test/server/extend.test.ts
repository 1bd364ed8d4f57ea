// What an application has beside its document: hooks, plugins and routes.
import Fastify, { type FastifyInstance } from "fastify";
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer, openApi } from "../../src/index.ts";
import { documentOf } from "../support/document-server.ts";

const logger = pino({ level: "silent" });
const document = parse(
  documentOf(
    `  /a:
    get:
      operationId: a
      deprecated: true
      x-deprecated-since: 2026-01-01
      security: [{ key: [] }]
      responses: { 200: { description: x, content: { application/json: { schema: { type: string } } } } }
    post:
      operationId: b
      requestBody: { content: { application/json: { schema: { type: array } } } }
      responses: { 204: { description: x } }
`,
    "components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Api-Key } } }",
  ),
);
const handlers = { a: async () => ({ status: 200, body: "x".repeat(5_000) }), b: async () => ({ status: 204 }) };
const security = { key: async () => ({}) };
const key = { "x-api-key": "k" };

t.test("createServer takes hooks, plugins and routes of the application, behind its limits", async (t) => {
  const order: string[] = [];
  const app = await createServer({
    document,
    handlers,
    logger,
    security: {
      key: async () => {
        order.push("check");
        return {};
      },
    },
    extend: async (app) => {
      app.addHook("onRequest", async (request, reply) => {
        order.push(`hook ${request.routeOptions.config.operation?.id} ${reply.hasHeader("x-request-id")}`);
        if (request.headers["x-blocked"]) throw Object.assign(new Error("Not from here."), { statusCode: 451 });
      });
      app.addHook("onResponse", async (_, { statusCode }) => void order.push(`response ${statusCode}`));
      await app.register(async (scope) => void scope.get("/health", async () => ({ ok: true })));
      app.post("/echo", async ({ body }) => ({ body }));
      app.get("/checked", { schema: { querystring: { type: "object", required: ["q"] } } }, async () => "ok");
      app.get("/broken", async () => {
        throw new Error("a bug");
      });
    },
  });
  t.match(await app.inject({ url: "/a", headers: key }), { statusCode: 200 });
  t.same(order, ["hook a true", "check", "response 200"]);
  const blocked = await app.inject({ url: "/a", headers: { ...key, "x-blocked": "1" } });
  t.match(blocked.json(), { status: 451, code: "unavailable_for_legal_reasons", message: "Not from here." });
  const health = await app.inject("/health");
  t.match(health, { statusCode: 200, headers: { "x-content-type-options": "nosniff", "x-request-id": /-/ } });
  const echo = { method: "POST", url: "/echo", payload: { n: 1 } } as const;
  t.match((await app.inject(echo)).json(), { body: { n: 1 } }, "with the parsers of Fastify");
  const invalid = { method: "POST", url: "/a", payload: { n: 1 } } as const;
  t.match((await app.inject(invalid)).json(), { code: "invalid_body" }, "and the document with its own");
  t.match((await app.inject("/checked")).json(), {
    status: 400,
    code: "bad_request",
    message: /required property 'q'/,
  });
  t.match((await app.inject("/broken")).json(), { status: 500, code: "internal_error" });
  t.match((await app.inject("/nothing")).json(), { status: 404, code: "path_not_found" });
  await t.rejects(
    createServer({ document, handlers, security, logger, extend: (app) => void app.get("/a", async () => 1) }),
    { message: /already declared/ },
  );
});

t.test("A preHandler hook of the application sees the values of a request, and why it is invalid", async (t) => {
  const seen: unknown[] = [];
  const extend = (app: FastifyInstance) =>
    app.addHook("preHandler", async ({ params, query, body, validationError }) => {
      seen.push({ params, query, body, problem: validationError?.message });
    });
  const app = await createServer({ document, handlers, security, logger, extend });
  await app.inject({ method: "POST", url: "/a", payload: [1] });
  await app.inject({ method: "POST", url: "/a?b=1", payload: {} });
  t.match(seen, [
    { params: {}, query: {}, body: [1], problem: undefined },
    { problem: /^The body must be an array\. The request has the unknown query parameter 'b'/ },
  ]);
});

async function startPlugin(t: Test, options: object, prepare: (app: FastifyInstance) => unknown = () => undefined) {
  const app = Fastify({ logger: false });
  t.teardown(() => app.close());
  app.get("/own", async () => "own");
  await prepare(app);
  await app.register(openApi, { document, handlers, security, ...options } as never);
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  return { app, origin };
}

for (const prefix of ["", "/api"])
  t.test(`An existing app can have the edge for the routes of the document, with the prefix '${prefix}'`, async (t) => {
    const origins = ["https://app.example"];
    const { app, origin } = await startPlugin(t, { prefix, edge: { origins, maxConnections: 50 } });
    const headers = { ...key, origin: origins[0] as string };
    const response = await fetch(`${origin}${prefix}/a`, { headers: { ...headers, "accept-encoding": "gzip" } });
    t.match(Object.fromEntries(response.headers), {
      "access-control-allow-origin": "https://app.example",
      "access-control-expose-headers":
        "Deprecation, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id",
      "content-encoding": "gzip",
      "x-content-type-options": "nosniff",
      "x-request-id": /./,
    });
    await response.text();
    const preflight = await fetch(`${origin}${prefix}/a`, {
      method: "OPTIONS",
      headers: { origin: origins[0] as string, "access-control-request-method": "GET" },
    });
    t.equal(preflight.status, 204);
    t.match(preflight.headers.get("access-control-allow-headers"), /X-Api-Key/, "the header of the scheme");
    const options = await fetch(`${origin}${prefix}/a`, { method: "OPTIONS" });
    t.equal(options.status, 405);
    t.match(options.headers.get("allow"), /^GET, HEAD, POST$/);
    t.equal((await fetch(`${origin}${prefix}/nothing`)).status, 404);
    const own = await fetch(`${origin}/own`);
    t.equal(await own.text(), "own");
    t.equal(own.headers.get("x-content-type-options"), null, "the routes of the app are as they were");
    t.equal(app.server.requestTimeout, 30_000);
    const malformed = await sendRaw(app, "nonsense\r\n\r\n");
    t.match(malformed, /^HTTP\/1\.1 400 .*"code":"malformed_request"/s);
  });

t.test("The edge is registered once for each server", async (t) => {
  await t.rejects(
    startPlugin(t, { edge: true }, (app) =>
      app.register(openApi, { document, handlers, security, prefix: "/other", edge: true } as never),
    ),
    { message: "The server has an edge already. Set `edge` once for each app." },
  );
});

t.test("Without the edge, an error names the id of its request, and a wildcard for OPTIONS is no method", async (t) => {
  const failing = { ...handlers, a: async () => Promise.reject(new Error("x")) };
  const { origin } = await startPlugin(t, { handlers: failing, prefix: "/api" }, (app) =>
    app.options("*", async () => ""),
  );
  const response = await fetch(`${origin}/api/a`, { headers: key });
  t.match(await response.text(), /under the X-Request-Id of this response/);
  t.match(response.headers.get("x-request-id"), /./);
  t.equal((await fetch(`${origin}/api/nothing`)).status, 404);
  t.equal((await fetch(`${origin}/api/a`, { method: "PUT" })).headers.get("allow"), "GET, HEAD, POST");
});

t.test("A preflight of createServer allows the header of a key, and exposes what the server sets", async (t) => {
  const app = await createServer({ document, handlers, security, logger, origins: ["*"] });
  const preflight = { origin: "https://a.example", "access-control-request-method": "GET" };
  const { headers } = await app.inject({ method: "OPTIONS", url: "/a", headers: preflight });
  t.match(headers["access-control-allow-headers"], /X-Api-Key/);
  t.match(headers["access-control-expose-headers"], /Deprecation.*Sunset.*X-Request-Id/);
});

async function sendRaw(app: FastifyInstance, text: string): Promise<string> {
  const { connect } = await import("node:net");
  const { text: read } = await import("node:stream/consumers");
  return read(connect((app.server.address() as { port: number }).port, "127.0.0.1").end(text));
}

t.test(
  "An error of a route of the application with an unusual code or status is logged, and sent as any other",
  async (t) => {
    const errors: unknown[] = [];
    const reasons: Record<string, unknown> = {
      timeout: new DOMException("late", "TimeoutError"), // its code is 23
      number: Object.assign(new Error("SECRET"), { code: 5 }),
      status: { statusCode: 404 },
      text: Object.assign(new Error("SECRET"), { statusCode: "404" }),
    };
    const app = await createServer({
      document: parse(documentOf("  /a: { get: { responses: { 200: { description: x } } } }")),
      mock: true,
      logger: pino({ level: "silent" }),
      onError: (error) => errors.push(error),
      extend: (app) => {
        for (const [name, reason] of Object.entries(reasons))
          app.get(`/${name}`, async () => {
            throw reason;
          });
      },
    });
    for (const name of Object.keys(reasons)) {
      const { statusCode, body } = await app.inject({ url: `/${name}`, headers: { host: "x" } });
      t.match({ statusCode, ...JSON.parse(body) }, { statusCode: 500, code: "internal_error" }, name);
      t.notMatch(body, "SECRET");
    }
    t.equal(errors.length, 4);
  },
);
