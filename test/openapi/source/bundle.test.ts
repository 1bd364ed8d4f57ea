// Documents of several files: references in all directions, and the places of what is wrong in them.
import { dirname } from "node:path";
import t from "tap";
import { createServer } from "../../../src/index.ts";
import { readDocument } from "../../../src/openapi/document/document.ts";
import { generateTypes } from "../../../src/openapi/types/generate-types.ts";
import { writeFiles } from "../../support/files.ts";

const head = 'openapi: 3.1.0\ninfo: { title: Test, version: "1" }\n';
const ok = "responses: { 204: { description: x } }";

/** Serves a document in mock mode, and returns a function that sends a JSON body, or a GET, and returns the status. */
async function mock(document: string) {
  const app = await createServer({ document, mock: true, strict: true, docs: false });
  return async (url: string, body?: unknown) => {
    const { statusCode } = await app.inject({
      method: body === undefined ? "GET" : "POST",
      url,
      headers: { host: "x" },
      ...(body !== undefined && { payload: body as object }),
    });
    return statusCode;
  };
}

t.test("A file refers back to the first one, also if it is a path item", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head}paths:
  /pets/{id}: { $ref: "paths/pet.yaml" }
  /pets: { $ref: "paths/all.json#/pets" }
components:
  parameters: { Id: { name: id, in: path, required: true, schema: { $ref: "#/components/schemas/Id" } } }
  schemas:
    Id: { type: integer }
    Pet: { $ref: schemas/pet.yaml }
`,
    "paths/pet.yaml": `parameters: [{ $ref: "../api.yaml#/components/parameters/Id" }]
get: { operationId: getPet, ${ok} }
`,
    "paths/all.json": JSON.stringify({
      pets: {
        post: {
          operationId: "addPet",
          requestBody: { content: { "application/json": { schema: { $ref: "../api.yaml#/components/schemas/Pet" } } } },
          responses: { 204: { description: "x" } },
        },
      },
    }),
    "schemas/pet.yaml": `type: object
properties:
  id: { $ref: "../api.yaml#/components/schemas/Id" }
  parent: { $ref: "#" }
  owner: { $ref: "pet.yaml#/$defs/owner" }
$defs:
  owner: { type: object, properties: { pet: { $ref: "../api.yaml#/components/schemas/Pet" } } }
`,
  });
  const send = await mock(path);
  t.same([await send("/pets/5"), await send("/pets/x")], [204, 400]);
  t.equal(await send("/pets", { id: 1, parent: { id: 2, owner: { pet: { id: 3 } } } }), 204);
  t.equal(await send("/pets", { parent: { owner: { pet: { id: "x" } } } }), 400);
  const document = await readDocument(path);
  t.same(
    Object.keys(document.content.components?.schemas ?? {}),
    ["Id", "Pet"],
    "what has a name keeps it, and is there once",
  );
});

t.test("Names of components that others have are numbered, and discriminators lead to them", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head}paths:
  /a:
    post:
      operationId: a
      requestBody: { content: { application/json: { schema: { oneOf: [{ $ref: "cat.yaml#/Pet" }, { $ref: "dog.yaml#/Pet" }], discriminator: { propertyName: kind, mapping: { cat: "cat.yaml#/Pet", dog: "./dog.yaml#/Pet" } } } } } }
      ${ok}
components: { schemas: { Pet: { type: boolean } } }
`,
    "cat.yaml":
      "Pet: { type: object, required: [kind], properties: { kind: { type: string }, lives: { type: integer } } }",
    "dog.yaml":
      "Pet: { type: object, required: [kind], properties: { kind: { type: string }, lives: { type: boolean } } }",
  });
  const send = await mock(path);
  t.same([await send("/a", { kind: "cat", lives: 9 }), await send("/a", { kind: "dog", lives: true })], [204, 204]);
  t.same([await send("/a", { kind: "cat", lives: true }), await send("/a", { kind: "cow" })], [400, 400]);
  const document = await readDocument(path);
  t.same(Object.keys(document.content.components?.schemas ?? {}), ["Pet", "Pet2", "Pet3"]);
  t.match(await generateTypes(document), /Pet3: \{/);
});

t.test("References lead through references, to whole maps, and by anchors", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head}paths: { $ref: paths.yaml }
components:
  schemas: { $ref: schemas.yaml }
  responses: { None: { $ref: "common.yaml#/responses/None" } }
`,
    "paths.yaml": `/a:
  post:
    operationId: a
    requestBody: { $ref: "common.yaml#/bodies/A" }
    responses: { 204: { $ref: "api.yaml#/components/responses/None" } }
`,
    "common.yaml": `bodies: { A: { content: { application/json: { schema: { properties: { a: { $ref: "schemas.yaml#/Deep/properties/b/items" }, c: { $ref: "schemas.yaml#word" } } } } } } }
responses: { None: { $ref: "#/responses/Other" }, Other: { description: x } }
`,
    "schemas.yaml": `Alias: { $ref: "#/Real" }
Deep: { $ref: "#/Alias" }
Real: { properties: { b: { items: { type: integer } } } }
Word: { $anchor: word, type: string }
`,
  });
  const send = await mock(path);
  t.same(
    [await send("/a", { a: 1, c: "x" }), await send("/a", { a: "x" }), await send("/a", { c: 1 })],
    [204, 400, 400],
  );
});

t.test("A reference in an example is data, in each file", async (t) => {
  const example = "example: { $ref: none.yaml }";
  const examples = 'examples: { a: { value: { $ref: "none.yaml#/x" } } }';
  const path = writeFiles(t, {
    "api.yaml": `${head}paths:
  /a: { get: { operationId: a, responses: { 200: { description: x, content: { application/json: { schema: { $ref: any.yaml }, ${example} } } } } } }
  /b: { $ref: b.yaml }
`,
    "any.yaml": "type: object\nexamples: [{ $ref: none.yaml }]\ndefault: { $ref: none.yaml }\n",
    "b.yaml": `get: { operationId: b, responses: { 200: { description: x, content: { application/json: { schema: {}, ${examples} } } } } }`,
  });
  const { findings } = await readDocument(path, { strict: true });
  t.same(findings.list(), []);
});

t.test("Names the file, line and column of what is wrong, in YAML and JSON, all at once", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head}paths:
  /a: { $ref: "a.yaml" }
  /b: { $ref: "missing.yaml" }
  /c:
    get:
      operationId: c
      responses:
        200: { description: x, content: { application/json: { schema: { $ref: "s.json#/Nope" } } } }
        4xx: { description: x }
`,
    "a.yaml": `get:
  operationId: a
  parameters:
    - { name: q, in: query, schema: { $ref: "s.json#/definitions/Deep/properties/list" } }
  responses:
    204: { description: x }
`,
    "s.json": `{
  "definitions": {
    "Other": { "a": ["x", { "properties": 1 }], "b\\u0063": "}" },
    "Deep": {
      "properties": {
        "list": { "type": "array", "items": [{ "type": "string" }] },
        "list2": {
          "minItems": "x"
        }
      }
    }
  }
}
`,
  });
  const message = await readDocument(path).then(
    () => "",
    (error: Error) => error.message.replaceAll(dirname(path), ""),
  );
  for (const expected of [
    /The reference missing\.yaml leads to no document: .*ENOENT.* \(\/api\.yaml:5:9\) \[reference\]/,
    /The reference s\.json#\/Nope leads to nothing: there is no "Nope" \(\/api\.yaml:10:73\) \[reference\]/,
    /The operation c has the response 4xx, .* \(\/api\.yaml:11:9\) \[status\]/,
    /has the keyword "items", which must be a schema \(\/s\.json:6:9\) \[keyword-value\]/,
  ])
    t.match(message, expected);
  t.match(message, /Correct it, accept a rule with the option `ignore`, such as \["reference"\], or serve the rest/);
});

t.test("References that lead in a circle between files are reported", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head}paths:\n  /a: { $ref: one.yaml }\n  /b: { $ref: two.yaml }\n  /c: { get: { operationId: c, ${ok} } }\n`,
    "one.yaml": "$ref: two.yaml\n",
    "two.yaml": "$ref: one.yaml\n",
  });
  await t.rejects(readDocument(path), { message: /The reference .* leads to itself/ });
  const { operations } = await readDocument(path, { strict: false });
  t.same(
    operations.map(({ id }) => id),
    ["c"],
  );
});

t.test("Names the place of a reference in a file that another file refers to", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head}paths:\n  /a: { $ref: paths/a.yaml }\n`,
    "paths/a.yaml": `get:\n  operationId: a\n  parameters: [{ $ref: ../parameters.yaml#/Q }]\n  ${ok}\n`,
    "parameters.yaml": "Q:\n  name: q\n  in: query\n  schema:\n    type: array\n    items: { $ref: none.yaml }\n",
  });
  await t.rejects(readDocument(path), {
    message: /none\.yaml leads to no document: .*parameters\.yaml:6:14\) \[reference\]/,
  });
});
