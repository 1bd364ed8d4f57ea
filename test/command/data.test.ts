// `openapi-server data`: import, export, backup, restore, copy and check of the records of `serve`, for each kind of id.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const param = (name: string, type = "string") =>
  `{ name: ${name}, in: path, required: true, schema: { type: ${type} } }`;
const item = (path: string, parameters: string, schema: string, verb = "Get") =>
  `  ${path}:\n    parameters: [${parameters}]\n    get: { operationId: get${verb}, responses: { 200: { description: x, ${json(schema)} } } }\n`;
const post = (path: string, id: string, schema: string, parameters = "") =>
  `  ${path}:\n    parameters: [${parameters}]\n    post: { operationId: ${id}, requestBody: { required: true, ${json(schema)} }, responses: { 201: { description: x, ${json(schema)} } } }\n`;
const text = documentOf(
  post("/books", "addBook", ref("Book")) +
    item("/books/{id}", param("id", "integer"), ref("Book"), "Book") +
    post("/notes", "addNote", ref("Note")) +
    item("/notes/{id}", param("id"), ref("Note"), "Note") +
    post("/shops/{shop}/books", "addShopBook", ref("Note"), param("shop")) +
    item("/shops/{shop}/books/{id}", `${param("shop")}, ${param("id")}`, ref("Note"), "ShopBook") +
    `  /settings:\n    get: { operationId: getSettings, responses: { 200: { description: x, ${json(ref("Settings"))} } } }\n    put: { operationId: setSettings, requestBody: { required: true, ${json(ref("Settings"))} }, responses: { 200: { description: x, ${json(ref("Settings"))} } } }\n`,
  `components:
  schemas:
    Book: { type: object, required: [title], properties: { id: { type: integer, format: int64, readOnly: true }, title: { type: string } } }
    Note: { type: object, properties: { id: { type: string, readOnly: true }, text: { type: string } } }
    Settings: { type: object, properties: { theme: { type: string } } }
`,
);

t.test("The records of each resource are backed up, checked, copied and restored", async (t) => {
  const place = folder(t);
  const file = join(place, "things.yaml");
  writeFileSync(file, text);
  const server = await startOpenApi(t, ["serve", file]);
  await server.send("POST", "/books", { title: "A" });
  const { body: note } = await server.send("POST", "/notes", { text: "n" });
  const { body: book } = await server.send("POST", "/shops/a/books", { text: "b" });
  await server.send("PUT", "/settings", { theme: "dark" });
  const backup = join(place, "all.backup");
  t.match(await run(["data", "backup", file, backup]), { code: 0, stdout: /books +1\n/ });
  t.match(await run(["data", "check", file]), { code: 0, stdout: /no problems found/ });
  const [database, other] = [await emptyDatabase(t), join(place, "other.db")];
  t.match(await run(["data", "copy", file, "--from", `sqlite:${join(place, "things.db")}`, "--to", database]), {
    code: 0,
  });
  t.match(await run(["data", "check", file, "--data", database]), { code: 0, stdout: /no problems found/ });
  t.match(await run(["data", "restore", file, backup, "--data", other]), { code: 0 });
  for (const data of [database, other]) {
    const { send } = await startOpenApi(t, ["serve", file, "--data", data]);
    t.same((await send("GET", "/books/1")).body, { id: 1, title: "A" });
    t.same((await send("GET", `/notes/${note.id}`)).body, note);
    t.same((await send("GET", `/shops/a/books/${book.id}`)).body, book);
    t.same((await send("GET", "/settings")).body, { theme: "dark" });
  }
});

t.test("Records below others are exported and imported with their scope", async (t) => {
  const place = folder(t);
  const [file, records] = [join(place, "things.yaml"), join(place, "books.ndjson")];
  writeFileSync(file, text);
  writeFileSync(records, '{"text":"A"}\n{"text":"B"}\n');
  const books = ["--resource", "shops_shop_books"];
  for (const scope of ["a", "b%2Fc"])
    t.match(await run(["data", "import", file, records, ...books, "--scope", scope]), {
      code: 0,
      stdout: /shop_books +2/,
    });
  const { send } = await startOpenApi(t, ["serve", file]);
  const all = await run(["data", "export", file, ...books]);
  for (const scope of ["a", "b%2Fc"]) t.match(all.stdout, `{"@scope":"${scope}","id":"`);
  const exported = await run(["data", "export", file, ...books, "--scope", "b%2Fc"]);
  const [first] = exported.stdout.split("\n");
  t.match(exported.stdout, /^\{"id":"[^"]+","text":"A"\}\n\{"id":"[^"]+","text":"B"\}\n$/);
  const { id } = JSON.parse(`${first}`);
  t.same((await send("GET", `/shops/b%2Fc/books/${id}`)).body, { id, text: "A" });
  t.match(await run(["data", "check", file]), { code: 0, stdout: /no problems found/ });
  for (const wrong of [[], ["--scope", "a/b"], ["--scope", ""]])
    t.match(await run(["data", "import", file, records, ...books, ...wrong]), {
      code: wrong.length === 0 ? 1 : 2,
      stderr: /must have the values of \/shops\/\{shop\}\/books: <shop>/,
    });
  t.match(await run(["data", "export", file, ...books, "--scope", "50%"]), {
    stderr: /option '--scope <values>' must have values of .* in percent-encoded UTF-8/,
  });
  t.match(await run(["data", "export", file, "--resource", "books", "--scope", "a"]), {
    code: 2,
    stderr: /the records of books have no scope/,
  });
});

t.test("Records are exported and imported", async (t) => {
  const place = folder(t);
  const [file, records] = [join(place, "things.yaml"), join(place, "books.ndjson")];
  writeFileSync(file, text);
  writeFileSync(records, '{"title":"A"}\n{"title":"B"}\n');
  const books = ["--resource", "books"];
  t.match(await run(["data", "import", file, records, ...books]), { code: 0, stdout: /books +2/ });
  const exported = await run(["data", "export", file, ...books]);
  t.match(exported, { code: 0, stdout: '{"id":1,"title":"A"}\n{"id":2,"title":"B"}\n' });
  const { send } = await startOpenApi(t, ["serve", file]);
  t.same((await send("GET", "/books/2")).body, { id: 2, title: "B" });
  const csv = join(place, "out.csv");
  t.match(await run(["data", "export", file, ...books, "--output", csv]), { code: 0, stdout: /books +2/ });
  t.equal(readFileSync(csv, "utf8").replaceAll("\r", ""), "id,title\n1,A\n2,B\n");
  writeFileSync(records, '{"titel":"A"}\n');
  t.match(await run(["data", "import", file, records, ...books]), {
    code: 1,
    stderr: /openapi-server: Nothing was imported/,
  });
  t.match(await run(["data", "export", file]), { code: 2, stderr: /must be one of: books, notes, / });
  t.match(await run(["data", "export", file, ...books, "--data", join(place, "none.db")]), {
    code: 1,
    stderr: /none\.db/,
  });
  t.match(await run(["data", "check", file, "--data", "sqlite::memory:"]), { code: 1, stderr: /must be sqlite:PATH/ });
});

t.test("For a database without tables, names the command of this program that creates them", async (t) => {
  const place = folder(t);
  const file = join(place, "things.yaml");
  writeFileSync(file, text);
  const [empty, other] = [join(place, "empty.db"), join(place, "other.yaml")];
  writeFileSync(empty, "");
  const advice = "Run openapi-server migrate with its document\\.\n$";
  for (const data of [empty, await emptyDatabase(t)])
    for (const args of [
      ["export", file, "--resource", "books"],
      ["check", file],
      ["backup", file, join(place, "b")],
    ])
      t.match(await run(["data", ...args, "--data", data]), {
        code: 1,
        stderr: new RegExp(`^openapi-server: .* can't be opened: it has not been migrated\\. ${advice}`),
      });
  const { stop } = await startOpenApi(t, ["serve", file]);
  stop();
  writeFileSync(other, text.replaceAll("/notes", "/texts"));
  t.match(await run(["data", "check", other, "--data", join(place, "things.db")]), {
    code: 1,
    stderr: new RegExp(`it lacks the table texts\\. ${advice}`),
  });
});
