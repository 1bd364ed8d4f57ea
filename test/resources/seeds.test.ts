// The records that `openStore(…).seed(count)` makes: valid, different, related to each other, and likely for their names.
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";

type Json = Record<string, unknown>;

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;

/** Returns the paths of a collection whose records have these members. Those of its POST are `body`. */
function collection(path: string, members: string, { body = members, id = "integer", name = "id" } = {}) {
  const schema = (all: string) => `{ type: object, required: [${name}], properties: { ${all} } }`;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(
    ([, one]) => `{ name: ${one}, in: path, required: true, schema: { type: integer } }`,
  );
  return `
  ${path}:
    parameters: [${parameters}]
    get: { parameters: [{ name: limit, in: query, schema: { type: integer, default: 100 } }], responses: { 200: { description: x, ${json(`{ type: array, items: ${schema(members)} }`)} } } }
    post: { requestBody: { required: true, ${json(id === "string" ? schema(body) : `{ type: object, properties: { ${body} } }`)} }, responses: { 201: { description: x, ${json(schema(members))} } } }
  ${path}/{${name}}:
    parameters: [${[...parameters, `{ name: ${name}, in: path, required: true, schema: { type: ${id} } }`]}]
    get: { responses: { 200: { description: x, ${json(schema(members))} } } }
`;
}

/** Serves a document with made records, and returns a function that sends requests. */
async function seed(paths: string, count = 40) {
  const resources = openStore("sqlite::memory:", { partial: true });
  const app = await createServer({ document: parse(documentOf(paths)), resources, logger: pino({ level: "silent" }) });
  t.teardown(() => app.close());
  const results = await resources.seed(count);
  const list = async (url: string) => (await app.inject({ url, headers: { host: "x" } })).json() as Json[];
  const post = async (url: string, payload: object) =>
    (await app.inject({ method: "POST", url, payload, headers: { host: "x" } })).statusCode;
  return { results, list, post };
}

const distinct = (records: readonly Json[], name: string) => new Set(records.map((one) => one[name])).size;
const id = "id: { type: integer, readOnly: true }";

t.test("Texts have their pattern and length, and differ, also those that are ids", async (t) => {
  const { results, list } = await seed(
    collection(
      "/parts",
      'code: { type: string, pattern: "^[A-Z]{2}-[0-9]{3}$" }, note: { type: string, maxLength: 12 }, lot: { type: string, pattern: "^[a-f0-9]{8}$", example: "0000000a" }',
      { id: "string", name: "code" },
    ) + collection("/colors", "key: { type: string, enum: [red, green, blue] }", { id: "string", name: "key" }),
  );
  t.match(results, [
    { name: "parts", created: 40 },
    { name: "colors", created: 3, reason: /no record was found/ },
  ]);
  const parts = await list("/parts");
  for (const name of ["code", "note", "lot"]) t.ok(distinct(parts, name) > 20, name);
});

t.test("Members are valid in a request, if it has them in the same form", async (t) => {
  const { list, post } = await seed(
    collection(
      "/shifts",
      `${id}, minutes: { type: integer }, owner: { type: object, properties: { id: { type: integer }, zip: { type: string } } }, state: { type: string, enum: [new, old, gone] }`,
      {
        body: "minutes: { type: integer, minimum: 30, maximum: 240 }, owner: { type: object, properties: { zip: { type: string, pattern: '^[0-9]{5}$' } } }, state: { type: string, enum: [new, old] }",
      },
    ) +
      collection(
        "/visits",
        `${id}, place: { type: object, required: [city], properties: { city: { type: string } } }`,
        {
          body: "place: { type: integer }",
        },
      ),
  );
  const shifts = await list("/shifts");
  t.equal(shifts.length, 40);
  for (const { id: _, ...shift } of shifts) t.equal(await post("/shifts", shift), 201, JSON.stringify(shift));
  t.equal((await list("/visits")).length, 40, "another form has no effect");
});

t.test("What ends a record is null or missing mostly", async (t) => {
  const time = "type: string, format: date-time";
  const { list } = await seed(
    collection(
      "/tickets",
      `${id}, deleted_at: { type: [string, "null"], format: date-time }, closed_at: { anyOf: [{ ${time} }, { type: "null" }] }, archivedAt: { ${time} }, is_cancelled: { type: boolean }, active: { type: boolean }, title: { type: [string, "null"] }`,
    ),
  );
  const tickets = await list("/tickets");
  const count = (name: string, value: unknown) => tickets.filter((one) => one[name] === value).length;
  for (const [name, value] of [
    ["deleted_at", null],
    ["closed_at", null],
    ["archivedAt", undefined],
    ["is_cancelled", false],
    ["active", true],
  ] as const)
    t.ok(count(name, value) > 25 && count(name, value) < 40, `${name}: ${count(name, value)}`);
  t.equal(count("title", null), 0);
});

t.test("Children name their own parent, and others have what it has", async (t) => {
  const author = "name: { type: string }, email: { type: string, format: email }";
  const { list } = await seed(
    collection("/authors", `${id}, ${author}`) +
      collection(
        "/authors/{author}/books",
        `${id}, author_id: { type: integer }, title: { type: string }, author: { type: object, required: [id, name], properties: { id: { type: integer }, ${author} } }`,
      ) +
      collection(
        "/reviews",
        `${id}, author_id: { type: integer }, author_ids: { type: array, items: { type: integer } }, author: { type: object, properties: { id: { type: integer }, ${author} } }`,
      ),
    10,
  );
  const authors = await list("/authors");
  for (const one of authors) {
    const books = await list(`/authors/${one.id}/books`);
    t.ok(books.length > 0);
    for (const book of books) t.match(book, { author_id: one.id, author: one });
  }
  for (const { author: other, author_id: own, author_ids: ids } of await list("/reviews")) {
    t.match(
      authors.find((one) => one.id === Object(other).id),
      other as Json,
    );
    if (own !== undefined) t.equal(own, Object(other).id, "members that name the same are about one record");
    for (const one of ids as number[]) t.ok(authors.some((known) => known.id === one));
  }
});

t.test("The members of an object fit together", async (t) => {
  const { list } = await seed(
    collection(
      "/trips",
      `${id}, city: { type: string }, country: { type: string }, currency: { type: string, pattern: "^[A-Z]{3}$" }, start_time: { type: string, format: date-time }, end_time: { type: string, format: date-time }, guest_name: { type: string }, guest_email: { type: string, format: email }`,
    ),
  );
  const trips = await list("/trips");
  const countries = new Map<unknown, unknown>();
  for (const {
    city,
    country,
    currency,
    start_time: start,
    end_time: end,
    guest_name: name,
    guest_email: email,
  } of trips) {
    t.equal(countries.get(city ?? country) ?? country, country);
    if (city && country) countries.set(city, country);
    if (country === "Japan" && currency) t.equal(currency, "JPY");
    if (start && end) t.ok(`${start}` < `${end}`);
    const [first = ""] = `${name}`.toLowerCase().split(" ");
    t.ok(`${email}`.startsWith(first.replace(/\W/g, "")), `${name} <${email}>`);
  }
});
