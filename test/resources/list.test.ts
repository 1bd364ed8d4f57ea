// Pages of lists: their maximum size, and a page of 0 records.
import type { Test } from "tap";
import { documentOf } from "../support/document-server.ts";
import { type Send, testLikely } from "../support/likely.ts";

const note = '{ $ref: "#/components/schemas/Note" }';
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const integer = (name: string) => `{ name: ${name}, in: query, schema: { type: integer } }`;
const cursor = "{ name: cursor, in: query, schema: { type: string } }";
const pagesOf = (schema: string, parameters: string) =>
  documentOf(
    `  /notes:
    get: { operationId: listNotes, parameters: [${parameters}], responses: { 200: { description: x, ${json(schema)} } } }
    post: { operationId: addNote, requestBody: { required: true, ${json(note)} }, responses: { 201: { description: x, ${json(note)} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getNote, responses: { 200: { description: x, ${json(note)} } } }
`,
    `components: { schemas: { Note: { type: object, properties: { id: { type: integer, readOnly: true }, text: { type: string } } } } }
`,
  );
const listOf = (parameters: string) =>
  pagesOf(
    `{ type: object, required: [items, total, has_more, page, pages], properties: { items: { type: array, items: ${note} }, total: { type: integer }, has_more: { type: boolean }, page: { type: integer }, pages: { type: integer } } }`,
    parameters,
  );

const megabyte = "x".repeat(1_000_000);
const create = async (send: Send, count: number) => {
  for (let number = 0; number < count; number++) await send("POST", "/notes", { text: megabyte });
};
const idsOf = ({ body }: Awaited<ReturnType<Send>>) => body.items.map(({ id }: { id: number }) => id);

testLikely(
  "a page by cursor ends at 4 MiB, and the next one follows",
  listOf(`${integer("limit")}, ${cursor}`),
  async (t, send) => {
    await create(send, 6);
    const first = await send("GET", "/notes?limit=100");
    t.strictSame(idsOf(first), [1, 2, 3, 4]);
    t.match(first.body, { total: 6, has_more: true });
    const [, next = ""] = /<([^>]*)>; rel="next"/.exec(`${first.headers.link}`) ?? [];
    const second = await send("GET", next);
    t.strictSame(idsOf(second), [5, 6]);
    t.match(second.body, { has_more: false });
  },
);

const pastLimit = async (t: Test, send: Send, expected: object) => {
  await create(send, 17);
  t.match(await send("GET", "/notes"), expected);
};

for (const parameters of [`${integer("limit")}, ${integer("offset")}`, `${integer("per_page")}, ${integer("page")}`])
  testLikely(`a page by number is not short: ${parameters}`, listOf(parameters), async (t, send) => {
    const name = parameters.includes("limit") ? "limit" : "per_page";
    await pastLimit(t, send, {
      status: 400,
      body: {
        message: `The page has more than 16 MiB. Send a smaller ${name}.`,
        details: [{ location: "query", name }],
      },
    });
    t.strictSame(idsOf(await send("GET", `/notes?${name}=2`)), [1, 2]);
  });

testLikely("a list without pages is a 501 if it is larger than 16 MiB", listOf(""), (t, send) =>
  pastLimit(t, send, { status: 501, body: { message: /more than 10000 records or 16 MiB, and no parameter/ } }),
);

for (const [name, parameters] of [
  ["cursor", `${integer("limit")}, ${cursor}`],
  ["offset", `${integer("limit")}, ${integer("offset")}`],
  ["page", `${integer("limit")}, ${integer("page")}`],
] as const)
  testLikely(`a page of 0 records has the total only: by ${name}`, listOf(parameters), async (t, send) => {
    await send("POST", "/notes", { text: "a" });
    const { status, headers, body } = await send("GET", "/notes?limit=0");
    t.strictSame([status, headers.link], [200, undefined]);
    t.strictSame(body, { items: [], total: 1, has_more: true, page: 1, pages: 0 });
    t.match(await send("GET", "/notes?limit=-1"), { status: 400 });
  });

for (const [parameters, rest, expected] of [
  [`${integer("limit")}, ${integer("skip")}`, "", { count: 3 }],
  [`${integer("limit")}, ${integer("page")}`, "", { count: 3 }],
  [`${integer("limit")}, ${integer("offset")}`, ", total: { type: integer }", { count: 2, total: 3 }],
  [`${integer("limit")}, ${cursor}`, "", { count: 2 }],
  [`${integer("limit")}, ${integer("skip")}`, ", number_of_elements: { type: integer }", { number_of_elements: 2 }],
] as const)
  testLikely(
    `count is that of all records, if no other member is and pages have numbers: ${parameters}${rest}`,
    pagesOf(
      `{ type: object, properties: { data: { type: array, items: ${note} }, count: { type: integer }${rest} } }`,
      parameters,
    ),
    async (t, send) => {
      for (const text of ["a", "b", "c"]) await send("POST", "/notes", { text });
      t.match((await send("GET", "/notes?limit=2")).body, expected);
    },
  );

const text = "{ type: string }";
const orNull = (type: string) => `{ type: [${type}, "null"] }`;
const notes = `{ type: array, items: ${note} }`;
const button = `{ type: object, properties: { url: ${orNull("string")}, label: ${text}, active: { type: boolean } } }`;
const numbered = `${integer("per_page")}, ${integer("page")}`;

testLikely(
  "the links of a page, its first and last record and its buttons are facts, and what is not known is not invented",
  pagesOf(
    `{ type: object, required: [data, links, meta], properties: { data: ${notes}, success: { type: boolean },
      links: { type: object, required: [first, last, prev, next], properties: { first: ${text}, last: ${text}, prev: ${text}, next: ${orNull("string")} } },
      meta: { type: object, required: [from, to, links, path, etag, kind], properties: { current_page: { type: integer }, from: ${orNull("integer")}, to: { type: integer }, links: { type: array, items: ${button} }, path: { type: string, format: uri }, etag: ${orNull("string")}, kind: { const: page }, note: { type: string, example: a } } } } }`,
    numbered,
  ),
  async (t, send) => {
    const page = async (number: number) => (await send("GET", `/notes?per_page=1&page=${number}`)).body;
    const at = (number: number) => `/notes?per_page=1&page=${number}`;
    const none = await page(1);
    t.strictSame([none.links.last, none.meta.from, none.meta.to], [at(1), null, 0]);
    for (const text of ["a", "b"]) await send("POST", "/notes", { text });
    t.strictSame(await page(2), {
      data: [{ id: 2, text: "b" }],
      success: true,
      links: { first: at(1), last: at(2), prev: at(1), next: null },
      meta: {
        ...{ current_page: 2, from: 2, to: 2 },
        links: [
          { url: at(1), label: "&laquo; Previous", active: false },
          { url: at(1), label: "1", active: false },
          { url: at(2), label: "2", active: true },
          { url: null, label: "Next &raquo;", active: false },
        ],
        ...{ path: "http://localhost/notes", etag: null, kind: "page" },
      },
    });
    t.equal((await page(1)).links.prev, "", "a required text");
  },
);

testLikely(
  "the facts of a page can be beside its records, where the same names say something else without it",
  pagesOf(
    `{ type: object, properties: { data: ${notes}, first_page_url: ${text}, last_page_url: ${text}, next_page_url: ${orNull("string")}, path: ${text}, from: { type: integer }, to: { type: integer }, total: { type: integer },
      period: { type: object, required: [from], properties: { from: { type: integer }, to: { type: integer }, total: ${text} } } } }`,
    numbered,
  ),
  async (t, send) => {
    for (const text of ["a", "b", "c"]) await send("POST", "/notes", { text });
    const at = (number: number) => `/notes?per_page=2&page=${number}`;
    const { data, ...facts } = (await send("GET", at(1))).body;
    const urls = { first_page_url: at(1), last_page_url: at(2), next_page_url: at(2), path: "/notes" };
    t.strictSame(facts, { ...urls, from: 1, to: 2, total: 3 });
  },
);
