// `openapi-server serve`: a document is served from records, which stay.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { documentOf } from "../support/document-server.ts";
import { folder, writeFiles } from "../support/files.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";
import { Serving } from "../support/serving.ts";
import { until } from "../support/wait.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const book = '{ $ref: "#/components/schemas/Book" }';
const text = documentOf(
  `  /books:
    get:
      operationId: listBooks
      parameters: [{ name: limit, in: query, schema: { type: integer, default: 20 } }, { name: cursor, in: query, schema: { type: string } }, { name: sort, in: query, schema: { type: string } }, { name: color, in: query, schema: { type: string } }]
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

const save = (t: Test, content = text) => writeFiles(t, { "books.yaml": content });

/** Serves a document from records in memory, in this process. */
const start = (t: Test, file: string, ...args: readonly string[]) =>
  startOpenApi(t, ["serve", file, "--data", "sqlite::memory:", ...args]);

t.test("What is created stays, also after kill -9", async (t) => {
  const file = save(t);
  const post = (url: string, title: string) =>
    fetch(url, { method: "POST", body: JSON.stringify({ title }), headers: { "Content-Type": "application/json" } });
  const server = new Serving(t, file);
  t.match(await post(`${await server.start()}/books`, "A"), { status: 201 });
  await server.kill();
  const url = await server.start();
  t.same(await (await fetch(`${url}/books/1`)).json(), { id: 1, title: "A" });
  t.match(await post(`${url}/books`, "B"), { status: 201 });
  t.same(await (await fetch(`${url}/books`)).json(), [
    { id: 1, title: "A" },
    { id: 2, title: "B" },
  ]);
  t.ok(readFileSync(join(file, "../books.db")).length > 0, "the file is beside the document");
});

t.test("An index has each record, also after kill -9", async (t) => {
  const file = save(t, text.replace("  /books/{id}:\n", "$&    x-resource: { index: [title] }\n"));
  const server = new Serving(t, file);
  let last = 0;
  for (let times = 0; times < 3; times++) {
    const url = `${await server.start()}/books`;
    const post = () =>
      fetch(url, {
        method: "POST",
        body: JSON.stringify({ title: `${(last++ * 7) % 101}` }),
        headers: { "Content-Type": "application/json" },
      });
    for (let n = 0; n < 20; n++) await post();
    const open = Array.from({ length: 50 }, () => post().catch(() => {}));
    await Promise.any(open);
    await server.kill();
    await Promise.all(open);
  }
  const url = `${await server.start()}/books?limit=1000`;
  const read = async (sort: string) => (await (await fetch(`${url}${sort}`)).json()) as { id: number; title: string }[];
  const books = await read("");
  t.ok(books.length > 60);
  const compare = (a: { title: string }, b: { title: string }) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0);
  t.same(await read("&sort=title"), books.toSorted(compare));
  const db = new DatabaseSync(join(file, "../books.db"), { readOnly: true });
  const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
  await until(() => count("index_changes") === 0, "changes remain");
  t.equal(count("index_entries"), books.length);
  db.close();
  t.same(await read("&sort=title"), books.toSorted(compare));
});

t.test("An operation that is not certain responds with 501 and the reason, or with an example", async (t) => {
  const { send, stdout } = await start(t, save(t));
  t.match(stdout, /4 of 5 operations are answered from records in sqlite::memory:/);
  t.match(await send("POST", "/books/1/lend"), {
    status: 501,
    text: /The operation lendBook needs a handler: it creates nothing that can be read/,
  });
  const examples = await start(t, save(t), "--examples");
  t.same((await examples.send("POST", "/books/1/lend")).body, { due: "soon" });
});

t.test("A handler takes over an operation, and has the records", async (t) => {
  const module = join(folder(t), "handlers.ts");
  writeFileSync(
    module,
    `export const lendBook = async ({ params }, { records }) =>
       ({ status: 200, body: { due: (await records("books").find(params.id)) ? "tomorrow" : "never" } });`,
  );
  const { send, stdout } = await start(t, save(t), "--handlers", module);
  await send("POST", "/books", { title: "A" });
  t.same((await send("POST", "/books/1/lend")).body, { due: "tomorrow" });
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
  GET /books  listBooks: lists records; pages by limit, cursor; ordered by sort; 501 with color; no index for sort
  DELETE /books/{id}  removeBook: deletes a record

Not answered (501):
  POST /books/{id}/lend  lendBook creates nothing that can be read: there is no GET /books/{id}/lend/{…}
To answer them, add functions to the module of --handlers, or x-resource to the document.
`,
  );
});

t.test("The plan is data: --format json prints what each operation does, and how", async (t) => {
  const created = "created: { type: string, format: date-time, readOnly: true }";
  const content = text.replace(
    "required: [title], properties: {",
    `required: [title, created], properties: { size: { type: integer, format: int64, default: 9223372036854775807, readOnly: true }, ${created},`,
  );
  const { code, stdout } = await run(["serve", save(t, content), "--plan", "--format", "json"]);
  t.equal(code, 0);
  t.match(stdout, '"value": 9223372036854775807', "also integers beyond 2^53");
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
    refused: [{ in: "query", name: "color" }],
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
    const remove = ({ send }: Awaited<ReturnType<typeof start>>, key: string) =>
      send("DELETE", "/books/1", undefined, { Authorization: `Bearer ${key}` });
    const first = await start(t, save(t));
    const [, key = ""] = /It is not shown again:\n.*(psk_[\w-]{43})/.exec(first.stderr) ?? [];
    t.match(await remove(first, key), { status: 404 });
    t.match(await remove(first, "any"), { status: 401 });
    const open = await start(t, save(t), "--key", "any");
    t.match(open.stdout, "Each credential is accepted (--key any).");
    t.match(await remove(open, "any"), { status: 404 });
    const closed = await start(t, save(t), "--key", "a", "--key", "b");
    t.notMatch(closed.stdout, "Each credential");
    for (const [key, status] of Object.entries({ a: 404, b: 404, c: 401, ab: 401 }))
      t.match(await remove(closed, key), { status }, key);
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
  t.match(await (await start(t, none, "--examples")).send("GET", "/x"), { status: 200 });
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
  const { stdout } = await start(t, file);
  t.match(stdout, /1 errors? of the document leaves? parts of it out: openapi-server check .*books\.yaml lists/);
  t.match(await run(["serve", save(t), "--data", "mysql://u:secret@host/db", "--port", "0"]), {
    code: 2,
    stderr: /--data must be a path, sqlite:PATH, sqlite::memory: or postgres:\/\//,
  });
});
