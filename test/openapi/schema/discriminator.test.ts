// The discriminator selects an alternative.
import t from "tap";
import { compileSchema, type SchemaOptions } from "../../support/schemas.ts";

const object = (properties: object, ...required: string[]) => ({ type: "object", required, properties });
const others = {
  cat: object({ lives: { type: "integer" } }, "kind", "lives"),
  dog: object({ barks: { type: "boolean" } }, "kind", "barks"),
};
const [toCat, toDog] = ["cat", "dog"].map((name) => ({ $ref: `#/components/schemas/${name}` }));

/** Returns the first problem of a value; undefined if it is valid. */
function judge(schema: object, value: unknown, options: SchemaOptions = {}) {
  const result = compileSchema(schema, { others, ...options })(value);
  return "problems" in result ? result.problems[0] : undefined;
}

t.test("By the names of schemas, a mapping, references, or the values that an alternative allows", async (t) => {
  const reference = "#/components/schemas/../schemas/cat";
  for (const [mapping, name] of [
    [{}, "cat"],
    [null, "cat"],
    [{ tabby: "cat" }, "tabby"],
    [{ tabby: "#/components/schemas/cat" }, "tabby"],
    [{ tabby: "#/components/schemas/c%61t" }, "tabby"],
    [{ other: reference, wrong: "nothing" }, "cat"],
  ] as const) {
    const schema = { oneOf: [toCat, toDog], discriminator: { propertyName: "kind", mapping } };
    const reasons: string[] = [];
    const options: SchemaOptions = { report: (_rule, _pointer, reason) => void reasons.push(reason) };
    t.equal(judge(schema, { kind: name, lives: 9 }, options), undefined);
    t.match(judge(schema, { kind: name, barks: true }, options), { requirement: "must have the field 'lives'" });
    t.match(judge(schema, { kind: "cow" }, options), { path: "kind", requirement: /^must be one of: / });
    t.match(judge(schema, { lives: 9 }, options), { part: "kind", requirement: "must have the field 'kind'" });
    const lost = `has a discriminator with a mapping to ${reference}, which leads to nothing: all alternatives are tried for a value without one`;
    t.strictSame(reasons, mapping && "other" in mapping ? Array(4).fill(lost) : []);
  }
  const inline = [object({ kind: { const: "a" } }, "kind", "x"), object({ kind: { enum: ["b", "c"] } }, "kind", "y")];
  const schema = { anyOf: inline, discriminator: { propertyName: "kind" } };
  t.match(judge(schema, { kind: "c" }), { requirement: "must have the field 'y'" });
  t.match(judge(schema, { kind: "d" }), { requirement: "must be one of: a, b, c" });
});

t.test("Uses the default mapping for a missing or unknown name", async (t) => {
  const schema = { oneOf: [toCat, toDog], discriminator: { propertyName: "kind", defaultMapping: "dog" } };
  for (const value of [{}, { kind: "cow" }])
    t.match(judge(schema, value), { requirement: /^must have the field '(kind|barks)'/ });
  t.equal(judge(schema, { kind: "cow", barks: true }), undefined);
});

t.test("Tries all alternatives for a name whose mapping leads to nothing", async (t) => {
  const options: SchemaOptions = { report: () => {} };
  for (const target of ["./cat.yaml", "#/components/schemas/None", "none"]) {
    const schema = { oneOf: [toCat, toDog], discriminator: { propertyName: "kind", mapping: { tabby: target } } };
    t.equal(judge(schema, { kind: "tabby", lives: 9 }, options), undefined, target);
    t.match(
      judge(schema, { kind: "tabby" }, options),
      { requirement: /^must match exactly one of the alternatives/ },
      target,
    );
    t.match(judge(schema, { kind: "cow", lives: 9 }, options), { requirement: "must be one of: cat, dog" }, target);
  }
});

t.test("Tries all alternatives if one has no name, or does not require the property", async (t) => {
  const discriminator = { propertyName: "kind" };
  const open = object({ lives: {} });
  t.equal(
    judge({ anyOf: [toCat, { type: "object", required: ["z"] }], discriminator }, { kind: "cow", z: 1 }),
    undefined,
  );
  t.equal(
    judge({ anyOf: [toCat, toDog], discriminator }, { lives: 1 }, { others: { ...others, dog: open } }),
    undefined,
  );
  t.match(judge({ anyOf: [toCat, toDog], discriminator }, 5), { requirement: /one of the alternatives/ });
});

t.test("A value that several alternatives allow selects none of them", async (t) => {
  const kind = { enum: ["a", "b"] };
  const schema = {
    oneOf: [object({ kind, x: {} }, "x"), object({ kind }, "y")],
    discriminator: { propertyName: "kind" },
  };
  for (const member of ["x", "y"]) t.equal(judge(schema, { kind: "a", [member]: 1 }), undefined);
});

t.test("A property that is read-only is not required in a request", async (t) => {
  const kinds = ["a", "b"].map((kind) => object({ kind: { const: kind, readOnly: true } }, "kind"));
  const schema = { anyOf: kinds, discriminator: { propertyName: "kind" } };
  t.equal(judge(schema, {}), undefined);
  t.match(judge(schema, {}, { direction: "response" }), { requirement: "must have the field 'kind'" });
});

t.test(
  "The name of a schema selects it, also beside a mapping, and the message lists the names of the mapping",
  async (t) => {
    const alternative = (type: string) => ({
      required: ["kind"],
      properties: { kind: { type: "string" }, a: { type } },
    });
    const validate = compileSchema(
      {
        oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
        discriminator: { propertyName: "kind", mapping: { meow: "Cat", wuff: "#/components/schemas/Dog" } },
      },
      { others: { Cat: alternative("integer"), Dog: alternative("string") } },
    );
    for (const kind of ["meow", "Cat"])
      t.match([validate({ kind, a: 1 }), validate({ kind, a: "x" })], [{ value: {} }, { problems: Array }], kind);
    for (const kind of ["wuff", "Dog"])
      t.match([validate({ kind, a: "x" }), validate({ kind, a: 1 })], [{ value: {} }, { problems: Array }], kind);
    t.match(validate({ kind: "cow" }), { problems: [{ path: "kind", requirement: "must be one of: meow, wuff" }] });
  },
);
