// Validation of requests against the schemas of the document.
import t from "tap";
import { parse } from "yaml";
import { handlers } from "../../src/pets/handlers.ts";
import { createValidatorCompiler } from "../../src/spec/validation.ts";
import { addParameter, editDocument, findParameter, setProperties } from "../support/document.ts";
import { documentText } from "../support/files.ts";
import { start } from "../support/service.ts";

/** For each keyword of an int64: its value, a number that it accepts, one that it rejects, and the words for that. */
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
const document = editDocument(
  setProperties("NewPet", {
    weight: { type: "number", minimum: 0 },
    age: { type: "integer" },
    filled: { ...int64, default: 9 },
    ...Object.fromEntries(
      int64Keywords.map(([keyword, value], index) => [`int${index}`, { ...int64, [keyword]: value }]),
    ),
  }),
  addParameter("listPets", { name: "X-Count", in: "header", required: true, schema: { ...int64, minimum: 1 } }),
  ...["integer", "number", "boolean", "string"].map((type) =>
    addParameter("listPets", { name: type[0], in: "query", schema: { type } }),
  ),
);

/** The parameters and bodies that the handlers have received. */
const seen: unknown[] = [];
const createPet = async ({ body }: { body: object }) => {
  seen.push(body);
  return { status: 201, body: { id: 1n, name: "x", categoryId: 1n } };
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

t.test("Rejects a schema that it can't enforce", async (t) => {
  const compile = createValidatorCompiler([]);
  const validate = (property: Record<string, unknown>, httpPart = "body") =>
    compile({ schema: { type: "object", properties: { property } }, httpPart, method: "POST", url: "/" });
  const int64 = { type: "integer", format: "int64" };
  for (const [message, property, part] of [
    [/unknown keyword: "maxLenght"/, { type: "string", maxLenght: 5 }],
    [/unknown keyword "minimun" of an int64/, { ...int64, minimun: 1 }],
    [/multipleOf of an int64 must be an exact integer/, { ...int64, multipleOf: 0.5 }],
    [/an int64 can't be one of several types \(oneOf\)/, { oneOf: [int64, { type: "string" }] }],
    [/unknown format "int64"/, { ...int64, type: ["integer", "null"] }],
    [/unknown keyword: "nullable"/, { type: "string", nullable: true }],
    [/unknown format "dog"/, { type: "string", format: "dog" }],
    [
      /the default of the query parameter 'property' does not match/,
      { type: "integer", maximum: 100, default: 500 },
      "querystring",
    ],
  ] as [RegExp, Record<string, unknown>, string?][])
    t.throws(() => validate(property, part), { message }, String(message));
});
