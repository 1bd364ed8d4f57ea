// The command openapi-server generate --handlers: the stubs of handlers.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import t from "tap";
import { createServer } from "../../src/index.ts";
import { documentOf } from "../support/document-server.ts";
import { folder, root } from "../support/files.ts";
import { runOpenApi as run } from "../support/openapi-command.ts";

const place = folder(t);
const at = (name: string) => join(place, name);
const library = JSON.stringify(join(root, "src/index.ts"));
const document = at("books.yaml");
const book = "content: { application/json: { schema: { type: object, properties: { id: { type: integer } } } } }";
writeFileSync(
  document,
  documentOf(`  /books:
    post:
      operationId: createBook
      requestBody: { required: true, ${book} }
      responses: { 201: { description: x, ${book} } }
  /books/{id}:
    get:
      operationId: get-book
      summary: "Returns a\\u2028book\\n(or 404)"
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { 200: { description: x, ${book} } }
  /sort:
    post: { responses: { 204: { description: x } } }
`),
);

const handlers = at("handlers.ts");
const args = ["generate", document, "--handlers", handlers, "--output", at("operations.ts")];

t.test("generate --handlers writes a stub for each operation, which responds with 501", async (t) => {
  t.match(await run(args), { code: 0, stdout: `Generated ${handlers}.\n` });
  const text = readFileSync(handlers, "utf8");
  t.match(text, 'import type { operations } from "./operations.ts";\n');
  t.match(text, '  // GET /books/{id}: Returns a book (or 404)\n  "get-book": async (call) =>');
  t.match(readFileSync(at("operations.ts"), "utf8"), /export interface operations/);
  writeFileSync(handlers, text.replace('"@petstore/openapi-server"', library));
  const app = await createServer({ document, ...(await import(handlers)), logger: pino({ level: "silent" }) });
  t.teardown(() => app.close());
  const response = await app.inject({ url: "/books/7", headers: { host: "x" } });
  t.match(response.json(), { status: 501, code: "not_implemented", message: /get-book/ });
});

t.test("generate --handlers names what an existing file lacks, and does not change it", async (t) => {
  t.match(await run(args), { code: 0, stdout: `${handlers} has all handlers.\n` });
  const text = readFileSync(handlers, "utf8").replaceAll(/^ .*(createBook|postSort): .*\n/gm, "");
  writeFileSync(handlers, text);
  const stderr = `openapi-server: ${handlers} exists, and is not changed. It lacks handlers: createBook, postSort.\n`;
  t.match(await run(args), { code: 1, stdout: "", stderr });
  t.equal(readFileSync(handlers, "utf8"), text);
});

t.test("generate --handlers writes stubs without types, and only those that a store does not answer", async (t) => {
  const file = at("stubs.mjs");
  const result = await run(["generate", document, "--handlers", file, "--unanswered"]);
  t.match(result, { code: 0, stdout: `Generated ${file}.\n` });
  t.match(
    readFileSync(file, "utf8"),
    /^import \{ notImplemented \} from .+\n\nexport const handlers = \{\n.+\n {2}postSort: .+\n\};\n$/,
  );
  for (const [more, stderr] of [
    [["--handlers", at("other.ts")], /a file \.ts and --output/],
    [["--handlers", at("other.txt")], /needs a file \.js/],
    [["--handlers", at("other.js"), "--client"], /cannot be used with option '--client'/],
  ] as const)
    t.match(await run(["generate", document, ...more]), { code: 2, stdout: "", stderr });
});
