// With `strict: false`, a document with errors is served as far as possible. Names of operations.
import t from "tap";
import { parseDocument, readDocument } from "../../../src/openapi/index.ts";
import { Query } from "../../../src/openapi/wire/pairs.ts";
import { documentOf } from "../../support/document-server.ts";

/** Parses a document, and returns it with its findings. */
async function parse(text: string) {
  const document = await parseDocument(text, { strict: false });
  const problems = document.findings.list().map(({ message }) => message);
  return { document, problems, ids: document.operations.map(({ id }) => id) };
}

const post = (schema: string) =>
  `  /a: { post: { operationId: a, requestBody: { content: { application/json: { schema: ${schema} } } }, responses: { 204: { description: x } } } }`;

t.test("Reports keywords that can't be enforced, and enforces those beside them", async (t) => {
  for (const [name, schema, problem, good, bad] of [
    ["an unknown keyword", "{ type: string, maxLenght: 1, maxLength: 2 }", /unknown keyword "maxLenght"/, "ab", "abc"],
    ["an unknown format", "{ type: string, format: dog, minLength: 1 }", /unknown format "dog"/, "x", ""],
    ["an invalid pattern", '{ type: string, pattern: "(", minLength: 1 }', /"pattern", which must be/, "x", ""],
    [
      "an invalid pattern of names",
      '{ patternProperties: { "(": {} }, required: [a] }',
      /"patternProperties"/,
      { a: 1 },
      {},
    ],
    ["a wrong value", "{ type: integer, minimum: x, maximum: 5 }", /"minimum", which must be a number/, 5, 6],
    ["a wrong type", "{ type: text, minLength: 1 }", /"type", which must be one or more of/, "x", ""],
    ["a wrong enum", "{ type: string, enum: x }", /"enum", which must be an array/, "y", 1],
    ["wrong schemas", "{ properties: 7, allOf: [], items: 1, required: [a] }", /"properties"/, { a: 1 }, {}],
    ["a wrong schema of a property", "{ properties: { a: 1 }, required: [a] }", /"properties"/, { a: 1 }, {}],
    ["a wrong default", "{ properties: { a: { type: integer, default: x } } }", /has the default "x"/, {}, { a: "x" }],
    [
      "a wrong limit beside a default",
      "{ properties: { a: { type: integer, maximum: x, default: 1 } } }",
      /"maximum"/,
      {},
      { a: "x" },
    ],
    [
      "a default beyond 2^53",
      `{ properties: { a: { type: integer, default: ${2n ** 60n} } } }`,
      /must be an integer from/,
      {},
      { a: "x" },
    ],
    ["a $schema", "{ $schema: http://x.example/, type: string }", /has the \$schema/, "x", 1],
    [
      "a cycle",
      '{ type: string, $ref: "#/paths/~1a/post/requestBody/content/application~1json/schema" }',
      /leads back to it/,
      "x",
      1,
    ],
  ] as [string, string, RegExp, unknown, unknown][]) {
    const { document, problems } = await parse(documentOf(post(schema)));
    t.ok(
      problems.some((text) => problem.test(text)),
      `${name}: ${problems.join(" ")}`,
    );
    const validate = document.operations[0]?.body?.select("application/json")?.validate;
    t.match(validate?.(structuredClone(good)), { problems: undefined, value: good }, `${name}: accepts`);
    t.match(validate?.(bad), { problems: Array }, `${name}: rejects`);
    await t.rejects(parseDocument(documentOf(post(schema)), { strict: true }), `${name}: rejected in strict mode`);
  }
});

t.test("Reports a document that does not match the schema of OpenAPI", async (t) => {
  const { problems } = await parse(documentOf("  {}").replace('version: "1"', "version: 1"));
  t.match(problems, [/^The part \/info\/version must be string$/]);
  const { problems: unknown } = await parse(documentOf("  {}", "hooks: {}"));
  t.same(unknown, ["The document has the field 'hooks', which OpenAPI does not define here"]);
  const { problems: other } = await parse(documentOf("  {}", "components: { responses: { R: { $ref: '#/none' } } }"));
  t.same(other, ['The reference #/none leads to nothing: there is no "none"']);
});

t.test("Reports an invalid default of a parameter, and does not use it", async (t) => {
  const schema = "{ type: integer, allOf: [{ default: x }] }";
  const paths = `  /a: { get: { operationId: a, parameters: [{ name: q, in: query, schema: ${schema} }], responses: { 204: { description: x } } } }`;
  const { document } = await parse(documentOf(paths));
  const query = document.operations[0]?.parameters.query;
  t.match(query?.read(new Query("/")), { value: { q: undefined } });
  t.match(query?.read(new Query("/?q=5")), { value: { q: 5 } });
});

t.test("Invalid keywords beside unevaluatedProperties do no harm", async (t) => {
  const schema =
    '{ properties: null, patternProperties: { "(": {} }, allOf: 1, additionalProperties: 7, unevaluatedProperties: false }';
  const { document } = await parse(documentOf(post(schema)));
  const validate = document.operations[0]?.body?.select("application/json")?.validate;
  t.match(validate?.({}), { problems: undefined });
  t.match(validate?.({ a: 1 }), { problems: Array });
});

t.test("A reference in data is no reference", async (t) => {
  const schema = '{ const: { $ref: "#/none" }, examples: [{ $ref: "#/none" }] }';
  t.match(await parse(documentOf(post(schema))), { problems: { length: 0 }, ids: ["a"] });
});

t.test("Leaves out an operation that can't be compiled", async (t) => {
  const paths = `  /a/{x: { get: { operationId: a, responses: { default: { description: x } } } }
  /b: { get: { operationId: b, responses: { default: { description: x } } } }`.replace("/a/{x:", '"/a/{x":');
  const { ids, problems } = await parse(documentOf(paths));
  t.same(ids, ["b"]);
  t.equal(problems.length, 1, problems.join());
});

const get = (id?: string) =>
  `{ ${id === undefined ? "" : `operationId: ${id}, `}responses: { default: { description: x } } }`;

t.test("Names operations without an operationId by their method and path", async (t) => {
  const paths = `  /: { get: ${get()} }
  /books/{book-id}: { get: ${get()}, parameters: [{ name: book-id, in: path, required: true, schema: {} }] }
  /books/byBookId: { get: ${get()} }
  /x_y/straße: { get: ${get()}, delete: ${get()} }`;
  const { ids, problems } = await parse(documentOf(paths));
  t.same(ids, ["get", "getBooksByBookId", "getBooksByBookId2", "getXYStraße", "deleteXYStraße"]);
  t.same(problems, []);
});

t.test("Reports operations with the same operationId, and gives each its own", async (t) => {
  const paths = `  /a: { get: ${get("a")} }\n  /b: { get: ${get("a")} }\n  /c: { get: ${get("a2")} }\n  /d: { get: ${get("a")} }`;
  const { ids, problems } = await parse(documentOf(paths));
  t.equal(new Set(ids).size, 4);
  t.same(ids.slice(0, 2), ["a", "a2"]);
  t.same(problems, ["The operation a has an operationId that another operation has"]);
  await t.rejects(parseDocument(documentOf(paths)), {
    message: /The operation a has .* \(line 6, column 9, and 2 more/,
  });
});

t.test("Reports operations that can't be reached, and reads a parsed object", async (t) => {
  const paths = `  /a/{x}: { get: ${get("a")}, parameters: [{ name: x, in: path, required: true, schema: {} }] }
  /a/{y}: { get: ${get("b")}, parameters: [{ name: y, in: path, required: true, schema: {} }] }
  x-extension: {}`;
  const { document, problems } = await parse(documentOf(paths));
  t.match(problems, [/The operation b can't be reached, because a has the same method and path/]);
  t.same(
    document.operations.map(({ id }) => id),
    ["a"],
  );
  const { operations, text } = await readDocument(document.content, { strict: false });
  t.same([operations.length, text], [1, undefined]);
});

t.test("Serves additional operations of OpenAPI 3.2", async (t) => {
  const { document, problems } = await parse(
    documentOf(`  /a: { additionalOperations: { COPY: ${get()} } }`, "", "3.2.0"),
  );
  t.match(document.operations, [{ id: "copyA", method: "COPY" }]);
  t.same(problems, []);
});

t.test("Reports a method that the HTTP parser does not know, and a path that can't be routed", async (t) => {
  const operation = "responses: { 204: { description: x } }";
  const text = documentOf(
    `  /a:\n    additionalOperations: { BREW: { operationId: brew, ${operation} } }
  /b/*: { get: { operationId: b, ${operation} } }
  /c: { get: { operationId: c, ${operation} } }\n`,
    "",
    "3.2.0",
  );
  const { problems, ids } = await parse(text);
  t.same(ids, ["c"]);
  t.match(problems, [
    /\/b\/\* has a \*/,
    /The operation brew has the method BREW, which is not served, because Node's HTTP parser does not know it/,
  ]);
  await t.rejects(parseDocument(text.replace(/additionalOperations.*/, "{}")), { message: /\/b\/\* has a \*/ });
});

t.test("Serves the rest of a document with a reference that leads to nothing, or an invalid limit", async (t) => {
  const body =
    "requestBody: { x-max-bytes: 1MB, content: { application/json: { schema: { properties: { a: { $ref: '#/none' }, b: { type: string } } } } } }";
  const text = documentOf(`  /x: { post: { operationId: x, ${body}, responses: { 204: { description: x } } } }`);
  const { document, problems } = await parse(text);
  t.match(problems.sort(), [
    /The operation x has the x-max-bytes 1MB, but it must be a positive integer/,
    /The schema at .*\/properties\/a has the reference #\/none, which leads to nothing: there is no "none"$/,
  ]);
  const validate = document.operations[0]?.body?.select("application/json")?.validate;
  t.match(validate?.({ a: 1, b: "x" }), { problems: undefined });
  t.match(validate?.({ b: 1 }), { problems: Array });
});

t.test("Checks the schemas behind references into extensions", async (t) => {
  const parameter = "x-common: { p: { name: q, in: query, schema: { maxLenght: 5 } } }";
  const paths =
    "  /x: { get: { operationId: x, parameters: [{ $ref: '#/x-common/p' }], responses: { 204: { description: x } } } }";
  const { problems } = await parse(documentOf(paths, parameter));
  t.match(problems, [/The schema at \/x-common\/p\/schema has the unknown keyword "maxLenght"/]);
});
