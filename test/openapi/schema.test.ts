// Validation of requests against the schemas of the document.
import t from "tap";
import { parse } from "yaml";
import { parseDocument } from "../../src/openapi/document/document.ts";
import { createRecordValidator } from "../../src/openapi/operation/table-cells.ts";
import { Query } from "../../src/openapi/wire/pairs.ts";
import { handlers } from "../../src/pets/handlers.ts";
import { addParameter, editDocument, findParameter, setProperties } from "../support/document.ts";
import { documentText, edit } from "../support/files.ts";
import { libraryText } from "../support/library.ts";
import { start } from "../support/service.ts";

/** For each keyword of an int64: its value, a number that it accepts, one that it rejects, and the words for the latter. */
const int64Keywords = [
  ["minimum", 5, "5", "4", "at least 5"],
  ["maximum", 5, "5", "9007199254740993", "at most 5"],
  ["exclusiveMinimum", 5, "6", "5", "greater than 5"],
  ["exclusiveMaximum", 5, "4", "5", "less than 5"],
  ["multipleOf", 2, "9007199254740994", "9007199254740993", "a multiple of 2"],
  ["const", 5, "5", "6", "equal to 5"],
  ["enum", [1, 5], "5", "2", "one of: 1, 5"],
] as const;

const int64 = { type: "integer", format: "int64" };
const fields = {
  weight: { type: "number", minimum: 0 },
  age: { type: "integer" },
  filled: { ...int64, default: 9 },
  ...Object.fromEntries(
    int64Keywords.map(([keyword, value], index) => [`int${index}`, { ...int64, [keyword]: value }]),
  ),
};
const document = editDocument(
  setProperties("NewPet", fields),
  setProperties("Pet", fields),
  addParameter("listPets", { name: "X-Count", in: "header", required: true, schema: { ...int64, minimum: 1 } }),
  ...["integer", "number", "boolean", "string"].map((type) =>
    addParameter("listPets", { name: type[0], in: "query", schema: { type } }),
  ),
);

/** The parameters and bodies that the handlers have received. */
const seen: unknown[] = [];
const createPet = async ({ body }: { body: object }) => {
  seen.push(body);
  return { status: 201, body: { id: 1n, name: "x", categoryId: 1n }, headers: { Location: "/v1/pets/1" } };
};
const listPets = async ({ query, headers }: { query: object; headers: Record<string, unknown> }) => {
  seen.push({ ...query, count: headers["X-Count"] });
  return { status: 200, body: [] };
};
const service = await start(t, { document, handlers: { ...handlers, createPet, listPets } });
t.beforeEach(() => seen.splice(0));

/** Sends a pet with one more field, written as JSON. */
const send = (field: string) => service.call("POST", "/v1/pets", { json: `{"name":"x","categoryId":1,${field}}` });

t.test("Enforces every keyword of an int64 exactly, and fills in its default", async (t) => {
  for (const [index, [keyword, , good, bad, words]] of int64Keywords.entries()) {
    t.match(await send(`"int${index}":${good}`), { status: 201 }, `${keyword} accepts ${good}`);
    t.match(
      await send(`"int${index}":${bad}`),
      { status: 400, body: { message: `The field 'int${index}' must be ${words}.` } },
      `${keyword} rejects ${bad}`,
    );
  }
  t.match(
    seen,
    int64Keywords.map(([, , good], index) => ({ [`int${index}`]: BigInt(good), filled: 9n })),
  );
});

t.test("Reads parameters of every type strictly", async (t) => {
  const call = (query: string, count: string | undefined = "1") =>
    service.call("GET", `/v1/pets?${query}`, { headers: { "x-count": count } });
  t.match(await call("i=7&n=1.5e3&b=true&s=7", "9007199254740993"), { status: 200 });
  const { schema } = findParameter(parse(documentText), "listPets", "limit");
  t.same(seen, [{ limit: schema.default, i: 7, n: 1500, b: true, s: "7", count: 9007199254740993n }]);
  for (const query of [
    "i=1.0",
    "i=9007199254740993",
    `i=${"9".repeat(30)}`,
    `i=${"9".repeat(400)}`,
    "n=1e400",
    "n=-1e309",
    "n=0x1",
    "n=.5",
    "n=Infinity",
    "n=",
    "b=1",
    "b=TRUE",
    "b=",
  ])
    t.match(await call(query), { status: 400, body: { code: "invalid_parameter" } }, query);
  t.match(await call("b=false"), { status: 200 });
  t.match((await call("i=9007199254740993")).body, {
    message: /i' must be an integer from -9007199254740991 to 9007199254740991/,
  });
  t.match((await call("n=x")).body, { message: /n' must be a number/ });
  t.match((await call("", "0")).body, { message: /header 'X-Count' must be at least 1/ });
  t.match((await service.call("GET", "/v1/pets")).body, { message: /must have the header 'X-Count'/ });
});

t.test("Reads the numbers of a body by their schemas", async (t) => {
  for (const field of ['"weight":1.5', '"weight":9007199254740993', '"weight":1e30', '"age":7.0'])
    t.match(await send(field), { status: 201 }, field);
  t.strictSame(
    (seen as { weight?: number; age?: number }[]).map(({ weight, age }) => [weight, age]),
    [
      [1.5, undefined],
      [9007199254740992, undefined],
      [1e30, undefined],
      [undefined, 7],
    ],
  );
  for (const field of [
    '"weight":-1',
    '"weight":"1"',
    '"weight":1e999',
    '"age":9007199254740993',
    '"age":1e30',
    '"age":1.5',
    '"age":"7"',
  ])
    t.match(await send(field), { status: 400, body: { code: "invalid_body" } }, field);
});

t.test("Rejects a schema that it can't enforce, and names its place", async (t) => {
  const parse = (schema: string) =>
    parseDocument(edit(libraryText, ["{ type: integer, minimum: 0, default: 1 }", schema]), { strict: true });
  for (const [message, schema] of [
    [
      /The schema at \/components\/schemas\/NewBook\/properties\/copies has the unknown keyword "maxLenght"/,
      "{ maxLenght: 5 }",
    ],
    [/copies\/items\/allOf\/0 has the unknown keyword "maxLenght"/, "{ items: { allOf: [{ maxLenght: 5 }] } }"],
    [/has the unknown format "int64x"/, "{ type: string, format: int64x }"],
    [/has the unknown keyword "nullable"/, "{ type: string, nullable: true }"],
    [/has the unknown keyword "definitions"/, "{ definitions: {} }"],
    [/has the unknown keyword "dependencies"/, "{ dependencies: {} }"],
    [/has the unknown format "dog"/, "{ type: string, format: dog }"],
    [/copies has the keyword "pattern", which must be a regular expression/, '{ type: string, pattern: "(" }'],
    [
      /copies has the keyword "patternProperties", which must be an object whose names are/,
      '{ patternProperties: { "[": {} } }',
    ],
    [/NewBook has the keyword "properties", which must be an object whose values are schemas/, "7"],
    [/copies has the keyword "type", which must be one or more of array, boolean/, "{ type: text }"],
    [/copies has the keyword "minLength", which must be an integer of at least 0/, "{ minLength: -1 }"],
    [/copies has the keyword "multipleOf", which must be a number greater than 0/, "{ multipleOf: 0 }"],
    [/copies has the default "x", which must be an integer/, "{ type: integer, default: x }"],
    [
      /copies has the \$schema http:\/\/x.example, which is read as JSON Schema 2020-12/,
      "{ $schema: http://x.example }",
    ],
    [/has the reference #\/info\/title, which leads to something that is not a schema/, '{ $ref: "#/info/title" }'],
    [
      /copies has the reference #\/components\/schemas\/Nothing, which leads to nothing/,
      '{ default: 1, $ref: "#/components/schemas/Nothing" }',
    ],
  ] as [RegExp, string][])
    await t.rejects(parse(schema), { message }, schema);
});

t.test("Enforces recursive schemas, keywords beside $ref, and references to any place of the document", async (t) => {
  const text = edit(
    libraryText,
    [
      "    NewBook:\n",
      `    Tree:
      type: object
      required: [id]
      additionalProperties: false
      properties:
        id: { $ref: "#/components/parameters/BookId/schema", minimum: 1 }
        children: { type: array, items: { $ref: "#/components/schemas/Tree" } }
        title: { $ref: "#/components/schemas/NewBook/properties/title", maxLength: 3 }
        place: { $ref: "#/x-places/0" }
        filled: { $ref: "#/x-places/1" }
    NewBook:\n`,
    ],
    ["components:\n", "x-places: [{ type: string, minLength: 2 }, { type: integer, default: 3 }]\ncomponents:\n"],
  );
  const { root, schemas } = await parseDocument(text);
  const validate = createRecordValidator(root.find("/components/schemas/Tree"), schemas);
  t.same(validate({ id: 1, children: [{ id: 9007199254740993n, title: "abc", place: "xy" }] }), {
    value: { id: 1n, filled: 3, children: [{ id: 9007199254740993n, title: "abc", place: "xy", filled: 3 }] },
  });
  for (const [value, path, requirement] of [
    [{ id: 1, children: [{ id: 1, children: [{}] }] }, "children.0.children.0", "must have the field 'id'"],
    [{ id: 1, children: [{ id: 0 }] }, "children.0.id", "must be at least 1"],
    [{ id: 1, title: "" }, "title", "must have at least one character"],
    [{ id: 1, title: "abcd" }, "title", "must have at most 3 characters"],
    [{ id: 1, place: "x" }, "place", "must have at least 2 characters"],
  ] as const)
    t.match(validate(value), { problem: { path, requirement } });
});

t.test("Enforces keywords beside the reference of a body and of a parameter", async (t) => {
  const text = edit(
    libraryText,
    [
      'content: { application/json: { schema: { $ref: "#/components/schemas/NewBook" } } }',
      'content: { application/json: { schema: { $ref: "#/components/schemas/NewBook", required: [copies] } } }',
    ],
    [
      "schema: { type: integer, minimum: 1, maximum: 50, default: 2 }",
      'schema: { $ref: "#/components/schemas/Limit", maximum: 3, default: 3 }',
    ],
    ["  schemas:\n", "  schemas:\n    Limit: { type: integer, minimum: 1, default: 2 }\n"],
  );
  const { operations } = await parseDocument(text);
  const find = (id: string) => operations.find((operation) => operation.id === id);
  t.match(find("listBooks")?.parameters.query.read(new Query("/")), { value: { limit: 3 } });
  t.match(find("listBooks")?.parameters.query.read(new Query("/?limit=4")), {
    error: { message: /at most 3/ },
  });
  const body = find("addBook")?.body?.select("application/json");
  t.match(body?.validate?.({ title: "x", author: "y", copies: 1 }), { value: { copies: 1 } });
});

t.test("Rejects a value that is nested too deeply for a recursive schema", async (t) => {
  const text = edit(libraryText, [
    "    NewBook:\n",
    `    Tree: { properties: { next: { $ref: "#/components/schemas/Tree" }, id: { type: integer, format: int64 } } }
    NewBook:\n`,
  ]);
  const { root, schemas } = await parseDocument(text);
  let value = {};
  for (let depth = 0; depth < 100_000; depth++) value = { next: value };
  t.match(createRecordValidator(root.find("/components/schemas/Tree"), schemas)(value), {
    problem: { path: "", requirement: "must not be nested so deeply" },
  });
});

t.test("Names of JavaScript's prototypes are names like others", async (t) => {
  const text = edit(
    libraryText,
    [
      "  parameters:\n    BookId:",
      "  parameters:\n    constructor: { name: a, in: query, schema: { type: string } }\n    BookId:",
    ],
    ["  schemas:\n", "  schemas:\n    toString: { type: object, properties: { constructor: { type: integer } } }\n"],
  );
  const { root, schemas } = await parseDocument(text);
  t.match(createRecordValidator(root.find("/components/schemas/toString"), schemas)({ constructor: "x" }), {
    problem: { path: "constructor", requirement: "must be an integer" },
  });
  t.notOk(Object.hasOwn(Object, "schema"));
  await parseDocument(text.replace("constructor: { name", "__proto__: { name")).catch(() => {});
  t.notOk("schema" in {}, "Object.prototype is unchanged");
});
