// The keywords unevaluatedProperties and unevaluatedItems: what other keywords evaluate, also behind references.
import t from "tap";
import { checkSchemas, compileSchema } from "../../support/schemas.ts";

const branch = "then"; // Biome takes an object with this name for a promise
const closed = { unevaluatedProperties: false };
const a = { properties: { a: { type: "integer" } } };
const b = { properties: { b: { type: "integer" } } };
const hasA = { required: ["a"] };

t.test("Rejects properties that no keyword evaluates", async (t) => {
  checkSchemas(
    t,
    [
      ["alone", closed, [{}, 1, []], [{ a: 1 }]],
      ["true", { unevaluatedProperties: true }, [{ a: 1 }], []],
      ["a schema", { ...a, unevaluatedProperties: { type: "string" } }, [{ a: 1, c: "x" }], [{ a: 1, c: 1 }]],
      ["properties", { ...a, ...closed }, [{ a: 1 }], [{ b: 1 }]],
      ["patternProperties", { patternProperties: { "^x": {} }, ...closed }, [{ xy: 1 }], [{ y: 1 }]],
      ["additionalProperties", { additionalProperties: { type: "integer" }, ...closed }, [{ z: 1 }], [{ z: "x" }]],
      ["$ref", { $ref: "#/components/schemas/a", ...b, ...closed }, [{ a: 1, b: 1 }], [{ c: 1 }]],
      ["allOf", { allOf: [a, { allOf: [b] }], ...closed }, [{ a: 1, b: 1 }], [{ c: 1 }]],
      [
        "anyOf",
        {
          anyOf: [
            { ...a, ...hasA },
            { ...b, required: ["b"] },
          ],
          ...closed,
        },
        [{ a: 1 }, { a: 1, b: 1 }],
        [{ a: 1, b: "x" }, {}],
      ],
      [
        "oneOf",
        {
          oneOf: [
            { ...a, ...hasA },
            { ...b, required: ["b"] },
          ],
          ...closed,
        },
        [{ a: 1 }],
        [
          { a: 1, b: 1 },
          { a: 1, c: 1 },
        ],
      ],
      ["not", { not: { not: a }, ...closed }, [{}], [{ a: 1 }]],
      [
        "if, then and else",
        { if: { ...a, ...hasA }, [branch]: b, else: { properties: { c: {} } }, ...closed },
        [{ a: 1, b: 1 }, { c: 1 }],
        [{ b: 1 }, { a: 1, c: 1 }],
      ],
      ["if without then", { if: { properties: { a: { const: 1 } } }, ...closed }, [{ a: 1 }], [{ a: 2 }, { b: 1 }]],
      ["then without if", { [branch]: a, else: b, ...closed }, [{}], [{ a: 1 }, { b: 1 }]],
      ["dependentSchemas", { ...a, dependentSchemas: { a: b }, ...closed }, [{ a: 1, b: 1 }], [{ b: 1 }]],
      ["nested unevaluatedProperties", { allOf: [{ ...a, unevaluatedProperties: true }], ...closed }, [{ b: 1 }], []],
      ["nested, false", { allOf: [{ ...a, ...closed }], ...b }, [{ a: 1 }], [{ a: 1, b: 1 }]],
      ["cousins do not see each other", { allOf: [a, closed] }, [{}], [{ a: 1 }]],
      [
        "properties of a member are not those of the value",
        { properties: { o: a }, ...closed },
        [{ o: { a: 1 } }],
        [{ a: 1 }],
      ],
      [
        "a recursive schema",
        { properties: { next: { $ref: "#/components/schemas/x" } }, ...closed },
        [{ next: { next: {} } }],
        [{ next: { a: 1 } }],
      ],
      [
        "the same reference twice",
        { allOf: [{ $ref: "#/components/schemas/a" }, { $ref: "#/components/schemas/a" }], ...closed },
        [{ a: 1 }],
        [{ b: 1 }],
      ],
      [
        "a name of a prototype",
        { properties: { a: {} }, ...closed },
        [{}],
        [JSON.parse('{"__proto__":1}'), { constructor: 1 }],
      ],
      ["beside an empty object of properties", { properties: {}, ...closed }, [{}], [{ toString: 1 }]],
    ],
    { others: { a } },
  );
});

t.test("Rejects items that no keyword evaluates", async (t) => {
  const closed = { unevaluatedItems: false };
  const first = { prefixItems: [{ type: "string" }] };
  checkSchemas(
    t,
    [
      ["alone", closed, [[], {}, "x"], [[1]]],
      ["a schema", { unevaluatedItems: { type: "string" } }, [["x"]], [[1]]],
      ["prefixItems", { ...first, ...closed }, [["x"]], [["x", 1]]],
      ["items", { ...first, items: { type: "integer" }, ...closed }, [["x", 1]], [["x", "y"]]],
      ["contains", { contains: { type: "integer" }, ...closed }, [[1, 2]], [[1, "x"], ["x"]]],
      ["contains and prefixItems", { ...first, contains: { type: "integer" }, ...closed }, [["x", 1]], [["x", 1, "y"]]],
      [
        "the longest prefixItems",
        { ...first, allOf: [{ prefixItems: [{}, { type: "integer" }] }], ...closed },
        [["x", 1]],
        [["x", 1, 2]],
      ],
      ["nested items", { allOf: [{ items: {} }], ...closed }, [[1, 2]], []],
      [
        "anyOf",
        { ...first, anyOf: [{ prefixItems: [{}, { const: 1 }] }, { prefixItems: [{}, {}, { const: 2 }] }], ...closed },
        [
          ["x", 1],
          ["x", 1, 2],
        ],
        [["x", 1, 3]],
      ],
      ["if without then", { if: { prefixItems: [{ const: 1 }] }, ...closed }, [[1]], [[2], [1, 1]]],
      ["$ref", { $ref: "#/components/schemas/first", ...closed }, [["x"]], [["x", 1]]],
      ["nested unevaluatedItems", { allOf: [{ unevaluatedItems: true }], ...closed }, [[1]], []],
    ],
    { others: { first } },
  );
});

t.test("Names the first property or item", async (t) => {
  t.match(compileSchema({ ...a, ...closed })({ a: 1, c: 1 }), {
    problems: [{ part: "c", requirement: "has the unknown field 'c'" }],
  });
  t.same(compileSchema({ prefixItems: [{}], unevaluatedItems: false })([1, 2, 3]), {
    problems: [{ path: "", requirement: "must have at most one item" }],
  });
});

t.test("Alternatives of a recursive schema take linear time", async (t) => {
  const depth = 200; // the time would double with each level
  const nested = (leaf: object) => {
    let value = leaf;
    for (let level = 0; level < depth; level++) value = { child: value };
    return value;
  };
  const tree = { $ref: "#/components/schemas/x" };
  const branch = (name: string) => ({ properties: { child: tree, [name]: { type: "integer", default: 1 } } });
  for (const keyword of ["oneOf", "anyOf", "allOf"]) {
    const schema = { [keyword]: [branch("left"), branch("right")], unevaluatedProperties: false };
    const start = performance.now();
    const validate = compileSchema(schema);
    const isValid = "value" in validate(nested({}));
    t.equal(isValid, keyword !== "oneOf", "both match");
    t.match(validate(nested({ left: "x", right: "x" })), { problems: Array });
    t.match(validate(nested({ other: 1 })), { problems: Array });
    t.ok(performance.now() - start < 5_000, keyword);
  }
});

t.test("Names the whole path of a part that is validated again", async (t) => {
  const tree = { $ref: "#/components/schemas/x" };
  const schema = {
    type: "object",
    properties: { a: tree, n: { type: "integer" } },
    allOf: [{ properties: { a: tree } }],
  };
  const validate = compileSchema(schema);
  t.match(validate({ a: { a: { n: "x" } } }), { problems: [{ path: "a.a.n" }] });
  t.match(validate({ a: { a: { n: 1 } } }), { value: { a: { a: { n: 1 } } } });
});
