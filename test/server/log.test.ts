// What the lines of the log say about a request and its failure, in each kind of server.
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { type Logger, pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, openApi } from "../../src/index.ts";
import { documentOf } from "../support/document-server.ts";

const document = parse(
  documentOf(
    `  /things/{id}:
    get:
      operationId: getThing
      security: [{ key: [] }]
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { 200: { description: x, content: { application/json: { schema: { type: integer } } } } }
`,
    "servers: [{ url: /v1 }]\ncomponents: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }",
  ),
);

// The caller of the key is the rest of its text, as JSON.
const options = {
  document,
  security: { key: async (key: unknown) => JSON.parse(`${key}`.slice("secret:".length)) },
  handlers: {
    getThing: async ({ params, request }: { params: unknown; request: { log: FastifyBaseLogger } }) => {
      request.log.info("from the handler");
      if ((params as { id: string }).id === "7") throw new Error("a bug");
      return { status: 200, body: "no integer" };
    },
  },
  validateResponses: "log",
} as never as { document: object; logger?: Logger };

const servers: Record<string, (logger: Logger) => Promise<FastifyInstance>> = {
  createServer: (logger) => createServer({ ...options, logger }),
  "createServer with metrics": (logger) => createServer({ ...options, logger, metrics: true }),
  "the plugin": async (logger) => {
    const app = fastify({ loggerInstance: logger as FastifyBaseLogger });
    await app.register(openApi, options);
    return app;
  },
};

for (const [name, createApp] of Object.entries(servers))
  t.test(`Each line about a request names its operation, and failures the caller: ${name}`, async (t) => {
    const lines: string[] = [];
    const app = await createApp(pino({}, { write: (line: string) => void lines.push(line) }));
    t.teardown(() => app.close());
    const send = async (path: string, caller: unknown) => {
      lines.length = 0;
      const headers = { host: "x", "x-key": `secret:${JSON.stringify(caller)}` };
      await app.inject({ url: path, headers });
      return lines.map((line) => JSON.parse(line));
    };
    const place = { operation: "getThing", method: "GET", route: "/v1/things/{id}" };
    const key = "Ann";
    const failed = await send("/v1/things/7", { name: key, id: 5 });
    t.ok(failed.length >= 3);
    for (const line of failed) t.match(line, place);
    t.match(failed.find(({ msg }) => msg === "request failed")?.key, key);
    if (name !== "the plugin") t.equal(failed.at(-1).key, key, "the line of the request");
    const names = [...lines.join("").matchAll(/"(method|operation|route|key)":/g)];
    t.equal(new Set(names.map(([, name]) => name)).size, 4);
    for (const line of lines) t.equal(line.split('"operation":').length, 2, line);
    const unlike = "the response does not match the document";
    for (const [caller, shown] of [
      [{ id: 5 }, "5"],
      [{ name: {}, sub: "x" }, undefined],
      ["secret", undefined],
    ])
      t.match((await send("/v1/things/8", caller)).find(({ msg }) => msg === unlike) ?? {}, { ...place, key: shown });
    t.notMatch(lines.join(""), /secret/);
    const other = await send("/v1/nothing", { name: key });
    t.notMatch(JSON.stringify(other), /"(operation|route)"/);
    t.match(JSON.stringify(other), /"method":"GET"/);
  });
