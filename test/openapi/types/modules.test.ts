// The types that were generated are compared with the document at the start.
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import t from "tap";
import { createServer } from "../../../src/index.ts";
import { parseDocument } from "../../../src/openapi/index.ts";
import { hashTypes } from "../../../src/openapi/types/modules.ts";
import { compile } from "../../support/compile.ts";
import { documentOf } from "../../support/document-server.ts";
import { edit, folder, root } from "../../support/files.ts";
import { runOpenApi } from "../../support/openapi-command.ts";

const text = documentOf(
  `  /books:
    get:
      operationId: listBooks
      summary: Lists books
      parameters: [{ name: genre, in: query, schema: { type: string, maxLength: 9 } }]
      responses:
        200:
          description: A list
          headers: { X-Count: { schema: { type: integer } } }
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Book" } } } }
`,
  `components:
  schemas:
    Book: { type: object, required: [id], description: A book, properties: { id: { type: integer }, title: { type: string, enum: [a, b] }, secret: { type: string } } }
`,
);
const hashOf = async (...edits: [string, string][]) =>
  hashTypes(await parseDocument(edit(text, ...edits), { strict: false }));

t.test("The hash differs if a type does, and not for texts, limits and order", async (t) => {
  const hash = await hashOf();
  t.match(hash, /^[\da-f]{32}$/);
  for (const edits of [
    [["A book", "A volume"]],
    [["maxLength: 9", "maxLength: 8"]],
    [["A list", "A page"]],
    [
      [
        "id: { type: integer }, title: { type: string, enum: [a, b] }",
        "title: { type: string, enum: [a, b] }, id: { type: integer, example: 5 }",
      ],
    ],
  ] as [string, string][][])
    t.equal(await hashOf(...edits), hash, edits.join());
  for (const edits of [
    [["name: genre", "name: kind"]],
    [["listBooks", "getBooks"]],
    [["in: query, schema", "in: query, required: true, schema"]],
    [["id: { type: integer }", "id: { type: integer, format: int64 }"]],
    [["enum: [a, b]", "enum: [a, c]"]],
    [["required: [id]", "required: [id, title]"]],
    [["secret: { type: string }", "secret: { type: string, writeOnly: true }"]],
    [["200:", "201:"]],
    [["X-Count: { schema", "X-Count: { required: true, schema"]],
    [["application/json", "application/jsonl"]],
    [
      ["schema: { type: array, items: { $ref", "schema: { type: object, properties: { all: { $ref"],
      ['Book" } } } }', 'Book" } } } } }'],
    ],
  ] as [string, string][][])
    t.not(await hashOf(...edits), hash, edits.join());
});

t.test("A server refuses types of another document, and generate --check a file that is not current", async (t) => {
  const place = folder(t);
  const file = join(place, "books.yaml");
  const output = join(place, "operations.ts");
  writeFileSync(file, text);
  const errors: string[] = [];
  const generate = async (...flags: string[]) => {
    const { code, stderr } = await runOpenApi(["generate", file, ...flags]);
    if (stderr !== "") errors.push(stderr);
    return code;
  };
  t.equal(await generate("--output", output), 0);
  t.equal(await generate("--output", output, "--check"), 0);
  t.equal(await generate("--check"), 2);
  t.match(errors.splice(0), ["openapi-server: generate --check needs --output, the file of the types.\n"]);
  const { types } = await import(output);
  const start = () =>
    createServer({
      document: file,
      types,
      handlers: { listBooks: async () => ({ status: 200, body: [] }) },
      logger: pino({ level: "silent" }),
    } as never);
  await start();
  writeFileSync(file, edit(text, ["name: genre", "name: kind"]));
  await t.rejects(start(), { message: /types of the document have changed .* Run openapi-server generate again\.$/ });
  const before = readFileSync(output, "utf8");
  t.equal(await generate("--output", output, "--check"), 1);
  t.match(errors, [
    `openapi-server: ${output} is not current. Run openapi-server generate ${file} --output ${output}.\n`,
  ]);
  t.equal(readFileSync(output, "utf8"), before, "it is not written");
});

t.test("The compiler names each missing handler: with a store, of what it does not answer", async (t) => {
  const place = folder(t);
  const file = join(place, "books.yaml");
  const content = 'content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } }';
  const responses = `responses: { 200: { description: A book, ${content} } }`;
  const id = "parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]";
  const post = `    post: { operationId: addBook, requestBody: { ${content} }, ${responses} }\n`;
  const get = `  /books/{id}: { ${id}, get: { operationId: getBook, ${responses} } }\n`;
  const lend = `  /books/{id}/lend: { ${id}, post: { operationId: "lend%Book", ${responses} } }\n`;
  writeFileSync(file, text + post + get + lend);
  t.equal((await runOpenApi(["generate", file, "--output", join(place, "operations.ts")])).code, 0);
  const noLend = /required in type '\{ (readonly handlers: \{ )?readonly "lend%Book": unknown; \}/;
  const calls: [call: string, error?: RegExp][] = [
    ['createServer<operations>({ document, resources: openStore(url), handlers: { "lend%Book": handle } })'],
    ["createServer<operations>({ document, resources: openStore(url), handlers: { getBook: handle } })", noLend],
    ["createServer({ document, types, resources: openStore(url, { connections: 2 }) })", noLend],
    ["app.register(openApi<operations>, { document, resources: openStore(url), handlers: {} })", noLend],
    ["createServer<operations>({ document, resources: openStore(url, { partial: true }) })"],
    ["createServer<operations>({ document, resources: openStore(url, { partial: url.length > 1 }) })"],
    ["createServer<operations>({ document, resources: custom, handlers: { getBook: handle } })"],
    ["createServer<operations>({ document, mock: true })"],
    ["createServer<operations>({ document, handlers: { getBook: handle } })", /: listBooks, addBook, "lend%Book"$/],
    ["createServer({ document, resources: openStore(url) })"],
  ];
  writeFileSync(
    join(place, "service.ts"),
    `${calls.map(([call]) => `${call};\n`).join("")}
import { createServer, openApi, type ResourceSource } from ${JSON.stringify(join(root, "src/index.ts"))};
import { openStore } from ${JSON.stringify(join(root, "src/resources/store.ts"))};
import { type operations, types } from "./operations.ts";
declare const handle: () => Promise<{ status: 200; body: { id: number } }>;
declare const [document, url, custom, app]: [string, string, ResourceSource, import("fastify").FastifyInstance];`,
  );
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  const errors = compile([join(place, "service.ts")], place);
  for (const [index, [call, error]] of calls.entries()) {
    const reported = errors.filter((one) => one.startsWith(`service.ts:${index + 1} `)).join("\n");
    t.ok(error ? error.test(reported) : reported === "", `${call}\n${reported}`);
  }
});

t.test("generate --watch writes the file again after each change, also behind an invalid state", async (t) => {
  const place = folder(t);
  const file = join(place, "books.yaml");
  const types = join(place, "operations.ts");
  writeFileSync(file, text);
  const output = { stdout: "", stderr: "" };
  const controller = new AbortController();
  const args = ["generate", file, "--output", types, "--watch"];
  const command = runOpenApi(args, controller.signal, output);
  const until = async (pattern: RegExp) => {
    const read = () => output.stdout + output.stderr;
    for (let n = 0; n < 200 && !pattern.test(read()); n++) await new Promise((resolve) => setTimeout(resolve, 50));
    t.match(read(), pattern);
    output.stdout = output.stderr = "";
  };
  await until(/^Generated .*operations\.ts\.\n$/);
  writeFileSync(file, "openapi: 3.1.0\n\tx");
  await until(/^openapi-server: .*books\.yaml/);
  writeFileSync(file, edit(text, ["name: genre", "name: kind"]));
  await until(/^Generated /);
  t.match(readFileSync(types, "utf8"), /kind\?: string;/);
  controller.abort();
  t.equal((await command).code, 0);
  t.match(await runOpenApi([...args, "--check"]), { code: 2, stderr: /--check and --watch/ });
});
