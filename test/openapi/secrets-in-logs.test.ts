// No credential reaches a log or a response, whatever its scheme, its place and the outcome of the request are.
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { pino } from "pino";
import t, { type Test } from "tap";
import { createServer, openApi } from "../../src/index.ts";

const secret = "s3cret-V4lue";
const password = "p4ss-W0rd";
const basic = Buffer.from(`user:${password}`).toString("base64");
const forms = [secret, secret.toUpperCase(), encodeURIComponent(secret), password, basic, basic.toUpperCase()];

const schemes = {
  bearer: { type: "http", scheme: "bearer" },
  basic: { type: "http", scheme: "basic" },
  custom: { type: "http", scheme: "x-token" },
  header: { type: "apiKey", in: "header", name: "X-Key" },
  query: { type: "apiKey", in: "query", name: "key" },
  cookie: { type: "apiKey", in: "cookie", name: "session" },
  oauth: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "https://x", scopes: { read: "r" } } } },
  oidc: { type: "openIdConnect", openIdConnectUrl: "https://x" },
};
type Scheme = keyof typeof schemes;

/** The query and the header of a request with the credential of a scheme. */
const credentials: Record<Scheme, { query?: string; header?: string }> = {
  bearer: { header: `Authorization: Bearer ${secret}` },
  basic: { header: `Authorization: Basic ${basic}` },
  custom: { header: `Authorization: X-Token ${secret}` },
  header: { header: `X-Key: ${secret}` },
  query: { query: `key=${secret}` },
  cookie: { header: `Cookie: session=${secret}` },
  oauth: { header: `Authorization: Bearer ${secret}` },
  oidc: { header: `Authorization: Bearer ${secret}` },
};

const content = { "application/json": { schema: { type: "object", properties: { n: { type: "integer" } } } } };
const parameters = [{ name: "mode", in: "query", schema: { type: "string" } }];
const responses = { "200": { description: "Done", content } };
const document = {
  openapi: "3.1.0",
  info: { title: "T", version: "1" },
  components: { securitySchemes: schemes },
  paths: Object.fromEntries(
    Object.keys(schemes).map((name) => {
      const security = [{ [name]: /^o/.test(name) ? ["read"] : [] }];
      const operation = (id: string, more = {}) => ({ operationId: id, security, parameters, responses, ...more });
      return [
        `/${name}`,
        { get: operation(`get-${name}`), post: operation(`post-${name}`, { requestBody: { content } }) },
      ];
    }),
  ),
};

// Accepts, rejects or fails, as the header X-Outcome says.
const outcomes: Record<string, () => unknown> = {
  accepted: () => ({ scopes: ["read"] }),
  rejected: () => undefined,
  unscoped: () => ({ scopes: [] }),
  failed: () => Promise.reject(new Error("the database is gone")),
};
const check = async (_: unknown, { request }: { request: { headers: Record<string, unknown> } }) =>
  outcomes[String(request.headers["x-outcome"])]?.();
const custom = { type: "http x-token", authenticate: (request: never) => check(undefined, { request }) };
const handler = async ({ query }: { query: { mode?: string } }) => {
  if (query.mode === "throw") throw Object.assign(new Error("a bug"), { code: "FST_ERR_CTP_X" });
  return { status: 200, body: query.mode === "invalid" ? { n: "x" } : { n: 1 } };
};
const options = {
  document,
  handlers: Object.fromEntries(
    Object.keys(schemes).flatMap((name) => [
      [`get-${name}`, handler],
      [`post-${name}`, handler],
    ]),
  ),
  security: { ...Object.fromEntries(Object.keys(schemes).map((name) => [name, check])), custom },
} as never;

/** The request line, the headers and the body of each kind of request. */
const requests: Record<string, (path: string, query: string, header: string) => string> = {
  ...Object.fromEntries(
    Object.keys(outcomes).map((outcome) => [
      outcome,
      (path, query, header) => `GET ${path}?${query} HTTP/1.1\r\nHost: x\r\nX-Outcome: ${outcome}\r\n${header}\r\n\r\n`,
    ]),
  ),
  ...Object.fromEntries(
    ["throw", "invalid"].map((mode) => [
      mode,
      (path, query, header) =>
        `GET ${path}?mode=${mode}&${query} HTTP/1.1\r\nHost: x\r\nX-Outcome: accepted\r\n${header}\r\n\r\n`,
    ]),
  ),
  "unknown path": (path, query, header) => `GET ${path}/x?${query} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`,
  "path that is no URL": (path, query, header) => `GET ${path}%zz?${query} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`,
  "unsupported method": (path, query, header) => `DELETE ${path}?${query} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`,
  "unknown parameter": (path, query, header) =>
    `GET ${path}?x=1&${query} HTTP/1.1\r\nHost: x\r\nX-Outcome: accepted\r\n${header}\r\n\r\n`,
  "invalid body": (path, query, header) =>
    `POST ${path}?${query} HTTP/1.1\r\nHost: x\r\nX-Outcome: accepted\r\nContent-Type: application/json\r\nContent-Length: 1\r\n${header}\r\n\r\n{`,
  "other media type": (path, query, header) =>
    `POST ${path}?${query} HTTP/1.1\r\nHost: x\r\nX-Outcome: accepted\r\nContent-Type: a/b\r\nContent-Length: 1\r\n${header}\r\n\r\n{`,
  "invalid host": (path, query, header) => `GET ${path}?${query} HTTP/1.1\r\nHost: ${secret}@x\r\n${header}\r\n\r\n`,
  "absolute URL": (path, query, header) =>
    `GET http://user:${secret}@x${path}?${query} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`,
  "malformed header": (path, query, header) => `GET ${path}?${query} HTTP/1.1\r\nHost: x\r\n${header}\r\nA b\r\n\r\n`,
  "malformed version": (path, query, header) => `GET ${path}?${query} HTTP/9.9\r\nHost: x\r\n${header}\r\n\r\n`,
  "headers too large": (path, query, header) =>
    `GET ${path}?${query} HTTP/1.1\r\nHost: x\r\n${header}\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
};

/** Sends each request with the credential of each scheme, and searches the responses and the log for it. */
async function search(t: Test, app: FastifyInstance, prefix: string, logs: readonly string[], skipped: string[] = []) {
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.teardown(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  let statuses = "";
  for (const [scheme, { query = "", header = "X-Other: 1" }] of Object.entries(credentials))
    for (const [kind, create] of Object.entries(requests)) {
      if (skipped.includes(kind)) continue;
      const before = logs.length;
      const socket = connect(port, "127.0.0.1");
      socket.end(create(`${prefix}/${scheme}`, query, header));
      const response = await text(socket);
      await new Promise(setImmediate);
      statuses += ` ${response.slice(9, 12)}`;
      for (const [place, output] of [
        ["response", response],
        ["log", logs.slice(before).join("")],
      ] as const)
        t.notOk(
          forms.find((form) => output.includes(form)),
          `${scheme}, ${kind}: ${place}`,
        );
    }
  for (const status of ["200", "400", "401", "403", "404", "405", "415", "500"])
    if (skipped.length === 0 || !/40[45]/.test(status))
      t.match(statuses, status, `some responses have the status ${status}`);
  t.match(logs.join(""), /"url":"[^"]*\/query"/, "requests are logged");
  t.match(logs.join(""), /the database is gone/, "failures are logged");
}

function createLog(serializers = {}): { logs: string[]; logger: FastifyBaseLogger } {
  const logs: string[] = [];
  const stream = { write: (line: string) => void logs.push(line) };
  return { logs, logger: pino({ level: "trace", serializers }, stream) as FastifyBaseLogger };
}

t.test("The log of createServer has no credential", async (t) => {
  const { logs, logger } = createLog();
  await search(t, await createServer({ ...(options as object), logger } as never), "", logs);
});

t.test("The log of createServer has no credential with a serializer of its own", async (t) => {
  const req = ({
    raw,
    url,
    originalUrl,
    query,
  }: {
    raw: { url: string };
    url: string;
    originalUrl: string;
    query: object;
  }) => ({
    url,
    more: [raw.url, originalUrl, query],
  });
  const res = ({ request }: { request: { url: string; raw: { url: string } } }) => [request.url, request.raw.url];
  const { logs, logger } = createLog({ req, res });
  await search(t, await createServer({ ...(options as object), logger } as never), "", logs);
});

t.test("The log of an existing app has no credential for the requests of the plugin", async (t) => {
  const { logs, logger } = createLog();
  const app = fastify({ loggerInstance: logger });
  await app.register(openApi, { ...(options as object), prefix: "/api" } as never);
  // The app logs what no route of the plugin handles.
  await search(t, app, "/api", logs, ["unknown path", "path that is no URL", "unsupported method"]);
});

t.test("The plugin serves in an app without a logger", async (t) => {
  const app = fastify();
  t.teardown(() => app.close());
  await app.register(openApi, { ...(options as object), prefix: "/api" } as never);
  const { statusCode } = await app.inject({ url: "/api/query?key=x", headers: { "x-outcome": "accepted" } });
  t.equal(statusCode, 200);
});
