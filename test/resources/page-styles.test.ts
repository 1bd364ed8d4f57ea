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

t.test("A name that selects a page beside another one means something else without it", async (t) => {
  const refusedOf = async (parameters: string) => {
    const { operations } = planOf(await parseDocument(documentWith(parameters)));
    return operations[0]?.does?.refused.map(({ name }) => name);
  };
  t.same(await refusedOf(`${integer("from")}, ${integer("count")}`), ["from", "count"]);
  t.same(await refusedOf("{ name: page, in: query, schema: { type: boolean } }"), ["page"]);
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
