// The types of handlers, which openapi-typescript generates.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import t from "tap";
import { parse } from "yaml";
import { parseDocument, readDocument } from "../../../src/openapi/index.ts";
import { generateTypes } from "../../../src/openapi/types/generate-types.ts";
import { compile } from "../../support/compile.ts";
import { documentOf } from "../../support/document-server.ts";
import { folder, root } from "../../support/files.ts";
import { libraryText } from "../../support/library.ts";

const extensible = "copies: { type: string, x-extensible-enum: [one, many] }";
const text = libraryText.replace("copies: { type: integer }", extensible);

// First, because a package that is loaded once is not looked up again.
t.test("Says what to install if the generator is missing", async (t) => {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "openapi-typescript") throw new Error("not installed");
      return next(specifier, context);
    },
  });
  t.teardown(() => hooks.deregister());
  await t.rejects(generateTypes(await readDocument(parse(text))), {
    message: /Run npm install --save-dev openapi-typescript typescript@5/,
  });
});

t.test("An int64 is a bigint, a parameter with a default has a value, and an extensible enum is a union", async (t) => {
  const document = await readDocument(parse(text));
  const types = await generateTypes(document);
  t.match(types, /id: bigint;/);
  t.match(types, /limit: number;/);
  t.match(types, /copies\??: "one" \| "many";/);
  const forClients = await generateTypes(document, { extensibleEnums: "string", fillsDefaults: false });
  t.match(forClients, /limit\?: number;/);
  t.match(forClients, /copies\??: string;/);
});

t.test("Operations of the methods of OpenAPI 3.2 have types", async (t) => {
  const paths = `  /x/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: boolean } }]
    query: { operationId: find, responses: { 204: { description: x } } }
    additionalOperations: { COPY: { operationId: copy, responses: { 201: { description: x } } } }`;
  const document = await parseDocument(documentOf(paths).replace("3.1.0", "3.2.0"));
  const types = await generateTypes(document);
  for (const type of [/\n {4}find: \{.*id: boolean;.*204: /s, /\n {4}copy: \{.*id: boolean;.*201: /s])
    t.match(types, type);
  t.notOk(document.content.paths?.["/x/{id} query"], "the document is not changed");
});

t.test("An int64 can also be null, and a file of a form is a File", async (t) => {
  const document = await parseDocument(
    documentOf(`  /x:
    post:
      operationId: x
      requestBody:
        content:
          multipart/form-data:
            schema:
              properties:
                photo: { type: string, contentMediaType: image/png }
                scans: { type: array, items: { type: string, format: binary } }
                id: { type: [integer, "null", string], format: int64 }
                ids: { type: [integer, array], format: int64 }
      responses: { 204: { description: x } }`),
  );
  const text = await generateTypes(document);
  t.match(text, /photo\?: File;/);
  t.match(text, /scans\?: File\[\];/);
  t.match(text, /id\?: bigint \| null \| string;/);
  t.match(text, /ids\?: bigint \| unknown\[\];/);
  const components = "components: { schemas: { n: { type: integer, format: int64, nullable: true } } }";
  const older = await parseDocument(documentOf("  {}", components, "3.0.3"));
  t.match(await generateTypes(older), /n: bigint \| null;/);
});

t.test("Resolves references by $id and $anchor in the document, and not over the network", async (t) => {
  const response = (reference: string) =>
    `{ 200: { description: x, content: { application/json: { schema: { $ref: "${reference}" } } } } }`;
  const tree =
    '{ $id: "http://127.0.0.1:9/tree", $defs: { leaf: { const: 7 } }, properties: { leaf: { $ref: "#/$defs/leaf" } } }';
  const paths = `  /a: { get: { operationId: a, responses: ${response("http://127.0.0.1:9/tree")} } }
  /b: { get: { operationId: b, responses: ${response("#node")} } }
  /c: { get: { operationId: c, responses: ${response("http://127.0.0.1:9/nothing")} } }`;
  const components = `components: { schemas: { Tree: ${tree}, Node: { $anchor: node, type: boolean } } }`;
  const document = await parseDocument(documentOf(paths, components), { strict: false });
  const types = await generateTypes(document);
  t.match(types, /"application\/json": unknown/, "a reference that leads to nothing");
  t.match(types, /"application\/json": components\["schemas"\]\["Tree"\]/);
  t.match(types, /"application\/json": components\["schemas"\]\["Node"\]/);
});

t.test("What is required beside the schemas that declare it is in its type", async (t) => {
  const components = `components:
  schemas:
    New: { properties: { name: { type: string, nullable: true }, key: { type: string, readOnly: true } } }
    Pet: { required: [id, name, other], allOf: [{ $ref: "#/components/schemas/New" }, { properties: { id: { type: integer } } }] }`;
  const place = folder(t);
  const file = join(place, "types.ts");
  const use = `
const pets: components["schemas"]["Pet"][] = [{ id: 1, name: null }];
// @ts-expect-error the id is required
pets.push({ name: "A" });
// @ts-expect-error the name is required
pets.push({ id: 2 });
export const ids: number[] = pets.map(({ id }) => id);
`;
  writeFileSync(file, (await generateTypes(await parseDocument(documentOf("  {}", components, "3.0.3")))) + use);
  t.same(compile([file], place), []);
});

t.test("Webhooks have types, but no handlers", async (t) => {
  const schema =
    "{ type: object, required: [id, key], properties: { id: { type: integer, readOnly: true }, key: { type: string, writeOnly: true } } }";
  const body = `content: { application/json: { schema: ${schema} } }`;
  const webhooks = `webhooks: { added: { post: { operationId: added, requestBody: { required: true, ${body} }, responses: { 204: { description: x } } } } }`;
  const types = await generateTypes(await parseDocument(documentOf("  {}", webhooks)));
  t.match(types, /interface webhooks \{\s+added: \{[\s\S]*id: number;\s+key\?: never;/);
  t.match(types, /type operations = Record<string, never>;/);
});

t.test("Schemas that contain themselves without an object between have types that compile", async (t) => {
  const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
  const document = await parseDocument(
    documentOf(
      `  /x: { get: { operationId: x, responses: { 200: { description: x, content: { application/json: { schema: ${ref("Json")} } } } } } }`,
      `components:
  schemas:
    Nested: { type: array, items: ${ref("Nested")} }
    Json: { anyOf: [{ type: [string, "null"] }, { type: array, items: ${ref("Json")} }, { additionalProperties: ${ref("Json")} }] }
    A-1: { oneOf: [{ type: string }, ${ref("Pair")}] }
    Pair: { type: array, prefixItems: [{ type: integer }, ${ref("A-1")}], minItems: 2, items: false }
    Tree: { properties: { children: { type: array, items: ${ref("Tree")} }, json: ${ref("Json")} } }`,
    ),
  );
  const place = folder(t);
  const use = (name: string, type: string, value: string) => `export const ${name}: ${type} = ${value};\n`;
  const schema = (name: string) => `components["schemas"]["${name}"]`;
  writeFileSync(
    join(place, "types.ts"),
    (await generateTypes(document)) +
      use("nested", schema("Nested"), "[[], [[]]]") +
      use("json", `operations["x"]["responses"][200]["content"]["application/json"]`, '{ a: ["b", { c: null }] }') +
      use("pair", schema("Pair"), '[1, [2, "x"]]') +
      use("tree", schema("Tree"), "{ children: [{ json: [] }] }") +
      `// @ts-expect-error\n${use("wrong", schema("Nested"), "[1]")}`,
  );
  t.same(compile([join(place, "types.ts")], place), []);
});

t.test("Names of any kind stay as they are, also those of the members of all objects", async (t) => {
  const names = ["valueOf", "hasOwnProperty", "constructor", "__proto__", "toString", "a%b", "100%25"];
  const components = {
    schemas: Object.fromEntries(
      names.map((name) => [
        name,
        { type: "object", required: [name], properties: { x: {}, [name]: { type: "string" } } },
      ]),
    ),
  };
  const refer = (name: string) => ({ $ref: `#/components/schemas/${encodeURIComponent(name)}` });
  const paths = Object.fromEntries(
    names.map((name, index) => [
      `/${index}/{${name}}`,
      {
        get: {
          operationId: name,
          parameters: [{ name, in: "path", required: true, schema: { type: "integer" } }],
          responses: { 200: { description: "x", content: { "application/json": { schema: refer(name) } } } },
        },
      },
    ]),
  );
  const document = await readDocument({ openapi: "3.1.0", info: { title: "x", version: "1" }, paths, components });
  const place = folder(t);
  const checks = names.map((name, index) => {
    const id = JSON.stringify(name);
    const body = `operations[${id}]["responses"][200]["content"]["application/json"][${id}]`;
    return `export const a${index}: ${body} = "x";\nexport const b${index}: operations[${id}]["parameters"]["path"][${id}] = 5;\n`;
  });
  writeFileSync(join(place, "types.ts"), (await generateTypes(document)) + checks.join(""));
  t.same(compile([join(place, "types.ts")], place), []);
});

t.test("The items of a sequence have a type, and the handler writes those of another media type itself", async (t) => {
  const contentOf = (...types: string[]) =>
    `content: { ${types.map((type) => `${type}: { itemSchema: { type: integer } }`).join()} }`;
  const get = (id: string, type: string) =>
    `  /${id}: { get: { operationId: ${id}, responses: { 200: { description: x, ${contentOf(type)} } } } }\n`;
  const paths =
    get("seq", "application/geo+json-seq") +
    get("mixed", "multipart/mixed") +
    `  /post: { post: { operationId: post, requestBody: { required: true, ${contentOf("application/geo+json-seq", "multipart/mixed")} }, responses: { 204: { description: x } } } }`;
  const types = await generateTypes(await parseDocument(documentOf(paths, "", "3.2.0")));
  t.match(types, /"application\/geo\+json-seq": number\[\];/);
  t.match(types, /"multipart\/mixed": unknown;/);
  const place = folder(t);
  writeFileSync(join(place, "types.ts"), types);
  const handler = (id: string, code: string) =>
    `export const ${id}${code.length}: Handler<operations, "${id}"> = async (call) => ${code};\n`;
  writeFileSync(
    join(place, "handlers.ts"),
    `import type { Readable } from "node:stream";
import type { Handler } from ${JSON.stringify(join(root, "src/index.ts"))};
import type { operations } from "./types.ts";
${handler("seq", "({ status: 200, body: [1] })")}${handler("mixed", '({ status: 200, body: "--x--" })')}
${handler("post", "{ const body: Readable = call.body; body.resume(); return { status: 204 }; }")}
// @ts-expect-error
${handler("seq", '({ status: 200, body: ["x"] })')}// @ts-expect-error
${handler("mixed", "({ status: 200, body: [1] })")}`,
  );
  t.same(compile([join(place, "handlers.ts")], place), []);
});
