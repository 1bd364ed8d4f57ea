// Operations whose meaning is likely, as `openapi-server serve` answers them, in both stores.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const path = (name: string, type = "string") =>
  `parameters: [{ name: ${name}, in: path, required: true, schema: { type: ${type} } }]`;
const query = (name: string, schema = "type: integer") => `{ name: ${name}, in: query, schema: { ${schema} } }`;
const body = (schema: string, type = "application/json") =>
  `requestBody: { required: true, content: { ${type}: { schema: ${schema} } } }`;
const text = documentOf(
  `  /articles:
    get:
      operationId: listArticles
      parameters: [${query("page")}, ${query("per_page", "type: integer, default: 2")}, ${query("author", "type: string")}, ${query("state", "type: string, enum: [open, all], default: all")}, ${query("color", "type: string")}]
      ${ok("{ type: object, required: [data, total, links, kind], properties: { data: { type: array, items: { $ref: '#/components/schemas/Article' } }, total: { type: integer }, page: { type: integer }, has_more: { type: boolean }, kind: { const: articles }, links: { type: object, properties: { next: { type: [string, 'null'] }, prev: { type: string } } } } }")}
    post: { operationId: addArticle, ${body(ref("NewArticle"))}, ${ok("{ type: object, required: [article], properties: { article: { $ref: '#/components/schemas/Article' } } }", 201)} }
  /articles/{article_id}:
    ${path("article_id", "integer")}
    get: { operationId: getArticle, responses: { 200: { description: x, headers: { ETag: { schema: { type: string } } }, ${json("{ type: object, required: [article], properties: { article: { $ref: '#/components/schemas/Article' } } }")} }, 304: { description: x } } }
    put: { operationId: replaceArticle, ${body(ref("NewArticle"))}, responses: { 204: { description: x } } }
    patch: { operationId: changeArticle, parameters: [{ name: If-Match, in: header, schema: { type: string } }], ${body(`{ type: object, properties: { title: { type: string }, tags: { type: array, items: { type: string } }, editor: { type: [string, 'null'] } } }`)}, ${ok("{ type: object, required: [article], properties: { article: { $ref: '#/components/schemas/Article' } } }")} }
    delete: { operationId: removeArticle, ${ok("{ type: object, required: [id, deleted], properties: { id: { type: integer }, deleted: { type: boolean } } }")} }
  /users:
    get:
      operationId: listUsers
      parameters: [${query("after")}, ${query("offset", "type: integer, default: 0")}, ${query("limit", "type: integer, default: 2")}]
      ${ok(`{ type: array, items: ${ref("UserSummary")} }`)}
    post: { operationId: addUser, ${body(ref("NewUser"), "application/x-www-form-urlencoded")}, ${ok(ref("User"), 201)} }
  /users/{user}:
    ${path("user")}
    get: { operationId: getUser, ${ok(ref("User"))} }
  /codes:
    get: { operationId: listCodes, ${ok(`{ type: array, items: ${ref("Code")} }`)} }
    post: { operationId: addCode, ${body("{ type: object }")}, ${ok(ref("Code"), 201)} }
  /posts:
    post: { operationId: addPost, ${body(`{ type: object, properties: { post: ${ref("NewPost")} } }`)}, ${ok(`{ type: object, required: [post], properties: { post: ${ref("Post")} } }`, 201)} }
  /posts/{slug}:
    ${path("slug")}
    get: { operationId: getPost, ${ok(`{ type: object, required: [post], properties: { post: ${ref("Post")} } }`)} }
    put: { operationId: changePost, ${body(`{ type: object, properties: { post: ${ref("NewPost")} } }`)}, ${ok(`{ type: object, required: [post], properties: { post: ${ref("Post")} } }`)} }
    patch: { operationId: movePost, ${body("{ type: object, properties: { target: { type: string } } }")}, ${ok(`{ type: object, required: [post], properties: { post: ${ref("Post")} } }`)} }
  /pet:
    post: { operationId: addPet, ${body(ref("Pet"))}, ${ok(ref("Pet"))} }
  /pet/{petId}:
    ${path("petId", "integer")}
    get: { operationId: getPet, ${ok(ref("Pet"))} }
  /codes/{code}:
    ${path("code")}
    get: { operationId: getCode, ${ok(ref("Code"))} }
`,
  `components:
  schemas:
    NewArticle: { type: object, required: [title], properties: { title: { type: string }, author: { type: string }, tags: { type: array, items: { type: string } }, editor: { type: [string, "null"] }, secret: { type: string } } }
    Article:
      type: object
      required: [id, title, created_at, tags, views_count, url, editor]
      properties:
        id: { type: integer }
        title: { type: string }
        author: { type: string }
        state: { type: string }
        created_at: { type: string, format: date-time }
        updatedAt: { type: integer }
        tags: { type: array, items: { type: object, properties: { name: { type: string } } }, example: [{ name: t }] }
        views_count: { type: integer }
        url: { type: string, format: uri, default: "https://example.org/" }
        editor: { type: [string, "null"] }
    NewUser: { type: object, required: [login, age], properties: { login: { type: string }, age: { type: integer }, password: { type: string } } }
    User: { type: object, required: [uuid, login], properties: { uuid: { type: string }, login: { type: string }, age: { type: integer }, password: { type: string, writeOnly: true } } }
    UserSummary: { type: object, required: [uuid, login], additionalProperties: false, properties: { uuid: { type: string }, login: { type: string } } }
    NewPost: { type: object, required: [title], properties: { title: { type: string } } }
    Post: { type: object, required: [slug, title], properties: { slug: { type: string }, title: { type: string } } }
    Pet: { type: object, required: [name], properties: { id: { type: integer, format: int64 }, name: { type: string } } }
    Code: { type: object, required: [code], properties: { code: { type: string, pattern: "^[0-9]+$" } } }
`,
);

for (const [store, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const) {
  const start = async (t: Test) => {
    const resources = openStore(await newUrl(t), { partial: true });
    const app = await createServer({ document: parse(text), resources, logger: pino({ level: "silent" }), mock: true });
    t.teardown(() => app.close());
    const send = async (
      method: string,
      url: string,
      payload?: object | string,
      type = "application/json",
      tag = "",
    ) => {
      const headers = payload === undefined ? {} : { "content-type": type, ...(tag && { "if-match": tag }) };
      const response = await app.inject({ method: method as "GET", url, headers, ...(payload && { payload }) });
      const parsed = response.payload === "" ? undefined : JSON.parse(response.payload);
      return { status: response.statusCode, headers: response.headers, body: parsed };
    };
    return send;
  };

  t.test(`${store}: makes the members that no request has, and keeps them`, async (t) => {
    const send = await start(t);
    const before = Date.now();
    const created = await send("POST", "/articles", { title: "A", author: "Ada", tags: ["x"], secret: "s" });
    t.match(created, { status: 201, headers: { location: "/articles/1" } });
    const { article } = created.body;
    t.match(article, { id: 1, title: "A", author: "Ada", views_count: 0, url: "https://example.org/", editor: null });
    t.same(article.tags, [{ name: "x" }], "a text that names an object is its name");
    t.notOk("secret" in article, "a member that no response has is not kept");
    t.ok(Date.parse(article.created_at) >= before && Date.parse(article.created_at) <= Date.now());
    t.ok(Math.abs(article.updatedAt - Date.now() / 1_000) < 60, "in seconds");
    t.same((await send("GET", "/articles/1")).body, { article });
    const { etag } = (await send("GET", "/articles/1")).headers;
    const conditional = (tag: string) => send("PATCH", "/articles/1", { author: "Ada" }, "application/json", tag);
    t.match(await conditional('"other"'), { status: 412 });
    t.match(await conditional(`${etag}`), { status: 200 }, "the ETag is that of the envelope");
    const changed = await send("PATCH", "/articles/1", { title: "B", tags: ["y"], editor: "Eve" });
    t.match(changed, { status: 200, body: { article: { title: "B", editor: "Eve", tags: [{ name: "y" }] } } });
    t.equal(changed.body.article.created_at, article.created_at);
    t.match(await send("PUT", "/articles/1", { title: "C" }), { status: 204, body: undefined });
    const replaced = (await send("GET", "/articles/1")).body.article;
    t.match(replaced, { title: "C", created_at: article.created_at, author: undefined });
    t.match(await send("DELETE", "/articles/1"), { status: 200, body: { id: 1, deleted: true } });
    t.match(await send("GET", "/articles/1"), { status: 404 });
  });

  t.test(`${store}: pages by number, in an object with what it declares`, async (t) => {
    const send = await start(t);
    for (const author of ["a", "b", "a", "a", "b"]) await send("POST", "/articles", { title: "T", author });
    const ids = ({ data }: { data: { id: number }[] }) => data.map(({ id }) => id);
    const first = await send("GET", "/articles");
    t.match(first.body, { total: 5, page: 1, has_more: true, kind: "articles" });
    t.same(ids(first.body), [1, 2]);
    t.match(first.headers.link, /<http:\/\/localhost:80\/articles\?per_page=2&state=all&page=2>; rel="next"/);
    t.equal(first.body.links.next, "/articles?per_page=2&state=all&page=2");
    t.notOk("prev" in first.body.links);
    const last = await send("GET", "/articles?page=3");
    t.match(last.body, { total: 5, page: 3, has_more: false, links: { next: null } });
    t.same(ids(last.body), [5]);
    t.equal(last.body.links.prev, "/articles?page=2&per_page=2&state=all");
    const filtered = await send("GET", "/articles?author=a&per_page=10");
    t.same([filtered.body.total, ids(filtered.body)], [3, [1, 3, 4]]);
    t.match(await send("GET", "/articles?state=open"), { status: 200, body: { total: 0 } });
    t.match(await send("GET", "/articles?color=red"), { status: 501 }, "a parameter is obeyed or refused");
  });

  t.test(`${store}: pages by offset, with the members of another schema, and forms`, async (t) => {
    const send = await start(t);
    for (const login of ["a", "b", "c"]) {
      const form = `login=${login}&age=7&password=p`;
      const created = await send("POST", "/users", form, "application/x-www-form-urlencoded");
      t.match(created, { status: 201, body: { login, age: 7 } });
      t.match(created.body.uuid, /^[\da-f-]{36}$/);
      t.notOk("password" in created.body);
    }
    const first = await send("GET", "/users");
    t.same(
      first.body.map((user: object) => Object.keys(user)),
      [
        ["uuid", "login"],
        ["uuid", "login"],
      ],
    );
    t.match(first.headers.link, /<http:\/\/localhost:80\/users\?offset=2&limit=2>; rel="next"/);
    t.match(await send("GET", "/users?after=1"), { status: 501 }, "a cursor is a text of any form");
    const second = await send("GET", "/users?offset=2");
    t.match(second.body, [{ login: "c" }]);
    t.match(
      second.headers.link,
      /<http:\/\/localhost:80\/users\?offset=0&limit=2>; rel="first", <http:\/\/localhost:80\/users\?offset=0&limit=2>; rel="prev"$/,
    );
  });

  t.test(`${store}: reads a record from a member of the body, and loses none`, async (t) => {
    const send = await start(t);
    const created = await send("POST", "/posts", { post: { title: "A" } });
    t.match(created, { status: 201, body: { post: { title: "A" } } });
    const url = `/posts/${created.body.post.slug}`;
    t.match(await send("PUT", url, { post: { title: "B" } }), { status: 200, body: { post: { title: "B" } } });
    t.same((await send("GET", url)).body, { post: { ...created.body.post, title: "B" } });
    t.match(await send("PATCH", url, { target: "x" }), {
      status: 501,
      body: { message: /The operation movePost needs a handler: it takes no property of the record\./ },
    });
  });

  t.test(`${store}: keeps the number that a request has as the id, and makes others`, async (t) => {
    const send = await start(t);
    t.match(await send("POST", "/pet", { id: 10, name: "Rex" }), {
      status: 200,
      body: { id: 10, name: "Rex" },
      headers: { location: "/pet/10" },
    });
    t.match(await send("GET", "/pet/10"), { status: 200, body: { id: 10, name: "Rex" } });
    t.match(await send("POST", "/pet", { id: 10, name: "Tom" }), { status: 409 });
    t.match(await send("POST", "/pet", { name: "Tom" }), { body: { id: 11 } });
    t.match(await send("POST", "/pet", { id: 0, name: "Tom" }), { body: { id: 12 } }, "0 is the default of clients");
    t.match(await send("POST", "/pet", { id: -5, name: "Tom" }), { status: 400 });
  });

  t.test(`${store}: makes ids in the form of the document`, async (t) => {
    const send = await start(t);
    const codes: string[] = [];
    for (let n = 0; n < 3; n++) codes.push((await send("POST", "/codes", {})).body.code);
    for (const code of codes) {
      t.match(code, /^\d{15,19}$/);
      t.match(await send("GET", `/codes/${code}`), { status: 200, body: { code } });
    }
    t.same(
      (await send("GET", "/codes")).body,
      codes.map((code) => ({ code })),
      "all, without a parameter for a page",
    );
  });
}

t.test("The start names all operations that need a handler, and why", async (t) => {
  const start = (document: object) =>
    createServer({ document, resources: openStore("sqlite::memory:"), logger: pino({ level: "silent" }) });
  await t.rejects(
    start(parse(text)),
    /^The operation movePost has no handler, and needs one, because it takes no property of the record\. Add one to/,
  );
  const actions = (names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [`/do/${name}`, { post: { operationId: name, responses: { 204: { description: "x" } } } }]),
    );
  const document = (names: readonly string[]) => {
    const content = parse(text);
    return { ...content, paths: { ...content.paths, ...actions(names) } };
  };
  await t.rejects(
    start(document(["a", "b"])),
    /^3 operations have no handler\. Add them to `handlers`, or set `mock`\. .+\n- movePost has .+\n- a has no handler, and needs one, because it creates nothing .+\n- b has .+$/,
  );
  const many = Array.from({ length: 30 }, (_, index) => `a${index}`);
  await t.rejects(start(document(many)), /^31 operations (.|\n)+\n- a18 has .+\n- and 11 others: a19, .+, a29$/);
});
