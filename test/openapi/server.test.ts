// The public API: a server of a document, and the same as a plugin of an existing app.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fastify from "fastify";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, HttpError, openApi, problemDetails } from "../../src/index.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { libraryText } from "../support/library.ts";

const logger = pino({ level: "silent" });
const paths = `  /greetings/{name}:
    get:
      operationId: greet
      parameters: [{ name: name, in: path, required: true, schema: { type: string, maxLength: 5 } }]
      responses:
        200: { description: x, content: { application/json: { schema: { type: string, maxLength: 9 } } } }
`;
const text = documentOf(paths, "servers: [{ url: /v1 }]");
const greet = async ({ params }: { params: unknown }) => {
  return { status: 200, body: `Hi ${(params as { name: string }).name}` };
};
const handlers = { greet };
const host = { host: "x" };

t.test("Serves a document from a path, a file URL or a parsed object", async (t) => {
  const file = join(folder(t), "greetings.yaml");
  writeFileSync(file, text);
  for (const document of [file, pathToFileURL(file), parse(text)]) {
    const app = await createServer({ document, handlers, logger });
    t.match(await app.inject({ url: "/v1/greetings/Ada", headers: host }), { statusCode: 200, payload: '"Hi Ada"' });
    t.same(JSON.parse((await app.inject({ url: "/openapi.json", headers: host })).payload), parse(text));
    t.match(await app.inject({ url: "/docs/", headers: host }), { statusCode: 200, payload: /swagger/ });
    const missing = await app.inject({ url: "/v1/nothing", headers: host });
    t.match(missing, { statusCode: 404, headers: { link: /service-desc/ } });
  }
});

t.test("Serves a document in JSON as it is written, and no documentation if it is turned off", async (t) => {
  const json = JSON.stringify(parse(text), null, 3);
  const file = join(folder(t), "greetings.json");
  writeFileSync(file, json);
  const app = await createServer({ document: file, handlers, logger });
  t.equal((await app.inject({ url: "/openapi.json", headers: host })).payload, json);
  const bare = await createServer({ document: parse(text), handlers, logger, docs: false });
  for (const url of ["/openapi.json", "/docs/"])
    t.match(await bare.inject({ url, headers: host }), { statusCode: 404 });
  t.equal((await bare.inject({ url: "/x", headers: host })).headers.link, undefined);
});

t.test("Calls the handler of a HEAD operation beside a GET of the same path", async (t) => {
  const operation = (id: string) =>
    `{ operationId: ${id}, responses: { 200: { description: x }, 204: { description: x } } }`;
  const both = { read: async () => ({ status: 200 }), probe: async () => ({ status: 204 }) };
  const parameter = (name: string) => `parameters: [{ name: ${name}, in: path, required: true, schema: {} }]`;
  for (const paths of [
    `  /x:\n    get: ${operation("read")}\n    head: ${operation("probe")}\n`,
    `  /{a}:\n    ${parameter("a")}\n    get: ${operation("read")}\n  /{b}:\n    ${parameter("b")}\n    head: ${operation("probe")}\n`,
  ]) {
    const app = await createServer({ document: parse(documentOf(paths)), handlers: both, logger });
    const send = async (method: "GET" | "HEAD") => (await app.inject({ method, url: "/x", headers: host })).statusCode;
    t.same([await send("GET"), await send("HEAD")], [200, 204]);
  }
});

t.test("Rejects docs: true if an operation has a path of the documentation", async (t) => {
  const create = (path: string, options: { docs?: boolean } = {}) => {
    const paths = `  ${path}:\n    get: { operationId: page, responses: { 204: { description: x } } }`;
    return createServer({ document: parse(documentOf(paths)), mock: true, logger, ...options });
  };
  await t.rejects(create("/docs/json", { docs: true }), {
    message: "The operation page has the path /docs/json, at which `docs` serves the documentation.",
  });
  for (const [path, status] of [
    ["/docs/json", 404],
    ["/docs/{page}", 200],
    ["/docs/report", 200],
  ] as const) {
    const app = await create(path);
    t.match(await app.inject({ url: path.replace("{page}", "1"), headers: host }), { statusCode: 204 });
    t.match(await app.inject({ url: "/docs/", headers: host }), { statusCode: status }, path);
  }
});

t.test("Composes the HTTP edge: limits, security headers, errors, CORS", async (t) => {
  const options = { maxConnections: 5, trustProxy: ["127.0.0.1"], identify: async () => ({ client: "me" }) };
  const app = await createServer({
    document: parse(text),
    handlers,
    origins: ["https://a.example"],
    logger: pino({ level: "silent" }),
    ...options,
  });
  const get = (url: string, method: "GET" | "POST" = "GET") =>
    app.inject({ method, url, headers: { ...host, origin: "https://a.example" } });
  t.match((await get("/v1/greetings/Ada")).headers, {
    "x-content-type-options": "nosniff",
    "x-request-id": /./,
    "access-control-allow-origin": "https://a.example",
  });
  t.match(await get("/v1/greetings/Adalbert"), { statusCode: 400, payload: /'name' must have at most 5/ });
  t.match(await get("/v1/greetings/Ada", "POST"), { statusCode: 405, headers: { allow: "GET, HEAD" } });
  t.match(await get("/v1/greetings/Ada?x=1"), { statusCode: 400, payload: /unknown query parameter 'x'/ });
});

t.test("Logs to standard output by default", async (t) => {
  const app = await createServer({ document: parse(text), handlers });
  t.equal(app.log.level, "info");
});

t.test("Serves over TLS", async (t) => {
  const { generate } = await import("selfsigned");
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }]);
  const tls = { cert: Buffer.from(cert), key: Buffer.from(key) };
  const app = await createServer({ document: parse(text), handlers, logger, tls });
  t.match((await app.inject({ url: "/docs/", headers: host })).headers["strict-transport-security"], /max-age/);
});

t.test("Ignores unknown query parameters if it is asked to", async (t) => {
  const app = await createServer({ document: parse(text), handlers, logger, ignoreUnknownQuery: true });
  t.match(await app.inject({ url: "/v1/greetings/Ada?x=1", headers: host }), { statusCode: 200 });
});

t.test("Gives the context to each handler, and the operationId to the call", async (t) => {
  const seen: unknown[] = [];
  const record = async (call: object, context: unknown) => {
    seen.push(call, context);
    return { status: 200, body: "x" };
  };
  const app = await createServer({ document: parse(text), handlers: { greet: record }, context: { db: 1 }, logger });
  await app.inject({ url: "/v1/greetings/Ada", headers: host });
  const call = { operationId: "greet", params: { name: "Ada" }, query: {}, cookies: {}, body: undefined };
  t.match(seen, [call, { db: 1 }]);
});

t.test("Formats errors as problem details, or with a function", async (t) => {
  const problems = await createServer({ document: parse(text), handlers, logger, formatError: problemDetails });
  const response = await problems.inject({ url: "/v1/greetings/Adalbert", headers: host });
  t.match(response.headers["content-type"], /^application\/problem\+json/);
  t.same(response.json(), {
    title: "Bad Request",
    status: 400,
    detail: "The path parameter 'name' must have at most 5 characters.",
    code: "invalid_parameter",
    details: [{ location: "path", name: "name", message: "The path parameter 'name' must have at most 5 characters." }],
  });
  const formatError = ({ status }: { status: number }) => ({ error: status });
  const own = await createServer({ document: parse(text), handlers, logger, formatError });
  t.same((await own.inject({ url: "/nothing", headers: host })).json(), { error: 404 });
});

t.test("Validates responses, but not in production", async (t) => {
  const tooLong = async () => ({ status: 200, body: "Hello, world" });
  const { NODE_ENV = "" } = process.env;
  t.teardown(() => Object.assign(process.env, { NODE_ENV }));
  for (const [environment, validateResponses, statusCode] of [
    ["test", undefined, 500],
    ["production", undefined, 200],
    ["production", true, 500],
    ["test", false, 200],
  ] as const) {
    process.env.NODE_ENV = environment;
    const options = { document: parse(text), handlers: { greet: tooLong }, logger, validateResponses };
    const app = await createServer(options);
    const response = await app.inject({ url: "/v1/greetings/Ada", headers: host });
    t.equal(response.statusCode, statusCode, `${environment}, validateResponses: ${validateResponses}`);
  }
});

t.test("Responds with 500 to a handler that returns nothing, and logs its name", async (t) => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const app = await createServer({
    document: parse(text),
    handlers: { greet: async () => undefined as never },
    logger: log,
  });
  t.equal((await app.inject({ url: "/v1/greetings/Ada", headers: host })).statusCode, 500);
  t.match(lines.join(""), "The handler of greet returned no response.");
});

t.test("Swagger UI can get tokens from the URLs of the document", async (t) => {
  const flows = `{ password: { tokenUrl: "https://a.example/token", scopes: {} }, clientCredentials: { tokenUrl: /token, refreshUrl: "https://b.example/token", scopes: {} } }`;
  const components = `components: { securitySchemes: { oauth: { type: oauth2, flows: ${flows} } } }`;
  const app = await createServer({ document: parse(documentOf(paths, components)), handlers, logger });
  const { headers } = await app.inject({ url: "/docs/", headers: host });
  t.match(headers["content-security-policy"], "connect-src 'self' https://a.example https://b.example");
});

t.test("Refuses a part of the document that it can't enforce, unless strict is false", async (t) => {
  const document = parse(text.replace("maxLength: 5", "maxLenght: 5"));
  await t.rejects(createServer({ document, handlers, logger }), { message: /unknown keyword "maxLenght"/ });
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const app = await createServer({ document, handlers, logger: log, strict: false });
  const response = await app.inject({ url: "/v1/greetings/Adalbert", headers: host });
  t.match(response, { statusCode: 500 }, "the response is too long");
  t.match(JSON.parse(lines[0] as string), {
    msg: /^document error: .*maxLenght/,
    rule: "misspelled:maxLenght",
    count: 1,
    places: { length: 1 },
  });
  await t.rejects(createServer({ document: parse(text), logger }), {
    message:
      /operation greet has no handler\. Add one to `handlers`, or set `mock`\. The command openapi-server generate --handlers writes/,
  });
  const security = { bearerr: async () => true };
  await t.rejects(createServer({ document: parse(text), handlers, logger, security }), {
    message: "The security check bearerr has no security scheme in the document.",
  });
});

t.test("Is a plugin of an existing app, whose own routes keep their errors and bodies", async (t) => {
  const app = fastify();
  app.post("/own", async ({ body }) => body);
  await app.register(openApi, {
    document: parse(libraryText),
    mock: true,
    security: {
      librarian: async (token) => {
        if (token === "blocked") throw new HttpError("insufficient_scope", "Blocked.");
        return token === "shelf" ? token : undefined;
      },
    },
  });
  await app.ready();
  const own = { method: "POST", url: "/own", headers: { "content-type": "application/json" } } as const;
  t.match(await app.inject({ ...own, payload: '{"a":1}' }), { statusCode: 200, payload: '{"a":1}' });
  t.match((await app.inject({ ...own, payload: "{" })).json(), { error: "Bad Request", statusCode: 400 });
  const books = "/city-library/v2/books";
  t.match(await app.inject(`${books}?limit=0`), { statusCode: 400, payload: /'limit' must be at least 1/ });
  t.match(await app.inject(`${books}?limit=1`), { statusCode: 200, payload: /title/ });
  for (const [token, statusCode] of [
    ["wrong", 401],
    ["blocked", 403],
    ["shelf", 201],
  ] as const) {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const response = await app.inject({ method: "POST", url: books, headers, payload: { title: "x", author: "y" } });
    t.equal(response.statusCode, statusCode, token);
  }
  t.match(await app.inject("/docs/"), { statusCode: 200 });
  t.match(await app.inject("/openapi.json"), { statusCode: 200 });
});

t.test("As a plugin with a prefix, all of its paths and links begin with it", async (t) => {
  const deprecated = text.replace(
    "operationId: greet",
    "operationId: greet\n      deprecated: true\n      x-deprecated-since: 2026-01-01\n      x-successor: greet",
  );
  const app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  const document = parse(
    deprecated.replace(
      "schema: { type: string, maxLength: 5 }",
      "style: label, schema: { type: array, items: { type: string } }",
    ),
  );
  await app.register(openApi, {
    document,
    prefix: "/api",
    handlers: { greet: async ({ params }: { params: unknown }) => ({ status: 200, body: JSON.stringify(params) }) },
    validateResponses: false,
  });
  for (const url of ["/api/v1/greetings/.Ada,%2CEve", "/api/v1/greetings/.Ada,%2CEve/"]) {
    const response = await app.inject({ url, headers: host });
    t.match(response, { statusCode: 200, payload: JSON.stringify('{"name":["Ada",",Eve"]}') }, url);
    t.match(response.headers.link, '</api/docs#/default/greet>; rel="deprecation"');
    t.match(response.headers.link, '</api/v1/greetings/{name}>; rel="successor-version"');
  }
  const failure = await app.inject({ url: "/api/v1/greetings/.Ada?x=1", headers: host });
  t.match(failure, { statusCode: 400, headers: { link: /<\/api\/openapi\.json>; rel="service-desc"/ } });
  t.match(await app.inject({ url: "/api/openapi.json", headers: host }), { statusCode: 200 });
  for (const url of ["/api/docs", "/api/docs/"])
    t.match(await app.inject({ url, headers: host }), { statusCode: 200, payload: /swagger/ });
  const page = await app.inject({ url: "/api/docs", headers: host });
  t.match((await app.inject({ url: "/api/nothing", headers: host })).json(), { code: "path_not_found" });
  const wrong = await app.inject({ method: "POST", url: "/api/v1/greetings/.Ada", headers: host });
  t.match(wrong, { statusCode: 405, headers: { allow: "GET, HEAD" } });
  t.match(
    (await app.inject({ url: "/nothing", headers: host })).json(),
    { error: "Not Found" },
    "outside of the prefix",
  );
  for (const [, file] of page.payload.matchAll(/(?:src|href)="([^"]+)"/g))
    t.match(
      await app.inject({ url: new URL(file as string, "http://x/api/docs").pathname, headers: host }),
      { statusCode: 200 },
      `${file}`,
    );
  t.match((await app.inject({ url: "/api/docs/json", headers: host })).json(), { servers: [{ url: "/api/v1" }] });
});
