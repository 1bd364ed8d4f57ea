// The option --config of the command openapi-server: the options of createServer from a module.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t from "tap";
import { documentOf } from "../support/document-server.ts";
import { folder, writeFiles } from "../support/files.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";

const place = folder(t);
let count = 0; // a module is imported once
const save = (name: string, text: string) => {
  const path = join(place, `${count++}-${name}`);
  writeFileSync(path, text);
  return path;
};
const file = save(
  "isbn.yaml",
  documentOf(
    "  /x/{isbn}:\n    get: { operationId: x, x-sunset: soon, parameters: [{ name: isbn, in: path, required: true, schema: { type: string, format: isbn } }], responses: { 204: { description: x } } }\n",
  ),
);

t.test("check knows the formats and rules of the module, which the command line replaces", async (t) => {
  const options = "formats: { isbn: (text: string): boolean => /^\\d{13}$/.test(text) }, handlers: { x() {} }";
  for (const text of [
    `export default { ${options}, ignore: ["extension"], strict: true };`,
    `export const options = { ${options}, ignore: ["extension"], strict: undefined };`,
  ]) {
    const module = save("options.ts", text);
    t.match(await run(["check", file, "--config", module]), {
      code: 0,
      stdout: /^1 operation, 0 errors, 0 warnings\./,
    });
    t.match(await run(["check", file, "--config", module, "--ignore", "format"]), {
      code: 1,
      stderr: /names format, but the document has extension\./,
    });
  }
  const [strict, lax] = [true, false].map((value) => save("options.mjs", `export default { strict: ${value} };`));
  for (const [options, code, stdout] of [
    [[strict], 1, /2 errors, 0 warnings/],
    [[strict, "--no-strict"], 0, /0 errors, 2 warnings/],
    [[lax, "--strict"], 1, /2 errors, 0 warnings/],
  ] as [string[], number, RegExp][])
    t.match(await run(["check", file, "--config", ...options]), { code, stdout });
});

t.test("mock has the formats, the shape of errors and the queries of the module", async (t) => {
  const module = save(
    "options.ts",
    `export default {
      formats: { isbn: (text: string) => /^\\d{13}$/.test(text) },
      formatError: ({ message }: { message: string }) => ({ own: message }),
      ignoreUnknownQuery: true,
      docs: false,
    };`,
  );
  const { stdout, send } = await startOpenApi(t, ["mock", file, "--config", module]);
  t.match(stdout, /at http:\/\/127\.0\.0\.1:\d+\.\n/);
  t.match(await send("GET", "/x/9780262033848?unknown=1"), { status: 204 });
  t.match(await send("GET", "/x/5"), { status: 400, body: { own: /isbn/ } });
});

t.test("mock and serve let pages of this machine, of --origin and of the module call them", async (t) => {
  const origin: string = "http://page.example";
  const module = save("options.mjs", `export default { origins: ["${origin}"], logger: undefined, tls: null };`);
  const books = save(
    "books.yaml",
    documentOf(
      `  /books:
    get: { operationId: list, responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/B" } } } } } } }
    post: { operationId: add, requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/B" } } } }, responses: { 201: { description: x, content: { application/json: { schema: { $ref: "#/components/schemas/B" } } } } } }
  /books/{id}:
    get: { operationId: one, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { 200: { description: x, content: { application/json: { schema: { $ref: "#/components/schemas/B" } } } } } }
`,
      "components: { schemas: { B: { type: object, properties: { id: { type: integer, readOnly: true } } } } }",
    ),
  );
  const all: string[] = [origin, "http://localhost:5173"];
  for (const [options, origins] of [
    [["--config", module], all],
    [["--origin", "http://other.example", "--origin", origin], all],
    [["--config", module, "--host", "0.0.0.0"], [origin]],
  ] as const)
    for (const command of [["mock"], ["serve", "--data", "sqlite::memory:"]]) {
      const { send, stop } = await startOpenApi(t, [...command, books, ...options]);
      const call = (from: string, method = "GET") =>
        send(method, "/books", undefined, { origin: from, "access-control-request-method": "POST" });
      for (const one of all) {
        const allowed = origins.includes(one);
        t.equal(
          (await call(one)).headers.get("access-control-allow-origin"),
          allowed ? one : null,
          `${command} ${one}`,
        );
        t.equal((await call(one, "OPTIONS")).status, allowed ? 204 : 403);
      }
      t.equal((await call("http://third.example")).headers.get("access-control-allow-origin"), null);
      stop();
    }
});

t.test("Names what is wrong with the module", async (t) => {
  const none = join(place, "none.ts");
  t.same(await run(["check", file, "--config", none]), {
    code: 1,
    stdout: "",
    stderr: `openapi-server: The module ${none} of --config does not exist.\n`,
  });
  for (const [text, message] of [
    ["export const handlers = {};", "must export the options of createServer, as its default export or as `options`."],
    ["export default 5;", "must export the options of createServer"],
    ["export default [];", "must export the options of createServer"],
    ["export default {", "can't be imported: "],
    ["import 'none-such';", "Run npm install none-such in the folder of the module."],
    ["throw new Error('broken');", "can't be imported: broken"],
    ["throw null;", "can't be imported: null"],
    ["export default { ingore: [] };", "has the unknown option `ingore`: did you mean `ignore`?"],
    ["export default { cors: true };", "has the unknown option `cors`."],
    ["export default { orgins: ['https://a.example'] };", "did you mean `origins`?"],
    ["export default { rateLimit: 'many' };", "must be an integer up to 999999999 and a period"],
    [
      "export default { origins: ['https://a.example/'] };",
      "must be origins separated by commas, such as https://app.example",
    ],
    ["export default { strict: 'yes' };", "The option `strict` of the module"],
    ["export default { ignore: [5] };", "must be rules separated by commas"],
    ["export default { formats: { isbn: /x/ } };", "must be an object whose members are functions"],
    ["export default { readOnly: true };", "must be reject or drop."],
    ["export default { formatError: {} };", "must be a function."],
  ] as const) {
    const module = save("options.mjs", text);
    const { code, stderr } = await run(["check", file, "--config", module]);
    t.equal(code, 1);
    t.match(stderr, module);
    t.match(stderr, message);
  }
});

t.test("serve refuses the options of createServer that it does not have", async (t) => {
  for (const option of [
    "apiKeys: true",
    "health: false",
    "metrics: true",
    "wrap: []",
    "security: {}",
    "handlers: {}",
  ]) {
    const module = save("options.mjs", `export default { ${option} };`);
    t.same(await run(["serve", file, "--port", "0", "--config", module]), {
      code: 1,
      stdout: "",
      stderr: `openapi-server: The option \`${option.split(":")[0]}\` of the module ${module} has no effect in serve. openapi-server serve --help lists those that it has.\n`,
    });
    t.match(await run(["check", file, "--config", module]), { code: 0, stderr: "" });
  }
});

t.test("References lead to the folders of --allow-folder, or else of the module, in each command", async (t) => {
  const path = writeFiles(t, {
    "api/api.yaml": documentOf(
      `  /x: { get: { operationId: x, responses: { 200: { description: x, content: { application/json: { schema: { $ref: "../schemas/x.yaml" } } } } } } }
  /things/{id}: { get: { operationId: get, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { 200: { description: x, content: { application/json: { schema: { $ref: "../schemas/thing.yaml" } } } } } } }
  /things: { get: { operationId: list, responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: "../schemas/thing.yaml" } } } } } } }, post: { operationId: add, requestBody: { content: { application/json: { schema: { $ref: "../schemas/thing.yaml" } } } }, responses: { 201: { description: x, content: { application/json: { schema: { $ref: "../schemas/thing.yaml" } } } } } } }\n`,
    ),
    "schemas/x.yaml": "const: from the folder\n",
    "schemas/thing.yaml": "type: object\nproperties: { id: { type: integer }, name: { type: string } }\n",
    "api/none.yaml":
      'overlay: 1.0.0\ninfo: { title: T, version: "1" }\nactions: [{ target: $.info, update: { title: U } }]\n',
    "things.ndjson": '{"name":"a"}\n',
  });
  const folder = dirname(dirname(path));
  const schemas = join(folder, "schemas");
  const module = save("options.mjs", `export default { allowedFolders: [${JSON.stringify(schemas)}] };`);
  const refused = /leaves the folder of the document: .* allow it with --allow-folder .*schemas/;
  t.match(await run(["check", path]), { code: 1, stdout: refused });
  t.match(await run(["generate", path]), { code: 1, stderr: refused });
  t.match(await run(["check", path, "--config", module, "--allow-folder", `${folder}/api`]), {
    code: 1,
    stdout: refused,
  });
  const overlay = ["--overlay", join(dirname(path), "none.yaml")];
  const data = `sqlite:${join(folder, "x.db")}`;
  for (const options of [
    ["--config", module],
    ["--allow-folder", "none", "--allow-folder", schemas],
  ]) {
    t.match(await run(["check", path, ...options]), { code: 0, stdout: /0 errors, 0 warnings/ });
    t.match(await run(["generate", path, ...options]), { code: 0, stdout: /"from the folder"/ });
    t.match(await run(["serve", path, "--plan", ...overlay, ...options]), { code: 0, stdout: /things: / });
    for (const args of [
      ["mock", path],
      ["serve", path, "--examples", "--data", data, ...overlay],
    ]) {
      const { stderr, send, stop } = await startOpenApi(t, [...args, ...options]);
      t.equal(stderr, "");
      t.equal((await send("GET", "/x")).body, "from the folder", `${args[0]}`);
      stop();
    }
  }
  const target = ["--data", data, "--resource", "things"];
  t.match(await run(["data", "import", path, join(folder, "things.ndjson"), ...target, "--allow-folder", schemas]), {
    code: 0,
  });
});
