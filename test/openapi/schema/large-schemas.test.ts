// Keywords with many schemas, and schemas that are deep.
import t from "tap";
import { checkSchemas, compileSchema, createSchemas, type SchemaCase } from "../../support/schemas.ts";

const text = { type: "string" };
const listOf = <T>(size: number, create: (name: string, index: number) => T) =>
  Array.from({ length: size }, (_, index) => create(`p${index}`, index));
const mapOf = (size: number, create: (name: string) => unknown) =>
  Object.fromEntries(listOf(size, (name) => [name, create(name)]));
const has = (name: string) => ({ type: "object", required: [name], properties: { [name]: text } });

// The values need three subschemas at least.
function casesOf(size: number): SchemaCase[] {
  const properties = mapOf(size, () => text);
  const patternProperties = Object.fromEntries(listOf(size, (name) => [`^${name}$`, text]));
  return [
    ["properties", { properties }, [{ p0: "a", p2: "b", x: 1 }, [1], 1, null], [{ p0: "a", p2: 1 }]],
    ["no others", { properties, additionalProperties: false }, [{ p0: "a" }], [{ x: "a" }, { p1: 1 }]],
    ["unevaluated", { properties, unevaluatedProperties: false }, [{ p0: "a" }], [{ x: "a" }, { p1: 1 }]],
    ["patterns", { patternProperties, additionalProperties: false }, [{ p0: "a" }, 1], [{ x: "a" }, { p1: 1 }]],
    ["both", { properties: { p1: false }, patternProperties }, [{ p0: "a" }], [{ p1: "a" }]],
    [
      "a name of the prototype",
      { properties: { ...properties, ["__proto__"]: text } },
      [{}],
      [JSON.parse('{"__proto__":1}')],
    ],
    ["prefixItems", { prefixItems: listOf(size, () => text) }, [[], ["a"], {}, 1], [["a", 1]]],
    ["items", { prefixItems: listOf(size, () => text), items: false }, [["a"]], [listOf(size + 1, () => "a")]],
    ["allOf", { allOf: listOf(size, (name) => ({ properties: { [name]: text } })) }, [{ p2: "a" }], [{ p2: 1 }]],
    ["anyOf", { anyOf: listOf(size, has) }, [{ p0: "a" }, { p0: "a", p2: "a" }], [{}, { p2: 1 }]],
    ["oneOf", { oneOf: listOf(size, has) }, [{ p0: "a" }, { p2: "a", p1: 1 }], [{ p0: "a", p2: "a" }, {}]],
    [
      "dependentSchemas",
      { dependentSchemas: mapOf(size, () => ({ required: ["q"] })) },
      [{}, { p2: 1, q: 1 }, 1],
      [{ p2: 1 }],
    ],
    ["dependentRequired", { dependentRequired: mapOf(size, () => ["q"]) }, [{}, { p2: 1, q: 1 }, 1, []], [{ p2: 1 }]],
  ];
}

for (const size of [3, 65, 5_000])
  t.test(`Judges keywords with ${size} subschemas as the specification says`, async (t) =>
    checkSchemas(t, casesOf(size)),
  );

t.test("Names the path and the requirement of the invalid part", async (t) => {
  const properties = { ...mapOf(100, () => text), deep: { type: "array", items: { minimum: 5 } } };
  const problemOf = (schema: object, value: unknown) => {
    const result = compileSchema(schema)(value);
    return "problems" in result ? result.problems[0] : undefined;
  };
  t.match(problemOf({ properties }, { deep: [7, 3] }), { path: "deep.1", requirement: "must be at least 5" });
  t.match(problemOf({ patternProperties: mapOf(100, () => text), additionalProperties: false }, { zz: 1 }), {
    path: "",
    part: "zz",
    requirement: "has the unknown field 'zz'. No fields are allowed",
  });
  t.match(problemOf({ items: { properties } }, [{ p7: 1 }]), { path: "0.p7", requirement: "must be a string" });
  t.match(problemOf({ properties: { a: { oneOf: listOf(100, has) } } }, { a: {} }), {
    path: "a",
    requirement: "must match exactly one of the alternatives of its schema",
  });
});

t.test("A property that is undefined is missing, in a response as in JSON", async (t) => {
  const validate = compileSchema({ properties: mapOf(100, () => text) }, { direction: "response" });
  t.match(validate({ p1: undefined }), { problems: undefined });
});

t.test("Converts values, and fills in defaults", async (t) => {
  const int64 = { type: "integer", format: "int64" };
  const validate = compileSchema({ properties: { ...mapOf(200, () => int64), a: { default: 1 } } });
  t.strictSame(validate({ p0: 1, p199: 2, x: 3 }), { value: { p0: 1n, p199: 2n, x: 3, a: 1 } });
});

t.test("A recursive schema with many alternatives takes linear time", async (t) => {
  const x = { $ref: "#/components/schemas/x" };
  const alternatives = listOf(100, (name) => ({ required: [name], properties: { next: x } }));
  const validate = createSchemas({ anyOf: alternatives }).compileReaderAt("/components/schemas/x");
  let value: object = { p99: 1 };
  for (let level = 0; level < 30; level++) value = { next: value, p99: 1 };
  t.match(validate(value), { problems: undefined }, "would otherwise take 100 to the power of 30 steps");
});

t.test("A read-only property is not required by another part of many", async (t) => {
  const parts = [{ properties: { id: { readOnly: true } } }, ...listOf(100, () => ({ required: ["id", "name"] }))];
  checkSchemas(t, [["allOf", { allOf: parts }, [{ name: "x" }], [{}, { id: 1, name: "x" }]]]);
});

t.test("The error of alternatives with a discriminator is that of the alternative that the value names", async (t) => {
  const cat = { type: "object", required: ["kind", "lives"], properties: { lives: { type: "integer" } } };
  const dog = { type: "object", required: ["kind", "barks"], properties: { barks: { type: "boolean" } } };
  const [toCat, toDog] = ["cat", "dog"].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const mapping = { tabby: "#/components/schemas/cat", poodle: "dog" };
  for (const keyword of ["oneOf", "anyOf"]) {
    const union = { [keyword]: [toCat, toDog], discriminator: { propertyName: "kind" } };
    const mapped = { [keyword]: [toCat, toDog], discriminator: { propertyName: "kind", mapping } };
    const describe = (schema: object, value: unknown) => {
      const result = compileSchema({ properties: { pet: schema } }, { others: { cat, dog } })({ pet: value });
      return "problems" in result ? result.problems[0] : undefined;
    };
    t.match(describe(union, { kind: "cat", lives: "9" }), { path: "pet.lives", requirement: "must be an integer" });
    t.match(describe(union, { kind: "dog" }), { path: "pet", requirement: "must have the field 'barks'" });
    t.match(describe(union, {}), { path: "pet", requirement: "must have the field 'kind'" });
    t.match(describe(union, { kind: "cow" }), { path: "pet.kind", requirement: "must be one of: cat, dog" });
    t.match(describe(mapped, { kind: "tabby", lives: "9" }), { path: "pet.lives" });
    t.match(describe(mapped, { kind: "cow" }), { path: "pet.kind", requirement: "must be one of: tabby, poodle" });
    t.match(describe(union, 1), { path: "pet", requirement: /one of the alternatives/ });
    t.equal(describe(union, { kind: "cat", lives: 9 }), undefined);
    t.match(describe(union, { kind: "dog", lives: 9 }), { requirement: "must have the field 'barks'" }, "it selects");
    const nameless = { [keyword]: [cat, dog], discriminator: { propertyName: "kind" } };
    t.match(describe(nameless, { kind: "cow" }), { path: "pet", requirement: /one of the alternatives/ });
    t.match(describe({ ...nameless, discriminator: {} }, { kind: "cow" }), {
      path: "pet",
      requirement: /one of the alternatives/,
    });
  }
});
