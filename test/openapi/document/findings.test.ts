// What is wrong with a document: the levels of findings, how they are grouped, and what an owner accepts.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../../src/index.ts";
import { parseDocument, readDocument } from "../../../src/openapi/document/document.ts";
import { generateTypes } from "../../../src/openapi/types/generate-types.ts";
import { documentOf } from "../../support/document-server.ts";
import { folder } from "../../support/files.ts";

const ok = "responses: { 204: { description: x } }";
const body = (content: string, method = "post") =>
  `  /a: { ${method}: { operationId: a, requestBody: { content: { ${content} } }, ${ok} } }`;
const post = (schema: string) => body(`application/json: { schema: ${schema} }`);
const get = (parameters: string) => `  /a: { get: { operationId: a, parameters: [${parameters}], ${ok} } }`;
const query = (schema: string) => get(`{ name: q, in: query, schema: ${schema} }`);
const respond = (content: string) =>
  `  /a: { get: { operationId: a, responses: { 200: { description: x, content: { ${content} } } } } }`;
/** Two paths that differ in the names of their parameters, with the responses of the second one. */
const twice = (responses: string) => {
  const item = (id: string, name: string, rest: string) =>
    `{ get: { operationId: ${id}, parameters: [{ name: ${name}, in: path, required: true, schema: {} }], ${rest} } }`;
  return `  /a/{x}: ${item("a", "x", ok)}\n  /a/{y}: ${item("b", "y", responses)}`;
};

/** Returns the rules and levels of the findings of a document. */
async function list(paths: string, rest = "", version?: string): Promise<string[]> {
  const { findings } = await parseDocument(documentOf(paths, rest, version), { strict: false });
  return findings.list().map(({ level, rule }) => `${level} ${rule}`);
}

t.test("Refuses what contradicts itself or the specification", async (t) => {
  for (const [rule, paths, version] of [
    ["path", twice("responses: { 200: { description: x } }")],
    ["reference", post('{ $ref: "#/components/schemas/None" }')],
    ["reference", post('{ allOf: [{ $ref: "#/paths/~1a/post/requestBody/content/application~1json/schema" }] }')],
    ["default", query("{ type: integer, default: many }")],
    ["default", query("{ oneOf: [{ type: boolean }, { type: integer }], default: x }")],
    ["default", post("{ properties: { a: { allOf: [{ minimum: 5 }], default: 1 } } }")],
    ["default", query("{ type: string, format: date-time, default: now }")],
    ["default", query("{ allOf: [{ type: string, default: long }], maxLength: 2 }")],
    [
      "default",
      post(
        '{ properties: { a: { $ref: "#/paths/~1a/post/requestBody/content/application~1json/schema/$defs/b", maxLength: 2 } }, $defs: { b: { type: string, default: long } } }',
      ),
    ],
    ["default", post("{ properties: { a: { type: array, items: { type: string }, default: [1] } } }")],
    ["pattern", query('{ type: string, pattern: "(" }')],
    ["pattern", query('{ type: string, pattern: "^\\\\p{Punct}$" }')],
    ["status", `  /a: { get: { operationId: a, responses: { 4xx: { description: x } } } }`],
    ["keyword-value", query("{ type: string, maxLength: long }")],
    ["keyword-value", query("{ type: text }")],
    ["parameter", get("{ name: q, in: body, schema: {} }")],
    ["parameter", get("{ name: q, in: query, schema: {} }, { name: q, in: query, schema: {} }")],
    ["parameter", get("{ name: id, in: path, required: true, schema: {} }")],
    ["operation-id", `${get("")}\n  /b: { get: { operationId: a, ${ok} } }`],
    ["security-scheme", `  /a: { get: { operationId: a, security: [{ none: [] }], ${ok} } }`],
    ["content", body("json: { schema: {} }")],
    ["misspelled:maxLenght", post("{ type: string, maxLenght: 5 }")],
    ["misspelled:parmeters", `  /a: { get: { operationId: a, parmeters: [], ${ok} } }`],
  ] as [string, string, string?][]) {
    const text = documentOf(paths, "", version);
    t.ok((await list(paths)).includes(`error ${rule}`), `${rule}: ${await list(paths)}`);
    await t.rejects(parseDocument(text), { message: new RegExp(`\\(line \\d+, column \\d+.*\\[${rule}\\]`) }, rule);
    await t.resolves(parseDocument(text, { ignore: [rule], strict: false }));
  }
});

t.test("A body of bytes has nothing to enforce", async (t) => {
  const content =
    "image/png: {}, application/zip: { schema: { type: string, format: binary } }, '*/*': { schema: { contentMediaType: a/b } }";
  t.same(await list(body(content)), []);
});

t.test("Items that are enforced, and annotations of JSON Schema itself, are no finding", async (t) => {
  const types = [
    "text/event-stream",
    "application/jsonl",
    "application/x-ndjson",
    "application/geo+json-seq",
    "text/*",
  ];
  const content = types.map((type) => `'${type}': { itemSchema: { type: object } }`).join();
  t.same(await list(respond(content), "", "3.2.0"), []);
  const schema = "{ contentSchema: { type: object }, $schema: 'https://json-schema.org/draft/2020-12/schema' }";
  t.same(await list(post(schema)), []);
});

t.test("Serves what is legal, or clear, with a warning for what is not enforced", async (t) => {
  for (const [rule, paths, version, rest] of [
    ["format:unix-time", query("{ type: integer, format: unix-time }")],
    ["format:datetime", post("{ type: string, format: datetime }")],
    ["keyword:required", post("{ properties: { a: { type: string, required: true } } }")],
    ["duplicate-path", twice("responses: { 204: { description: other } }")],
    ["content-type", body("application/json: { schema: {} }, examples: {}")],
    [
      "discriminator",
      post("{ oneOf: [{ type: object }], discriminator: { propertyName: kind, mapping: { cat: ./cat.yaml } } }"),
    ],
    ["keyword:env", post("{ type: string, env: [X] }")],
    ["keyword:nullable", post("{ type: string, nullable: true }")],
    ["get-body", body("application/json: { schema: {} }", "get")],
    ["json-patch", body("application/json-patch+json: { schema: { type: object } }", "patch")],
    ["no-schema", body("application/json: {}")],
    ["stream:application/xml", body("application/xml: { schema: {} }")],
    ...["application/jsonl: { itemSchema: {} }", "application/json: { schema: {}, itemSchema: {} }"].map((content) => [
      `stream:${content.split(":")[0]}`,
      body(content),
      "3.2.0",
    ]),
    ...["multipart/mixed", "application/json", "application/vnd.x"].map((type) => [
      `stream:${type}`,
      respond(`${type}: { itemSchema: {} }`),
      "3.2.0",
    ]),
    [
      "keyword:contentSchema",
      post(
        "{ properties: { a: { type: string, contentMediaType: application/json, contentSchema: { type: object } } } }",
      ),
    ],
    ["default-type", query('{ type: integer, default: "1" }')],
    ["default-type", query("{ type: string, default: null }")],
    ["default-type", post("{ properties: { a: { type: object, required: [b], default: {} } } }")],
    ["default-type", query("{ type: string, enum: [human, json], default: Human }")],
    ["unused-default", post("{ properties: { a: { items: { type: string, default: [] } } } }")],
    [
      "unused-default",
      post("{ properties: { a: { type: string, format: date, readOnly: true, default: Assigned } } }"),
    ],
    ["unused-default", respond("application/json: { schema: { type: string, default: 5 } }")],
    ["extension", `  /a: { get: { operationId: a, x-sunset: soon, ${ok} } }`],
    [
      "siblings",
      `  /a: { get: { operationId: a, responses: { 204: { $ref: "#/components/responses/None", required: true } } } }`,
      "3.1.0",
      "components: { responses: { None: { description: x } } }",
    ],
    ["schema", `  /a: { get: { operationId: a, responses: { 204: {} } } }`, "3.0.3"],
  ] as [string, string, string?, string?][]) {
    const text = documentOf(paths, rest, version);
    t.same(await list(paths, rest, version), [`warning ${rule}`], rule);
    await t.resolves(parseDocument(text), rule);
    await t.rejects(parseDocument(text, { strict: true }), { message: new RegExp(`\\[${rule}\\]`) }, rule);
    await t.resolves(parseDocument(text, { strict: true, ignore: [rule] }), `${rule} by name`);
    await t.resolves(
      parseDocument(text, { strict: true, ignore: [rule.split(":", 1)[0] as string] }),
      `${rule} by rule`,
    );
  }
  t.same(
    await list(get(""), "servers: [{ url: /v1 }, { url: '/{v}', variables: { v: { default: v1, enum: [v1, v2] } } }]"),
    ["note servers"],
  );
});

t.test("A warning says what the server does instead", async (t) => {
  const content = "{ application/json: { schema: { type: string, format: u-int32, required: true } }, json: {} }";
  const post = (id: string) => `{ post: { operationId: ${id}, requestBody: { content: ${content} }, ${ok} } }`;
  const { findings } = await parseDocument(documentOf(`  /a: ${post("a")}\n  /a#b: ${post("b")}`));
  t.match(
    findings.list().map(({ message }) => message),
    [
      /has required: true, which is not enforced: list the name of the property in `required` of its object$/,
      /has the unknown format "u-int32", which is not enforced: did you mean uint32\?$/,
      /^The operation a has a body of json, which is neither a media type .*: only the others are accepted$/,
      /^The operation b can't be reached, because a has .* path, and differs only in parameters: it gets all requests$/,
    ],
  );
});

t.test("Names all errors at once, each reason with at most three places", async (t) => {
  const formats = Array.from({ length: 5 }, (_, index) => `p${index}: { type: string, format: unix-time }`).join();
  const text = documentOf(post(`{ maxLenght: 1, properties: { ${formats}, d: { type: integer, default: x } } }`));
  await t.rejects(parseDocument(text, { strict: true }), {
    message:
      /^The document can't be served:\n- .*maxLenght.* \[misspelled:maxLenght\]\.\n- .*properties\/p0 has the unknown format "unix-time", which is not enforced \(line 5, column \d+, and 4 more, such as line 5, column \d+ and line 5, column \d+\) \[format:unix-time\]\.\n- .* \[default\]\.\nCorrect it, /,
  });
  await t.rejects(parseDocument(text, { ignore: ["format:isbn"] }), {
    message: /`ignore` names format:isbn, but the document has .*format:unix-time/,
  });
});

t.test("Logs one line for each warning, with the places of its first parts", async (t) => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const document = parse(
    documentOf(post("{ properties: { a: { format: x-one }, b: { format: x-one }, c: { env: 1 } } }")),
  );
  await createServer({ document, mock: true, logger });
  await createServer({ document, handlers: { a: async () => ({ status: 204 }) }, logger });
  t.match(
    lines.map((line) => JSON.parse(line)),
    Array(2)
      .fill([
        {
          rule: "format:x-one",
          count: 2,
          places: [/\/properties\/a$/, /\/properties\/b$/],
          msg: /^document warning: .* has the unknown format/,
        },
        { rule: "keyword:env", count: 1 },
      ])
      .flat(),
  );
});

t.test("Finds places in JSON, however it is written", async (t) => {
  const path = join(folder(t), "a.json");
  const schema = '{"properties":\n{"a\\"b":{"type":["string"],"enum":["}","{",{"x":[1]}],"format":"x1y2z3w4"}}}';
  writeFileSync(
    path,
    `\n {"openapi":"3.1.0","info":{"title":"[","version":"1"},"paths":{\n"/a":{"post":{"operationId":"a","requestBody":{"content":{"application/json":{"schema":${schema}}}},"responses":{"204":{"description":"x"}}}}}}`,
  );
  await t.rejects(readDocument(path, { strict: true }), { message: /a\.json:4:2\) \[format:x1y2z3w4\]/ });
});

t.test("A default in another type is filled in as its schema says, and one that means nothing is not", async (t) => {
  const { operations } = await parseDocument(
    documentOf(
      post(
        '{ properties: { a: { type: integer, default: "7" }, b: { type: boolean, default: "false" }, c: { type: string, default: 5 }, d: { type: string, default: null }, e: { type: array, items: { type: integer }, default: "1,2" }, f: { type: string, format: date, default: "" } } }',
      ),
    ),
  );
  const validate = operations[0]?.body?.select("application/json")?.validate;
  t.strictSame(validate?.({}), { value: { a: 7, b: false, c: "5", e: [1, 2] } });
});

t.test("A default that its schema rejects is not filled in, and its member can be missing in types", async (t) => {
  const document = await parseDocument(
    documentOf(
      `${post("{ properties: { spec: { default: {}, allOf: [{ required: [selector] }] }, meta: { type: object, default: {} }, mode: { oneOf: [{ enum: [human, json] }], default: Human } } }").slice(0, -3)}, parameters: [{ name: q, in: query, schema: { type: integer, default: {} } }] } }`,
    ),
  );
  const validate = document.operations[0]?.body?.select("application/json")?.validate;
  t.strictSame(validate?.({}), { value: { meta: {}, mode: "human" } });
  t.match(validate?.({ spec: {} }), { problems: [{ path: "spec", requirement: "must have the field 'selector'" }] });
  const types = await generateTypes(document);
  t.match(types, /spec\?: /);
  t.match(types, /meta: /);
  t.match(types, /mode: /);
  t.match(types, /q\?: /);
});

t.test("With `strict: false`, what has an error is left out, with its handlers", async (t) => {
  const document = parse(documentOf(twice(ok)));
  const logger = pino({ level: "silent" });
  const handler = async () => ({ status: 204 });
  const app = await createServer({ document, handlers: { a: handler, b: handler }, strict: false, logger });
  t.teardown(() => app.close());
  t.match(await app.inject({ url: "/a/1", headers: { host: "x" } }), { statusCode: 204 });
  await t.rejects(createServer({ document, handlers: { a: handler, c: handler }, strict: false, logger }), {
    message: "The handler c has no operation in the document.",
  });
});
