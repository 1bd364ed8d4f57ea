// What only `openapi-server check` finds: examples that their schemas reject, in each part of a document, and schemas that no
// object matches.
import t from "tap";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { documentOf } from "../../support/document-server.ts";

const int = "schema: { type: integer }";
const json = (rest: string) => `content: { application/json: { ${int}, ${rest} } }`;
const done = "responses: { 204: { description: x } }";

/** Returns the places of the findings of a rule. */
async function list(rule: string, paths: string, rest = "", version = "3.2.0"): Promise<string[]> {
  const { findings } = await parseDocument(documentOf(paths, rest, version), { strict: false, isThorough: true });
  const found = findings.list({}, Number.POSITIVE_INFINITY).filter((finding) => finding.rule === rule);
  return found.flatMap(({ places }) => places.map(({ pointer }) => pointer)).sort();
}

t.test("Finds invalid examples of components that nothing uses", async (t) => {
  const components = `components:
  schemas:
    A: { type: integer, example: no }
    B: { type: integer, examples: [1, no] }
    C: { properties: { example: { type: integer, examples: [no] }, default: { type: integer, example: no } } }
  parameters:
    example: { name: a, in: query, ${int}, example: no }
    B: { name: b, in: query, ${json("example: no")} }
  headers: { schema: { ${int}, examples: { one: { value: no } } } }
  requestBodies: { A: { ${json("example: no")} } }
  responses: { examples: { description: x, ${json("example: no")}, headers: { example: { ${int}, example: no } } } }
  mediaTypes: { application/json: { ${int}, example: no } }
  callbacks: { A: { "{$request.body#/u}": { post: { requestBody: { ${json("example: no")} }, ${done} } } } }
  pathItems: { A: { get: { parameters: [{ name: a, in: query, ${int}, example: no }], ${done} } } }
webhooks: { a: { post: { requestBody: { ${json("example: no")} }, ${done} } } }
`;
  t.same(await list("example", "  {}", components), [
    "/components/callbacks/A/{$request.body#~1u}/post/requestBody/content/application~1json/example",
    "/components/headers/schema/examples/one/value",
    "/components/mediaTypes/application~1json/example",
    "/components/parameters/B/content/application~1json/example",
    "/components/parameters/example/example",
    "/components/pathItems/A/get/parameters/0/example",
    "/components/requestBodies/A/content/application~1json/example",
    "/components/responses/examples/content/application~1json/example",
    "/components/responses/examples/headers/example/example",
    "/components/schemas/A/example",
    "/components/schemas/B/examples/1",
    "/components/schemas/C/properties/default/example",
    "/components/schemas/C/properties/example/examples/0",
    "/webhooks/a/post/requestBody/content/application~1json/example",
  ]);
});

t.test("Finds invalid examples in each form that OpenAPI has", async (t) => {
  const examples = `examples: {
    value: { value: no }, data: { dataValue: no }, text: { serializedValue: '"no"' }, broken: { serializedValue: '{' },
    good: { serializedValue: '5' }, other: { externalValue: "https://api.example/a.json" }, shared: { $ref: "#/components/examples/A" } }`;
  const response = `responses: { 200: { description: x, ${json(examples)} } }`;
  const content = "/paths/~1a/get/responses/200/content/application~1json/examples";
  t.same(await list("example", `  /a: { get: { ${response} } }`, "components: { examples: { A: { value: no } } }"), [
    "/components/examples/A/value",
    `${content}/broken/serializedValue`,
    `${content}/data/dataValue`,
    `${content}/text/serializedValue`,
    `${content}/value/value`,
  ]);
});

t.test("An example that is the text of another media type is not compared, except for plain text", async (t) => {
  const object = "schema: { type: object, properties: { a: { type: integer } } }";
  const post = (content: string) => `  /a: { post: { requestBody: { content: { ${content} } }, ${done} } }`;
  for (const [content, isFound] of [
    [`application/xml: { ${object}, example: "<x><a>no</a></x>" }`, false],
    [`application/xml: { ${object}, example: { a: no } }`, true],
    [`text/csv: { schema: { type: array, items: { type: integer } }, example: "a,b" }`, false],
    [`application/x-www-form-urlencoded: { ${object}, example: "a=no" }`, false],
    [`application/x-www-form-urlencoded: { ${object}, example: { a: no } }`, true],
    [`multipart/form-data: { ${object}, examples: { one: { value: { a: no } } } }`, true],
    [`text/plain: { schema: { type: string, maxLength: 2 }, example: long }`, true],
    [`text/plain: { ${int}, example: "5" }`, false],
    [`text/plain; charset=utf-8: { ${int}, example: "no" }`, true],
  ] as const)
    t.equal((await list("example", post(content))).length, isFound ? 1 : 0, content);
});

t.test("Finds schemas that require what additionalProperties: false forbids", async (t) => {
  const closed = "additionalProperties: false, properties: { a: {} }";
  for (const [schema, isFound] of [
    [`{ ${closed}, required: [a, b] }`, true],
    [`{ ${closed}, required: [a] }`, false],
    [`{ ${closed}, required: [a, b], patternProperties: { "^b": {} } }`, false],
    [`{ properties: { a: {} }, required: [b] }`, false],
    [`{ allOf: [{ ${closed} }, { required: [b] }] }`, true],
    [`{ allOf: [{ $ref: "#/components/schemas/Closed" }], properties: { b: {} }, required: [b] }`, true],
    [`{ $ref: "#/components/schemas/Closed", required: [b] }`, true],
    [`{ anyOf: [{ ${closed} }, { required: [b] }] }`, false],
    [`{ properties: { c: { ${closed} } }, required: [c] }`, false],
  ] as const) {
    const components = `components: { schemas: { Closed: { ${closed} }, X: ${schema} } }`;
    t.same(await list("required", "  {}", components), isFound ? ["/components/schemas/X"] : [], schema);
  }
});

t.test("Finds links to operations that do not exist, also of webhooks and components", async (t) => {
  const link = (id: string) => `{ operationId: ${id} }`;
  const response = `responses: { 200: { description: x, links: { links: ${link("getA")}, b: ${link("getB")}, c: ${link("hook")}, d: { $ref: "#/components/links/L" } } } }`;
  const rest = `webhooks: { w: { post: { operationId: hook, ${done} } } }\ncomponents: { links: { L: ${link("geta")} } }`;
  const paths = `  /a: { get: { operationId: getA, ${response} } }`;
  t.same(await list("link", paths, rest), ["/components/links/L", "/paths/~1a/get/responses/200/links/b"]);
  const { findings } = await parseDocument(documentOf(paths, rest));
  t.match(
    findings.list().map(({ message }) => message),
    ["geta", "getB"].map((id) => `A link leads to the operation ${id}, which does not exist: did you mean getA?`),
  );
});

t.test("Finds the default of a server variable that its enum does not have", async (t) => {
  const servers = "servers: [{ url: '/{v}', variables: { v: { default: v3, enum: [v1, v2] }, w: { default: x } } }]";
  t.same(await list("schema", "  {}", servers), ["/servers/0/variables/v"]);
});
