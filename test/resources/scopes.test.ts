// Records below the path of another record, in both stores, over HTTP.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const parameter = (name: string, schema = "type: string") =>
  `{ name: ${name}, in: path, required: true, schema: { ${schema} } }`;
const integer = "type: integer, format: int64";
const list = (name: string, schema: string) => `get:
      operationId: list${name}
      parameters: [{ name: limit, in: query, schema: { type: integer, default: 2 } }, { name: cursor, in: query, schema: { type: string } }]
      responses: { 200: { description: x, ${json(`{ type: array, items: ${ref(schema)} }`)} } }`;
const text = documentOf(
  `  /shops/{shop}:
    parameters: [${parameter("shop")}]
    get: { operationId: getShop, responses: { 200: { description: x, ${json(ref("Shop"))} } } }
    put: { operationId: putShop, requestBody: { required: true, ${json(ref("Shop"))} }, responses: { 200: { description: x, ${json(ref("Shop"))} } } }
    delete: { operationId: removeShop, responses: { 204: { description: x } } }
  /shops/{shop}/books:
    parameters: [${parameter("shop")}]
    ${list("Books", "Book")}
    post: { operationId: addBook, requestBody: { required: true, ${json(ref("Book"))} }, responses: { 201: { description: x, ${json(ref("Book"))} } } }
  /shops/{shop}/books/{book}:
    parameters: [${parameter("shop")}, ${parameter("book", integer)}]
    get: { operationId: getBook, responses: { 200: { description: x, ${json(ref("Book"))} } } }
    put: { operationId: replaceBook, requestBody: { required: true, ${json(ref("Book"))} }, responses: { 200: { description: x, ${json(ref("Book"))} } } }
    delete: { operationId: removeBook, responses: { 204: { description: x } } }
  /shops/{shop}/books/{book}/notes/{note}:
    parameters: [${parameter("shop")}, ${parameter("book", integer)}, ${parameter("note")}]
    get: { operationId: getNote, responses: { 200: { description: x, ${json(ref("Note"))} } } }
    put: { operationId: putNote, requestBody: { required: true, ${json(ref("Note"))} }, responses: { 200: { description: x, ${json(ref("Note"))} }, 201: { description: x, ${json(ref("Note"))} } } }
`,
  `components:
  schemas:
    Shop: { type: object, properties: { shop: { type: string }, city: { type: string } } }
    Book: { type: object, required: [title], properties: { id: { ${integer}, readOnly: true }, title: { type: string } } }
    Note: { type: object, required: [text], properties: { note: { type: string }, text: { type: string } } }
`,
);

for (const [store, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const) {
  const start = async (t: Test, document = text) => {
    const resources = openStore(await newUrl(t));
    const app = await createServer({ document: parse(document), resources, logger: pino({ level: "silent" }) });
    t.teardown(() => app.close());
    return async (method: string, url: string, body?: object) => {
      const response = await app.inject({ method: method as "GET", url, ...(body && { payload: body }) });
      return { status: response.statusCode, headers: response.headers, text: response.payload };
    };
  };

  t.test(`${store}: each scope has its own records`, async (t) => {
    const send = await start(t);
    for (const shop of ["a", "a%2Fb", "%C3%A9"]) t.match(await send("PUT", `/shops/${shop}`, {}), { status: 200 });
    t.match(await send("POST", "/shops/a/books", { title: "A" }), {
      status: 201,
      headers: { location: "/shops/a/books/1" },
      text: '{"id":1,"title":"A"}',
    });
    t.match(await send("POST", "/shops/a%2Fb/books", { title: "B" }), {
      headers: { location: "/shops/a%2Fb/books/2" },
      text: '{"id":2,"title":"B"}',
    });
    t.match(await send("GET", "/shops/a/books/1"), { status: 200, text: '{"id":1,"title":"A"}' });
    t.match(await send("GET", "/shops/a/books/2"), { status: 404, text: /No book has the id 2/ });
    t.match(await send("GET", "/shops/a%2Fb/books/2"), { status: 200 });
    for (const title of ["C", "D"]) await send("POST", "/shops/a/books", { title });
    const first = await send("GET", "/shops/a/books");
    t.equal(first.text, '[{"id":1,"title":"A"},{"id":3,"title":"C"}]');
    const [, next] = /<([^>]*)>; rel="next"/.exec(`${first.headers.link}`) ?? [];
    t.match(next, /^http:\/\/localhost:80\/shops\/a\/books\?/);
    t.equal((await send("GET", next as string)).text, '[{"id":4,"title":"D"}]');
    t.equal((await send("GET", "/shops/%C3%A9/books")).text, "[]");
    t.match(await send("PUT", "/shops/a/books/2", { title: "X" }), { status: 404 });
    t.match(await send("PUT", "/shops/a/books/3", { title: "X" }), { status: 200, text: '{"id":3,"title":"X"}' });
    t.match(await send("DELETE", "/shops/%C3%A9/books/3"), { status: 404 });
    t.match(await send("DELETE", "/shops/a/books/3"), { status: 204 });
    t.match(await send("GET", "/shops/a/books/3"), { status: 404 });
  });

  t.test(`${store}: a scope exists if its record does`, async (t) => {
    const send = await start(t);
    for (const [method, path, body] of [
      ["GET", "/shops/a/books"],
      ["POST", "/shops/a/books", { title: "A" }],
      ["GET", "/shops/a/books/1"],
      ["GET", "/shops/a/books/1/notes/n"],
    ] as const)
      t.match(await send(method, path, body), { status: 404, text: /No shop has the id a/ }, path);
    await send("PUT", "/shops/a", {});
    t.match(await send("PUT", "/shops/a/books/1/notes/n", { text: "N" }), {
      status: 404,
      text: /No book has the id 1/,
    });
    await send("POST", "/shops/a/books", { title: "A" });
    t.match(await send("PUT", "/shops/a/books/1/notes/n%2F1", { text: "N" }), {
      status: 201,
      text: '{"note":"n/1","text":"N"}',
      headers: { location: "/shops/a/books/1/notes/n%2F1" },
    });
    t.match(await send("GET", "/shops/a/books/1/notes/n%2F1"), { status: 200, text: '{"note":"n/1","text":"N"}' });
    t.match(await send("GET", "/shops/a/books/x/notes/n"), { status: 400 });
    const long = `/shops/${"x".repeat(401)}/books`;
    t.match(await send("POST", long, { title: "A" }), { status: 400, text: /The path is too long to have records/ });
  });

  t.test(`${store}: the records of a scope are deleted with its record`, async (t) => {
    const send = await start(t);
    for (const shop of ["a", "ab", "a%2Fb"]) {
      await send("PUT", `/shops/${shop}`, {});
      await send("POST", `/shops/${shop}/books`, { title: shop });
    }
    await send("PUT", "/shops/a/books/1/notes/n", { text: "N" });
    t.match(await send("DELETE", "/shops/a"), { status: 204 });
    t.match(await send("PUT", "/shops/a", {}), { status: 200 });
    t.match(await send("GET", "/shops/a/books"), { status: 200, text: "[]" }, "another shop with its id has none");
    t.match(await send("GET", "/shops/ab/books/2"), { status: 200 });
    t.match(await send("GET", "/shops/a%2Fb/books/3"), { status: 200 });
  });

  t.test(`${store}: the parameter of the record above can have another name`, async (t) => {
    const [shops, below] = text.split(/(?<=\n)(?= {2}\/shops\/\{shop\}\/books:)/) as [string, string];
    const send = await start(
      t,
      shops + below.replaceAll("shop}", "shopId}").replaceAll("name: shop,", "name: shopId,"),
    );
    t.match(await send("POST", "/shops/a/books", { title: "A" }), { status: 404, text: /No shop has the id a/ });
    await send("PUT", "/shops/a", {});
    t.match(await send("POST", "/shops/a/books", { title: "A" }), { status: 201 });
    t.match(await send("DELETE", "/shops/a"), { status: 204 });
    await send("PUT", "/shops/a", {});
    t.match(await send("GET", "/shops/a/books"), { status: 200, text: "[]" });
  });
}
