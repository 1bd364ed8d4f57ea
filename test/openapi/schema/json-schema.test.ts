// The keywords of JSON Schema 2020-12: which values they accept.
import t from "tap";
import { checkSchemas, compileSchema } from "../../support/schemas.ts";

const proto = (value: unknown) => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`);

const branch = "then"; // Biome takes an object with this name for a promise

t.test("A member that is undefined is missing, as in JSON", async (t) => {
  const missing = undefined;
  checkSchemas(t, [
    ["required", { required: ["a"] }, [{ a: 1 }], [{ a: missing }]],
    ["dependentRequired", { dependentRequired: { a: ["b"] } }, [{ a: missing }], [{ a: 1, b: missing }]],
    ["dependentSchemas", { dependentSchemas: { a: false } }, [{ a: missing }], [{ a: 1 }]],
    ["propertyNames", { propertyNames: { maxLength: 1 } }, [{ abc: missing }], [{ abc: 1 }]],
    ["maxProperties", { maxProperties: 1 }, [{ a: 1, b: missing }], [{ a: 1, b: 1 }]],
    ["const", { const: { a: 1 } }, [{ a: 1, b: missing }], [{ a: missing }]],
    ["uniqueItems", { uniqueItems: true }, [[{ a: missing }, { a: 1 }]], [[{ a: 1 }, { a: 1, b: missing }]]],
  ]);
});

t.test("Accepts and rejects values by the keywords of any value", async (t) => {
  checkSchemas(
    t,
    [
      ["true", true, [1, null, {}], []],
      ["false", false, [], [1, null, {}]],
      ["an empty schema", {}, [1, "x", null, [], {}], []],
      ["type", { type: "integer" }, [1, 1.0, -0], [1.5, "1", null, true, [1], {}]],
      ["several types", { type: ["string", "null"] }, ["x", null], [1, {}]],
      ["null is not an object", { type: "object" }, [{}], [null, []]],
      [
        "const",
        { const: { a: [1, { b: 2 }] } },
        [{ a: [1, { b: 2 }] }],
        [{ a: [1] }, { a: [1, { b: 2, c: 3 }] }, null],
      ],
      ["const, with another order of names", { const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]],
      ["const null", { const: null }, [null], [0, false, ""]],
      ["const false", { const: false }, [false], [0, [], null]],
      ["enum", { enum: [6, "x", [], true, { a: 12 }] }, [6, [], { a: 12 }], [null, { a: false }, "y"]],
      ["an empty enum", { enum: [] }, [], [null, 1, ""]],
      ["an empty enum of a type", { type: "string", enum: [] }, [], ["", "x"]],
      ["an empty enum beside $ref", { enum: [], $ref: "#/components/schemas/y" }, [], ["x", 1]],
      ["not", { not: { type: "integer" } }, ["x"], [1]],
      ["not true", { not: true }, [], [1]],
      ["allOf", { allOf: [{ required: ["a"] }, { required: ["b"] }] }, [{ a: 1, b: 1 }], [{ a: 1 }, {}]],
      ["anyOf", { anyOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5], [1.5]],
      ["oneOf", { oneOf: [{ type: "integer" }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
      ["anyOf of booleans", { anyOf: [true, false] }, [1], []],
      ["oneOf of two true", { oneOf: [true, true, false] }, [], [1]],
      [
        "if, then and else",
        { if: { maximum: 0 }, [branch]: { minimum: -5 }, else: { multipleOf: 2 } },
        [-1, 4],
        [-9, 3],
      ],
      ["if without then", { if: { const: 1 }, else: { const: 2 } }, [1, 2], [3]],
      ["then and else without if", { [branch]: { const: 0 }, else: { const: 1 } }, [5], []],
    ],
    { others: { y: true } },
  );
});

t.test("Accepts and rejects numbers, texts and arrays", async (t) => {
  checkSchemas(t, [
    ["limits", { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, "x", null], [0.9, 3]],
    ["exclusive limits", { exclusiveMinimum: 1, maximum: 3 }, [1.1, 3], [1, 3.1]],
    ["multipleOf a fraction", { multipleOf: 0.0001 }, [0.0075, 1], [0.00751]],
    ["multipleOf with a huge value", { type: "number", multipleOf: 0.5 }, [1e300], []],
    ["lengths count characters", { minLength: 2, maxLength: 2 }, ["ab", "💩💩", 7], ["a", "💩", "abc"]],
    ["pattern is not anchored", { pattern: "a+" }, ["xaay", 1], ["xyz"]],
    ["pattern with properties of Unicode", { pattern: "^\\p{L}+$" }, ["élan"], ["1"]],
    ["format", { format: "date" }, ["2020-02-29", 1], ["2021-02-29"]],
    ["items", { items: { type: "integer" } }, [[], [1, 2], {}, "x"], [[1, "x"]]],
    ["items false", { items: false }, [[]], [[1]]],
    ["prefixItems", { prefixItems: [{ type: "integer" }, false] }, [[], [1]], [["x"], [1, 2]]],
    ["items behind prefixItems", { prefixItems: [{}, {}], items: { const: 3 } }, [["a", "b", 3]], [["a", "b", 4]]],
    ["contains", { contains: { minimum: 5 } }, [[1, 5], "x"], [[], [1]]],
    ["minContains 0", { contains: { const: 1 }, minContains: 0, maxContains: 1 }, [[], [1, 2]], [[1, 1]]],
    ["minContains without contains", { minContains: 5 }, [[1]], []],
    [
      "uniqueItems",
      { uniqueItems: true },
      [
        [1, true, "1"],
        [{ a: 1 }, { a: 2 }],
      ],
      [
        [1, 1],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    ["uniqueItems false", { uniqueItems: false }, [[1, 1]], []],
    ["counts", { minItems: 1, maxItems: 2 }, [[1], [1, 2], "x"], [[], [1, 2, 3]]],
  ]);
});

t.test("Accepts and rejects objects", async (t) => {
  checkSchemas(
    t,
    [
      [
        "properties",
        { properties: { a: { type: "integer" }, b: false } },
        [{}, { a: 1, c: "x" }, []],
        [{ a: "x" }, { b: 1 }],
      ],
      ["required", { required: ["a", "b"] }, [{ a: null, b: 0 }, "x", []], [{ a: 1 }]],
      [
        "additionalProperties",
        { properties: { a: {} }, patternProperties: { "^v": {} }, additionalProperties: false },
        [{ a: 1, vx: 1 }],
        [{ b: 1 }],
      ],
      [
        "additionalProperties ignores allOf",
        { allOf: [{ properties: { a: {} } }], additionalProperties: { type: "null" } },
        [{ a: null }],
        [{ a: 1 }],
      ],
      [
        "patternProperties",
        { patternProperties: { "a*": { type: "integer" }, "^b$": { maximum: 1 } } },
        [{ a: 1, b: 1 }],
        [{ b: 2 }, { x: "y" }],
      ],
      ["propertyNames", { propertyNames: { maxLength: 2 } }, [{ ab: 1 }, []], [{ abc: 1 }]],
      ["propertyNames false", { propertyNames: false }, [{}], [{ a: 1 }]],
      ["propertyNames with a reference", { propertyNames: { $ref: "#/components/schemas/y" } }, [{ a: 1 }], [{ b: 1 }]],
      ["counts", { minProperties: 1, maxProperties: 1 }, [{ a: 1 }, "x"], [{}, { a: 1, b: 2 }]],
      [
        "dependentRequired",
        { dependentRequired: { a: ["b"], c: [] } },
        [{}, { b: 1 }, { a: 1, b: 1 }, { c: 1 }],
        [{ a: 1 }],
      ],
      [
        "dependentSchemas",
        { dependentSchemas: { a: { required: ["b"] }, c: false } },
        [{ a: 1, b: 1 }, "a"],
        [{ a: 1 }, { c: 1 }],
      ],
    ],
    { others: { y: { const: "a" } } },
  );
});

t.test("Names of JavaScript's prototypes are names like others", async (t) => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
  const integers = JSON.parse(`{${names.map((name) => `"${name}":{"type":"integer"}`).join()}}`);
  const value = (name: string, member: unknown) => JSON.parse(`{"${name}":${JSON.stringify(member)}}`);
  checkSchemas(t, [
    ...names.flatMap((name) => [
      [`properties ${name}`, { properties: integers }, [{}, value(name, 1)], [value(name, "x")]] as const,
      [`required ${name}`, { required: [name] }, [value(name, 1)], [{}]] as const,
      [
        `additionalProperties ${name}`,
        { properties: { a: {} }, additionalProperties: false },
        [{}],
        [value(name, 1)],
      ] as const,
      [`dependentRequired ${name}`, { dependentRequired: value(name, ["a"]) }, [{}], [value(name, 1)]] as const,
      [
        `dependentSchemas ${name}`,
        { dependentSchemas: value(name, { required: ["a"] }) },
        [{}],
        [value(name, 1)],
      ] as const,
    ]),
    [
      "__proto__ beside a pattern",
      {
        properties: proto({ type: "integer" }),
        patternProperties: { "^a": { type: "string" } },
        additionalProperties: false,
      },
      [proto(1), { a: "x" }],
      [proto("x"), { a: 1 }, { b: 1 }],
    ],
    ["__proto__ beside others", { properties: { ...integers, a: { const: 1 } } }, [{ a: 1 }], [{ a: 2 }]],
  ]);
  t.notOk("type" in {}, "Object.prototype is unchanged");
});

t.test("Asserts a format, unless the dialect is JSON Schema 2020-12", async (t) => {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const date = { format: "date" };
  checkSchemas(t, [
    ["OpenAPI", date, ["2020-01-01"], ["x"]],
    ["the dialect of OpenAPI", { $schema: "https://spec.openapis.org/oas/3.1/dialect/base", ...date }, [], ["x"]],
    ["JSON Schema", { $schema, ...date }, ["x"], []],
    ["a part of a JSON Schema", { $schema, items: date }, [["x"]], []],
    [
      "a part that declares another dialect",
      { $schema, items: { $schema: "https://spec.openapis.org/oas/3.1/dialect/base", ...date } },
      [],
      [["x"]],
    ],
    ["an unknown format of JSON Schema", { $schema, format: "dog" }, ["x"], []],
    ["int64, which concerns numbers, of JSON Schema", { $schema, type: "integer", format: "int64" }, [1], [1.5]],
  ]);
  t.throws(() => compileSchema({ format: "dog" }), { message: /unknown format "dog"/ });
});

t.test("Enforces recursive schemas", async (t) => {
  const tree = {
    type: "object",
    properties: { v: { type: "integer" }, next: { $ref: "#/components/schemas/x" } },
    additionalProperties: false,
  };
  checkSchemas(t, [
    ["a tree", tree, [{ next: { next: { v: 1 } } }], [{ next: { next: { v: "x" } } }, { next: { w: 1 } }]],
    [
      "a list",
      { anyOf: [{ type: "null" }, { type: "array", items: { $ref: "#/components/schemas/x" } }] },
      [null, [null, [[]]]],
      [[1], [[[1]]]],
    ],
  ]);
});

t.test("Enforces chains of thousands of schemas", async (t) => {
  const reference = (index: number) => ({ $ref: `#/components/schemas/y${index}` });
  const others = Object.fromEntries(
    Array.from({ length: 3000 }, (_, index) => [
      `y${index}`,
      { properties: { v: { type: "integer", format: "int64" }, a: reference((index + 1) % 3000) } },
    ]),
  );
  const validate = compileSchema(reference(0), { others });
  t.strictSame(validate({ a: { a: { v: 1 } } }), { value: { a: { a: { v: 1n } } } });
  t.match(validate({ a: { a: { v: "x" } } }), { problems: [{ path: "a.a.v" }] });
});

t.test("Compares the items of large arrays in linear time", async (t) => {
  const start = performance.now();
  const validate = compileSchema({ uniqueItems: true, items: { type: ["integer", "object"] } });
  const items = Array.from({ length: 50_000 }, (_, n) => (n % 2 === 0 ? n : { n }));
  t.match(validate(items), { value: Array });
  t.match(validate([...items, 0]), { problems: [{ requirement: /same item twice/ }] });
  t.match(validate([...items, { n: 1 }]), { problems: [{ requirement: /same item twice/ }] });
  t.match(compileSchema({ uniqueItems: false })([1, 1]), { value: [1, 1] });
  t.ok(performance.now() - start < 5_000);
});
