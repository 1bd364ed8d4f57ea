// `openapi-server serve`: a document is served from records, which stay.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { documentOf } from "../support/document-server.ts";
import { folder, root } from "../support/files.ts";
import { runOpenApi as run } from "../support/openapi-command.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const book = '{ $ref: "#/components/schemas/Book" }';
const text = documentOf(
  `  /books:
    get:
      operationId: listBooks
      parameters: [{ name: limit, in: query, schema: { type: integer, default: 20 } }, { name: cursor, in: query, schema: { type: string } }, { name: sort, in: query, schema: { type: string } }]
      responses: { 200: { description: x, ${json(`{ type: array, items: ${book} }`)} } }
    post: { operationId: addBook, requestBody: { required: true, ${json(book)} }, responses: { 201: { description: x, ${json(book)} } } }
  /books/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    get: { operationId: getBook, responses: { 200: { description: x, ${json(book)} } } }
    delete: { operationId: removeBook, security: [{ token: [] }], responses: { 204: { description: x } } }
  /books/{id}/lend:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    post: { operationId: lendBook, responses: { 200: { description: x, ${json("{ type: object, required: [due], properties: { due: { type: string, example: soon } } }")} } } }
`,
  `components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  schemas:
    Book: { type: object, required: [title], properties: { id: { type: integer, format: int64, readOnly: true }, title: { type: string } } }
`,
);

function save(t: Test, content = text): string {
  const file = join(folder(t), "books.yaml");
  writeFileSync(file, content);
  return file;
}

/** Serves a document in this process. Returns the URL, and what was written. */
async function start(t: Test, args: readonly string[]) {
  const controller = new AbortController();
  t.teardown(() => controller.abort());
  const result = await run(["serve", ...args, "--port", "0"], controller.signal);
  const [, url] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(result.stdout) ?? [];
  return { ...result, url: url as string, stop: () => controller.abort() };
}

const post = (url: string, body: object) =>
  fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });

t.test("What is created stays, also after kill -9", async (t) => {
  const file = save(t);
  const serve = async () => {
    const command = [join(root, "src/command/bin.js"), "serve", file, "--key", "a", "--port", "0"]; // otherwise, it prints a first key
    const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] });
    t.teardown(() => child.kill("SIGKILL"));
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    for (;;) {
      const [, url] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
      if (url !== undefined) return { child, url };
      await once(child.stdout, "data");
    }
  };
  const first = await serve();
  t.match(await post(`${first.url}/books`, { title: "A" }), { status: 201 });
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  const { url } = await serve();
  t.same(await (await fetch(`${url}/books/1`)).json(), { id: 1, title: "A" });
  t.match(await post(`${url}/books`, { title: "B" }), { status: 201 });
  t.same(await (await fetch(`${url}/books`)).json(), [
    { id: 1, title: "A" },
    { id: 2, title: "B" },
  ]);
  t.ok(readFileSync(join(file, "../books.db")).length > 0, "the file is beside the document");
});

t.test("An operation that is not certain responds with 501 and the reason, or with an example", async (t) => {
  const { url, stdout } = await start(t, [save(t), "--data", "sqlite::memory:"]);
  t.match(stdout, /4 of 5 operations are answered from records in sqlite::memory:/);
  const response = await fetch(`${url}/books/1/lend`, { method: "POST" });
  t.equal(response.status, 501);
  t.match(await response.text(), /The operation lendBook needs a handler: it creates nothing that can be read/);
  const examples = await start(t, [save(t), "--data", "sqlite::memory:", "--examples"]);
  t.same(await (await fetch(`${examples.url}/books/1/lend`, { method: "POST" })).json(), { due: "soon" });
});

t.test("A handler takes over an operation, and has the records", async (t) => {
  const module = join(folder(t), "handlers.ts");
  writeFileSync(
    module,
    `export const lendBook = async ({ params }, { records }) =>
       ({ status: 200, body: { due: (await records("books").find(params.id)) ? "tomorrow" : "never" } });`,
  );
  const { url } = await start(t, [save(t), "--data", "sqlite::memory:", "--handlers", module]);
  await post(`${url}/books`, { title: "A" });
  t.same(await (await fetch(`${url}/books/1/lend`, { method: "POST" })).json(), { due: "tomorrow" });
  const { stdout } = await start(t, [save(t), "--data", "sqlite::memory:", "--handlers", module]);
  t.match(stdout, /1 of 5 operations are answered by handlers, and 4 from records in/);
  writeFileSync(module, "export const lendBok = () => {};");
  t.match(await run(["serve", save(t), "--data", "sqlite::memory:", "--handlers", module]), {
    code: 1,
    stderr: /The handler lendBok has no operation in the document\. Did you mean lendBook\?/,
  });
});

t.test("The plan lists what is answered, and why the rest is not", async (t) => {
  const { code, stdout } = await run(["serve", save(t), "--plan"]);
  t.equal(code, 0);
  t.equal(
    stdout,
    `books: the id is id, an integer of the server
  POST /books  addBook: creates a record
  GET /books/{id}  getBook: returns a record
  GET /books  listBooks: lists records; pages by limit, cursor; 501 with sort
  DELETE /books/{id}  removeBook: deletes a record

Not answered (501):
  POST /books/{id}/lend  lendBook creates nothing that can be read: there is no GET /books/{id}/lend/{…}
A function in the module of --handlers answers them. x-resource in the document says what names do not.
`,
  );
});

t.test("The plan is data: --format json prints what each operation does, and how", async (t) => {
  const created = "created: { type: string, format: date-time, readOnly: true }";
  const content = text.replace(
    "required: [title], properties: {",
    `required: [title, created], properties: { ${created},`,
  );
  const { code, stdout } = await run(["serve", save(t, content), "--plan", "--format", "json"]);
  t.equal(code, 0);
  const { collections, operations } = JSON.parse(stdout);
  t.match(collections, [
    {
      name: "books",
      path: "/books",
      record: "/components/schemas/Book",
      id: { path: ["id"], type: "int64", isSent: false },
      idFrom: ["server"],
      scope: [],
      filters: [],
      below: [],
    },
  ]);
  t.same(
    operations.map(({ id, does, not }: { id: string; does?: { kind: string }; not?: string }) => [
      id,
      does?.kind ?? not,
    ]),
    [
      ["listBooks", "list"],
      ["addBook", "create"],
      ["getBook", "get"],
      ["removeBook", "delete"],
      ["lendBook", "creates nothing that can be read: there is no GET /books/{id}/lend/{…}"],
    ],
  );
  const [list, add, get, remove] = operations;
  t.match(list.does, {
    list: { envelope: { item: {}, levels: [] }, parameters: { limit: "limit", cursor: "cursor" } },
    refused: [{ in: "query", name: "sort" }],
  });
  t.match(add.does, {
    collection: "books",
    body: { created: { created: { time: "date-time" } } },
    doubts: ["does not require the property created, which each record must have"],
  });
  t.match(get.does, { status: 200, envelopes: { 200: {} } });
  t.match(remove.does, { status: 204, envelopes: {} });
});

t.test(
  "Accepts the keys of its database and those of --key, or with --key any each credential on loopback",
  async (t) => {
    const remove = (url: string, key: string) =>
      fetch(`${url}/books/1`, { method: "DELETE", headers: { Authorization: `Bearer ${key}` } });
    const first = await start(t, [save(t), "--data", "sqlite::memory:"]);
    const [, key = ""] = /It is not shown again:\n.*(psk_[\w-]{43})/.exec(first.stderr) ?? [];
    t.match(await remove(first.url, key), { status: 404 });
    t.match(await remove(first.url, "any"), { status: 401 });
    const open = await start(t, [save(t), "--data", "sqlite::memory:", "--key", "any"]);
    t.match(open.stdout, "Each credential is accepted (--key any).");
    t.match(await remove(open.url, "any"), { status: 404 });
    const closed = await start(t, [save(t), "--data", "sqlite::memory:", "--key", "a", "--key", "b"]);
    t.notMatch(closed.stdout, "Each credential");
    for (const [key, status] of Object.entries({ a: 404, b: 404, c: 401, ab: 401 }))
      t.match(await remove(closed.url, key), { status }, key);
    t.match(await run(["serve", save(t), "--host", "0.0.0.0", "--key", "any"]), {
      code: 2,
      stderr: /0\.0\.0\.0 is refused/,
    });
  },
);

t.test("Refuses what it can't serve", async (t) => {
  t.match(await run(["serve", "missing.yaml"]), { code: 1, stderr: /missing\.yaml/ });
  const none = save(t, documentOf("  /x: { get: { operationId: x, responses: { 200: { description: x } } } }\n"));
  t.match(await run(["serve", none]), { code: 1, stderr: /The document has no collection.* --examples answers/ });
  const { url } = await start(t, [none, "--data", "sqlite::memory:", "--examples"]);
  t.equal((await fetch(`${url}/x`)).status, 200);
  for (const options of [
    ["--seed", "0"],
    ["--rate-limit", "many"],
    ["--format", "yaml"],
  ])
    t.match(await run(["serve", save(t), ...options]), { code: 2, stderr: options[0] });
  t.match(await run(["serve", none, "--format", "json"]), { code: 0, stdout: /^\{\n {2}"collections": \[\]/ });
});

t.test("Says that parts of the document are left out because of errors", async (t) => {
  const file = save(
    t,
    text.replace('items: { $ref: "#/components/schemas/Book" }', 'items: { $ref: "#/components/schemas/Bok" }'),
  );
  const { stdout } = await start(t, [file, "--data", "sqlite::memory:"]);
  t.match(stdout, /1 errors? of the document leaves? parts of it out: openapi-server check .*books\.yaml lists/);
  t.match(await run(["serve", save(t), "--data", "mysql://u:secret@host/db", "--port", "0"]), {
    code: 2,
    stderr: /--data must be a path, sqlite:PATH, sqlite::memory: or postgres:\/\//,
  });
});
