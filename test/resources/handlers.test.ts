// The operations that a store answers without a handler, in both stores, over HTTP.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { parseDocument } from "../../src/openapi/index.ts";
import { openStore, planOf } from "../../src/resources/index.ts";
import { emptyDatabase, stores } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const tagged = "headers: { ETag: { schema: { type: string } } }, ";
const match =
  "parameters: [{ name: If-Match, in: header, schema: { type: string } }, { name: If-None-Match, in: header, schema: { type: string } }]";
const patched =
  '{ type: object, properties: { title: { type: [string, "null"] }, pages: { type: [integer, "null"] }, owner: {}, id: { type: integer, format: int64 } } }';
const text = documentOf(
  `  /shop/books:
    get:
      operationId: listBooks
      parameters:
        - { name: limit, in: query, schema: { type: integer, default: 2 } }
        - { name: cursor, in: query, schema: { type: string } }
        - { name: tag, in: query, schema: { type: string } }
        - { name: lent, in: query, schema: { type: boolean } }
      responses: { 200: { description: x, ${json(`{ type: array, items: ${ref("Book")} }`)} } }
    post:
      operationId: addBook
      parameters: [{ name: Idempotency-Key, in: header, schema: { type: string } }]
      requestBody: { required: true, ${json(ref("NewBook"))} }
      responses: { 201: { description: x, ${json(ref("Book"))} } }
  /shop/books/{book}:
    parameters: [{ name: book, in: path, required: true, schema: { type: integer, format: int64 } }]
    get: { operationId: getBook, responses: { 200: { description: x, ${tagged}${json(ref("Book"))} }, 304: { description: x } } }
    put: { operationId: replaceBook, ${match}, requestBody: { required: true, ${json(ref("NewBook"))} }, responses: { 200: { description: x, ${json(ref("Book"))} } } }
    patch: { operationId: changeBook, ${match}, requestBody: { required: true, content: { application/merge-patch+json: { schema: ${patched} } } }, responses: { 204: { description: x } } }
    delete: { operationId: removeBook, ${match}, responses: { 200: { description: x, ${json(ref("Book"))} }, 428: { description: x } } }
`,
  `components:
  schemas:
    NewBook:
      type: object
      required: [title]
      properties:
        title: { type: string, minLength: 1 }
        pages: { type: integer }
        lent: { type: boolean, default: false }
        tags: { type: array, items: { type: string } }
        owner: { type: object, properties: { card: { type: integer, format: int64 } } }
    Book:
      allOf:
        - { type: object, required: [id, lent], properties: { id: { type: integer, format: int64, readOnly: true } } }
        - ${ref("NewBook")}
`,
);
const document = parse(text);
const book = '"title":"A","lent":true,"tags":["x","y"],"owner":{"card":9007199254740993}';
const written = `{"id":1,${'"title":"A","lent":true,"tags":["x","y"],"owner":{"card":9007199254740993}'}}`;

for (const [name, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const) {
  /** Serves the document with an empty store. */
  const start = async (t: Test) => {
    const resources = openStore(await newUrl(t));
    const app = await createServer({ document, resources, logger: pino({ level: "silent" }) });
    t.teardown(() => app.close());
    const send = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const response = await app.inject({
        method: method as "GET",
        url: `/shop/books${path}`,
        headers: { ...(body !== undefined && { "content-type": type }), ...headers },
        ...(body !== undefined && { payload: body }),
      });
      return { status: response.statusCode, headers: response.headers, text: response.payload };
    };
    return { app, resources, send };
  };

  t.test(`${name}: creates, reads and lists records`, async (t) => {
    const { send, resources } = await start(t);
    t.match(await send("POST", "", `{${book}}`), {
      status: 201,
      text: written,
      headers: { location: "/shop/books/1" },
    });
    t.match(await send("POST", "", '{"title":""}'), { status: 400, text: /title/ });
    for (const title of ["B", "C"]) await send("POST", "", `{"title":"${title}"}`);
    t.match(await send("GET", "/1"), { status: 200, text: written });
    t.match(await send("GET", "/4"), {
      status: 404,
      text: /"code":"book_not_found","message":"No book has the id 4\."/,
    });
    const first = await send("GET", "");
    t.equal(first.text, `[${written},{"id":2,"title":"B","lent":false}]`);
    const [, next] = /\/shop\/books(\?[^>]*)>; rel="next"/.exec(`${first.headers.link}`) ?? [];
    t.match(await send("GET", next as string), { status: 200, text: '[{"id":3,"title":"C","lent":false}]' });
    t.equal((await send("GET", "?tag=y")).text, `[${written}]`);
    t.equal((await send("GET", "?lent=true&tag=z")).text, "[]");
    t.match(await send("GET", "?cursor=x"), { status: 400, text: /invalid_cursor/ });
    t.match(await resources.records("shop_books").find(2n), { id: 2n, title: "B", lent: false });
  });

  t.test(`${name}: creates one record for each Idempotency-Key`, async (t) => {
    const { send } = await start(t);
    const headers = { "idempotency-key": '"k"' };
    for (const replayed of [undefined, "true"])
      t.match(await send("POST", "", `{${book}}`, headers), {
        status: 201,
        text: written,
        headers: { "idempotency-replayed": replayed },
      });
    t.match(await send("POST", "", '{"title":"B"}', { "idempotency-key": "k" }), { status: 422 });
    t.match(await send("DELETE", "/1", undefined, { "if-match": "*" }), { status: 200, text: written });
    t.match(await send("POST", "", `{${book}}`, headers), { status: 201, text: written }, "also after its deletion");
    t.match(await send("GET", "/1"), { status: 404 });
    t.match(await send("POST", "", '{"title":"B"}'), { status: 201, text: /"id":2/ }, "its id is not used again");
  });

  t.test(`${name}: replaces, changes and deletes a record, if its ETag is that of the client`, async (t) => {
    const { send } = await start(t);
    await send("POST", "", `{${book}}`);
    const tagOf = async () => `${(await send("GET", "/1")).headers.etag}`;
    const old = await tagOf();
    t.match(await send("PUT", "/1", '{"title":"B"}', { "if-match": '"other"' }), {
      status: 412,
      text: /precondition_failed/,
    });
    t.match(await send("PUT", "/1", '{"title":"B"}', { "if-none-match": "*" }), { status: 412 });
    t.match(await send("PUT", "/1", '{"title":"B","pages":5}', { "if-match": old }), {
      status: 200,
      text: '{"id":1,"title":"B","pages":5,"lent":false}',
    });
    t.match(await send("PATCH", "/1", '{"title":"C"}', { "if-match": old }), { status: 412 }, "it has changed");
    t.match(await send("PATCH", "/1", '{"title":"C","pages":null,"owner":{"card":9007199254740993,"none":null}}'), {
      status: 204,
      text: "",
    });
    t.equal((await send("GET", "/1")).text, '{"id":1,"title":"C","lent":false,"owner":{"card":9007199254740993}}');
    t.match(await send("PATCH", "/1", '{"owner":{"name":"N"},"id":1}'), { status: 204 });
    t.match((await send("GET", "/1")).text, /"owner":\{"card":9007199254740993,"name":"N"\}/, "changes are merged");
    for (const [body, message] of [
      ['{"title":null}', /The book must have the field 'title', also after the change/],
      ['{"title":""}', /The property title of the book must have at least one character, also after the change/],
      ['{"owner":{"card":"x"}}', /owner\.card/],
      ['{"id":2}', /The property id must be that of the path, 1, or be left out/],
    ] as const)
      t.match(await send("PATCH", "/1", body), { status: 400, text: message }, body);
    t.match(await send("DELETE", "/1"), { status: 428, text: /precondition_required/ }, "the document declares it");
    t.match(await send("DELETE", "/1", undefined, { "if-match": old }), { status: 412 });
    t.match(await send("DELETE", "/1", undefined, { "if-match": await tagOf() }), { status: 200, text: /"title":"C"/ });
    for (const [method, body] of [["PUT", '{"title":"B"}'], ["PATCH", "{}"], ["DELETE"]] as const) {
      t.match(await send(method, "/1", body), { status: 404, text: /book_not_found/ }, method);
      t.match(await send(method, "/1", body, { "if-match": "*" }), { status: 412 }, `${method}: there is none`);
    }
  });

  t.test(`${name}: changes of one record at the same time are all kept`, async (t) => {
    const { send } = await start(t);
    await send("POST", "", '{"title":"A","owner":{}}');
    const members = Array.from({ length: 20 }, (_, n) => `m${n}`);
    const statuses = await Promise.all(
      members.map(async (member) => (await send("PATCH", "/1", `{"owner":{"${member}":1}}`)).status),
    );
    t.same(new Set(statuses), new Set([204]));
    t.same(Object.keys(JSON.parse((await send("GET", "/1")).text).owner).sort(), members.sort());
    const { etag } = (await send("GET", "/1")).headers;
    const results = await Promise.all(
      members.map(async (title) => (await send("PUT", "/1", `{"title":"${title}"}`, { "if-match": `${etag}` })).status),
    );
    t.same(results.sort(), [200, ...Array(19).fill(412)], "with one ETag, one client changes it");
    t.match(await send("PATCH", "/1", '{"owner":{"__proto__":{"lent":true},"constructor":1}}'), { status: 204 });
    t.match((await send("GET", "/1")).text, /"lent":false,"owner":\{"__proto__":\{"lent":true\},"constructor":1\}\}$/);
    for (const body of ["null", "[]", '"x"', "{"]) t.match(await send("PATCH", "/1", body), { status: 400 }, body);
    for (const id of ["0", "-1", "9223372036854775807"])
      t.match(await send("PATCH", `/${id}`, "{}"), { status: 404 }, id);
    for (const id of ["x", "1.0", "9223372036854775808"]) t.match(await send("DELETE", `/${id}`), { status: 400 }, id);
  });
}

t.test("A handler of the application takes precedence, and the rest of the document needs none", async (t) => {
  const resources = openStore("sqlite::memory:");
  const lines: string[] = [];
  const app = await createServer({
    document,
    resources,
    handlers: { getBook: async () => ({ status: 200, body: { id: 5, title: "own", lent: true } }) },
    logger: pino({ level: "info" }, { write: (line: string) => void lines.push(line) }),
  });
  t.teardown(() => app.close());
  t.match((await app.inject("/shop/books/7")).payload, /own/);
  t.match((await app.inject("/shop/books")).payload, "[]");
  t.ok(
    lines.some((line) => /"operations":\["listBooks","addBook","replaceBook","removeBook","changeBook"\]/.test(line)),
  );
});

function edit(from: string, to: string) {
  if (!text.includes(from)) throw new Error(`the document has no ${from}`);
  return parse(text.replace(from, to));
}

t.test("The plan has a doubt for what is only likely of an operation", async (t) => {
  for (const [changed, message] of [
    [edit("required: [id, lent]", "required: [id, lent, pages]"), /^addBook does not require the property pages/],
    [
      edit("lent: { type: boolean, default: false }", "lent: { type: boolean, default: false, readOnly: true }"),
      /^addBook does not require the property lent/,
    ],
    [
      edit("pages: { type: integer }", "pages: { type: integer, writeOnly: true }"),
      /^addBook takes the property pages, which is write-only/,
    ],
    [
      edit("application/merge-patch+json", "application/json"),
      /^changeBook allows null for the property title, which the record does not/,
    ],
  ] as const) {
    const { operations } = planOf(await parseDocument(JSON.stringify(changed)));
    const doubts = operations.flatMap(({ id, does }) => does?.doubts.map((doubt) => `${id} ${doubt}`) ?? []);
    t.ok(
      doubts.some((doubt) => message.test(doubt)),
      `${message}`,
    );
  }
  t.same(
    planOf(await parseDocument(text)).operations.flatMap(({ does }) => does?.doubts ?? []),
    [],
  );
});

t.test("An operation that records can't answer needs a handler, and the error says why", async (t) => {
  for (const [changed, message] of [
    [
      edit(`{ type: array, items: ${ref("Book")} }`, ref("Book")),
      /listBooks has no handler, and needs one, because it declares no response 200 with an array of the schema Book/,
    ],
    [
      edit(
        `requestBody: { required: true, ${json(ref("NewBook"))} }, responses: { 200`,
        `requestBody: { required: true, ${json("{ type: object, properties: { x: {} } }")} }, responses: { 200`,
      ),
      /replaceBook .* takes no property of the record/,
    ],
  ] as const)
    await t.rejects(
      createServer({ document: changed, resources: openStore("sqlite::memory:"), logger: pino({ level: "silent" }) }),
      { message },
    );
  const none = parse(documentOf("  /x: { get: { operationId: x, responses: { 204: { description: x } } } }"));
  await t.rejects(createServer({ document: none, resources: openStore("sqlite::memory:") }), /x has no handler/);
  t.throws(() => openStore("sqlite::memory:").records("x"), /opened when the server is created/);
});

for (const [name, newUrl] of [
  ["SQLite", stores.sqlite],
  ["PostgreSQL", emptyDatabase],
] as const)
  t.test(
    `${name}: a server does not start with records that do not match, unless a function changes them`,
    async (t) => {
      const url = await newUrl(t);
      const start = (changed: object, upgrades = {}) =>
        createServer({ document: changed, resources: openStore(url, { upgrades }), logger: pino({ level: "silent" }) });
      const old = await start(document);
      const headers = { "content-type": "application/json" };
      for (const title of ["A", "B"])
        await old.inject({ method: "POST", url: "/shop/books", payload: JSON.stringify({ title }), headers });
      await old.close();
      const changed = parse(text.replace("required: [title]", "required: [title, pages]"));
      const error = await start(changed).catch(({ message }) => message);
      t.match(
        error,
        /^2 records of shop_books do not match the document\. Nothing was changed\. Pass a function that changes them to openStore: \{ upgrades: \{ shop_books: /,
      );
      const [, to] = /shop_books: \{ to: "(\w+)"/.exec(error) ?? [];
      const upgrade = (book: object) => ({ ...book, pages: 1 });
      for (const upgrades of [{ shop_books: { to, upgrade } }, {}]) {
        const app = await start(changed, upgrades);
        t.match((await app.inject("/shop/books")).payload, /"title":"A","pages":1,.*"title":"B","pages":1,/);
        await app.close();
      }
      await (await start(document)).close(); // valid by the old schema, too
    },
  );
