// A schema that several alternatives share validates each part of a value once. The result must be that of the part.
import t from "tap";
import { describeFailure } from "../../src/openapi/validation-messages.ts";
import { checkSchemas, compileSchema } from "../support/schemas.ts";

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const int64 = { type: "integer", format: "int64" };
const others = {
  text: { type: "string" },
  integer: { type: "integer" },
  amount: { anyOf: [reference("integer")] },
  price: { type: "object", properties: { amount: reference("amount") } },
  code: { ...reference("text"), pattern: "^[a-z]{2}$" },
  language: { anyOf: [reference("code"), { const: "default" }] },
  kindA: { ...reference("text"), const: "a" },
  kindB: { ...reference("text"), const: "b" },
  a: { required: ["kind"], properties: { kind: reference("kindA"), count: int64 } },
  b: { required: ["kind"], properties: { kind: reference("kindB"), colour: { default: "red" } } },
  either: { oneOf: [reference("a"), reference("b")] },
  hidden: { ...reference("text"), readOnly: true },
};

t.test("Judges each name, member and item by itself", async (t) => {
  const items = { contains: reference("price"), unevaluatedItems: false };
  checkSchemas(
    t,
    [
      ["propertyNames", { propertyNames: reference("language") }, [{ en: 1, default: 1 }], [{ en: 1, ENGLISH: 1 }]],
      [
        "unevaluatedProperties",
        { unevaluatedProperties: reference("price") },
        [{ eur: { amount: 1 }, usd: { amount: 2 } }],
        [{ eur: { amount: 1 }, usd: { amount: "x" } }],
      ],
      ["contains", { type: "array", ...items }, [[{ amount: 1 }]], [[{ amount: 1 }, { amount: "x" }]]],
      [
        "readOnly",
        { properties: { list: { items: reference("hidden") }, own: reference("hidden") } },
        [{ list: ["x"] }],
        [{ list: ["x"], own: "x" }],
      ],
    ],
    { others },
  );
});

t.test("Names the path and the name of the invalid part", async (t) => {
  const describe = (schema: object, value: unknown) => {
    const result = compileSchema(schema, { others })(value);
    return "errors" in result ? describeFailure(result.errors, "field") : undefined;
  };
  const schema = { allOf: [{ contains: reference("price"), unevaluatedItems: {} }], items: reference("price") };
  t.match(describe(schema, [{ amount: 1 }, { amount: "x" }]), { path: "1.amount" });
  t.match(describe({ items: reference("amount") }, [1, "x", "x"]), { path: "1" });
  t.match(describe({ propertyNames: reference("code") }, { ENGLISH: 1 }), {
    requirement: /^has the field 'ENGLISH', whose name must match/,
  });
  t.match(describe({ properties: { "a/b~c": { type: "string" } } }, { "a/b~c": 1 }), { path: "a/b~c" });
});

t.test("Converts each member by its own alternative", async (t) => {
  for (const schema of [{ items: reference("either") }, { prefixItems: [reference("either"), reference("either")] }]) {
    const validate = compileSchema(schema, { others });
    const [a, b] = [{ kind: "a", count: 5 }, { kind: "b" }];
    const [convertedA, convertedB] = [
      { kind: "a", count: 5n },
      { kind: "b", colour: "red" },
    ];
    t.strictSame(validate(structuredClone([a, b])), { value: [convertedA, convertedB] });
    t.strictSame(validate(structuredClone([b, a])), { value: [convertedB, convertedA] });
  }
});
