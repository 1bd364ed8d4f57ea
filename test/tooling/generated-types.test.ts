// The types that `openapi-server generate` writes: they compile for each document, and describe what the server passes.
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { generateStubs } from "../../src/command/documents/handler-stubs.ts";
import { parseDocument, readDocument } from "../../src/openapi/index.ts";
import { generateTypes } from "../../src/openapi/types/generate-types.ts";
import { compile } from "../support/compile.ts";
import { documentOf } from "../support/document-server.ts";
import { folder, root } from "../support/files.ts";

const place = folder(t);
const imports = `import type { Handlers } from "${join(root, "src/index.ts")}";\nimport type { Readable } from "node:stream";\n`;

const responseOf = (schema: string, more = "") =>
  `{ 200: { description: x, content: { application/json: { schema: ${schema} } } }${more} }`;
const bodyOf = (schema: string, type = "application/json", required = true) =>
  `{ required: ${required}, content: { ${type}: { schema: ${schema} } } }`;

// For each document, code that compiles, unless the next line is expected not to.
const cases: Record<string, { document: string; code: string }> = {
  objects: {
    document: documentOf(`  /free: { get: { operationId: free, responses: ${responseOf("{ type: object }")} } }
  /map: { get: { operationId: map, responses: ${responseOf("{ type: object, required: [name], properties: { name: { type: string }, note: { type: string } }, additionalProperties: { type: integer } }")} } }
  /pattern: { get: { operationId: pattern, responses: ${responseOf('{ type: object, properties: { id: { type: integer } }, patternProperties: { "^x-": { type: boolean } } }')} } }
  /any: { get: { operationId: any, responses: ${responseOf("{ type: object, properties: { a: { type: string } }, additionalProperties: true }")} } }
  /tuple: { get: { operationId: tuple, responses: ${responseOf("{ type: array, minItems: 2, items: false, prefixItems: [{ type: string }, { type: integer }] }")} } }
  /either: { get: { operationId: either, responses: ${responseOf("{ type: object, properties: { a: { type: string } }, anyOf: [{ required: [a] }, { properties: { b: { type: integer } }, required: [b] }] }")} } }
`),
    code: `
h.free = async () => ({ status: 200, body: { a: 1, b: [2] } });
h.map = async () => ({ status: 200, body: { name: "x", a: 1 } });
// @ts-expect-error a member of another type
h.map = async () => ({ status: 200, body: { name: "x", a: true } });
h.pattern = async () => ({ status: 200, body: { id: 1, "x-a": true } });
h.any = async () => ({ status: 200, body: { a: "x", b: 1 } });
// @ts-expect-error a known member of another type
h.any = async () => ({ status: 200, body: { a: 5 } });
h.tuple = async () => ({ status: 200, body: ["a", 1] });
// @ts-expect-error another order
h.tuple = async () => ({ status: 200, body: [1, "a"] });
h.either = async () => ({ status: 200, body: { a: "x" } });
`,
  },
  directions: {
    document: documentOf(
      `  /users:
    post: { operationId: add, requestBody: ${bodyOf('{ $ref: "#/components/schemas/User" }')}, responses: ${responseOf('{ type: array, items: { $ref: "#/components/schemas/User" } }')} }
    put: { operationId: sign, requestBody: ${bodyOf('{ $ref: "#/components/schemas/Login" }')}, responses: { 204: { description: x } } }
`,
      `components:
  schemas:
    Id: { type: integer, format: int64, readOnly: true }
    Login: { type: object, required: [password], properties: { password: { type: string, writeOnly: true } } }
    Base: { type: object, required: [id, name], properties: { id: { $ref: "#/components/schemas/Id" }, name: { type: string } } }
    User:
      allOf: [{ $ref: "#/components/schemas/Base" }]
      type: object
      required: [password, id]
      properties:
        password: { type: string, writeOnly: true }
        friends: { type: array, items: { $ref: "#/components/schemas/User" } }
`,
    ),
    code: `
import type { components } from "./directions.ts";
h.add = async ({ body }) => {
  const { name, password, friends = [] } = body;
  const texts: string[] = [name, password, friends[0]?.password ?? ""];
  // @ts-expect-error a request has no read-only member
  void body.id;
  // @ts-expect-error at any depth
  void friends[0]?.id;
  return { status: 200, body: [{ id: 1n, name: texts.join("") }] };
};
// @ts-expect-error a response has no write-only member
h.add = async () => ({ status: 200, body: [{ id: 1n, name: "x", password: "y" }] });
// @ts-expect-error a response has read-only members
h.add = async () => ({ status: 200, body: [{ name: "x" }] });
h.sign = async ({ body }) => ({ status: body.password === "x" ? 204 : 204 });
export const user: components["schemas"]["User"] = { id: 1n, name: "x", friends: [] };
export const login: components["schemas"]["Login"] = { password: "x" };
`,
  },
  statuses: {
    document: documentOf(
      ["404", "4XX", "204"]
        .map(
          (status, index) =>
            `  /${index}: { get: { operationId: s${index}, responses: { 200: { description: x }, ${status}: { description: x }, default: { description: x, content: { application/json: { schema: { type: integer } } } } } } }\n`,
        )
        .join("") +
        "  /3: { get: { operationId: s3, responses: { 200: { description: x }, 5XX: { description: x } } } }\n  /4: { get: { operationId: s4, responses: { default: { description: x } } } }\n",
    ),
    code: `
h.s0 = async () => ({ status: 404 });
h.s0 = async () => ({ status: 409, body: 1 });
// @ts-expect-error the body of the default
h.s0 = async () => ({ status: 409, body: "x" });
h.s1 = async () => ({ status: 500, body: 1 });
h.s1 = async () => ({ status: 403 });
// @ts-expect-error a success that is not declared
h.s2 = async () => ({ status: 201, body: 1 });
h.s3 = async () => ({ status: 503 });
// @ts-expect-error not in the range
h.s3 = async () => ({ status: 404 });
h.s4 = async () => ({ status: 201 });
h.s4 = async () => new Error("an error of the table \`errors\`");
`,
  },
  content: {
    document: documentOf(
      `  /any: { post: { operationId: any, requestBody: { content: { "*/*": { schema: { type: string } } } }, responses: { 200: { description: x, content: { "*/*": { schema: { type: object } }, "image/*": {} } } } } }
  /form: { post: { operationId: form, requestBody: ${bodyOf('{ $ref: "#/components/schemas/Upload" }', "multipart/form-data")}, responses: ${responseOf('{ $ref: "#/components/schemas/Upload" }')} } }
  /events: { get: { operationId: events, responses: { 200: { description: x, content: { text/event-stream: { itemSchema: { type: object, required: [data], properties: { data: { type: string }, id: { type: string } } } }, application/jsonl: { schema: { type: array, items: { type: integer } } } } } } } }
  /raw: { post: { operationId: raw, requestBody: ${bodyOf("{}", "application/pdf", false)}, responses: { 200: { description: x, content: { text/plain: { schema: { type: integer } } } } } } }
  /optional: { post: { operationId: optional, requestBody: ${bodyOf("{ type: object, properties: { a: { type: integer, default: 5 } } }", "application/json", false)}, responses: ${responseOf("{ type: object, properties: { a: { type: integer, default: 5 } } }")} } }
`,
      "components: { schemas: { Upload: { type: object, required: [file], properties: { file: { type: string, format: binary } } } } }",
    ).replace("3.1.0", "3.2.0"),
    code: `
h.any = async ({ body }) => {
  const stream: Readable | undefined = body;
  return { status: 200, type: "application/vnd.own+json", body: { stream } };
};
h.any = async () => ({ status: 200, type: "image/png", body: new Uint8Array() });
// @ts-expect-error no media type
h.any = async () => ({ status: 200, type: "png", body: "x" });
h.form = async ({ body }) => {
  const file: File = body.file;
  return { status: 200, body: { file: file.name } };
};
h.events = async () => ({ status: 200, type: "text/event-stream", body: [{ data: "x" }] });
h.events = async () => ({ status: 200, type: "application/jsonl", body: (async function* () { yield 5; })() });
// @ts-expect-error an item of another type
h.events = async () => ({ status: 200, type: "text/event-stream", body: [{ data: 5 }] });
// @ts-expect-error an item of another type
h.events = async () => ({ status: 200, type: "application/jsonl", body: (async function* () { yield "5"; })() });
h.raw = async ({ body }) => ({ status: 200, body: body === undefined ? 5 : body.readableLength });
h.optional = async ({ body }) => ({ status: 200, body: { a: (body?.a ?? 0) + 1 } });
h.optional = async ({ body }) => {
  if (body) body.a.toFixed(); // the default
  return { status: 200, body: {} };
};
`,
  },
  headers: {
    document: documentOf(
      `  /a: { get: { operationId: a, responses: { 200: { description: x, headers: { X-Count: { required: true, schema: { type: integer } }, X-Own: { $ref: "#/components/headers/Own" }, X-Needed: { $ref: "#/components/headers/Needed" } } }, 204: { description: x, headers: { ETag: { required: true, schema: { type: string } } } } } } }
`,
      "components: { headers: { Own: { schema: { enum: [a, b] } }, Needed: { required: true, schema: { type: array, items: { type: integer } } } } }",
    ),
    code: `
h.a = async () => ({ status: 200, headers: { "X-Count": 1, "X-Needed": [1, 2] } });
h.a = async () => ({ status: 200, headers: { "X-Count": "1", "X-Needed": "1,2", "X-Own": "a" } });
h.a = async () => ({ status: 204 });
// @ts-expect-error a required header is missing
h.a = async () => ({ status: 200, headers: { "X-Count": 1 } });
// @ts-expect-error all of them are
h.a = async () => ({ status: 200 });
// @ts-expect-error another value
h.a = async () => ({ status: 200, headers: { "X-Count": 1, "X-Needed": [], "X-Own": "c" } });
`,
  },
  values: {
    document: documentOf(
      `  /a/{n}:
    parameters: [{ name: n, in: path, required: true, schema: { type: integer, format: int64 } }]
    post:
      operationId: a
      parameters: [{ name: size, in: query, schema: { type: integer, enum: [1, 2], default: 1 } }, { name: big, in: query, schema: { type: integer, format: int64, enum: [9007199254740993, 2] } }, { name: f, in: query, content: { application/json: { schema: { type: array, items: { type: string } } } } }]
      requestBody: ${bodyOf('{ $ref: "#/components/schemas/Pet" }')}
      responses: ${responseOf('{ $ref: "#/components/schemas/Alias" }')}
`,
      `components:
  schemas:
    Alias: { $ref: "#/components/schemas/Node", description: an alias }
    Node: { type: object, required: [id], properties: { id: { const: 9007199254740993, type: integer, format: int64 }, left: { $ref: "#/components/schemas/Node" }, part: { $ref: "#/components/schemas/Node/properties/left" }, none: { type: [integer, "null"], format: int64 } } }
    Cat: { type: object, required: [kind, lives], properties: { kind: { type: string }, lives: { type: integer } } }
    Dog: { type: object, required: [kind, name], properties: { kind: { type: string }, name: { type: string } } }
    Pet: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }], discriminator: { propertyName: kind, mapping: { tom: "#/components/schemas/Cat" } } }
`,
    ),
    code: `
h.a = async ({ params, query, body }) => {
  const n: bigint = params.n;
  const size: 1 | 2 = query.size;
  const big: 9007199254740993n | 2n | undefined = query.big;
  const filter: string[] | undefined = query.f;
  const lives: number = body.kind === "tom" ? body.lives : body.kind === "Dog" ? body.name.length : 0;
  void [n, size, big, filter, lives];
  return { status: 200, body: { id: 9007199254740993n, left: { id: 9007199254740993n, none: null }, part: { id: 9007199254740993n } } };
};
// @ts-expect-error rounded
h.a = async () => ({ status: 200, body: { id: 9007199254740992n } });
`,
  },
};

t.test("The types of a document describe what the server passes and accepts", async (t) => {
  const files = await Promise.all(
    Object.entries(cases).map(async ([name, { document, code }]) => {
      const types = await generateTypes(await parseDocument(document, { strict: false }));
      writeFileSync(join(place, `${name}.ts`), types);
      const file = join(place, `${name}-handlers.ts`);
      const handlers = `declare const h: { -readonly [Id in keyof Handlers<operations>]: Handlers<operations>[Id] };\n`;
      writeFileSync(
        file,
        `${imports}import type { operations } from "./${name}.ts";\n${handlers}${code}\nexport {};\n`,
      );
      return file;
    }),
  );
  t.same(compile(files, place), []);
});

t.test("The types and the stubs of public documents, and of one in several files, compile", async (t) => {
  const split = join(place, "split");
  mkdirSync(split);
  writeFileSync(
    join(split, "paths.yaml"),
    `things:\n  get:\n    operationId: list\n    parameters: [{ name: color, in: query, schema: { $ref: "schemas.yaml#/Color" } }]\n    responses: ${responseOf('{ type: array, items: { $ref: "schemas.yaml#/Thing" } }')}\n`,
  );
  writeFileSync(
    join(split, "schemas.yaml"),
    'Color: { enum: [red] }\nThing: { properties: { color: { $ref: "#/Color" }, of: { $ref: "#/Thing" } } }\n',
  );
  writeFileSync(
    join(split, "root.yaml"),
    documentOf(
      '  /things: { $ref: "paths.yaml#/things" }',
      'components: { schemas: { Thing: { $ref: "schemas.yaml#/Thing" } } }',
    ),
  );
  const examples = globSync(join(root, "node_modules/@readme/oas-examples/3.[01]/json/*.json")).sort();
  const sources = [join(split, "root.yaml"), join(root, "test/support/contract.yaml"), ...examples];
  const files: string[] = [];
  for (const [index, source] of sources.entries()) {
    const document = await readDocument(source, { strict: false });
    const file = join(place, `public${index}.ts`);
    const types = await generateTypes(document);
    writeFileSync(
      file,
      `${imports}${types}\nexport declare const handlers: Handlers<operations>;\nexport type Stream = Readable;\n`,
    );
    if (document.operations.length === 0) continue;
    const stubs = join(place, `stubs${index}.ts`);
    const text = generateStubs(document.operations, `./public${index}.ts`);
    writeFileSync(stubs, text.replace('"@petstore/openapi-server"', JSON.stringify(join(root, "src/index.ts"))));
    files.push(file, stubs);
  }
  t.ok(files.length > 80, `${files.length} documents`);
  t.same(compile(files, place), []);
});
