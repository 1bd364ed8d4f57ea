// Clients of a document with exact integers: openapi-fetch, and fetch alone.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer as createNodeServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import createClient from "openapi-fetch";
import { pino } from "pino";
import t from "tap";
import { createServer } from "../../../src/index.ts";
import {
  createExactFetch,
  exactJson,
  type IntegerMap,
  parseExactJson,
} from "../../../src/openapi/client/exact-integers.ts";
import { parseDocument } from "../../../src/openapi/index.ts";
import { listIntegers } from "../../../src/openapi/types/integer-map.ts";
import { generateClientModule } from "../../../src/openapi/types/modules.ts";
import { documentOf } from "../../support/document-server.ts";
import { folder } from "../../support/files.ts";

const responseOf = (schema: string) =>
  `{ 200: { description: x, content: { application/json: { schema: ${schema} } } }, 404: { description: x, content: { application/json: { schema: { type: object, properties: { id: { type: integer, format: int64 } } } } } } }`;
const text = documentOf(
  `  /trees/{id}:
    post:
      operationId: echo
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
        - { name: q, in: query, schema: { type: integer, format: int64, default: 5 } }
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Tree" } } } }
      responses: ${responseOf('{ $ref: "#/components/schemas/Tree" }')}
  /trees/mine: { get: { operationId: mine, responses: ${responseOf("{ type: integer, format: int64 }")} } }
  /trees/none: { get: { operationId: none, responses: { 200: { description: x, content: { application/json: { schema: { type: integer } } } }, default: { description: x, content: { application/json: { schema: { type: integer, format: int64 } } } } } } }
  /types: { get: { operationId: types, responses: { 200: { description: x, content: { application/json: { schema: { type: integer, format: int64 } }, text/csv: {}, application/x+json: { schema: { type: array, items: { type: integer, format: int64 } } } } } } } }
  /plain: { get: { operationId: plain, responses: ${responseOf("{ type: object, additionalProperties: { type: integer } }")} } }
`,
  `components:
  schemas:
    Id: { type: integer, format: int64 }
    Tree:
      type: object
      properties:
        id: { $ref: "#/components/schemas/Id" }
        count: { type: integer }
        children: { type: array, items: { $ref: "#/components/schemas/Tree" } }
        byName: { type: object, additionalProperties: { $ref: "#/components/schemas/Id" } }
        either: { oneOf: [{ type: string }, { type: integer, format: int64 }, { type: array, items: { type: integer, format: int64 } }] }
        size: { allOf: [{ type: integer, format: uint64 }] }
        other: { type: object, properties: { id: { type: integer }, name: { type: string } } }
        ids: { type: array, prefixItems: [{ type: integer }, { type: integer, format: int64 }], items: { type: integer, format: int64 } }
`,
);
const large = 2n ** 63n - 1n;
const tree = {
  id: large,
  count: 3,
  children: [{ id: 1n, children: [{ id: -large }] }],
  byName: { __proto__x: 2n, a: large },
  either: [7n, large],
  size: 2n ** 64n - 1n,
  other: { id: 5, name: "integer:1:5 9007199254740993" },
  ids: [4, 5n, 6n],
};

const document = await parseDocument(text);
const integers = listIntegers(document);
let sent: unknown;
const app = await createServer({
  document: document.content,
  logger: pino({ level: "silent" }),
  handlers: {
    echo: async ({ params, query, body }) => {
      sent = { params, query };
      const { id } = params as { id: bigint };
      return id === 0n ? { status: 404, body: { id: large } } : { status: 200, body };
    },
    mine: async () => ({ status: 200, body: large }),
    none: async () => ({ status: 200, body: 5 }),
    types: async () => ({ status: 200, type: "application/x+json", body: [large] }),
    plain: async () => ({ status: 200, body: { a: 1, b: -7 } }),
  },
});
const baseUrl = await app.listen({ port: 0, host: "127.0.0.1" });
t.teardown(() => app.close());

t.test("openapi-fetch sends and receives exact integers", async (t) => {
  // biome-ignore lint/suspicious/noExplicitAny: the module of this document is not generated before the test
  const client = createClient<any>({ baseUrl, fetch: createExactFetch(integers), bodySerializer: exactJson });
  const { data, response } = await client.POST("/trees/{id}", {
    params: { path: { id: large }, query: { q: -large } },
    body: tree,
  });
  t.same(data, tree);
  t.same(sent, { params: { id: large }, query: { q: -large } });
  t.equal(response.url, `${baseUrl}/trees/${large}?q=-${large}`);
  t.equal((await client.GET("/trees/mine", {})).data, large, "a concrete path precedes a template");
  t.same((await client.GET("/plain", {})).data, { a: 1, b: -7 }, "an integer without a format is a number");
  t.same((await client.GET("/trees/none", {})).data, 5, "a path and a status without such an integer are no others");
  t.same((await client.GET("/types", {})).data, [large], "of each media type");
});

t.test("fetch alone reads them with json(), and all else of the response is as it was", async (t) => {
  const exactFetch = createExactFetch(integers);
  const post = (id: bigint) =>
    exactFetch(`${baseUrl}/trees/${id}`, {
      method: "POST",
      body: exactJson(tree),
      headers: { "content-type": "application/json" },
    });
  const response = await post(1n);
  const copy = response.clone();
  const again = copy.clone();
  t.same(await copy.json(), tree);
  t.same(await again.json(), tree);
  t.match(await response.text(), `"id":${large}`);
  t.match(response.headers.get("x-request-id"), /-/);
  t.match(response, { redirected: false, type: "basic" });
  t.equal(response.bodyUsed, true);
  const failed = await post(0n);
  t.equal(failed.status, 404);
  t.same(await failed.json(), { id: large }, "also of a failure");
  const missing = await exactFetch(`${baseUrl}/nothing`);
  t.match(await missing.json(), { code: "path_not_found", status: 404 });
});

t.test("A path is that of its template, behind the path of the server's URL", async (t) => {
  const server = createNodeServer((_, response) =>
    response.setHeader("content-type", "application/json").end(`${large}`),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const isExact = async (template: string, path: string): Promise<boolean> => {
    const exactFetch = createExactFetch({ schemas: {}, operations: { [`GET ${template}`]: { 200: { exact: true } } } });
    return (await (await exactFetch(`http://127.0.0.1:${port}/api/v1${path}`)).json()) === large;
  };
  for (const [template, path] of [
    ["/a/{x}-{y}.{z}", "/a/1-2.3"],
    ["/a/{x}-{y}.{z}", "/a/1--2-.3.4"],
    ["/a/{x}{y}", "/a/12"],
    ["/a/v{x}", "/a/v%20?b=/c"],
    ["/café/{x}?y", "/café/1"],
    ["/{x}/", "/1/"],
    ["/a%20b", "/a b"],
  ] as const)
    t.equal(await isExact(template, path), true, `${template} ${path}`);
  for (const [template, path] of [
    ["/a/{x}-{y}.{z}", "/a/-2.3"],
    ["/a/{x}-{y}.{z}", "/a/1-.3"],
    ["/a/{x}-{y}.{z}", "/a/1-2."],
    ["/a/{x}{y}", "/a/1"],
    ["/a/{x}", "/a/"],
    ["/a/{x}", "/a/1/2"],
    ["/a/b/c/d/{x}", "/d/1"],
  ] as const)
    t.equal(await isExact(template, path), false, `${template} ${path}`);
  t.equal(await isExact("/{a}-{b}-{c}-{d}-{e}-{f}.", `/${"-".repeat(8000)}`), false, "linear");
});

t.test("Only schemas with such integers have places, each by its name", async (t) => {
  t.same(Object.keys(integers.schemas).sort(), ["Id", "Tree"]);
  t.same(integers.operations["GET /plain"], { 200: {}, 404: { properties: { id: { exact: true } } } });
  t.same(integers.operations["POST /trees/{id}"]?.["200"], { schemas: ["Tree"] });
  t.same(integers.schemas.Tree?.properties?.either, { exact: true, items: { exact: true } });
});

t.test("The module of a client has the types and the places", async (t) => {
  const file = join(folder(t), "client.ts");
  const module = await generateClientModule(document);
  writeFileSync(file, module);
  t.same((await import(file)).integers, integers);
  t.match(module, /q\?: bigint;/, "a value with a default is optional");
});

t.test("Each value with exact integers is read as it was written", async (t) => {
  const map: IntegerMap = {
    schemas: { T: { exact: true, items: { schemas: ["T"] }, others: { schemas: ["T"] } } },
    operations: {},
  };
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }),
      fc.string(),
      fc.constant("12345678901234567890"),
      fc.constantFrom(1.5, 1e-7, true, null),
      fc.array(tie("value")),
      fc.dictionary(fc.string(), tie("value")),
    ),
  })).value;
  fc.assert(
    fc.property(value, (written) => {
      const read = parseExactJson(exactJson({ all: [written] }), { schemas: ["T"] }, map);
      return t.same(read, { all: [written] });
    }),
    { numRuns: 300 },
  );
  for (const [text, expected] of [
    ["[9007199254740993.0, 9007199254740993]", [2n ** 53n + 1n, 2n ** 53n + 1n]],
    [`["${"\\u0041".repeat(2_000_000)}", 12345678901234567]`, ["A".repeat(2_000_000), 12345678901234567n]],
  ] as const)
    t.same(parseExactJson(text, { items: { exact: true } }, map), expected);
  const levels = 100_000;
  let inner = parseExactJson(`${"[".repeat(levels)}12345678901234567${"]".repeat(levels)}`, { schemas: ["T"] }, map);
  while (Array.isArray(inner)) inner = inner[0];
  t.equal(inner, 12345678901234567n);
  t.equal(exactJson({ a: { toJSON: () => 5n } }), '{"a":5}');
  for (const wrong of ["", "{", "01", "[1,]"]) t.throws(() => parseExactJson(wrong, {}, map), SyntaxError);
  t.same(
    parseExactJson('{"__proto__":12345678901234567890}', { others: { exact: true } }, map),
    JSON.parse('{"__proto__":0}') &&
      Object.defineProperty({}, "__proto__", { value: 12345678901234567890n, enumerable: true }),
  );
});
