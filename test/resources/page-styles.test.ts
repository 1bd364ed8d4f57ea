// Pages as frameworks and vendors write their parameters: each list is followed to its end by its links.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const note = "{ type: object, properties: { id: { type: integer, readOnly: true }, text: { type: string } } }";
const integer = (name: string, others = "") => `{ name: "${name}", in: query, schema: { type: integer${others} } }`;
const documentWith = (parameters: string, list = `{ type: array, items: ${note} }`, headers = "") =>
  documentOf(
    `  /notes:
    get: { operationId: listNotes, parameters: [${parameters}], responses: { 200: { description: x, ${headers}${json(list)} } } }
    post: { operationId: addNote, requestBody: { required: true, ${json(note)} }, responses: { 201: { description: x, ${json(note)} } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getNote, responses: { 200: { description: x, ${json(note)} } } }
`,
  );

for (const [limit, place, first, others] of [
  ["$top", "$skip", 0, ""],
  ["take", "skip", 0, ""],
  ["max", "first", 0, ""],
  ["size", "from", 0, ""],
  ["rows", "start", 0, ""],
  ["count", "startIndex", 1, ""],
  ["maxResults", "startAt", 0, ""],
  ["page[size]", "page[number]", 1, ""],
  ["size", "page", 0, ", default: 0"],
  ["pageSize", "pageIndex", 0, ", minimum: 0"],
  ["itemsPerPage", "currentPage", 1, ""],
  ["_limit", "_page", 1, ""],
] as const)
  testLikely(
    `pages by ${limit} and ${place}`,
    documentWith(`${integer(limit)}, ${integer(place, others)}`),
    async (t, send) => {
      for (const text of ["a", "b", "c", "d", "e"]) await send("POST", "/notes", { text });
      const pages: number[][] = [];
      const start = new URLSearchParams({ [limit]: "2", [place]: `${first}` });
      for (let url: string | undefined = `/notes?${start}`; url; ) {
        const { headers, body }: Awaited<ReturnType<typeof send>> = await send("GET", url);
        pages.push(body.map(({ id }: { id: number }) => id));
        url = /<([^>]*)>; rel="next"/.exec(`${headers.link}`)?.[1];
      }
      t.same(pages, [[1, 2], [3, 4], [5]]);
    },
  );

testLikely(
  "a list of SCIM counts from 1, and says so",
  documentWith(
    `${integer("startIndex")}, ${integer("count")}`,
    `{ type: object, required: [totalResults, startIndex, Resources], properties: { totalResults: { type: integer }, startIndex: { type: integer }, itemsPerPage: { type: integer }, Resources: { type: array, items: ${note} } } }`,
    "headers: { Content-Range: { schema: { type: string } } }, ",
  ),
  async (t, send) => {
    for (const text of ["a", "b", "c"]) await send("POST", "/notes", { text });
    const { headers, body } = await send("GET", "/notes?startIndex=2&count=1");
    t.match(body, { totalResults: 3, startIndex: 2, Resources: [{ id: 2 }] });
    t.equal(headers["content-range"], "items 1-1/3");
  },
);

testLikely(
  "a list that can't say the next cursor has all records, and no limit",
  documentWith(
    `${integer("limit")}, { name: marker, in: query, schema: { type: string } }`,
    `{ type: object, properties: { notes: { type: array, items: ${note} }, next_marker: { type: integer } } }`,
  ),
  async (t, send) => {
    for (let count = 0; count < 101; count++) await send("POST", "/notes", { text: "a" });
    t.equal((await send("GET", "/notes")).body.notes.length, 101);
    t.equal((await send("GET", "/notes?limit=1")).status, 501);
  },
);

const members = (names: string, type: string) =>
  names
    .split(" ")
    .map((name) => `${name}: { type: ${type} }`)
    .join(", ");
const pageOf = (name: string, page: string, required: string) =>
  `{ type: object, required: [${name}, notes], properties: { ${name}: { type: object, required: [${required}], properties: { ${page} } }, notes: { type: array, items: ${note} } } }`;
const facts = "next previous count current total_pages start_index end_index";

testLikely(
  "a list of Django has the numbers of its pages and records, also as numbers that are no integers",
  documentWith(
    `${integer("page")}, ${integer("page_size")}`,
    pageOf("pagination", members(facts, "number"), facts.replaceAll(" ", ", ")),
  ),
  async (t, send) => {
    const empty = { next: 0, previous: 0, count: 0, current: 1, total_pages: 0, start_index: 0, end_index: 0 };
    t.same((await send("GET", "/notes")).body.pagination, empty);
    for (const text of ["a", "b", "c"]) await send("POST", "/notes", { text });
    const pageAt = async (page: number) => (await send("GET", `/notes?page_size=2&page=${page}`)).body.pagination;
    const both = { count: 3, total_pages: 2 };
    t.same(await pageAt(1), { ...both, next: 2, previous: 0, current: 1, start_index: 1, end_index: 2 });
    t.same(await pageAt(2), { ...both, next: 0, previous: 1, current: 2, start_index: 3, end_index: 3 });
  },
);

testLikely(
  "a number beside integers, or alone, is no number of records",
  documentWith(
    `${integer("offset")}, ${integer("limit")}`,
    `{ type: object, properties: { total: { type: number }, limit: { type: integer }, notes: { type: array, items: ${note} } } }`,
  ),
  async (t, send) => {
    t.same((await send("GET", "/notes?offset=0")).body, { limit: 100, notes: [] });
  },
);

testLikely(
  "a list of lakeFS has the cursor of the next page, and the highest limit",
  documentWith(
    `${integer("amount", ", maximum: 7")}, { name: after, in: query, schema: { type: string } }`,
    pageOf(
      "pagination",
      "has_more: { type: boolean }, next_offset: { type: string }, results: { type: integer }, max_per_page: { type: integer }",
      "has_more, next_offset, results, max_per_page",
    ),
  ),
  async (t, send) => {
    for (const text of ["a", "b", "c"]) await send("POST", "/notes", { text });
    const { pagination, notes } = (await send("GET", "/notes?amount=2")).body;
    t.match(notes, [{ id: 1 }, { id: 2 }]);
    t.match(pagination, { has_more: true, results: 2, max_per_page: 7 });
    const last = (await send("GET", `/notes?amount=2&after=${pagination.next_offset}`)).body;
    t.match(last.notes, [{ id: 3 }]);
    t.same(last.pagination, { has_more: false, next_offset: "", results: 1, max_per_page: 7 });
  },
);

const timed = pageOf("pagination", `next: { type: [number, "null"] }, count: { type: number }`, "next, count");

testLikely(
  "a number of the next page that selects none, such as a time, is a 501",
  documentWith(integer("limit"), timed),
  async (t, send) => {
    t.equal((await send("GET", "/notes")).status, 501);
  },
);

testLikely("a list without pages has no next one", documentWith("", timed), async (t, send) => {
  await send("POST", "/notes", { text: "a" });
  t.same((await send("GET", "/notes")).body.pagination, { next: null, count: 1 });
});

testLikely(
  "a list is ordered by a parameter whose description has a minus before the name, and not by its direction",
  documentWith(
    "{ name: order, in: query, description: 'The field to sort by. By default, it is ascending. Prefix it with `-` for descending.', schema: { type: string } }",
  ),
  async (t, send) => {
    for (const text of ["a", "b"]) await send("POST", "/notes", { text });
    t.match((await send("GET", "/notes?order=-text")).body, [{ text: "b" }, { text: "a" }]);
  },
);

t.test("A name that selects a page beside another one means something else without it", async (t) => {
  const refusedOf = async (parameters: string) => {
    const { operations } = planOf(await parseDocument(documentWith(parameters)));
    return operations[0]?.does?.refused.map(({ name }) => name);
  };
  t.same(await refusedOf(`${integer("from")}, ${integer("count")}`), ["from", "count"]);
  t.same(await refusedOf("{ name: page, in: query, schema: { type: boolean } }"), ["page"]);
  const day = "{ name: start, in: query, schema: { type: string, format: date } }";
  t.same(await refusedOf(`${integer("limit")}, ${day}`), ["start"]);
});

const parts = "parent: { $ref: '#/components/schemas/Page' }, total: { type: integer }";
const recursive = documentWith(
  "",
  `{ type: object, properties: { notes: { type: array, items: ${note} }, page: { $ref: "#/components/schemas/Page" } } }`,
).replace("paths:", `components: { schemas: { Page: { type: object, properties: { ${parts} } } } }\npaths:`);

testLikely("An object beside the records can lead back to itself", recursive, async (t, send) => {
  await send("POST", "/notes", { text: "a" });
  t.match(await send("GET", "/notes"), { status: 200, body: { notes: [{ id: 1 }], page: { total: 1 } } });
});

const limited = (others: string, description: string) =>
  documentWith(
    `{ name: limit, in: query, description: "${description}", schema: { type: integer${others} } }, ${integer("offset")}`,
  );

testLikely(
  "the description of a limit can say its maximum",
  limited("", "Default limit is 1, max 2."),
  async (t, send) => {
    for (const text of ["a", "b", "c"]) await send("POST", "/notes", { text });
    t.equal((await send("GET", "/notes")).body.length, 1);
    const { body, headers } = await send("GET", "/notes?limit=100");
    t.equal(body.length, 2);
    t.match(headers.link, /offset=2.*rel="next"/);
  },
);

testLikely(
  "a limit of -1 is all records if the document says so",
  limited(", minimum: -1, default: 1", "Set -1 to return all."),
  async (t, send) => {
    for (const text of ["a", "b", "c"]) await send("POST", "/notes", { text });
    t.equal((await send("GET", "/notes")).body.length, 1);
    t.equal((await send("GET", "/notes?limit=-1")).body.length, 3);
    t.equal((await send("GET", "/notes?limit=-1&offset=2")).body.length, 1);
  },
);

testLikely("a negative limit that has no known meaning is a 501", limited(", minimum: -1", ""), async (t, send) => {
  t.match(await send("GET", "/notes?limit=-1"), { status: 501, body: { message: /parameter limit=-1 is not known/ } });
  t.match(await send("GET", "/notes?limit=-2"), { status: 400 });
});
