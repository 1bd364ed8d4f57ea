// Records whose ids are texts, in both stores, over HTTP: UUIDs that the store makes, and ids of the client.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const path = (name: string) => `parameters: [{ name: ${name}, in: path, required: true, schema: { type: string } }]`;
const match =
  "parameters: [{ name: If-Match, in: header, schema: { type: string } }, { name: If-None-Match, in: header, schema: { type: string } }]";
const list = (name: string) => `get:
      operationId: list${name}s
      parameters: [{ name: limit, in: query, schema: { type: integer, default: 2 } }, { name: cursor, in: query, schema: { type: string } }]
      responses: { 200: { description: x, ${json(`{ type: array, items: ${ref(name)} }`)} } }`;
const get = (name: string) =>
  `get: { operationId: get${name}, responses: { 200: { description: x, ${json(ref(name))} } } }`;
const text = documentOf(
  `  /notes:
    ${list("Note")}
    post:
      operationId: addNote
      parameters: [{ name: Idempotency-Key, in: header, schema: { type: string } }]
      requestBody: { required: true, ${json(ref("Note"))} }
      responses: { 201: { description: x, ${json(ref("Note"))} } }
  /notes/{noteId}:
    ${path("noteId")}
    ${get("Note")}
    put: { operationId: replaceNote, requestBody: { required: true, ${json(ref("Note"))} }, responses: { 200: { description: x, ${json(ref("Note"))} } } }
    delete: { operationId: removeNote, responses: { 204: { description: x } } }
  /pages:
    ${list("Page")}
  /pages/{slug}:
    ${path("slug")}
    ${get("Page")}
    put: { operationId: putPage, ${match}, requestBody: { required: true, ${json(ref("Page"))} }, responses: { 201: { description: x, ${json(ref("Page"))} }, 204: { description: x } } }
  /tags:
    post:
      operationId: addTag
      requestBody: { required: true, ${json(ref("Tag"))} }
      responses: { 201: { description: x, ${json(ref("Tag"))} } }
  /tags/{name}:
    ${path("name")}
    ${get("Tag")}
`,
  `components:
  schemas:
    Note: { type: object, required: [id, text], properties: { id: { type: string, format: uuid, readOnly: true }, text: { type: string } } }
    Page: { type: object, required: [title], properties: { slug: { type: string }, title: { type: string } } }
    Tag: { type: object, required: [name], properties: { name: { type: string, pattern: "^[a-z ]*$" }, size: { type: integer } } }
`,
);
const document = parse(text);

for (const [store, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const) {
  const start = async (t: Test) => {
    const resources = openStore(await newUrl(t));
    const app = await createServer({ document, resources, logger: pino({ level: "silent" }) });
    t.teardown(() => app.close());
    return async (method: string, url: string, body?: object, headers: Record<string, string> = {}) => {
      const response = await app.inject({ method: method as "GET", url, headers, ...(body && { payload: body }) });
      return { status: response.statusCode, headers: response.headers, text: response.payload };
    };
  };

  t.test(`${store}: makes a UUID for a record`, async (t) => {
    const send = await start(t);
    const created = await send("POST", "/notes", { text: "a" }, { "idempotency-key": '"k"' });
    const { id } = JSON.parse(created.text);
    t.match(created, { status: 201, headers: { location: `/notes/${id}` }, text: `{"id":"${id}","text":"a"}` });
    t.equal((await send("GET", `/notes/${id}`)).text, created.text);
    t.match(await send("POST", "/notes", { text: "a" }, { "idempotency-key": '"k"' }), {
      status: 201,
      text: created.text,
      headers: { "idempotency-replayed": "true" },
    });
    t.match(await send("POST", "/notes", { text: "a", id }), { status: 400, text: /read-only/ });
    t.match(await send("GET", "/notes/unknown"), { status: 404, text: /No note has the id unknown\./ });
    t.match(await send("PUT", `/notes/${id}`, { text: "b" }), { status: 200, text: `{"id":"${id}","text":"b"}` });
    t.match(await send("PUT", "/notes/unknown", { text: "b" }), { status: 404 }, "a POST makes the ids");
    for (const text of ["c", "d"]) await send("POST", "/notes", { text });
    const first = await send("GET", "/notes");
    t.match(first.text, /^\[\{"id":"[^"]+","text":"b"\},\{"id":"[^"]+","text":"c"\}\]$/);
    const [, next] = /<([^>]*)>; rel="next"/.exec(`${first.headers.link}`) ?? [];
    t.match((await send("GET", next as string)).text, /^\[\{"id":"[^"]+","text":"d"\}\]$/);
    t.match(await send("DELETE", `/notes/${id}`), { status: 204 });
    t.match(await send("GET", `/notes/${id}`), { status: 404 });
  });

  t.test(`${store}: PUT creates a record with the id of its path, and replaces it`, async (t) => {
    const send = await start(t);
    for (const [path, slug] of [
      ["home", "home"],
      ["a%20b%2Fc", "a b/c"],
      ["%C3%A9%22", 'é"'],
    ] as const) {
      const written = JSON.stringify({ slug, title: "T" });
      t.match(await send("GET", `/pages/${path}`), { status: 404 });
      t.match(await send("PUT", `/pages/${path}`, { title: "T" }), {
        status: 201,
        headers: { location: `/pages/${encodeURIComponent(slug)}` },
        text: written,
      });
      t.match(await send("GET", `/pages/${path}`), { status: 200, text: written });
      t.match(await send("PUT", `/pages/${path}`, { slug, title: "U" }), { status: 204, text: "" });
      t.match(await send("PUT", `/pages/${path}`, { slug: "other", title: "U" }), {
        status: 400,
        text: /must be that of the path/,
      });
    }
    const ifNoneMatch = { "if-none-match": "*" };
    t.match(await send("PUT", "/pages/home", { title: "V" }, ifNoneMatch), { status: 412 });
    t.match(await send("PUT", "/pages/new", { title: "V" }, { "if-match": "*" }), { status: 412 });
    t.match(await send("PUT", "/pages/new", { title: "V" }, ifNoneMatch), { status: 201 });
    t.match(await send("PUT", "/pages/%00", { title: "V" }), { status: 400, text: /The id must have no NUL/ });
    t.match(await send("GET", "/pages/%00"), { status: 404 });
    t.match((await send("GET", "/pages?limit=9")).text, /^\[\{"slug":"home".*"slug":"new","title":"V"\}\]$/);
  });

  t.test(`${store}: POST creates a record with the id that it has, once`, async (t) => {
    const send = await start(t);
    t.match(await send("POST", "/tags", { name: "a b", size: 5 }), {
      status: 201,
      headers: { location: "/tags/a%20b" },
      text: '{"name":"a b","size":5}',
    });
    t.match(await send("POST", "/tags", { name: "a b" }), {
      status: 409,
      text: /"code":"tag_exists","message":"Another tag has the id a b\."/,
    });
    t.equal((await send("GET", "/tags/a%20b")).text, '{"name":"a b","size":5}', "and does not replace it");
    t.match(await send("POST", "/tags", { name: "" }), { status: 400, text: /The id must have 1 to 500 characters/ });
    t.match(await send("POST", "/tags", { size: 5 }), { status: 400, text: /name/ });
  });
}

t.test("An id that the store can't make needs a handler", async (t) => {
  const startWith = async (from: string, to: string) => {
    const changed = parse(text.replace(from, to));
    const app = await createServer({
      document: changed,
      resources: openStore("sqlite::memory:"),
      logger: pino({ level: "silent" }),
    });
    await app.close();
  };
  await t.rejects(
    startWith("Tag: { type: object, required: [name]", "Tag: { type: object, required: [size]"),
    /addTag.*does not require the property name, whose schema does not allow the UUID that the store would make/s,
  );
  await t.rejects(
    startWith("format: uuid, readOnly: true", "format: uuid"),
    /addNote.*takes the property id, so that a retry does not need the header Idempotency-Key/s,
  );
  await t.rejects(
    startWith("type: string, format: uuid, readOnly: true", "type: integer, format: int64"),
    /addNote.*takes the property id, so that a retry does not need the header Idempotency-Key/s,
  );
});
