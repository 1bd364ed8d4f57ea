// API keys by the security schemes of any document: src/operate/keys/authentication.ts.
import type { FastifyInstance, InjectOptions } from "fastify";
import { pino } from "pino";
import t, { type Test } from "tap";
import { parseDocument } from "../../../src/openapi/index.ts";
import { openStore, type ResourceStoreOptions } from "../../../src/resources/index.ts";
import { createServer, type ServerOptions, type UntypedOperations } from "../../../src/server/index.ts";
import { documentOf } from "../../support/document-server.ts";

const none = "responses: { 204: { description: x } }";
const text = documentOf(
  `  /cookie: { get: { operationId: cookie, security: [{ lower: [] }], ${none} } }
  /Cookie: { get: { operationId: Cookie, security: [{ upper: [] }], ${none} } }
  /header: { get: { operationId: header, security: [{ header: [] }], ${none} } }
  /both: { get: { operationId: both, security: [{ header: [], bearer: [] }], ${none} } }
  /either: { get: { operationId: either, security: [{ bearer: [] }, { login: [write] }], ${none} } }
  /readyz: { put: { operationId: putReady, security: [], ${none} }, get: { operationId: getReady, security: [], ${none} } }
  /notes:
    post: { operationId: addNote, security: [{ header: [], bearer: [] }], requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }, responses: { 201: { description: x, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    get: { operationId: getNote, responses: { 200: { description: x, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } } } }
`,
  `components:
  schemas: { Note: { type: object, properties: { id: { type: integer, format: int64, readOnly: true }, text: { type: string } } } }
  securitySchemes:
    lower: { type: apiKey, in: cookie, name: sid }
    upper: { type: apiKey, in: cookie, name: SID }
    header: { type: apiKey, in: header, name: X-Key }
    bearer: { type: http, scheme: bearer }
    login: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://x.example/token", scopes: { write: x } } } }
`,
);
const handler = async () => ({ status: 204 });
const handlers = Object.fromEntries(
  ["cookie", "Cookie", "header", "both", "either", "putReady", "getReady"].map((id) => [id, handler]),
);
const staticKeys = [
  { key: "one", name: "one" },
  { key: "two", name: "two" },
  { key: "reader", name: "reader", scopes: ["read"] },
];

type Options = Partial<ServerOptions<UntypedOperations, unknown, unknown>>;

async function start(t: Test, options: Options = {}, storeOptions: ResourceStoreOptions = {}) {
  const app: FastifyInstance = await createServer({
    document: await parseDocument(text),
    handlers,
    resources: openStore("sqlite::memory:", { ...storeOptions }),
    logger: pino({ level: "silent" }),
    staticKeys,
    report: () => {},
    ...options,
  });
  t.teardown(() => app.close());
  return (url: string, headers: Record<string, string> = {}, rest: InjectOptions = {}) =>
    app.inject({ url, headers: { host: "localhost", ...headers }, ...rest });
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

t.test(
  "A key is accepted only as the scheme of the operation says, and names of cookies are case-sensitive",
  async (t) => {
    const call = await start(t);
    for (const [url, headers, status] of [
      ["/cookie", { cookie: "sid=one" }, 204],
      ["/cookie", { cookie: "SID=one" }, 401],
      ["/Cookie", { cookie: "SID=one" }, 204],
      ["/Cookie", { cookie: "sid=one" }, 401],
      ["/header", { "x-key": "one" }, 204],
      ["/header", bearer("one"), 401],
      ["/header?x-key=one", {}, 401],
      ["/both", bearer("one"), 401],
      ["/both", { "x-key": "one", ...bearer("two") }, 204],
      ["/either", bearer("one"), 204],
      ["/either", bearer("none"), 401],
    ] as const)
      t.equal((await call(url, headers)).statusCode, status, `${url} ${JSON.stringify(headers)}`);
  },
);

t.test("Each key of a request with two counts for the rate limit, and an invalid one counts once", async (t) => {
  const call = await start(t, { rateLimit: { count: 2, seconds: 60 }, rateLimitFailed: { count: 10, seconds: 60 } });
  const both = (key: string) => ({ "x-key": key, ...bearer("two") });
  for (const status of [204, 204, 429]) t.equal((await call("/both", both("one"))).statusCode, status);
  t.equal((await call("/both", both("reader"))).statusCode, 429, "the other key is that of earlier requests");
  t.match((await call("/either", bearer("none"))).headers, { ratelimit: /;r=9;/ });
});

t.test("Idempotency-Keys of a request with two keys belong to both of them together", async (t) => {
  const call = await start(t, { apiKeys: true });
  const add = (key: string) =>
    call(
      "/notes",
      { "x-key": key, ...bearer("two"), "idempotency-key": "k", "content-type": "application/json" },
      { method: "POST", payload: '{"text":"a"}' },
    );
  const first = (await add("one")).json();
  t.same((await add("one")).json(), first);
  t.not((await add("reader")).json().id, first.id);
});

t.test("An operation at /readyz replaces that of the service only, and other sites can't call it", async (t) => {
  const call = await start(t, { health: true, metrics: true, operatorKey: `psk_${"x".repeat(43)}`, allowedHosts: [] });
  t.equal((await call("/readyz")).statusCode, 204, "the operation");
  t.equal((await call("/healthz")).statusCode, 200);
  const foreign = { host: "evil.example", origin: "http://evil.example" };
  t.equal((await call("/readyz", foreign, { method: "PUT" })).statusCode, 421);
  t.match((await call("/readyz", foreign)).json(), { status: 421, message: /add it to the option `allowedHosts`\.$/ });
  t.equal((await call("/healthz", foreign)).statusCode, 200);
  t.equal((await call("/metrics", bearer(`psk_${"x".repeat(43)}`))).statusCode, 200);
});
