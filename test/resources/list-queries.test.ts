// Lists as clients ask for them: their order, ranges, searches, and several values, as frameworks and vendors write the parameters.
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { type Send, testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const query = (name: string, schema = "{ type: string }", others = "") =>
  `{ name: "${name}", in: query, schema: ${schema}${others} }`;
const texts = "{ type: array, items: { type: string } }";

/** A document of articles whose list has these parameters, and pages by limit and cursor. */
const documentWith = (...parameters: readonly string[]) =>
  documentOf(
    `  /articles:
    get: { operationId: listArticles, parameters: [${[query("limit", "{ type: integer, default: 3 }"), query("cursor"), ...parameters].join(", ")}], responses: { 200: { description: x, ${json(`{ type: array, items: ${ref("Article")} }`)} } } }
    post: { operationId: addArticle, requestBody: { required: true, ${json(ref("Article"))} }, responses: { 201: { description: x, ${json(ref("Article"))} } } }
  /articles/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getArticle, responses: { 200: { description: x, ${json(ref("Article"))} } } }
`,
    `components:
  schemas:
    Article: { type: object, required: [title, created_at], properties: { id: { type: integer, readOnly: true }, title: { type: string }, unitPrice: { type: number, nullable: true }, state: { type: string, enum: [new, open, closed] }, tags: { type: array, items: { type: string } }, publishedAt: { type: string, format: date-time }, created_at: { type: string, format: date-time, readOnly: true }, author: { type: object, properties: { id: { type: string, format: uuid }, name: { type: string } } } } }
`,
  );

const articles = [
  {
    title: "Straße",
    unitPrice: 10,
    state: "open",
    tags: ["a", "b"],
    publishedAt: "2026-01-31T23:00:00Z",
    author: { name: "Eve" },
  },
  {
    title: "apple",
    unitPrice: 9.5,
    state: "closed",
    tags: ["b"],
    publishedAt: "2026-02-01T00:30:00+01:00",
    author: { name: "Ada" },
  },
  { title: "Zebra", unitPrice: 100, state: "new", publishedAt: "2026-02-02T12:00:00Z", author: { name: "Ada" } },
  { title: "apple pie", state: "open", tags: [] },
  { title: "Äpfel", unitPrice: 9.5, state: "open", tags: ["c"] },
];

const fill = async (send: Send) => {
  for (const article of articles) await send("POST", "/articles", article);
};

/** Reads all pages of a list, by their links. */
const read = async (send: Send, parameters: string): Promise<string> => {
  const ids: number[] = [];
  for (let url: string | undefined = `/articles?${parameters}`; url; ) {
    const { status, headers, body }: Awaited<ReturnType<Send>> = await send("GET", url);
    if (status !== 200) return `${status}: ${body.message}`;
    ids.push(...body.map(({ id }: { id: number }) => id));
    url = /<([^>]*)>; rel="next"/.exec(`${headers.link}`)?.[1];
  }
  return ids.join(" ");
};

/** What lists with these parameters have: the ids in order, or the status and message of an error. */
const cases: readonly (readonly [parameters: readonly string[], expected: Readonly<Record<string, string>>])[] = [
  [
    [query("sort")],
    {
      "sort=unitPrice": "4 2 5 1 3",
      "sort=-unitPrice,title": "3 1 2 5 4",
      "sort=unit_price,desc": "3 1 5 2 4",
      "sort=title:desc": "5 4 2 3 1",
      "sort=author.name": "4 5 2 3 1",
      "sort=-id": "5 4 3 2 1",
      "sort=%2Btitle": "1 3 2 4 5",
      "sort=color":
        "400: The parameter sort can't have color: a list can be ordered by id, title, unitPrice, state, tags, publishedAt, created_at, author.",
    },
  ],
  [
    [query("sort", "{ type: string, enum: [best, title], default: best }")],
    { "": "1 2 3 4 5", "sort=title": "1 3 2 4 5" },
  ],
  [[query("sort", texts)], { "sort=state,desc&sort=title,asc": "1 4 5 3 2" }],
  [
    [
      query("sort_by", "{ type: string, enum: [created_at, unit_price, relevance], default: created_at }"),
      query("order", "{ type: string, enum: [asc, desc], default: desc }"),
    ],
    {
      "": "5 4 3 2 1",
      "sort_by=unit_price": "3 1 5 2 4",
      "sort_by=unit_price&order=asc": "4 2 5 1 3",
      "sort_by=relevance":
        "501: The effect of the parameter sort_by=relevance is not known. Send the request without it.",
    },
  ],
  [
    [query("ordering"), query("search")],
    { "ordering=-publishedAt": "3 2 1 5 4", "search=APPLE&ordering=-title": "4 2", "search=strasse": "1" },
  ],
  [[query("search", texts)], { "search=pie&search=Zebra": "3 4", "search=pie": "4" }],
  [
    [query("sort"), query("order")],
    {
      "sort=title&order=desc": "5 4 2 3 1",
      "sort=title&order=x": "400: The parameter order must be asc or desc.",
      [`sort=${"title,".repeat(100)}title`]: "400: The parameter sort can have up to 100 names.",
    },
  ],
  [[query("OrderBy"), query("Descending", "{ type: boolean }")], { "OrderBy=UnitPrice&Descending=true": "3 1 5 2 4" }],
  [[query("$orderby")], { "$orderby=title desc": "5 4 2 3 1" }],
  [
    [query("direction", "{ type: string, enum: [ASC, DESC] }")],
    { "direction=DESC": "5 4 3 2 1", "direction=ASC": "1 2 3 4 5" },
  ],
  [
    [query("orderBy", "{ type: string, enum: [TITLE_ASC, TITLE_DESC, NEWEST] }")],
    { "orderBy=TITLE_DESC": "5 4 2 3 1", "orderBy=NEWEST": "5 4 3 2 1" },
  ],
  [
    [
      query("min_unit_price", "{ type: number }"),
      query("MaxUnitPrice", "{ type: number }"),
      query("unitPrice[gt]", "{ type: number }"),
      query("unit_price__lt", "{ type: number }"),
    ],
    {
      "min_unit_price=10": "1 3",
      "MaxUnitPrice=9.5": "2 5",
      "unitPrice[gt]=9.5&MaxUnitPrice=50": "1",
      "unit_price__lt=10": "2 5",
    },
  ],
  [
    [
      query("published_after", "{ type: string, format: date-time }"),
      query("published_before", "{ type: string }"),
      query("publishedAt_lte", "{ type: string, format: date }"),
    ],
    {
      "published_after=2026-02-01T00:00:00%2B01:00": "2 3",
      "published_before=2026-02-01": "1 2",
      "published_before=2026-13-45": "400: The parameter published_before must be a date or a time.",
      "publishedAt_lte=2026-02-02": "1 2 3",
      "publishedAt_lte=9999-12-31": "1 2 3",
    },
  ],
  [
    [
      `{ name: unitPrice, in: query, style: deepObject, explode: true, schema: { type: object, properties: { gte: { type: number }, lt: { type: number }, odd: { type: boolean } } } }`,
    ],
    {
      "unitPrice[gte]=9.5&unitPrice[lt]=100": "1 2 5",
      "unitPrice[odd]=true":
        "501: The effect of the parameter unitPrice[odd] is not known. Send the request without it.",
    },
  ],
  [
    [
      query("state", "{ type: array, items: { type: string, enum: [new, open, closed] } }"),
      query("ids", "{ type: string }", ", description: comma-separated ids"),
      query("filter[state__n]"),
      query("tag", texts),
    ],
    {
      "state=new&state=closed": "2 3",
      "ids=1,4": "1 4",
      "filter[state__n]=open": "2 3",
      "tag=a&tag=c": "1 5",
      "ids=1,x": "400: The parameter ids must be a number.",
      [`ids=${"9".repeat(400)}`]: "400: The parameter ids must be a number.",
    },
  ],
  [
    [
      query("title", "{ type: string }", ", description: Titles that contain this text."),
      query("has_unit_price", "{ type: boolean }"),
      query("title__istartswith"),
      query("unit_price__isnull", "{ type: boolean }"),
    ],
    {
      "title=PIE": "4",
      "has_unit_price=true": "1 2 3 5",
      "title__istartswith=APP": "2 4",
      "unit_price__isnull=true": "4",
    },
  ],
  [
    [query("since", "{ type: string, format: date-time }"), query("author_name"), query("authorName__ie")],
    {
      "since=2000-01-01T00:00:00Z": "1 2 3 4 5",
      "since=2100-01-01T00:00:00Z": "",
      "author_name=Ada": "2 3",
      "authorName__ie=ADA": "2 3",
    },
  ],
];

for (const [parameters, expected] of cases)
  testLikely(`a list with ${Object.keys(expected).join(", ")}`, documentWith(...parameters), async (t, send) => {
    await fill(send);
    for (const [sent, ids] of Object.entries(expected)) t.equal(await read(send, sent), ids, sent);
  });

testLikely(
  "a list whose description says that the last record comes first begins with it",
  documentWith(query("q")).replace(
    "operationId: listArticles,",
    "operationId: listArticles, description: 'Articles in sorted order, with the most recent articles appearing first.',",
  ),
  async (t, send) => {
    await fill(send);
    t.equal(await read(send, ""), "5 4 3 2 1");
    t.equal(await read(send, "q=apple"), "4 2");
  },
);

testLikely(
  "a cursor belongs to its order and its conditions, and has each member of the order once",
  documentWith(query("sort"), query("q"), query("state", texts)),
  async (t, send) => {
    await fill(send);
    const { headers } = await send("GET", "/articles?sort=title&limit=2");
    const cursor = /cursor=([\w-]+)/.exec(`${headers.link}`)?.[1];
    t.equal(await read(send, `sort=title&cursor=${cursor}`), "2 4 5");
    const repeated = await send("GET", "/articles?sort=title,Title,-title&limit=2");
    t.equal(/cursor=([\w-]+)/.exec(`${repeated.headers.link}`)?.[1]?.length, cursor?.length);
    for (const other of ["sort=-title", "sort=title&q=a", "sort=title&state=new&state=open", ""])
      t.match(await send("GET", `/articles?${other}&cursor=${cursor}`), {
        status: 400,
        body: { code: "invalid_cursor" },
      });
  },
);

t.test("What could be read in two ways, or in none, is a 501 when it is sent", async (t) => {
  const parameters = [
    query("sort", "{ type: string, enum: [popularity, best] }"),
    query("title_gt"), // texts have no order that a reader of the document knows
    query("color_min", "{ type: number }"),
    query("state", "{ type: boolean }"),
  ];
  const { operations } = planOf(await parseDocument(documentWith(...parameters)));
  const names = operations.find(({ id }) => id === "listArticles")?.does?.refused.map(({ name }) => name);
  t.same(names, ["sort", "title_gt", "color_min", "state"]);
});

const pet =
  "{ type: object, required: [name], properties: { id: { type: integer }, name: { type: string }, status: { type: string, enum: [available, sold] }, tags: { type: array, items: { type: object, properties: { id: { type: integer }, name: { type: string } } } } } }";
const pets = documentOf(
  `  /pet:
    post: { operationId: addPet, requestBody: { required: true, ${json(ref("Pet"))} }, responses: { 200: { description: x, ${json(ref("Pet"))} } } }
  /pet/findByStatus:
    get: { operationId: findByStatus, parameters: [${query("status", "{ type: array, items: { type: string, enum: [available, sold] } }")}], responses: { 200: { description: x, ${json(`{ type: array, items: ${ref("Pet")} }`)} } } }
  /pet/findByTags:
    get: { operationId: findByTags, parameters: [${query("tags", texts)}], responses: { 200: { description: x, ${json(`{ type: array, items: ${ref("Pet")} }`)} } } }
  /pet/search:
    get: { operationId: search, parameters: [${query("query", "{ type: string }", ", description: See the search query language")}], responses: { 200: { description: x, ${json(`{ type: array, items: ${ref("Pet")} }`)} } } }
  /pet/{petId}:
    get: { operationId: getPet, parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }], responses: { 200: { description: x, ${json(ref("Pet"))} } } }
`,
  `components: { schemas: { Pet: ${pet} } }
`,
);

testLikely("a search at a path below the collection lists its records", pets, async (t, send) => {
  await send("POST", "/pet", { name: "Rex", status: "sold", tags: [{ id: 1, name: "big" }] });
  await send("POST", "/pet", { name: "Tom", status: "available" });
  const namesOf = async (url: string) => (await send("GET", url)).body.map(({ name }: { name: string }) => name);
  t.same(await namesOf("/pet/findByStatus?status=sold"), ["Rex"]);
  t.same(await namesOf("/pet/findByStatus?status=sold&status=available"), ["Rex", "Tom"]);
  t.same(await namesOf("/pet/findByTags?tags=big"), ["Rex"]);
  t.match(await send("GET", "/pet/search?query=Rex"), { status: 501 }, "a query can have a language of its own");
});
