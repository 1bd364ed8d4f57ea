// The paths of a mock: those of each value that the variables of a server can have.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer, type UntypedHandler } from "../../../src/index.ts";
import { readDocument } from "../../../src/openapi/index.ts";
import { documentOf } from "../../support/document-server.ts";

const ok = (id: string, rest = "") => `{ operationId: ${id}${rest}, responses: { 204: { description: x } } }`;

async function serve(t: Test, servers: string, paths: string, mock = true) {
  const document = parse(documentOf(paths, `servers: ${servers}`));
  const handlers: Record<string, UntypedHandler> = mock ? {} : { ping: async () => ({ status: 204 }) };
  const app = await createServer({ document, handlers, mock, docs: false, logger: pino({ level: "silent" }) });
  t.teardown(() => app.close());
  return async (url: string, method = "GET") => (await app.inject({ method: method as "GET", url })).statusCode;
}

const versions = "{ version: { default: v1, enum: [v1, v2, v3/beta] } }";
const ping = `  /ping: { get: ${ok("ping")} }\n`;

t.test("Serves each value of a variable in the path of the first server", async (t) => {
  const call = await serve(
    t,
    `[{ url: "https://{region}.example/api/{version}/", variables: { region: { default: us, enum: [us, eu] }, ${versions.slice(2, -2)} } }, { url: /legacy }]`,
    `${ping}  /books/{id}: { get: ${ok("getBook", ", parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]")}, head: ${ok("headBook", ", parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]")} }
  /jobs/{id}:run: { post: ${ok("run", ", parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]")} }
  /items?new=true: { get: ${ok("newItems", ", parameters: [{ name: a, in: query, required: true, schema: {} }]")} }
  /items: { get: ${ok("items")} }\n`,
  );
  for (const version of ["v1", "v2", "v3/beta"]) {
    t.equal(await call(`/api/${version}/ping`), 204, version);
    t.equal(await call(`/api/${version}/books/5`), 204);
    t.equal(await call(`/api/${version}/books/x`), 400);
    t.equal(await call(`/api/${version}/books/x`, "HEAD"), 400);
    t.equal(await call(`/api/${version}/jobs/5:run`, "POST"), 204);
    t.equal(await call(`/api/${version}/jobs/5%3Arun`, "POST"), 404);
    t.equal(await call(`/api/${version}/items?new=true`), 400, "the variant requires a");
    t.equal(await call(`/api/${version}/items`), 204);
    t.equal(await call(`/api/${version}/ping`, "POST"), 405);
  }
  for (const path of ["/api/v4/ping", "/legacy/ping", "/ping"]) t.equal(await call(path), 404, path);
});

t.test("A path of the document precedes those of other values", async (t) => {
  const call = await serve(
    t,
    '[{ url: "/{base}", variables: { base: { default: "", enum: ["", v1] } } }]',
    `${ping}  /v1/ping: { get: ${ok("old", ", parameters: [{ name: a, in: query, required: true, schema: {} }]")} }\n`,
  );
  t.same([await call("/ping"), await call("/v1/ping"), await call("/v1/v1/ping")], [204, 400, 400]);
});

t.test("The servers of a path and of an operation have variables of their own", async (t) => {
  const call = await serve(
    t,
    "[{ url: /a }]",
    `  /ping: { servers: [{ url: "/{v}", variables: { v: { default: b, enum: [b, c] } } }], get: ${ok("ping")} }\n`,
  );
  t.same([await call("/a/ping"), await call("/b/ping"), await call("/c/ping")], [404, 204, 204]);
});

t.test("A variable without a list of values, and those beyond 100 paths, stay at their defaults", async (t) => {
  const many = JSON.stringify(Array.from({ length: 60 }, (_, index) => `m${index}`));
  const call = await serve(
    t,
    `[{ url: "/{a}/{b}/{c}", variables: { a: { default: m0, enum: ${many} }, b: { default: m0, enum: ${many} }, c: { default: free } } }]`,
    ping,
  );
  t.same([await call("/m0/m0/free/ping"), await call("/m59/m0/free/ping")], [204, 204]);
  t.same([await call("/m0/m1/free/ping"), await call("/m0/m0/other/ping")], [404, 404]);
});

t.test("Without mock, only the defaults are served, and check says so", async (t) => {
  const servers = `[{ url: "/{version}", variables: ${versions} }]`;
  const call = await serve(t, servers, ping, false);
  t.same([await call("/v1/ping"), await call("/v2/ping")], [204, 404]);
  const { findings } = await readDocument(parse(documentOf(ping, `servers: ${servers}`)));
  t.match(findings.list()[0], {
    level: "note",
    message: /begin with \/v1, as in the first server, and not with \/v2, which only mock and serve do$/,
  });
});
