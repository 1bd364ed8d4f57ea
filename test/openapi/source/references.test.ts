// The URI of a document ($self, OpenAPI 3.2), by which references lead to it.
import t, { type Test } from "tap";
import { readDocument } from "../../../src/openapi/document/document.ts";
import { writeFiles } from "../../support/files.ts";

const api = "https://example.com/v1/api";
const head = (self: string, version = "3.2.0") =>
  `openapi: ${version}\n$self: ${self}\ninfo: { title: Test, version: "1" }\n`;
const components = (...references: string[]) =>
  `components:\n  schemas:\n    Pet: { type: object, required: [id] }\n    Other: { properties: {${references
    .map((reference, index) => ` p${index}: { $ref: ${JSON.stringify(reference)} }`)
    .join(",")} } }\n`;

/** Returns whether `{ p0: {}, … }` violates the schema Other of a document: its references lead to schemas that require an id. */
async function enforces(t: Test, files: Readonly<Record<string, string>>, count = 1): Promise<boolean[]> {
  const { schemas } = await readDocument(writeFiles(t, files), { strict: true });
  const check = schemas.compileCheckAt("/components/schemas/Other");
  return Array.from({ length: count }, (_, index) => "problems" in check({ [`p${index}`]: {} }));
}

t.test("References lead to the document by its own URI, absolute and relative", async (t) => {
  for (const [self, ...references] of [
    [api, `${api}#/components/schemas/Pet`, "api#/components/schemas/Pet", "/v1/api#/components/schemas/Pet"],
    ["urn:example:api", "urn:example:api#/components/schemas/Pet", "#/components/schemas/Pet"],
    ["/v1/api", "/v1/api#/components/schemas/Pet", "../v1/api#/components/schemas/Pet"],
  ] as [string, ...string[]][]) {
    const files = { "api.yaml": `${head(self)}paths: {}\n${components(...references)}` };
    t.same(await enforces(t, files, references.length), Array(references.length).fill(true), self);
  }
});

t.test("So do those of operations, of parameters, and in schemas with an $id", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head(api)}paths:
  /a: { get: { operationId: a, parameters: [{ $ref: "${api}#/components/parameters/Q" }], responses: { 200: { $ref: "api#/components/responses/Ok" } } } }
components:
  parameters: { Q: { name: q, in: query, schema: { $ref: "https://example.com/v1/number" } } }
  responses: { Ok: { description: x, content: { application/json: { schema: { type: string } } } } }
  schemas: { Number: { $id: number, properties: { a: { $ref: "api#/components/schemas/Text" } } }, Text: { type: string } }
`,
  });
  const { operations, schemas } = await readDocument(path, { strict: true });
  t.same(operations[0]?.parameterParts[0]?.value.name, "q");
  t.same([...(operations[0]?.responses.contentsOf(200).keys() ?? [])], ["application/json"]);
  t.match(schemas.compileCheckAt("/components/schemas/Number")({ a: 5 }), { problems: [{ path: "a" }] });
});

t.test("Files refer to each other by $self, and to those beside them by their places", async (t) => {
  const pets = "https://example.com/pets";
  const files = {
    "api.yaml": `${head(api)}paths: { /b: { $ref: "b.yaml#/paths/~1b" } }\n${components(
      `${pets}#/components/schemas/Cat`,
      "../pets#/components/schemas/Cat",
      "schemas/dog.yaml",
    )}`,
    "b.yaml": `${head(pets)}paths: { /b: { get: { responses: { 204: { description: x } } } } }
components: { schemas: { Cat: { allOf: [{ $ref: "v1/api#/components/schemas/Pet" }] } } }
`,
    "schemas/dog.yaml": "type: object\nrequired: [id]\n",
  };
  t.same(await enforces(t, files, 3), [true, true, true]);
});

t.test("Another URI is an error, and is not loaded", async (t) => {
  for (const [reference, message] of [
    ["https://example.com/v1/none#/a", /References to other documents must be relative paths of files/],
    ["none#/a", /leads to no document: .*ENOENT/],
    [`${api}#/components/schemas/None`, /leads to nothing: there is no "None"/],
    ["../../etc/passwd", /leaves the folder of the document/],
  ] as const) {
    const path = writeFiles(t, { "api.yaml": `${head(api)}paths: {}\n${components(reference)}` });
    await t.rejects(readDocument(path), { message }, reference);
  }
});

t.test("A $self that is a file is a place, outside of which nothing is read", async (t) => {
  const path = writeFiles(t, { "api.yaml": `${head("file:///etc/api.yaml")}paths: {}\n${components("passwd")}` });
  await t.rejects(readDocument(path), { message: /The reference passwd to \/etc\/passwd leaves the folder/ });
});

t.test("Before OpenAPI 3.2, $self is an unknown field", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head(api, "3.1.0")}paths: {}\n${components("api#/components/schemas/Pet")}`,
  });
  await t.rejects(readDocument(path), { message: /ENOENT/ });
  const { findings } = await readDocument(path, { strict: false });
  t.ok(findings.has("schema"));
});
