// Styles of paths and of successes: a slash at the end, the suffix .json, no GET of one record, 2XX and default.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const book = '{ $ref: "#/components/schemas/Book" }';
const body = `requestBody: { required: true, ${json(book)} }`;
const rest = `components:
  schemas:
    Book: { type: object, required: [id, title], properties: { id: { type: integer, readOnly: true }, title: { type: string } } }
    Problem: { type: object, properties: { message: { type: string } } }
`;

interface Style {
  readonly list: string;
  readonly one: string;
  /** The responses of GET and PUT, of POST, and of DELETE. */
  readonly responses?: readonly [string, string, string];
}

const found = `200: { description: x, ${json(book)} }`;
const usual = [
  found,
  `201: { description: x, ${json(book)}, headers: { Location: { schema: { type: string } } } }`,
  "204: { description: x }",
] as const;

function documentIn({ list, one, responses: [get, post, remove] = usual }: Style): string {
  const array = get.replace(book, `{ type: array, items: ${book} }`);
  return documentOf(
    `  ${list}:
    get: { operationId: listBooks, parameters: [{ name: limit, in: query, schema: { type: integer, default: 1 } }, { name: cursor, in: query, schema: { type: string } }], responses: { ${array} } }
    post: { operationId: addBook, ${body}, responses: { ${post} } }
  ${one}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getBook, responses: { ${get} } }
    put: { operationId: putBook, ${body}, responses: { ${get} } }
    delete: { operationId: removeBook, responses: { ${remove} } }
`,
    rest,
  );
}

for (const [name, list, one] of [
  ["a slash at the end", "/books/", "/books/{id}/"],
  ["a slash at the end of the list only", "/books/", "/books/{id}"],
  ["the suffix .json of the list", "/books.json", "/books/{id}"],
] as const)
  testLikely(
    `Paths with ${name} are those of one collection, and routing stays strict`,
    documentIn({ list, one }),
    async (t, send) => {
      const place = one.replace("{id}", "1");
      t.match(await send("POST", list, { title: "A" }), {
        status: 201,
        body: { id: 1, title: "A" },
        headers: { location: place },
      });
      await send("POST", list, { title: "B" });
      t.match(await send("GET", place), { status: 200, body: { id: 1, title: "A" } });
      t.match(await send("PUT", place, { title: "C" }), { status: 200, body: { id: 1, title: "C" } });
      const page = await send("GET", list);
      t.same(page.body, [{ id: 1, title: "C" }]);
      const [, next = ""] = /^<([^>]+)>; rel="next"/.exec(`${page.headers.link}`) ?? [];
      t.match(next, new RegExp(`^http://localhost:80${list}\\?`), "the link has the path of the list");
      t.same((await send("GET", next)).body, [{ id: 2, title: "B" }]);
      t.match(await send("DELETE", place), { status: 204 });
      t.match(await send("GET", place), { status: 404 });
      const other = list.endsWith("/") ? "/books" : "/books/";
      t.match(await send("GET", other), { status: 404, body: { message: /path/ } });
    },
  );

testLikely(
  "2XX is the success of each method",
  documentIn({
    list: "/books",
    one: "/books/{id}",
    responses: [
      `2XX: { description: x, ${json(book)} }`,
      `2XX: { description: x, ${json(book)} }`,
      "2XX: { description: x }",
    ],
  }),
  async (t, send) => {
    t.match(await send("POST", "/books", { title: "A" }), { status: 201, body: { id: 1, title: "A" } });
    t.match(await send("GET", "/books/1"), { status: 200, body: { id: 1, title: "A" } });
    t.match(await send("PUT", "/books/1", { title: "B" }), { status: 200, body: { id: 1, title: "B" } });
    t.same((await send("GET", "/books")).body, [{ id: 1, title: "B" }]);
    t.match(await send("DELETE", "/books/1"), { status: 204, body: undefined });
  },
);

t.test("default is a success if it is no error, and 202 if it has the record", async (t) => {
  const answered = async (get: string, post: string, remove: string) => {
    const document = await parseDocument(
      documentIn({ list: "/books", one: "/books/{id}", responses: [get, post, remove] }),
    );
    return planOf(document).operations.flatMap(({ id, does }) =>
      does ? [`${id} ${[...new Set([does.status, does.createdStatus])]}`] : [],
    );
  };
  const all = ["listBooks 200", "addBook 201", "getBook 200", "putBook 200", "removeBook 204"];
  const success = `default: { description: The book, ${json(book)} }`;
  t.same(await answered(success, success, "default: { description: done }"), all);
  const usualName = `default: { description: default response, ${json(book)} }`;
  t.same(await answered(usualName, usualName, "default: { description: default response }"), all);
  const failure = `default: { description: An error, ${json(book)} }`;
  t.same(await answered(found, failure, failure), all, "without content, if only an error is declared");
  const later = (content: string) => `202: { description: x${content} }`;
  t.same(await answered(found, later(`, ${json(book)}`), later("")), [
    ...all.slice(0, 1),
    "addBook 202",
    "getBook 200",
    "putBook 200",
    "removeBook 202",
  ]);
  t.same(
    await answered(found, later(""), later("")),
    ["listBooks 200", "getBook 200", "putBook 200", "removeBook 202"],
    "a 202 promises nothing",
  );
});

t.test("Of two paths that differ in a slash only, the first has the records", async (t) => {
  const text = documentIn({ list: "/books", one: "/books/{id}" });
  const again = documentIn({ list: "/books/", one: "/books/{id}/" }).split("paths:\n")[1] as string;
  const document = await parseDocument(`${text}${again.replaceAll(/operationId: (\w+)/g, "operationId: $1Again")}`);
  const { collections, operations } = planOf(document);
  t.match(collections, [{ name: "books" }]);
  t.same(
    operations.flatMap(({ id, does }) => (does ? [] : [id])),
    ["listBooks", "addBook", "getBook", "putBook", "removeBook"].map((id) => `${id}Again`),
  );
});

t.test("An operation whose path has the id under another name needs a handler, and the others do not", async (t) => {
  const text = `${documentIn({ list: "/books", one: "/books/{id}" }).replace(/ {4}delete: .*removeBook.*\n/, "")}  /books/{bookId}:
    delete: { operationId: removeBook, parameters: [{ name: bookId, in: path, required: true, schema: { type: integer } }], responses: { 204: { description: x } } }
`;
  const { operations } = planOf(await parseDocument(text));
  t.same(
    operations.flatMap(({ id, does }) => (does ? [] : [id])),
    ["removeBook"],
  );
});

const tagged = "headers: { ETag: { schema: { type: string } } }";
const cover = '{ $ref: "#/components/schemas/Cover" }';
const partDocument = `${documentIn({ list: "/books", one: "/books/{id}" })}  /books/{id}/cover:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getCover, responses: { 200: { description: x, ${json(cover)}, ${tagged} }, 304: { description: x } } }
  /books/{id}/cover/:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    put: { operationId: putCover, parameters: [{ name: If-Match, in: header, schema: { type: string } }], requestBody: { required: true, ${json(cover)} }, responses: { 200: { description: x, ${json(cover)}, ${tagged} } } }
`.replace(
  "title: { type: string } } }",
  `title: { type: string }, cover: ${cover} } }
    Cover: { type: object, properties: { color: { type: string } } }`,
);

testLikely("A part of a record has one ETag at paths that differ in a slash only", partDocument, async (t, send) => {
  await send("POST", "/books", { title: "A", cover: { color: "red" } });
  const { headers } = await send("GET", "/books/1/cover");
  const change = (color: string) =>
    send("PUT", "/books/1/cover/", { color }, "application/json", { "If-Match": `${headers.etag}` });
  t.match(await change("blue"), { status: 200, body: { color: "blue" } });
  t.match(await change("green"), { status: 412 });
});

const tags = documentOf(
  `  /tags:
    get: { operationId: listTags, responses: { 200: { description: x, ${json(`{ type: object, required: [data], properties: { data: { type: array, items: { $ref: "#/components/schemas/Tag" } } } }`)} } } }
    post: { operationId: addTag, requestBody: { required: true, ${json('{ $ref: "#/components/schemas/Tag" }')} }, responses: { 201: { description: x, ${json('{ $ref: "#/components/schemas/Tag" }')} } } }
  /tags/{tagId}:
    parameters: [{ name: tagId, in: path, required: true, schema: { type: integer } }]
    put: { operationId: putTag, requestBody: { required: true, ${json('{ $ref: "#/components/schemas/Tag" }')} }, responses: { 204: { description: x } } }
    delete: { operationId: removeTag, responses: { 204: { description: x } } }
  /jobs/{jobId}:
    parameters: [{ name: jobId, in: path, required: true, schema: { type: integer } }]
    delete: { operationId: removeJob, responses: { 204: { description: x } } }
`,
  `components:
  schemas:
    Tag: { type: object, required: [id, name], properties: { id: { type: integer, readOnly: true }, name: { type: string } } }
`,
);

testLikely(
  "Without a GET of one record, the list shows what is created, replaced and deleted",
  tags,
  async (t, send) => {
    t.match(await send("POST", "/tags", { name: "a" }), { status: 201, body: { id: 1, name: "a" } });
    t.match(await send("POST", "/tags", { name: "b" }), { status: 201, headers: { location: "/tags/2" } });
    t.match(await send("PUT", "/tags/1", { name: "c" }), { status: 204 });
    t.match(await send("DELETE", "/tags/2"), { status: 204 });
    t.same((await send("GET", "/tags")).body, { data: [{ id: 1, name: "c" }] });
    t.match(await send("PUT", "/tags/2", { name: "x" }), { status: 404, body: { message: /No tag has the id 2/ } });
    t.match(await send("GET", "/tags/1"), { status: 405 });
    t.match(
      await send("DELETE", "/jobs/1"),
      { status: 501, body: { message: /removeJob needs a handler/ } },
      "nothing shows it",
    );
  },
);

testLikely(
  "Records without a path of their own are created and listed",
  tags.replace(/ {2}\/tags\/\{tagId\}:(.|\n)*?(?= {2}\/jobs)/, ""),
  async (t, send) => {
    const made = await send("POST", "/tags", { name: "a" });
    t.match(made, { status: 201, body: { id: 1, name: "a" } });
    t.equal(made.headers.location, undefined);
    await send("POST", "/tags", { name: "b" });
    t.same((await send("GET", "/tags")).body, {
      data: [
        { id: 1, name: "a" },
        { id: 2, name: "b" },
      ],
    });
  },
);

const version = "{ name: version, in: path, required: true, schema: { type: string } }";
const number = "{ name: id, in: path, required: true, schema: { type: integer } }";

for (const prefix of ["/{version}", "/api/v{version}"])
  testLikely(
    `Records have no version, which ${prefix}/books only selects for the API`,
    documentOf(
      `  ${prefix}/books:
    parameters: [${version}]
    get: { operationId: listBooks, responses: { ${found.replace(book, `{ type: array, items: ${book} }`)} } }
    post: { operationId: addBook, ${body}, responses: { ${usual[1]} } }
  ${prefix}/books/{id}:
    parameters: [${version}, ${number}]
    get: { operationId: getBook, responses: { ${found} } }
`,
      rest,
    ),
    async (t, send) => {
      const [one, two] = ["1", "2"].map((value) => prefix.replace("{version}", value));
      const { status, headers } = await send("POST", `${one}/books`, { title: "A" });
      t.match([status, headers.location], [201, `${one}/books/1`]);
      t.same((await send("GET", `${two}/books`)).body, [{ id: 1, title: "A" }]);
      t.same((await send("GET", `${two}/books/1`)).body, { id: 1, title: "A" });
    },
  );

const format = "{ name: format, in: path, required: true, schema: { type: string, enum: [XML, JSON] } }";

testLikely(
  "Records have no format, which a path selects for the response",
  documentOf(
    `  /{format}/books:
    parameters: [${format}]
    get: { operationId: listBooks, responses: { ${found.replace(book, `{ type: array, items: ${book} }`)} } }
    post: { operationId: addBook, ${body}, responses: { ${usual[1]} } }
  /{format}/books/{id}:
    parameters: [${format}, ${number}]
    get: { operationId: getBook, responses: { ${found} } }
`,
    rest,
  ),
  async (t, send, store) => {
    const { status, headers } = await send("POST", "/JSON/books", { title: "A" });
    t.match([status, headers.location], [201, "/JSON/books/1"]);
    t.same((await send("GET", "/JSON/books/1")).body, { id: 1, title: "A" });
    t.same(JSON.parse((await store.store.records("format_books").list({ limit: 9 })).records.text), [
      { id: 1, title: "A" },
    ]);
    for (const path of ["/XML/books", "/XML/books/1"])
      t.match(await send("GET", path), { status: 501, body: { message: /JSON/ } });
    t.match(await send("POST", "/XML/books", { title: "A" }), { status: 501 });
  },
);
