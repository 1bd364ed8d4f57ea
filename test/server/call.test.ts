// What a handler, a check of credentials and a format of errors know of the request.
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, type ErrorFormat, type FailureContext } from "../../src/index.ts";
import { documentOf } from "../support/document-server.ts";

const document = parse(
  documentOf(
    `  /things/{id}:
    post:
      operationId: echo
      security: [{ key: [] }]
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
        - { name: q, in: query, schema: { type: string } }
      requestBody: { content: { "*/*": { schema: { type: string } } } }
      responses:
        200: { description: x, content: { application/json: { schema: {} } } }
        default: { description: x, content: { application/json: { schema: {} } } }
`,
    "components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }",
  ),
);

async function start(options: object = {}) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const checked: unknown[] = [];
  const app = await createServer({
    document,
    logger,
    handlers: {
      echo: async ({ request, operation }) => {
        const { id, address, method, url, origin, mediaType, headers, log, raw } = request;
        log.info("from the handler");
        const isSame = raw.headers === headers;
        return {
          status: 200,
          body: { id, address, method, url, origin, mediaType, headers, isSame, path: operation.path },
        };
      },
    },
    security: {
      key: async (key, { request, operation }) => {
        checked.push([request.id, request.url, request.headers["x-key"], operation.id]);
        return key === "k";
      },
    },
    ...options,
  });
  const send = (url: string, headers: object = {}) =>
    app.inject({
      method: "POST",
      url,
      payload: "x",
      headers: { host: "api.example", "x-key": "k", "content-type": "image/png", ...headers },
    });
  return { app, lines, checked, send };
}

t.test("A handler and a check of credentials know their request", async (t) => {
  const { lines, checked, send } = await start();
  const response = await send("/things/5?q=a%20b", { "content-type": "Image/PNG; a=b", "x-own": "1" });
  const id = response.headers["x-request-id"];
  t.match(response.json(), {
    id,
    address: "127.0.0.1",
    method: "POST",
    url: "/things/5?q=a%20b",
    origin: "http://api.example",
    mediaType: "image/png",
    headers: { "content-type": "Image/PNG; a=b", "x-own": "1", "x-key": "k" },
    isSame: true,
    path: "/things/{id}",
  });
  t.match(
    lines.filter(({ reqId }) => reqId === id).map(({ msg }) => msg),
    ["incoming request", "from the handler", "request completed"],
  );
  t.same(checked, [[id, "/things/5?q=a%20b", "k", "echo"]]);
});

t.test("The id of a request is that of a trusted proxy, and no one else's", async (t) => {
  const own = /^[\da-f]{8}-[\da-f-]{27}$/;
  const trusting = await start({ trustProxy: ["127.0.0.0/8"] });
  const forwarded = { "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https", "x-forwarded-host": "a.example" };
  t.match((await trusting.send("/things/5", { ...forwarded, "x-request-id": "Root=1-67;a:b" })).json(), {
    id: "Root=1-67;a:b",
    address: "192.0.2.1",
    origin: "https://a.example",
  });
  for (const id of ["a b", "", "é", "x".repeat(129)])
    t.match((await trusting.send("/things/5", { "x-request-id": id })).headers["x-request-id"], own, id);
  const other = await start({ trustProxy: ["192.0.2.0/24"] });
  t.match((await other.send("/things/5", { "x-request-id": "forged" })).headers["x-request-id"], own);
  const none = await start();
  t.match((await none.send("/things/5", { "x-request-id": "forged" })).headers["x-request-id"], own);
});

t.test("A format of errors knows the request, its id and its operation", async (t) => {
  const contexts: FailureContext[] = [];
  const formatError: ErrorFormat = ({ status }, context) => {
    contexts.push(context);
    return { status, requestId: context.requestId, path: context.request?.url, operation: context.operation?.id };
  };
  const { app, send } = await start({ formatError });
  t.teardown(() => app.close());
  const invalid = await send("/things/x?q=1");
  const id = invalid.headers["x-request-id"] as string;
  t.same(invalid.json(), { status: 400, requestId: id, path: "/things/x?q=1", operation: "echo" });
  t.match((await send("/nothing")).json(), { status: 404, requestId: /-/, path: "/nothing", operation: undefined });
  t.match((await send("/things/5", { "x-key": "no" })).json(), { status: 401, operation: "echo" });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  const malformed = await readText(connect(port, "127.0.0.1").end("nonsense\r\n\r\n"));
  const [, sentId] = /x-request-id: (\S+)/.exec(malformed) ?? [];
  t.match(malformed, `{"status":400,"requestId":"${sentId}"}`, "also of what is not HTTP");
});
