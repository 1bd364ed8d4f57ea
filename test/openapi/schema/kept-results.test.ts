// A schema that several alternatives share validates each part of a value once. The result must be that of the part.
import t from "tap";
import { checkSchemas, compileSchema } from "../../support/schemas.ts";

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
    return "problems" in result ? result.problems[0] : undefined;
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

t.test("Judges each name by itself, however many there are", async (t) => {
  const names = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`a${n}`, 1]));
  for (const schema of [
    { anyOf: [{ propertyNames: reference("kindOfName") }] },
    { propertyNames: reference("kindOfName") },
  ])
    checkSchemas(t, [["names", { ...schema, properties: { b: {} } }, [names], [{ ...names, BAD: 1, BAD2: 1 }]]], {
      others: { kindOfName: { type: "string", pattern: "^a" } },
    });
});

const x = { $ref: "#/components/schemas/x" };
const nest = (levels: number, inner: object, name = "c") => {
  let value = inner;
  for (let level = 0; level < levels; level++) value = { [name]: value };
  return value;
};

/** Schemas of which several parts apply to the same property, by what they ask of it. */
const doubling: Record<string, object> = {
  "an invalid value": { properties: { c: x }, patternProperties: { "^c": x, "^z": { type: "string" } } },
  "two patterns": { patternProperties: { "^c": x, c$: x, "^z": { type: "string" } } },
  "two references": { $dynamicAnchor: "n", properties: { c: { ...x, $dynamicRef: "#n" } } },
  "changes, and evaluated members": {
    properties: {
      c: { allOf: [x, { if: x, unevaluatedProperties: true }, x] },
      z: { type: ["integer"], format: "int64" },
    },
  },
};

for (const [name, schema] of Object.entries(doubling))
  t.test(`The time does not double with each level: ${name}`, async (t) => {
    const validate = compileSchema(schema);
    const start = process.cpuUsage();
    validate(nest(60, { z: 1 }));
    const { user, system } = process.cpuUsage(start);
    t.ok(user + system < 3e6, "would otherwise take 2 to the power of 60 steps");
  });

t.test("The time does not double with each schema whose properties are marked", async (t) => {
  const others = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => {
      const parts = ["p", "q"].map((letter) => ({
        allOf: [n < 29 ? reference(`y${n + 1}`) : {}],
        properties: { [`${letter}${n % 3}`]: { readOnly: true } },
      }));
      return [`y${n}`, { anyOf: parts }];
    }),
  );
  t.match(compileSchema(reference("y0"), { others })({ r: 1 }), { value: { r: 1 } });
});

t.test("The message of nested alternatives names the closest of the outermost only", async (t) => {
  const schema = { oneOf: [{ type: "object", properties: { c: x }, title: "A" }, { type: "string" }] };
  const result = compileSchema(schema)(nest(100, [] as object));
  t.match(result, {
    problems: [{ requirement: /^must match exactly one .* The closest is A, for which its field 'c' must match/ }],
  });
  t.ok(JSON.stringify(result).length < 1_000);
});
