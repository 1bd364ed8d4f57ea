// The keywords of JSON Schema 2020-12, beyond the cases of the official suite.
import t from "tap";
import { checkSchemas, compileSchema } from "../../support/schemas.ts";

const proto = (value: unknown) => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`);

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
