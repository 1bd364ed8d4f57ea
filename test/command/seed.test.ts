// `openapi-server serve --seed` and `--reset`: the records with which a server starts.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import t, { type Test } from "tap";
import { documentOf } from "../support/document-server.ts";
import { folder } from "../support/files.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";

const author = {
  type: "object",
  required: ["id", "name", "email"],
  properties: {
    id: { type: "integer", format: "int64", readOnly: true },
    name: { type: "string" },
    email: { type: "string", format: "email" },
    country_code: { type: "string", pattern: "^[A-Z]{2}$" },
    created_at: { type: "string", format: "date-time" },
    updated_at: { type: "string", format: "date-time" },
  },
};
const book = {
  type: "object",
  required: ["isbn", "title", "author_id", "price", "state"],
  properties: {
    isbn: { type: "string", pattern: "^[0-9-]{1,20}$" },
    title: { type: "string", maxLength: 40 },
    author_id: { type: "integer", format: "int64" },
    price: { type: "number", minimum: 1, maximum: 2_000 },
    state: { enum: ["new", "used"] },
    tags: { type: "array", items: { type: "string" } },
  },
};
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const paths = (name: string, parameter: string, type: string, schema: string, above = "", parameters = "") => `
  ${above}/${name}:
    ${parameters === "" ? "" : `parameters: [${parameters}]`}
    get: { operationId: list${schema}, parameters: [{ name: limit, in: query, schema: { type: integer, default: 100 } }, { name: cursor, in: query, schema: { type: string } }], responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: ${ref(schema)} }${schema === "Author" ? ', example: [{ id: 7, name: Ada, email: "ada@example.org" }, { id: 9, name: Eve, email: "eve@example.org" }]' : ""} } } } } }
    post: { operationId: add${schema}, requestBody: { required: true, ${json(ref(schema))} }, responses: { 201: { description: x, ${json(ref(schema))} } } }
  ${above}/${name}/{${parameter}}:
    parameters: [${parameters === "" ? "" : `${parameters}, `}{ name: ${parameter}, in: path, required: true, schema: { type: ${type} } }]
    get: { operationId: get${schema}, responses: { 200: { description: x, ${json(ref(schema))} } } }
`;
const text = documentOf(
  paths("books", "isbn", "string", "Book") +
    paths("authors", "id", "integer", "Author") +
    paths(
      "reviews",
      "id",
      "string",
      "Review",
      "/books/{isbn}",
      "{ name: isbn, in: path, required: true, schema: { type: string } }",
    ),
  `components:
  schemas:
    Author: ${JSON.stringify(author)}
    Book: ${JSON.stringify(book)}
    Review: { type: object, required: [id, text], properties: { id: { type: string, format: uuid, readOnly: true }, text: { type: string }, isbn: { type: string } } }
`,
);

function save(t: Test) {
  const place = folder(t);
  const file = join(place, "books.yaml");
  writeFileSync(file, text);
  return { place, file };
}

type Json = Record<string, unknown>;

async function start(t: Test, args: readonly string[]) {
  const server = await startOpenApi(t, ["serve", ...args]);
  return { ...server, list: async (path: string) => (await server.send("GET", path)).body as Json[] };
}

t.test("--seed N makes valid records that refer to each other, the same each time", async (t) => {
  const { file } = save(t);
  const { stdout, list } = await start(t, [file, "--data", "sqlite::memory:", "--seed", "30"]);
  for (const name of ["authors", "books", "books_isbn_reviews"]) t.match(stdout, `${name}: created 30 records.\n`);
  const [authors, books] = [await list("/authors"), await list("/books")];
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const [schema, records] of [
    [author, authors],
    [book, books],
  ] as const) {
    const validate = ajv.compile(schema);
    t.equal(records.length, 30);
    for (const record of records)
      t.ok(validate(record), `${JSON.stringify(record)} ${ajv.errorsText(validate.errors)}`);
  }
  t.ok(new Set(authors.map(({ name }) => name)).size > 20, "the names differ");
  for (const { email, created_at: created, updated_at: updated } of authors) {
    t.match(email, /^[^@]+@[^@]+\.[^@]+$/);
    t.ok(`${created}` < `${updated}`, "a record is changed after it was created");
  }
  const ids = authors.map(({ id }) => id);
  for (const one of books) t.ok(ids.includes(one.author_id), "the author exists");
  const [first] = books;
  const reviews = await list(`/books/${first?.isbn}/reviews`);
  t.ok(reviews.length > 0);
  for (const one of reviews) t.equal(one.isbn, first?.isbn, "a member with the name of a parameter has its value");
  const again = await start(t, [file, "--data", "sqlite::memory:", "--seed", "30"]);
  t.same(await again.list("/authors"), authors);
});

t.test("--seed uses the examples of the document, and only for empty collections", async (t) => {
  const { file } = save(t);
  const first = await start(t, [file, "--seed"]);
  t.match(first.stdout, /authors: created 2 records\.\n/);
  const authors = await first.list("/authors");
  t.match(authors, [
    { id: 7, name: "Ada" },
    { id: 9, name: "Eve" },
  ]);
  t.match(await first.list("/books"), [{ author_id: 1 }], "otherwise, one that is made of examples of the schema");
  first.stop();
  const second = await start(t, [file, "--seed", "5"]);
  t.match(second.stdout, /authors: created 0 records: it has records\.\n/);
  t.same(await second.list("/authors"), authors);
});

t.test("--seed FOLDER imports each file once", async (t) => {
  const { place, file } = save(t);
  const seeds = join(place, "seeds");
  mkdirSync(seeds);
  writeFileSync(join(seeds, "authors.ndjson"), '{"name":"Ada","email":"ada@example.org"}\n');
  const first = await start(t, [file, "--seed", seeds]);
  t.match(first.stdout, /authors: authors\.ndjson imported 1 record\.\n/);
  t.match(await first.list("/authors"), [{ id: 1, name: "Ada" }]);
  first.stop();
  t.match((await start(t, [file, "--seed", seeds])).stdout, /authors: authors\.ndjson was imported before\.\n/);
  const fails = async (message: RegExp) =>
    t.match(await run(["serve", file, "--seed", seeds, "--port", "0"]), { code: 1, stderr: message });
  writeFileSync(join(seeds, "authors.ndjson"), '{"nam":"Ada"}\n');
  await fails(/has 1 invalid lines\. Nothing was changed:\n.*nam/);
  rmSync(join(seeds, "authors.ndjson"));
  writeFileSync(join(seeds, "autors.ndjson"), "");
  await fails(/autors\.ndjson must be named after one of: books, authors/);
});

t.test("A new store gets a first key, however it is filled", async (t) => {
  const { place, file } = save(t);
  const scheme = "securitySchemes: { token: { type: http, scheme: bearer } }";
  writeFileSync(file, text.replace("components:", `security: [{ token: [] }]\ncomponents:\n  ${scheme}`));
  const seeds = join(place, "seeds");
  mkdirSync(seeds);
  writeFileSync(join(seeds, "authors.ndjson"), '{"name":"Ada","email":"ada@example.org"}\n');
  for (const [index, seed] of [[], ["--seed"], ["--seed", "3"], ["--seed", seeds]].entries()) {
    const args = [file, "--data", `sqlite:${join(place, `${index}.db`)}`, ...seed];
    const first = await start(t, args);
    const [, authorization = "", url = ""] = /curl -H 'Authorization: (.*)' '(.*)'/.exec(first.stderr) ?? [];
    t.equal((await fetch(url, { headers: { authorization } })).status, 200, seed.join(" "));
    first.stop();
    t.equal((await start(t, [...args, "--reset"])).stderr, "", "the key stays");
  }
  const data = join(place, "reset.db");
  t.match(
    (await start(t, [file, "--data", data, "--reset", "--seed", seeds])).stderr,
    /^API key for your first request/,
  );
});

t.test("--reset deletes nothing if the seed is wrong", async (t) => {
  const { place, file } = save(t);
  (await start(t, [file, "--seed", "3"])).stop();
  const seeds = join(place, "seeds");
  mkdirSync(seeds);
  writeFileSync(join(seeds, "authors.ndjson"), '{"nam":"Ada"}\n');
  for (const seed of ["none", seeds, "0"])
    t.match(await run(["serve", file, "--reset", "--seed", seed, "--port", "0"]), { code: seed === "0" ? 2 : 1 }, seed);
  t.equal((await (await start(t, [file])).list("/authors")).length, 3);
});

t.test("--reset deletes nothing if the server can't start", async (t) => {
  const { place, file } = save(t);
  const first = await start(t, [file, "--seed", "3"]);
  const handlers = join(place, "handlers.js");
  writeFileSync(handlers, "export const nope = () => ({ status: 200 });\n");
  const port = new URL(first.url).port;
  t.match(await run(["serve", file, "--reset", "--port", port]), { code: 1, stderr: /EADDRINUSE/ });
  const wrong = await run(["serve", file, "--reset", "--port", "0", "--handlers", handlers]);
  t.match(wrong, { code: 1, stderr: /nope has no operation/ });
  t.equal((await first.list("/authors")).length, 3);
});

t.test("Collections that name each other are filled in linear time", async (t) => {
  const { place } = save(t);
  const names = Array.from({ length: 20 }, (_, index) => `thing${"abcdefghijklmnopqrst"[index]}`);
  const properties = names.map((name) => `${name}_id: { type: integer }`).join(", ");
  const schema = `{ type: object, properties: { id: { type: integer, readOnly: true }, ${properties} } }`;
  const json = `content: { application/json: { schema: ${schema} } }`;
  const paths = names.map(
    (name) =>
      `  /${name}s:\n    post: { operationId: add${name}, requestBody: { required: true, ${json} }, responses: { "201": { description: x, ${json} } } }\n` +
      `  /${name}s/{id}:\n    get: { operationId: get${name}, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { "200": { description: x, ${json} } } }\n`,
  );
  const file = join(place, "mutual.yaml");
  writeFileSync(file, `openapi: 3.1.0\ninfo: { title: t, version: "1" }\npaths:\n${paths.join("")}`);
  t.match((await start(t, [file, "--seed", "2"])).stdout, /thingts: created 2 records/);
});

t.test("A seed that is wrong is an error", async (t) => {
  const { place, file } = save(t);
  for (const [seed, message] of [
    ["0", /must be a number from 1 to 1000000/],
    ["none", /The folder none can't be read/],
    [place, /has no files NAME\.ndjson or NAME\.csv/],
  ] as const)
    t.match(await run(["serve", file, "--seed", seed, "--port", "0"]), { code: seed === "0" ? 2 : 1, stderr: message });
});

t.test("--reset deletes all records, and ids do not start again", async (t) => {
  const { file } = save(t);
  t.notMatch((await start(t, [file, "--reset", "--seed", "3"])).stdout, /Deleted/, "there is no store yet");
  const { stdout, list } = await start(t, [file, "--reset", "--seed", "2"]);
  t.match(stdout, /Deleted 9 records\.\n/);
  t.same(
    (await list("/authors")).map(({ id }) => id),
    [4, 5],
  );
});

t.test("several servers that start together import the files of a folder once", async (t) => {
  const { place, file } = save(t);
  const data = join(place, "data");
  mkdirSync(data);
  const lines = Array.from({ length: 9_000 }, (_, n) => JSON.stringify({ name: `N${n}`, email: `a${n}@example.org` }));
  writeFileSync(join(data, "authors.ndjson"), lines.join("\n"));
  const args = [file, "--data", `sqlite:${join(place, "books.db")}`, "--seed", data];
  const servers = await Promise.all([start(t, args), start(t, args), start(t, args)]);
  // A server whose start takes seconds reports its progress.
  const withoutProgress = (text: string) => text.replaceAll(/^Adding the routes of .*\n/gm, "");
  for (const { code, stderr } of servers) t.same({ code, stderr: withoutProgress(stderr) }, { code: 0, stderr: "" });
  const first = servers[0] as (typeof servers)[0];
  const names = new Set<unknown>();
  for (let path = "/authors?limit=1000"; path !== ""; ) {
    const response = await fetch(first.url + path);
    const page = (await response.json()) as Json[];
    for (const { name } of page) t.notOk(names.has(name));
    for (const { name } of page) names.add(name);
    path = /<([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1]?.replace(first.url, "") ?? "";
  }
  t.equal(names.size, 9_000);
});
