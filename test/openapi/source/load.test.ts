// Loading of documents: YAML and JSON, several files, exact numbers, and hostile texts.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { parseDocument, readDocument } from "../../../src/openapi/document/document.ts";
import { loadSource, parseDocumentText } from "../../../src/openapi/source/load.ts";
import { writeFiles } from "../../support/files.ts";

const head = 'openapi: 3.1.0\ninfo: { title: Test, version: "1" }\n';
const post = (schema: string) =>
  `${head}paths: { /a: { post: { operationId: a, requestBody: { content: { application/json: { schema: ${schema} } } }, responses: { 204: { description: x } } } } }\n`;

/** Returns a function that validates a body of the only operation, and tells what is wrong. */
async function read(source: string | URL | object): Promise<(value: unknown) => unknown> {
  const { operations } = await readDocument(source);
  const validate = operations[0]?.body?.select("application/json")?.validate;
  return (value) => {
    const result = validate?.(value);
    return result && "problems" in result ? result.problems[0].requirement : "valid";
  };
}

t.test("Loads a document of several files, in YAML and JSON, relative to the file that refers", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": post('{ $ref: "schemas/pet.yaml#/Pet" }'),
    "schemas/pet.yaml": `Pet:
  type: object
  x-tool: { $ref: none.yaml }
  properties:
    id: { type: integer, maximum: 9007199254740993 }
    owner: { $ref: ../people/owner.json }
    parent: { $ref: "#/Pet" }
    x-rate: { $ref: "./rate.yaml" }
`,
    "schemas/rate.yaml": "type: number\n",
    "people/owner.json":
      '{ "type": "object", "properties": { "pet": { "$ref": "../schemas/pet.yaml#/Pet" }, "age": { "const": 9007199254740993 } } }',
  });
  for (const source of [path, pathToFileURL(path)]) {
    const validate = await read(source);
    t.equal(validate({ id: 1, parent: { owner: { pet: { id: 2 } } }, "x-rate": 1.5 }), "valid");
    t.equal(validate({ parent: { owner: { pet: { id: "x" } } } }), "must be an integer");
    t.equal(validate({ "x-rate": "x" }), "must be a number", "a property is no extension");
    t.equal(
      validate({ owner: { age: 9007199254740992 } }),
      "must be equal to 9007199254740993",
      "integers of other files are exact",
    );
    t.equal(validate({ owner: { age: 9007199254740993n } }), "valid");
  }
});

t.test("Loads a document of one file", async (t) => {
  const text = post("{ type: integer }");
  const path = writeFiles(t, { "api.yaml": text });
  t.equal((await read(path))("x"), "must be an integer");
  t.equal((await loadSource(path)).text, text);
});

t.test("Loads references of headers and properties whose names look like extensions or data", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": `${head}paths: { /a: { get: { operationId: a, responses: { default: { description: x, headers: { x-count: { $ref: "common.yaml#/count" } } } } } } }`,
    "common.yaml": "count: { schema: { type: integer } }",
    "value.yaml": post('{ properties: { value: { $ref: "common.yaml#/count/schema" } } }'),
  });

  const { content } = await loadSource(path);
  t.match(JSON.stringify(content), /"x-count":\{"\$ref":"#\/components\/headers\/count"\}/);
  t.match(content.components, { headers: { count: { schema: { type: "integer" } } } });
  t.equal((await read(join(dirname(path), "value.yaml")))({ value: "x" }), "must be an integer");
});

t.test("Loads a parsed object, relative to the working directory, and leaves it unchanged", async (t) => {
  const schema = { $ref: "./package.json#/x-none" };
  const content = JSON.parse(JSON.stringify(parseDocumentText(post("{ type: integer }")).content));
  t.equal((await read(content))("x"), "must be an integer");
  content.paths["/a"].post.requestBody.content["application/json"].schema = schema;
  await t.rejects(readDocument(content), {
    message: /The reference \.\/package\.json#\/x-none leads to nothing: there is no "x-none" \(#\/paths/,
  });
  t.same(schema, { $ref: "./package.json#/x-none" });
});

t.test("Ignores references in extensions, examples and other data", async (t) => {
  const path = writeFiles(t, {
    "api.yaml": post(
      "{ x-a: { $ref: none.yaml }, properties: { a: { const: { $ref: none.yaml }, examples: [{ $ref: none.yaml }], default: { $ref: none.yaml } } } }",
    ),
    "both.yaml": post('{ x-a: { $ref: none.yaml }, x-b: 1, $ref: "text.yml" }'),
    "id.yaml": post(
      '{ $id: "http://e.example/", $defs: { a: { $id: "a.json", type: integer } }, items: { $ref: a.json } }',
    ),
    "text.yml": "type: integer\nx-c: [{ $ref: none.yaml }]\n",
  });
  t.equal((await read(path))({ a: { $ref: "none.yaml" } }), "valid");
  t.equal((await read(join(dirname(path), "both.yaml")))("x"), "must be an integer");
  t.equal(
    (await read(join(dirname(path), "id.yaml")))(["x"]),
    "must be an integer",
    "an $id is the base of references",
  );
});

t.test("Refuses missing, invalid and remote files, and fetches nothing", async (t) => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end("type: integer");
  }).listen(0, "127.0.0.1");
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const path = writeFiles(t, {
    "missing.yaml": post('{ $ref: "none.yaml" }'),
    "invalid.yaml": post('{ $ref: "bad.yaml" }'),
    "double.yaml": post('{ $ref: "twice.json" }'),
    "http.yaml": post(`{ $ref: "${url}/a" }`),
    "both.yaml": post(`{ properties: { a: { $ref: "good.yaml" }, b: { $ref: "${url}/b" } } }`),
    "indirect.yaml": post('{ $ref: "to-http.yaml" }'),
    "pointer.yaml": post('{ $ref: "good.yaml#/nothing" }'),
    "bad.yaml": "a: [",
    "twice.json": '{ "type": "string", "type": "integer" }',
    "good.yaml": "type: integer",
    "to-http.yaml": `items: { $ref: "${url}/c" }`,
  });
  for (const [name, message] of [
    ["none", /none.yaml can't be read: ENOENT/],
    ["missing", /The reference none\.yaml leads to no document: The document .*none\.yaml can't be read: ENOENT/],
    ["invalid", /The reference bad\.yaml leads to no document: The document .*bad\.yaml is invalid: /],
    ["double", /The document .*twice\.json is invalid: duplicated mapping key/],
    [
      "http",
      /has the reference http:.*, which leads to nothing in the document. References to other documents must be/,
    ],
    ["both", /127\.0\.0\.1/],
    ["indirect", /127\.0\.0\.1/],
    ["pointer", /The reference good\.yaml#\/nothing leads to nothing/],
  ] as const)
    await t.rejects(readDocument(join(dirname(path), `${name}.yaml`)), { message }, name);
  await t.rejects(readDocument(new URL(url)), { message: /must be a file, and not http:.* Download it first/ });
  t.equal(requests, 0);
});

t.test("Reads integers of YAML and JSON exactly", async (t) => {
  const big = "9007199254740993";
  const yaml = parseDocumentText(
    `${head}x-a: [${big}, -${big}, +${big}, 7, 0x1F, 0o17, 1.5, 1e3, 2020-01-01, "${big}"]`,
  );
  t.strictSame((yaml.content as never)["x-a"], [
    BigInt(big),
    -BigInt(big),
    BigInt(big),
    7,
    31,
    15,
    1.5,
    1000,
    "2020-01-01",
    big,
  ]);
  const json = parseDocumentText(`{\n\t"openapi": "3.1.0",\n\t"x-a": [${big}, 7, 1.5, "${big}"]}`);
  t.strictSame((json.content as never)["x-a"], [BigInt(big), 7, 1.5, big]);
  t.strictSame((parseDocumentText("{ openapi: 3.1.0, x-a: 1 }").content as never)["x-a"], 1, "a flow mapping of YAML");
  t.strictSame((parseDocumentText(`${head}x-a: &a { b: 1 }\nx-c: { <<: *a, d: 2 }`).content as never)["x-c"], {
    d: 2,
    b: 1,
  });
});

t.test("Refuses documents of other versions, and names the reason", async (t) => {
  for (const [text, message] of [
    ["swagger: '2.0'", /The document is of Swagger 2.0. Convert it to OpenAPI 3 first/],
    ["openapi: 3.9.0", /must have openapi: 3.0.x, 3.1.x or 3.2.x/],
    ["openapi: 3.1", /must have openapi: 3.0.x/],
    ["7", /must have openapi/],
    ["null", /must have openapi/],
    ["[]", /must have openapi/],
    ["a: b: c", /The document is invalid: /],
  ] as const)
    t.throws(() => parseDocumentText(text), { message }, text);
});

t.test("Refuses hostile texts within a second", async (t) => {
  const levels = 10_000;
  const repeat = (open: string, close: string) => open.repeat(levels) + close.repeat(levels);
  const bomb = Array.from({ length: 10 }, (_, n) => `x-${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join()}]`).join(
    "\n",
  );
  const wide = Array.from(
    { length: 9 },
    (_, n) => `x-${n + 1}: &a${n + 1} { properties: { a: *a${n}, b: *a${n} } }`,
  ).join("\n");
  const deep = (count: number) =>
    Array.from({ length: count }, (_, n) => `x-${n + 1}: &a${n + 1} [[[*a${n}]]]`).join("\n");
  const json = (rest: string) => `{"openapi":"3.1.0","info":{"title":"x","version":"1"},${rest}}`;
  for (const [name, text, message] of [
    ["deep YAML", post(repeat("{ items: ", "}")), /nested more than 200 levels deep/],
    [
      "deep YAML of blocks",
      Array.from({ length: levels }, (_, n) => `${" ".repeat(n)}a:`).join("\n"),
      /nested more than 200 levels deep/,
    ],
    ["deep JSON", json(`"x-a":${repeat('{"a":', "}").replace("}", "1}")}`), /nesting|nested/],
    ["deep JSON of arrays", json(`"x-a":${repeat("[", "]")}`), /nesting|nested/],
    ["aliases", `${head}x-0: &a0 [1]\n${bomb}`, /its aliases repeat too many values/],
    [
      "aliases of schemas",
      `${head}x-0: &a0 { type: string }\n${bomb}\ncomponents: { schemas: { A: { allOf: *a10 } } }`,
      /aliases repeat too many/,
    ],
    ["aliases that nest", `${head}x-0: &a0 [1]\n${deep(90)}`, /nested more than 200 levels deep/],
    ["an alias of itself", `${head}x-0: &a [*a]`, /a part of it contains itself|unidentified alias/],
    [
      "merge keys",
      `${head}x-0: &a { ${Array.from({ length: 5000 }, (_, n) => `k${n}: 1`).join()} }\nx-1: [${Array(5000).fill("{ <<: *a }").join()}]`,
      /merge keys repeat too many values/,
    ],
    ["the same key twice, in YAML", `${head}paths: {}\npaths: {}`, /duplicated mapping key/],
    ["the same key twice, in JSON", json('"paths":{},"paths":{}'), /duplicated mapping key/],
  ] as const) {
    const start = performance.now();
    await t.rejects(parseDocument(text), { message }, name);
    t.ok(performance.now() - start < 1_000, `${name} takes less than a second`);
  }
  const circular: Record<string, unknown> = { openapi: "3.1.0" };
  circular.paths = circular;
  await t.rejects(readDocument(circular), {
    message: "The document is invalid: a part of it contains itself (#/paths).",
  });
  await parseDocument(`${head}x-0: &a0 { type: string }\n${wide}\ncomponents: { schemas: { A: *a9 } }`);
});

t.test("References that lead through a path are URIs", async (t) => {
  const responses = "responses: { 204: { description: x } }";
  const path = writeFiles(t, {
    "api.yaml": `openapi: 3.0.3
info: { title: x, version: "1" }
paths:
  /keys: { post: { operationId: a, requestBody: { content: { application/json: { schema: { properties: { id: { $ref: id.yaml } } } } } }, ${responses} } }
  /keys/{id}: { get: { operationId: b, parameters: [{ name: id, in: path, required: true, schema: { $ref: id.yaml } }], ${responses} } }
`,
    "id.yaml": "type: integer\n",
  });
  t.equal((await read(path))({ id: "x" }), "must be an integer");
});
