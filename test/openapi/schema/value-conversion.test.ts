// What a handler receives of a valid value: default values, and exact numbers.
import t from "tap";
import { documentOf, serve } from "../../support/document-server.ts";
import { compileSchema, createSchemas } from "../../support/schemas.ts";

const branch = "then"; // Biome takes an object with this name for a promise
const int64 = { type: "integer", format: "int64" };
const cat = { required: ["lives"], properties: { lives: int64, kind: { default: "cat" } } };
const dog = { required: ["barks"], properties: { barks: { type: "boolean" }, sound: { default: "woof" } } };
const others = { cat, dog };
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

t.test("An int64 stays exact beside another schema of a number", async (t) => {
  const int64 = { type: "integer", format: "int64" };
  for (const schema of [{ allOf: [int64, { type: "number" }] }, { type: "number", oneOf: [int64, { type: "string" }] }])
    for (const [value, expected] of [
      [5, 5n],
      [9007199254740993n, 9007199254740993n],
    ] as const)
      t.strictSame(compileSchema({ properties: { a: schema } })({ a: value }), { value: { a: expected } });
});

t.test("Fills in no more than a million values, and no default that doubles with each level", async (t) => {
  const others = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => {
      const next = { allOf: [{ $ref: `#/components/schemas/y${n + 1}` }], default: {} };
      return [`y${n}`, n < 19 ? { type: "object", properties: { l: next, r: next } } : {}];
    }),
  );
  const validate = compileSchema({ items: { $ref: "#/components/schemas/y0" } }, { others });
  const result = validate(Array.from({ length: 2_000 }, () => ({})));
  t.ok(JSON.stringify(result).length < 2e7);
});

t.test("Fills in the defaults of the alternatives that match, and of no others", async (t) => {
  for (const keyword of ["oneOf", "anyOf"])
    for (const alternatives of [
      [cat, dog],
      [reference("cat"), reference("dog")],
    ]) {
      const validate = compileSchema({ [keyword]: alternatives }, { others });
      t.strictSame(validate({ lives: 9 }), { value: { lives: 9n, kind: "cat" } }, keyword);
      t.strictSame(validate({ barks: true }), { value: { barks: true, sound: "woof" } }, keyword);
    }
  const validate = compileSchema(
    {
      if: { required: ["a"] },
      [branch]: { properties: { b: { default: 1 } } },
      else: { properties: { c: { default: 2 } } },
    },
    { others },
  );
  t.strictSame(validate({ a: 0 }), { value: { a: 0, b: 1 } });
  t.strictSame(validate({}), { value: { c: 2 } });
  t.strictSame(validate([]), { value: [] }, "an array has no properties");
});

t.test("A default is the value of what was not sent, and judges nothing", async (t) => {
  const b = { type: "object", default: {}, properties: { c: { ...int64, default: 3 } } };
  const schema = { required: ["a"], properties: { a: { default: 1 }, b, d: { default: 4, readOnly: true } } };
  const validate = compileSchema(schema);
  t.match(validate({}), { problems: [{ requirement: /^must have/ }] }, "a required property must be sent");
  t.strictSame(validate({ a: 2 }), { value: { a: 2, b: { c: 3n } } }, "defaults within a default; none of readOnly");
  const twice = compileSchema({ properties: { a: { default: 1 } }, allOf: [{ properties: { a: { default: 2 } } }] });
  t.strictSame(twice({}), { value: { a: 1 } }, "the first of several");
  const first = validate({ a: 1 }) as { value: { b: { c: unknown } } };
  first.value.b.c = "changed";
  t.strictSame(validate({ a: 1 }), { value: { a: 1, b: { c: 3n } } }, "each value has its own");
});

t.test("An int64 of an enum can be a bigint, as handlers have it", async (t) => {
  for (const schema of [{ ...int64, enum: [1, 2] }, { ...int64, const: 1 }, { allOf: [int64, { enum: [1] }] }]) {
    const check = createSchemas({ type: "array", items: schema }).compileCheckAt("/components/schemas/x");
    t.match(check([1n]), { value: [1n] });
    t.match(check([1]), { value: [1] });
    t.match(check([3n]), { problems: Array });
  }
});

t.test("A parameter that is null is not missing, and a required one has no default", async (t) => {
  const { send, calls } = await serve(
    documentOf(`  /a:
    get:
      operationId: a
      parameters:
        - { name: filter, in: query, content: { application/json: { schema: { type: [object, "null"], default: {} } } } }
        - { name: page, in: query, required: true, schema: { type: integer, default: 1 } }
      responses: { 204: { description: x } }`),
  );
  t.match(await send("GET", "/a?page=2&filter=null"), { status: 204 });
  t.match(await send("GET", "/a?page=2"), { status: 204 });
  t.same(
    calls.map(({ query }) => query),
    [
      { page: 2, filter: null },
      { page: 2, filter: {} },
    ],
  );
  t.match(await send("GET", "/a"), { status: 400, body: { message: /'page'/ } });
});

t.test("Fills in recursive and repeated defaults within limits", async (t) => {
  const start = performance.now();
  const recursive = compileSchema({
    default: {},
    properties: { child: { $ref: "#/components/schemas/x", default: {} } },
  });
  t.strictSame(recursive({}), { value: { child: {} } });
  const levels = Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => [
      `s${level}`,
      { default: {}, properties: { a: reference(`s${level + 1}`), b: reference(`s${level + 1}`) } },
    ]),
  );
  t.match(compileSchema(reference("s0"), { others: { ...levels, s30: {} } })({}), { value: { a: { a: {} } } });
  t.ok(performance.now() - start < 5_000);
});

t.test("Alternatives of a value that is no object take linear time", async (t) => {
  const start = performance.now();
  for (const keyword of ["allOf", "anyOf"]) {
    const levels = Object.fromEntries(
      Array.from({ length: 60 }, (_, level) => [
        `s${level}`,
        { [keyword]: [reference(`s${level + 1}`), reference(`s${level + 1}`)] },
      ]),
    );
    const validate = compileSchema({ items: reference("s0") }, { others: { ...levels, s60: int64 } });
    t.strictSame(validate([5, 6]), { value: [5n, 6n] }, keyword);
    t.match(validate([5, "x"]), { problems: Array }, keyword);
  }
  t.ok(performance.now() - start < 5_000);
});

t.test("Converts only the members that no other keyword evaluates, by unevaluatedProperties", async (t) => {
  const text = { required: ["a"], properties: { a: {} } };
  const validate = compileSchema({ anyOf: [text], unevaluatedProperties: { type: "integer", format: "int64" } });
  t.strictSame(validate({ a: 1, b: 1 }), { value: { a: 1, b: 1n } });
});
