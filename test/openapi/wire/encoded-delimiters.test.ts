// Delimiters that a client has encoded with the whole value, as URLSearchParams and encodeURIComponent do.
import t from "tap";
import { documentOf, serve } from "../../support/document-server.ts";

const list = (items: string) => `{ type: array, items: ${items} }`;
const point = "{ type: object, properties: { x: { type: integer }, 'a b': { type: string } } }";
const free = "{ type: string }";

/** Reads one parameter, whose schema is in YAML. Returns its value, or the status if it is refused. */
async function read(schema: string, url: string, declaration = "in: query, explode: false", headers = {}) {
  const location = /in: (\w+)/.exec(declaration)?.[1] as string;
  const path = location === "path" ? "/a/{p}" : "/a";
  const { send, calls, app } = await serve(
    documentOf(`  ${path}:
    get:
      parameters: [{ name: p, ${declaration}, required: ${location === "path"}, schema: ${schema} }]
      responses: { 204: { description: Done } }
`),
  );
  const { status } = await send("GET", url, { headers });
  await app.close();
  const field = { path: "params", query: "query", header: "headers", cookie: "cookies" }[location] as string;
  return status === 204 ? (calls[0]?.[field] as Record<string, unknown>).p : status;
}

t.test("An encoded comma delimits items that can't have one", async (t) => {
  for (const [items, text, value] of [
    ["{ type: integer }", "1%2C2", [1, 2]],
    ["{ type: number }", "1.5%2c2,3", [1.5, 2, 3]],
    ["{ type: boolean }", "true%2Cfalse", [true, false]],
    ["{ type: string, enum: [open, closed] }", "open%2Cclosed", ["open", "closed"]],
    ["{ enum: [1, a] }", "1%2Ca", [1, "a"]],
    ["{ allOf: [{ type: string }, { enum: [a, b] }] }", "a%2Cb", ["a", "b"]],
    ["{ oneOf: [{ type: integer }, { const: all }] }", "1%2Call", [1, "all"]],
    ["{ type: string, format: date }", "2026-01-01%2C2026-01-02", ["2026-01-01", "2026-01-02"]],
    ["{ type: integer }", "1%2C", 400],
    ["{ type: integer }", "1%252C2", 400],
  ] as const)
    t.same(await read(list(items), `/a?p=${text}`), value, `${items} ${text}`);
});

t.test("An encoded comma is data where a value can have one", async (t) => {
  for (const [schema, text, value] of [
    [list(free), "a%2Cb,c", ["a,b", "c"]],
    [list("{ type: string, maxLength: 2 }"), "a%2Cb", 400],
    [list('{ enum: ["a,b", c] }'), "a%2Cb,c", ["a,b", "c"]],
    [list("{ anyOf: [{ enum: [a, b] }, { type: string }] }"), "a%2Cb", ["a,b"]],
    [list("{}"), "1%2C2", ["1,2"]],
    [`{ oneOf: [${list("{ type: integer }")}, ${free}] }`, "1%2C2", "1,2"],
    [free, "a%2Cb", "a,b"],
    [point, "a%20b,c%2Cd", { "a b": "c,d" }],
  ] as const)
    t.same(await read(schema, `/a?p=${text}`), value, `${schema} ${text}`);
});

t.test("The encoded delimiters of an object are those around the names of its properties", async (t) => {
  for (const [text, value] of [
    ["x%2C1", { x: 1 }],
    ["x%2C1%2Ca+b%2Cc", { x: 1, "a b": "c" }],
    ["x%2C1%2Cy%2C2", 400],
    ["x%2C1%2Ca+b", 400],
  ] as const)
    t.same(await read(point, `/a?p=${text}`), value, text);
  t.same(await read(point, "/a/x%2C1%2Ca%20b%2Cc", "in: path"), { x: 1, "a b": "c" });
  t.same(await read(point, "/a/x%3D1%2Ca%20b%3Dc", "in: path, explode: true"), { x: 1, "a b": "c" });
  t.same(await read(point, "/a/a%20b=c%2Cd", "in: path, explode: true"), { "a b": "c,d" });
});

t.test("Reads encoded delimiters of each style and location", async (t) => {
  const ids = list("{ type: integer }");
  for (const [declaration, url, headers] of [
    ["in: path", "/a/1%2C2", {}],
    ["in: path, style: matrix", "/a/;p=1%2C2", {}],
    ["in: path, style: label", "/a/.1%2C2", {}],
    ["in: header", "/a", { p: "1%2C2" }],
    ["in: cookie, explode: false", "/a", { cookie: "p=1%2C2" }],
    ["in: query, explode: false, style: pipeDelimited", "/a?p=1%7C2", {}],
    ["in: query, explode: false, style: pipeDelimited", "/a?p=1|2", {}],
    ["in: query, explode: false, style: spaceDelimited", "/a?p=1%202", {}],
    ["in: query, explode: false, style: spaceDelimited", "/a?p=1+2", {}],
  ] as const)
    t.same(await read(ids, url, declaration, headers), [1, 2], `${declaration} ${url}`);
});
