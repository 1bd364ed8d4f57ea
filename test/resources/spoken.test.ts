// What the words of a document say of operations: which of them a store does not answer, and what they keep.
import { setTimeout } from "node:timers/promises";
import t from "tap";
import { parseDocument } from "../../src/openapi/index.ts";
import { planOf } from "../../src/resources/index.ts";
import { documentOf } from "../support/document-server.ts";
import { testLikely } from "../support/likely.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const object = (properties: string, rest = "") => `{ type: object, properties: { ${properties} }${rest} }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const id = "parameters: [{ name: id, in: path, required: true, schema: { type: string } }]";
const body = (schema: string) => `requestBody: { ${json(schema)} }`;
const book = object("id: { type: string, readOnly: true }, title: { type: string }");
const sent = object("title: { type: string }");

/** The operations that are answered. */
async function answered(paths: string): Promise<readonly string[]> {
  const { operations } = planOf(await parseDocument(documentOf(paths), { strict: false }));
  return operations.flatMap(({ id, does }) => (does ? [id] : []));
}

for (const [why, paths, expected] of [
  [
    "a GET that does something",
    `  /me: { get: { operationId: read, summary: Returns the caller., ${ok(book)} } }
  /whoami: { get: { operationId: act, summary: Refreshes the caller., ${ok(book)} } }
`,
    ["read"],
  ],
  [
    "a GET with the name of an action",
    `  /books: { get: { operationId: listBooks, ${ok(`{ type: array, items: ${book} }`)} } }
  /shares: { get: { operationId: share_list, ${ok(`{ type: array, items: ${book} }`)} } }
  /public: { get: { operationId: ShareBooks, ${ok(`{ type: array, items: ${book} }`)} } }
`,
    ["listBooks", "share_list"],
  ],
  [
    "what is behind a # in a path",
    `  /books/{id}: { ${id}, get: { operationId: read, ${ok(book)} } }
  "/send/#env/books/{id}": { ${id}, get: { operationId: send, ${ok(book)} } }
`,
    ["read"],
  ],
  [
    "a POST of an array",
    `  /books: { post: { operationId: find, ${body("{ type: array, items: { type: string } }")}, ${ok(book, 201)} } }
  /books/{id}: { ${id}, get: { operationId: read, ${ok(book)} } }
`,
    ["read"],
  ],
  [
    "a POST that returns the id of a job",
    `  /books: { post: { operationId: add, ${body(sent)}, ${ok(object("job_id: { type: string }"), 202)} } }
  /books/{id}: { ${id}, get: { operationId: read, ${ok(book)} } }
`,
    ["read"],
  ],
  [
    "a list of the current month",
    `  /books: { get: { operationId: read, ${ok(`{ type: array, items: ${book} }`)} } }
  /uses: { get: { operationId: use, description: Uses of the current calendar month., ${ok(`{ type: array, items: ${book} }`)} } }
`,
    ["read"],
  ],
  [
    "a POST that starts a job for many",
    `  /bulk-create-jobs: { post: { operationId: start, ${body(sent)}, ${ok(book, 201)} } }
  /bulk-create-jobs/{id}: { ${id}, get: { operationId: read, ${ok(book)} } }
`,
    ["read"],
  ],
  [
    "a PUT of one of several records, without its id",
    `  /labels: { get: { operationId: read, summary: Get all labels, ${ok(book)} }, put: { operationId: change, ${body(sent)}, ${ok(book)} } }
  /motto: { get: { operationId: readMotto, summary: Get the motto, ${ok(book)} }, put: { operationId: changeMotto, ${body(sent)}, ${ok(book)} } }
`,
    ["readMotto", "changeMotto"],
  ],
  [
    "a PUT of which no property is understood",
    `  /books/{id}:
    ${id}
    get: { operationId: read, ${ok(object("id: { type: string }, tax: { type: object, properties: { rate: { type: number } } }"))} }
    put: { operationId: put, ${body(object("rate: { type: number }"))}, ${ok(object("id: { type: string }, tax: { type: object, properties: { rate: { type: number } } }"))} }
`,
    ["read"],
  ],
] as const)
  t.test(`Not answered is ${why}`, async (t) => t.same(await answered(paths), expected));

const lamp = object(
  "id: { type: string }, name: { type: string }, on: { type: boolean }",
  ", required: [id, name, on]",
);
const sentLamp = object("name: { type: string }, on: { type: boolean }", ", required: [name]");

testLikely(
  "a PUT without a member of which no one has said a value does not change it",
  documentOf(`  /lamps:
    post: { operationId: addLamp, ${body(sentLamp)}, ${ok(lamp, 201)} }
  /lamps/{id}:
    ${id}
    get: { operationId: getLamp, ${ok(lamp)} }
    put: { operationId: putLamp, ${body(sentLamp)}, ${ok(lamp)} }
`),
  async (t, send) => {
    const { body } = await send("POST", "/lamps", { name: "A", on: true });
    t.same((await send("PUT", `/lamps/${body.id}`, { name: "B" })).body, { ...body, name: "B" });
    t.equal((await send("POST", "/lamps", { name: "C" })).body.on, false);
  },
);

const policy = object("isOn: { type: boolean }");
const car = `{ $ref: "#/components/schemas/Car" }`;

testLikely(
  "a part of a record has the name of the property in any case",
  documentOf(
    `  /cars:
    post: { operationId: addCar, ${body(object("name: { type: string }"))}, ${ok(car, 201)} }
  /cars/{id}: { ${id}, get: { operationId: getCar, ${ok(car)} } }
  /cars/{id}/charging-policy:
    ${id}
    get: { operationId: getPolicy, ${ok('{ $ref: "#/components/schemas/Policy" }')} }
    put: { operationId: putPolicy, ${body('{ $ref: "#/components/schemas/Policy" }')}, ${ok('{ $ref: "#/components/schemas/Policy" }')} }
`,
    `components: { schemas: { Policy: ${policy}, Car: ${object('id: { type: string }, name: { type: string }, updated_at: { type: string, format: date-time, readOnly: true }, chargingPolicy: { $ref: "#/components/schemas/Policy" }')} } }`,
  ),
  async (t, send) => {
    const { body } = await send("POST", "/cars", { name: "A" });
    await setTimeout(5); // so that the time of the change is another one
    t.same((await send("PUT", `/cars/${body.id}/charging-policy`, { isOn: true })).body, { isOn: true });
    const car = (await send("GET", `/cars/${body.id}`)).body;
    t.match(car, { ...body, updated_at: /^20/, chargingPolicy: { isOn: true } });
    t.ok(car.updated_at > body.updated_at, "its change is one of the record");
  },
);

testLikely(
  "a read-only id is dropped, also if the body does not declare it",
  documentOf(`  /books:
    post: { operationId: addBook, ${body(sent)}, ${ok(book, 201)} }
  /books/{id}: { ${id}, get: { operationId: getBook, ${ok(book)} } }
`),
  async (t, send) => {
    const { body } = await send("POST", "/books", { title: "A" });
    const other = await send("POST", "/books", body);
    t.match(other, { status: 201, body: { title: "A" } });
    t.not(other.body.id, body.id);
  },
);

const place = object(
  "id: { type: string }, name: { type: string }, site: { type: object, properties: { street: { type: string } } }, notes: { type: object, additionalProperties: { type: string } }, on: { type: boolean }, changed: { type: string, format: date-time, readOnly: true }",
  ", required: [id, name, notes]",
);
const sentPlace = object(
  "name: { type: string }, site: { type: integer }, on: { type: boolean, description: Defaults to true on create. }, secret: { type: string, writeOnly: true }",
);
const empty = object("data: { type: object }");
const page = object(
  `places: { type: array, items: ${place} }, total_rows: { type: integer }, links: { type: object, properties: { pages: { anyOf: [${object("first: { type: string }, prev: { type: string }")}, ${object("next: { type: string, example: https://api.example/places }, last: { type: string }")}] } } }`,
);
const query = (name: string, type: string, description: string) =>
  `{ name: ${name}, in: query, description: ${description}, schema: { type: ${type} } }`;

testLikely(
  "changes keep what only a new record has by default, and another form is a 501",
  documentOf(`  /places:
    get:
      operationId: listPlaces
      parameters: [${query("limit", "integer", "Between 1 and 2")}, ${query("page", "integer", "The page")}]
      ${ok(page)}
    post: { operationId: addPlace, ${body(sentPlace)}, ${ok(place, 201)} }
  /places/{id}:
    ${id}
    get: { operationId: getPlace, ${ok(place)} }
    put: { operationId: putPlace, ${body(sentPlace)}, ${ok(place)} }
    patch: { operationId: changePlace, ${body(sentPlace)}, ${ok(place)} }
    delete: { operationId: removePlace, ${ok(empty)} }
`),
  async (t, send) => {
    const { body } = await send("POST", "/places", { name: "A" });
    t.match(body, { on: true, notes: {}, changed: /^20/ });
    t.match((await send("PATCH", `/places/${body.id}`, { on: false })).body, { on: false });
    const put = await send("PUT", `/places/${body.id}`, { name: "B" });
    t.match(put.body, { name: "B", on: false });
    t.not(put.body.changed, body.changed);
    t.match(await send("PATCH", `/places/${body.id}`, { site: 3 }), {
      status: 501,
      body: { message: /The value of site/ },
    });
    for (const name of ["C", "D", "E"]) await send("POST", "/places", { name });
    const list = (await send("GET", "/places?limit=5")).body;
    t.match(list, { total_rows: 4, links: { pages: { next: /^http:.*page=2/ } } });
    t.equal(list.places.length, 2, "its range is in words");
    t.match(await send("PATCH", `/places/${body.id}`, { secret: "x" }), {
      status: 501,
      body: { message: /keeps no member/ },
    });
    t.same((await send("DELETE", `/places/${body.id}`)).body, { data: {} });
  },
);

testLikely(
  "a word in place of an id is a 501, if a description says that it can be there, and not as an example",
  documentOf(
    ["users", "branches"]
      .map((name) => {
        const words = name === "users" ? "The id, or `me` for the caller." : "The id, e.g. `default`.";
        return `  /${name}:
    post: { operationId: add_${name}, ${body("{ type: object, required: [id], properties: { id: { type: string } } }")}, ${ok(object("id: { type: string }"), 201)} }
  /${name}/{id}:
    parameters: [{ name: id, in: path, required: true, description: "${words}", schema: { type: string } }]
    get: { operationId: get_${name}, ${ok(object("id: { type: string }"))} }
`;
      })
      .join(""),
  ),
  async (t, send) => {
    for (const [list, id] of [
      ["users", "a"],
      ["branches", "default"],
    ]) {
      await send("POST", `/${list}`, { id });
      t.same((await send("GET", `/${list}/${id}`)).body, { id });
    }
    const message = "The server can't resolve me. Send an id in the path parameter id.";
    t.match(await send("GET", "/users/me"), { status: 501, body: { message } });
  },
);
