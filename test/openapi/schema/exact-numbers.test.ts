// Numbers of schemas beyond 2^53: in limits, enumerations and constants, and int64 at any depth.
import t from "tap";
import { parseJson } from "../../../src/lib/index.ts";
import { checkSchemas, compileSchema, createSchemas } from "../../support/schemas.ts";

const big = 2n ** 53n + 1n;
const int64 = { type: "integer", format: "int64" };
const branch = "then"; // Biome takes an object with this name for a promise

t.test("Tells an integer beyond 2^53 from the string of its digits", async (t) => {
  const [integer, text] = [9007199254740993n, "9007199254740993"];
  const validate = compileSchema({
    properties: { a: { const: integer }, b: { const: text }, c: { const: `${text}n` } },
  });
  t.match(validate({ a: integer, b: text, c: `${text}n` }), { problems: undefined });
  for (const wrong of [{ a: text }, { b: integer }, { c: integer }]) t.match(validate(wrong), { problems: Array });
});

t.test("An invalid text with a long number has the error of JSON.parse", async (t) => {
  for (const text of [
    "[12345678901234567890",
    "[12345678901234567890 1]",
    "{12345678901234567890:1}",
    "[1e]",
    "[01234567890123456789]",
  ])
    t.throws(() => parseJson(text), { message: /^is not valid JSON: / }, text);
});

t.test("Unites the read-only properties of a schema and of those under its conditions", async (t) => {
  const mark = (name: string) => ({ [name]: { readOnly: true } });
  const branch = "then"; // Biome takes an object with this name for a promise
  const positive = { properties: mark("b"), required: ["a", "b"] };
  const validate = compileSchema({
    properties: mark("a"),
    allOf: [
      { if: true, [branch]: positive },
      { if: true, [branch]: { ...positive, dependentSchemas: { c: positive } } },
    ],
  });
  t.match([validate({ c: 1 }), validate({})], [{ value: { c: 1 } }, { value: {} }]);
  t.match(validate({ b: 1 }), { problems: Array });
});

t.test("Compares integers beyond 2^53 exactly", async (t) => {
  checkSchemas(t, [
    ["minimum", { ...int64, minimum: big }, [big, big + 1n], [big - 1n, 2 ** 53, 1]],
    ["maximum", { ...int64, maximum: big }, [big, 2 ** 53, -1], [big + 1n]],
    ["exclusiveMinimum", { ...int64, exclusiveMinimum: big }, [big + 1n], [big]],
    ["exclusiveMaximum", { ...int64, exclusiveMaximum: big }, [2 ** 53], [big]],
    ["const", { const: big }, [big], [2 ** 53, big + 1n, "9007199254740993n", null]],
    ["const in an object", { const: { a: [big] } }, [{ a: [big] }], [{ a: [2 ** 53] }, {}]],
    ["enum", { enum: [1, big, "x", null] }, [1, big, "x", null], [2 ** 53, 2]],
    ["enum of an int64", { ...int64, enum: [1, big] }, [1, big], [2, big + 2n]],
    ["a limit without a type", { maximum: big }, [big, "x", 1.5], [big + 1n]],
    ["multipleOf", { ...int64, multipleOf: 2 }, [big + 1n], [big]],
    ["a number", { type: "number" }, [big, 1.5], ["x", Number.POSITIVE_INFINITY]],
    ["a plain integer", { type: "integer" }, [1], [big]],
    ["the range of an int64", int64, [2n ** 63n - 1n, -(2n ** 63n)], [2n ** 63n, -(2n ** 63n) - 1n, 1.5, "1"]],
    ["int32", { type: "integer", format: "int32" }, [2 ** 31 - 1, -(2 ** 31)], [2 ** 31, big]],
    [
      "types beside numbers",
      { type: ["integer", "boolean", "array", "object", "null"] },
      [1, true, [], {}, null],
      ["x", 1.5],
    ],
  ]);
});

t.test("Converts an int64 to bigint at any depth, and other numbers not", async (t) => {
  const node = { properties: { id: int64, next: { $ref: "#/components/schemas/x" } } };
  const kinds = {
    oneOf: [
      { required: ["kind"], properties: { kind: { const: "a" }, value: int64 } },
      { required: ["kind"], properties: { kind: { const: "b" }, value: { type: "integer" } } },
    ],
  };
  const proto = (value: unknown) => Object.defineProperty({}, "__proto__", { value, enumerable: true });
  for (const [name, schema, value, expected] of [
    ["the value", int64, 1, 1n],
    ["a value that is exact", int64, big, big],
    ["a recursive schema", node, { id: 1, next: { next: { id: 2 } } }, { id: 1n, next: { next: { id: 2n } } }],
    ["oneOf", kinds, { kind: "a", value: 1 }, { kind: "a", value: 1n }],
    ["the other of oneOf", kinds, { kind: "b", value: 1 }, { kind: "b", value: 1 }],
    [
      "a list of oneOf",
      { items: kinds },
      [
        { kind: "a", value: 1 },
        { kind: "b", value: 1 },
      ],
      [
        { kind: "a", value: 1n },
        { kind: "b", value: 1 },
      ],
    ],
    ["nested lists", { items: { items: int64 } }, [[1], [2, 3]], [[1n], [2n, 3n]]],
    ["prefixItems", { prefixItems: [int64, { type: "integer" }], items: int64 }, [1, 2, 3], [1n, 2, 3n]],
    ["additionalProperties", { properties: { a: {} }, additionalProperties: int64 }, { a: 1, b: 2 }, { a: 1, b: 2n }],
    [
      "patternProperties",
      { patternProperties: { "^n": int64 }, additionalProperties: { type: "number" } },
      { n1: 1, m: 2 },
      { n1: 1n, m: 2 },
    ],
    [
      "patternProperties beside properties",
      { properties: { n: { minimum: 0 } }, patternProperties: { "^n": int64 } },
      { n: 1 },
      { n: 1n },
    ],
    ["unevaluatedProperties", { properties: { a: {} }, unevaluatedProperties: int64 }, { a: 1, b: 2 }, { a: 1, b: 2n }],
    [
      "if, then and else",
      { properties: { a: {}, v: {} }, if: { required: ["a"] }, [branch]: { properties: { v: int64 } } },
      { a: 1, v: 2 },
      { a: 1, v: 2n },
    ],
    [
      "if, which does not apply",
      { if: { required: ["a"] }, [branch]: { properties: { v: int64 } } },
      { v: 2 },
      { v: 2 },
    ],
    ["dependentSchemas", { dependentSchemas: { a: { properties: { v: int64 } } } }, { a: 1, v: 2 }, { a: 1, v: 2n }],
    [
      "allOf with a condition on the same field",
      {
        allOf: [
          { properties: { v: int64 } },
          { if: { properties: { v: { const: 5 } } }, [branch]: { properties: { w: int64 } } },
        ],
      },
      { v: 5, w: 6 },
      { v: 5n, w: 6n },
    ],
    [
      "a condition that comes first",
      {
        allOf: [
          {
            oneOf: [
              { properties: { v: { const: 5 }, w: int64 } },
              { properties: { v: { const: 6 }, w: { type: "string" } } },
            ],
          },
          { properties: { v: int64 } },
        ],
      },
      { v: 5, w: 1 },
      { v: 5n, w: 1n },
    ],
    ["__proto__", { properties: proto(int64) }, proto(1), proto(1n)],
    ["names of prototypes", { additionalProperties: int64 }, { constructor: 1 }, { constructor: 1n }],
    ["a type with null", { type: ["integer", "null"], format: "int64" }, null, null],
    ["a number beyond 2^53", { type: "number" }, big, 2 ** 53],
    ["not", { not: int64 }, "x", "x"],
    ["contains", { contains: int64, items: { type: "integer" } }, [1], [1]],
  ] as [string, object, unknown, unknown][])
    t.strictSame(compileSchema(schema)(structuredClone(value)), { value: expected }, name);
});

t.test("Fills in defaults behind references, also of an int64", async (t) => {
  const others = {
    y: { ...int64, default: 7 },
    z: { $ref: "#/components/schemas/y" },
    w: { $ref: "#/components/schemas/y", default: 8 },
  };
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const properties = {
    a: reference("y"),
    b: reference("z"),
    c: reference("w"),
    d: { ...reference("y"), default: 9 },
    e: { type: "array", default: [] },
  };
  const validate = compileSchema({ properties }, { others });
  t.strictSame(validate({}), { value: { a: 7n, b: 7n, c: 8n, d: 9n, e: [] } });
  t.strictSame(validate({ a: 1, b: 2, c: 3, d: 4, e: [5] }), { value: { a: 1n, b: 2n, c: 3n, d: 4n, e: [5] } });
  for (const [schema, message] of [
    [{ ...reference("y"), default: "x" }, /has the default "x", which must be an integer/],
    [{ default: 1, minimum: 2 }, /has the default 1, which must be at least 2/],
    [{ default: 3, maximum: 2 }, /at most 2/],
    [{ default: 2, exclusiveMinimum: 2 }, /greater than 2/],
    [{ default: 2, exclusiveMaximum: 2 }, /less than 2/],
    [{ default: "a", minLength: 2 }, /at least 2 characters/],
    [{ default: "💩💩", maxLength: 1 }, /at most one character/],
    [{ default: "a", pattern: "b" }, /regular expression b/],
    [{ default: 1, enum: [2] }, /one of: 2/],
    [{ default: { a: 1 }, const: { a: 2 } }, /equal to {"a":2}/],
    [{ default: null, type: "string" }, /a string/],
    [{ default: [], type: "object" }, /an object/],
    [{ default: { a: "x" }, properties: { a: { type: "integer" } } }, /whose part 'a' must be an integer/],
  ] as const)
    t.throws(() => compileSchema(schema, { others }), { message }, JSON.stringify(message.source));
  for (const schema of [
    { default: 1, type: "number", minLength: 5, pattern: "x" },
    { default: "💩", minLength: 1, minimum: 5 },
    { default: { b: 1, a: 2 }, const: { a: 2, b: 1 } },
  ])
    compileSchema(schema);
});

t.test("Validates and converts the members of an object", async (t) => {
  const pointer = "/components/schemas/x";
  const validate = createSchemas(int64).compileObject([
    { name: "id", pointer, required: true, allowEmptyValue: false },
    { name: "empty", pointer, required: false, allowEmptyValue: true },
    { name: "any", pointer: undefined, required: false, allowEmptyValue: false },
    { name: "__proto__", pointer: undefined, required: false, allowEmptyValue: true },
  ]);
  t.strictSame(validate({ id: 1, empty: "", any: 1 }), { value: { id: 1n, empty: "", any: 1 } });
  t.strictSame(validate({ id: 1, empty: 2 }), { value: { id: 1n, empty: 2n } });
  for (const value of [{}, { id: "" }, { id: 1, empty: "x" }, { id: 1, other: 1 }])
    t.match(validate({ ...value }), { problems: Array }, JSON.stringify(value));
});

t.test("Checks a value without changing it, and passes on errors that are not about its depth", async (t) => {
  const check = createSchemas({ properties: { a: { ...int64, default: 1 }, b: int64 } }).compileCheckAt(
    "/components/schemas/x",
  );
  t.strictSame(check({ b: 2 }), { value: { b: 2 } });
  t.match(check({ b: "x" }), { problems: Array });
  const broken = {
    get b() {
      throw new TypeError("broken");
    },
  };
  t.throws(() => compileSchema({ properties: { b: {} }, required: ["b"] })(broken), { message: "broken" });
});
