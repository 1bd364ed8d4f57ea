// What lists do that their defaults and descriptions say, and what is a 501 because they say that it is done in a way that is not known.
import { documentOf } from "../support/document-server.ts";
import { type Send, testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const book = `{ $ref: "#/components/schemas/Book" }`;
const query = (name: string, description: string, schema = "type: string") =>
  `{ name: "${name}", in: query, description: "${description}", schema: { ${schema} } }`;

/** A document of books, whose list has parameters and a description. */
const documentWith = (parameters: readonly string[], description = "") =>
  documentOf(
    `  /books:
    get: { operationId: listBooks, description: "${description}", parameters: [${parameters.join(", ")}], responses: { 200: { description: x, ${json(`{ type: array, items: ${book} }`)} } } }
    post: { operationId: addBook, requestBody: { required: true, ${json(book)} }, responses: { 201: { description: x, ${json(book)} } } }
  /books/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getBook, responses: { 200: { description: x, ${json(book)} } } }
`,
    `components:
  schemas:
    Book: { type: object, properties: { id: { type: integer, readOnly: true }, title: { type: string }, author: { type: string }, note: { type: string }, link: { type: string, format: uri }, soldOn: { type: string, format: date }, hidden: { type: boolean }, approved: { type: boolean }, owner: { type: object, properties: { id: { type: string }, type: { type: string } } }, created_at: { type: string, format: date-time, readOnly: true } } }
`,
  );

const books = [
  { title: "Zebras", author: "Ada", note: "about apes", hidden: true, soldOn: "2026-03-01" },
  { title: "Apes", author: "Bob", approved: true, soldOn: "2026-01-01" },
  { title: "Moles", author: "Ada", hidden: false, approved: false, soldOn: "2026-02-01" },
];

/** The ids of a list in its order, or its status. */
const read = async (send: Send, parameters: string): Promise<string> => {
  const { status, body } = await send("GET", `/books?${parameters}`);
  return status === 200 ? body.map(({ id }: { id: number }) => id).join(" ") : `${status}`;
};

/** By what the document says: what lists have, by their query. */
const cases: readonly (readonly [name: string, document: string, expected: Readonly<Record<string, string>>])[] = [
  [
    "a list has the records that a default selects by a boolean",
    documentWith([query("show_hidden", "", "type: boolean, default: false")]),
    { "": "2 3", "show_hidden=false": "2 3", "show_hidden=true": "1 2 3" },
  ],
  [
    "a filter with a default that is not known makes the list a 501",
    documentWith([query("author", "If not specified, it defaults to the current author.")]),
    { "": "501", "author=Ada": "501" },
  ],
  [
    "the direction can be behind a |, and other signs in an order are a 501",
    documentWith([query("sort", "")]),
    { "sort=title|desc": "1 3 2", "sort=title!": "501", "sort=color": "400" },
  ],
  [
    "a UUID is not compared with a URL",
    documentWith([query("link", "", "type: string, format: uuid")]),
    { "": "1 2 3", "link=4c25e31f-3a5a-4d52-8531-20c3e8549df0": "501" },
  ],
  [
    "a list has the records that a default selects by its opposite",
    documentWith([query("show_not_approved", "", "type: boolean, default: false")]),
    { "": "2", "show_not_approved=true": "1 2 3" },
  ],
  [
    "a list whose default is yes has the records with a boolean that is true, and it is not known what others mean",
    documentWith([query("approved", "", "type: string, default: yes")]),
    { "": "2", "approved=yes": "2", "approved=no": "501" },
  ],
  [
    "a list has the records of a state that is a boolean, its opposite, or all",
    documentWith([query("filter", "", "type: string, enum: [hidden, unhidden, all], default: unhidden")]),
    { "": "2 3", "filter=unhidden": "2 3", "filter=hidden": "1", "filter=all": "1 2 3" },
  ],
  [
    "the state that a list selects by default is that of a new record",
    documentWith([query("filter", "", "type: string, enum: [approved, not_approved], default: approved")]),
    { "": "1 2", "filter=not_approved": "3" },
  ],
  ...[
    query("include_inactive", "Whether to return inactive books.", "type: boolean, default: false"),
    query("all", "", "type: boolean, default: false"),
    query("final", "Only final books are shown by default.", "type: boolean, default: true"),
    query("old", "If `false`, shows only new books.", "type: boolean, default: false"),
    query("shelf", "", "type: string, enum: [mine, all], default: mine"),
  ].map(
    (parameter) =>
      [
        `a list is a 501 if it is not known which records a default selects: ${parameter}`,
        documentWith([parameter]),
        { "": "501" },
      ] as const,
  ),
  [
    "a default that says nothing about which records a list has changes nothing",
    documentWith([
      query("include_pages", "Whether to include the pages.", "type: boolean, default: false"),
      query("gifts", "If `true`, only gifts.", "type: boolean, default: false"),
      query("type", "", "type: string, enum: [new, all], default: all"),
    ]),
    { "": "1 2 3", "gifts=true": "501" },
  ],
  ...[
    query("title", "A title. Ignored if `author` is provided."),
    query("author", "For any other shelf, this value will be ignored."),
    query("note", "This can only be used when the shelf is sent."),
    query("search", "Supports wildcard searches."),
    query("owner", "In the format `user:id` or `team:id`."),
  ].map((parameter) => {
    const [, name] = /name: "(\w+)"/.exec(parameter) ?? [];
    return [
      `a filter that compares in a way that is not known is a 501 when it is sent: ${parameter}`,
      documentWith([parameter]),
      { "": "1 2 3", [`${name}=a`]: "501" },
    ] as const;
  }),
  ...(
    [
      ["Returns books sorted by their `title` in alphabetical order.", "2 3 1"],
      ["The records are ordered by sold on from newest to oldest.", "1 3 2"],
      ["Sorted by author, then by title.", "1 3 2"],
      ["Books are returned with the most recently created first.", "3 2 1"],
      ["They are sorted by the number of copies.", "1 2 3"],
    ] as const
  ).map(
    ([description, ids]) =>
      [`a list is in the order that it says: ${description}`, documentWith([], description), { "": ids }] as const,
  ),
  [
    "an order that is described as ascending or descending is a direction",
    documentWith([query("order", "The order of the books. Default value: DESC")]),
    { "": "3 2 1", "order=ASC": "1 2 3", "order=DESC": "3 2 1", "order=title": "400" },
  ],
  [
    "a direction is the default if its description marks it so",
    documentWith([query("order", "- `ASC` - Oldest first. - `DESC` - Newest first (default)."), query("sort", "")]),
    { "": "3 2 1", "order=ASC": "1 2 3", "sort=title": "1 3 2", "sort=title&order=ASC": "2 3 1" },
  ],
  [
    "a list is ordered by the member that a description says",
    documentWith([
      query(
        "sort",
        "In reverse chronological order. The default is `sold_on`.",
        "type: string, enum: [title, sold_on]",
      ),
    ]),
    { "": "1 3 2", "sort=title": "1 3 2" },
  ],
  [
    "an order that is described by a member is no direction",
    documentWith([query("order", "Such as title,desc")]),
    { "order=title,desc": "1 3 2" },
  ],
  [
    "a list is a 501 if its default order is not known",
    documentWith([query("sort", "", "type: string, enum: [date, -date], default: date")]),
    { "": "501" },
  ],
  ...(
    [
      ["Searches books by title.", "2"],
      ["Searches books.", "1 2"],
      ["Looks for a text in the title and the `note`.", "1 2"],
      ["Searches books by label.", "501"],
      ["Searches the `hidden` ones.", "501"],
    ] as const
  ).map(
    ([description, ids]) =>
      [`a search: ${description}`, documentWith([query("q", description)]), { "q=apes": ids }] as const,
  ),
  [
    "a filter without wildcards compares texts as they are",
    documentWith([query("title", "It cannot contain wildcard characters.")]),
    { "title=Apes": "2", "title=A*": "" },
  ],
];

for (const [name, document, expected] of cases)
  testLikely(name, document, async (t, send) => {
    for (const one of books) await send("POST", "/books", one);
    for (const [sent, ids] of Object.entries(expected)) t.equal(await read(send, sent), ids, sent);
  });

testLikely(
  "a list without a way to the next page has all records, unless a request limits them",
  documentWith([query("limit", "", "type: integer")]),
  async (t, send) => {
    for (let count = 0; count < 101; count++) await send("POST", "/books", { title: "a" });
    t.equal((await send("GET", "/books")).body.length, 101);
    t.equal((await send("GET", "/books?limit=2")).body.length, 2);
  },
);
