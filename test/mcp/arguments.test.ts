// Arguments reach the handler as they were given, whatever the styles of parameters and the media types of bodies are.
import t from "tap";
import { startAgents } from "../support/agents.ts";
import { documentOf } from "../support/document-server.ts";
import { writeFiles } from "../support/files.ts";

const ok = "responses: { 204: { description: x } }";
const list = "{ type: array, items: { type: string } }";
const object = "{ type: object, properties: { a: { type: string }, b: { type: integer } } }";
const parameter = (name: string, location: string, schema: string, rest = "") =>
  `{ name: ${name}, in: ${location}, required: true, schema: ${schema}${rest} }`;
const styles = [
  ["path", "simple", false],
  ["path", "simple", true],
  ["path", "label", false],
  ["path", "label", true],
  ["path", "matrix", false],
  ["path", "matrix", true],
  ["query", "form", false],
  ["query", "form", true],
  ["query", "spaceDelimited", false],
  ["query", "pipeDelimited", false],
  ["header", "simple", false],
  ["header", "simple", true],
  ["cookie", "form", false],
  ["cookie", "form", true],
] as const;
const values: Record<string, { schema: string; value: unknown }> = {
  text: { schema: "{ type: string }", value: "a/b ?&=;,%ü" },
  list: { schema: list, value: ["a b", "c&d"] },
  object: { schema: object, value: { a: "x y", b: 5 } },
};

// Headers have neither an encoding nor other characters, and delimiters can't be in values.
const latin: Record<string, unknown> = { text: "a/b ?&=;%é", list: ["a b", "c&d"], object: { a: "x y", b: 5 } };

for (const location of ["path", "query", "header", "cookie"])
  t.test(`Parameters in the ${location} have the values of the arguments`, async (t) => {
    const cases = styles
      .filter(([one]) => one === location)
      .flatMap(([, style, explode]) => Object.entries(values).map(([kind, one]) => ({ kind, style, explode, ...one })))
      .filter(({ kind, style }) => !/Delimited/.test(style) || kind === "list");
    const paths = cases.map(({ schema, style, explode }, index) => {
      const path = location === "path" ? `/x${index}/{value}/y` : `/x${index}`;
      const declared = parameter("value", location, schema, `, style: ${style}, explode: ${explode}`);
      return `  ${path}: { get: { operationId: get${index}, parameters: [${declared}], ${ok} } }\n`;
    });
    const calls: Record<string, object>[] = [];
    const handle = async (call: never) => {
      calls.push(call);
      return { status: 204 };
    };
    const handlers = Object.fromEntries(cases.map((_, index) => [`get${index}`, handle]));
    const document = writeFiles(t, { "a.yaml": documentOf(paths.join("")) });
    const { call } = await (await startAgents(t, { document, handlers })).connect();
    for (const [index, { kind, style, explode, value }] of cases.entries()) {
      const sent = location === "header" ? latin[kind] : /Delimited/.test(style) ? ["a", "c&d"] : value;
      const name = `a ${kind}, ${style}${explode ? ", exploded" : ""}`;
      t.match(await call(`get${index}`, { value: sent }), { isError: false }, name);
      const { params, query, headers, cookies } = calls.at(-1) ?? {};
      t.same({ ...params, ...query, ...headers, ...cookies }, { value: sent }, name);
    }
  });

const bodies = documentOf(
  `  /flat/{id}:
    put:
      operationId: flat
      parameters: [${parameter("id", "path", "{ type: string }")}, { name: "page[size]", in: query, schema: { type: integer } }, { name: id, in: query, schema: { type: integer } }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
      ${ok}
  /clash/{name}:
    put:
      operationId: clash
      parameters: [${parameter("name", "path", "{ type: string }")}]
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
      ${ok}
  /alternatives:
    post: { operationId: alternatives, requestBody: { content: { application/json: { schema: { oneOf: [{ type: integer }, ${list}] } } } }, ${ok} }
  /form:
    post: { operationId: form, requestBody: { required: true, content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { a: ${list}, b: ${object}, c: { type: boolean } } } } } }, ${ok} }
  /files:
    post: { operationId: file, requestBody: { required: true, content: { multipart/form-data: { schema: { type: object, properties: { name: { type: string }, file: { type: string, format: binary } } } } } }, ${ok} }
  /text:
    post: { operationId: text, requestBody: { content: { text/plain: { schema: { type: string } } } }, ${ok} }
  /things/all:
    get: { operationId: getAll, ${ok} }
  /things/{id}/part:
    get: { operationId: getPart, x-mcp: false, parameters: [${parameter("id", "path", "{ type: string }")}], ${ok} }
  "/things/{id}:purge":
    get: { operationId: purgeThing, x-mcp: false, parameters: [${parameter("id", "path", "{ type: string }")}], ${ok} }
  /things/{id}:
    get: { operationId: getThing, parameters: [${parameter("id", "path", "{ type: string }")}], ${ok} }
`,
  `components:
  schemas:
    Thing: { allOf: [{ $ref: "#/components/schemas/Named" }], description: A thing }
    Named: { type: object, required: [name, id2], properties: { id2: { type: integer, readOnly: true }, name: { type: string }, parent: { $ref: "#/components/schemas/Named" } }, additionalProperties: false }
`,
);

t.test("Bodies", async (t) => {
  const calls: Record<string, unknown>[] = [];
  const names = [
    "flat",
    "clash",
    "alternatives",
    "form",
    "file",
    "text",
    "getAll",
    "getThing",
    "getPart",
    "purgeThing",
  ];
  const handler = async (call: never) => {
    calls.push(call);
    return { status: 204 };
  };
  const handlers = Object.fromEntries(names.map((name) => [name, handler]));
  const { connect } = await startAgents(t, { document: writeFiles(t, { "a.yaml": bodies }), handlers });
  const { tools, call } = await connect();
  const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema;
  const last = () => calls.at(-1) as Record<string, unknown>;

  t.test("The members of an object are arguments, with those of other names", async (t) => {
    t.same(Object.keys(schemaOf("flat")?.properties ?? {}), ["id", "page_size_", "query_id", "name", "parent"]);
    t.match(schemaOf("flat"), {
      required: ["id", "name"],
      additionalProperties: false,
      $defs: { Named: { properties: { parent: { $ref: "#/$defs/Named" } } } },
    });
    const args = { id: "1", page_size_: 5, query_id: 7, name: "x", parent: { name: "y" } };
    t.match(await call("flat", args), { isError: false });
    t.match(last(), {
      params: { id: "1" },
      query: { "page[size]": 5, id: 7 },
      body: { name: "x", parent: { name: "y" } },
    });
  });

  t.test("An object with a member of a taken name is one argument, as other values are", async (t) => {
    t.same(Object.keys(schemaOf("clash")?.properties ?? {}), ["name", "body"]);
    t.match(await call("clash", { name: "a", body: { name: "b" } }), { isError: false });
    t.match(last(), { params: { name: "a" }, body: { name: "b" } });
    t.match(await call("alternatives", { body: [1, 2] }), { isError: true });
    t.match(await call("alternatives", { body: ["1"] }), { isError: false });
    t.match(await call("alternatives"), { isError: false });
    t.match(await call("text", { body: "Grüße" }), { isError: false });
    t.equal(last().body, "Grüße");
  });

  t.test("Forms have fields, and files in base64", async (t) => {
    t.match(await call("form", { a: ["1", "2 3"], b: { a: "x", b: 5 }, c: true }), { isError: false });
    t.match(last().body, { a: ["1", "2 3"], b: { a: "x", b: 5 }, c: true });
    t.match(schemaOf("file")?.properties, { file: { type: "string", contentEncoding: "base64" } });
    t.match(await call("file", { name: "n", file: Buffer.from("ÿ").toString("base64") }), { isError: false });
    t.match(last().body, { name: "n" });
  });

  t.test("An argument can't lead to another path", async (t) => {
    for (const id of ["..", ".", "all", "", "/all", "all/", "../..", "a/../b", "a\\..\\b", "a/part", "a:purge"])
      t.match(await call("getThing", { id }), { isError: true, text: /path/ }, id);
    for (const id of ["a/b", "%2e%2e", "a..b", "a?b#c", "a\\b", "a:b"]) {
      t.match(await call("getThing", { id }), { isError: false }, id);
      t.match(last(), { params: { id } });
    }
  });
});

t.test("An argument can't have another header", async (t) => {
  const document = documentOf(
    `  /x: { get: { operationId: get, parameters: [{ name: X-Text, in: header, schema: { type: string } }, { name: X-Forwarded-For, in: header, schema: { type: string } }, { name: c, in: cookie, style: cookie, schema: { type: string } }], responses: { 204: { description: x } } } }\n`,
  );
  const handlers = { get: async () => ({ status: 204 }) };
  const { connect } = await startAgents(t, { document: writeFiles(t, { "a.yaml": document }), handlers });
  const { call } = await connect();
  t.match(await call("get", { "X-Text": "a\r\nX-Other: b" }), { isError: true, text: /in one line/ });
  t.match(await call("get", { c: "a; session=b" }), { isError: true, text: /no ; in a cookie/ });
  t.match(await call("get", { "X-Forwarded-For": "b" }), { isError: true, text: /must have no argument/ });
  t.match(await call("get", { "X-Other": "b" }), { isError: true, text: /must have no argument/ });
});
