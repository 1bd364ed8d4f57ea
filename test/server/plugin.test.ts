// The plugin of an existing app: its keys and rate limits, and its options.
import { readFileSync } from "node:fs";
import Fastify from "fastify";
import t from "tap";
import { parse } from "yaml";
import { openApi } from "../../src/index.ts";
import { generateKey } from "../../src/operate/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { pluginOptions } from "../../src/server/plugin.ts";
import { documentOf } from "../support/document-server.ts";

const note = "content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } }";
const document = parse(
  documentOf(
    `  /notes:
    post: { operationId: add, security: [{ token: [write] }], requestBody: { ${note} }, responses: { 201: { description: x, ${note} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    get: { operationId: get, security: [], responses: { 200: { description: x, ${note} } } }
`,
    `components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  schemas: { Note: { type: object, properties: { id: { type: integer, format: int64, readOnly: true } } } }
`,
  ),
);

for (const edge of [false, true])
  t.test(`Accepts the keys of the store and others, with rate limits, in an existing app, edge: ${edge}`, async (t) => {
    const app = Fastify();
    t.teardown(() => app.close());
    app.get("/own", async () => "own");
    const resources = openStore("sqlite::memory:");
    await app.register(openApi, {
      prefix: "/api",
      document,
      resources,
      edge,
      apiKeys: true,
      staticKeys: [{ key: "one" }, { key: "reader", scopes: ["read"] }],
      rateLimit: { count: 2, seconds: 60 },
      rateLimitFailed: { count: 1, seconds: 60 },
    });
    await app.ready();
    const { key, hash } = generateKey();
    await resources.store.keys.create("ada", hash);
    const add = (token?: string) =>
      app.inject({
        method: "POST",
        url: "/api/notes",
        headers: { host: "localhost", ...(token && { authorization: `Bearer ${token}` }) },
        payload: {},
      });
    t.match(await add(), { statusCode: 401, headers: { "www-authenticate": 'Bearer realm="Test"' } });
    for (const [token, statusCode] of [
      ["none", 401],
      ["none", 429],
      ["reader", 403],
      [key, 201],
      ["one", 201],
      ["one", 201],
      ["one", 429],
      [key, 201],
    ] as const)
      t.match(await add(token), { statusCode }, token === key ? "of the store" : token);
    t.match((await add(key)).headers, { "retry-after": /\d+/, ratelimit: /^"calls";r=0;/ });
    t.equal((await app.inject({ url: "/api/notes/1", headers: { host: "localhost" } })).statusCode, 200);
    t.equal((await app.inject({ url: "/own", headers: { host: "localhost" } })).payload, "own");
  });

t.test(
  "An unknown option is an error that names the nearest one, and one without effect names what it needs",
  async (t) => {
    for (const [options, message] of [
      [{ metrics: true }, "The plugin openApi has no option `metrics`."],
      [{ handler: {} }, "The plugin openApi has no option `handler`: did you mean `handlers`?"],
      [{ apiKeys: true }, "The option `apiKeys` needs `resources` with a store of keys."],
      [
        { rateLimit: "2/60s" as never },
        "The option `rateLimit` must have a count and seconds, such as { count: 100, seconds: 60 }.",
      ],
      [{ audience: "a" }, "The option `audience` needs `issuer`, whose tokens it is for."],
      [{ edge: { orgins: [] } }, "The option `edge` has no option `orgins`: did you mean `origins`?"],
    ] as const)
      await t.rejects(async () => Fastify().register(openApi, { document, mock: true, ...options } as never), {
        message,
      });
  },
);

t.test("docs/server/options.md lists its options", async (t) => {
  const page = readFileSync("docs/server/options.md", "utf8");
  const [, shared = ""] = /## Options of createServer and openApi\n(.*?)\n## /s.exec(page) ?? [];
  const rows = [...shared.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell]) => cell?.split(", ") ?? []);
  t.same([...rows.map((name) => name.slice(1, -1)), "edge"].sort(), [...pluginOptions].sort());
});
