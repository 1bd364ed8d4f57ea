// Schemas that lead to themselves.
import t from "tap";
import { compileSchema } from "../../support/schemas.ts";

const branch = "then"; // Biome takes an object with this name for a promise

t.test("Refuses schemas that lead to themselves without a member between", async (t) => {
  const x = { $ref: "#/components/schemas/x" };
  const y = { $ref: "#/components/schemas/y" };
  const message = /has a reference to .*, which leads back to it, so that no value can be checked/;
  for (const [schema, other = true] of [
    [x],
    [y, x],
    [y, { oneOf: [{ type: "null" }, x] }],
    [{ allOf: [x] }],
    [{ anyOf: [{ type: "string" }, y] }, { allOf: [x] }],
    [{ not: x }],
    [{ if: x }],
    [{ if: true, [branch]: x }],
    [{ if: true, else: { allOf: [x] } }],
    [{ dependentSchemas: { a: x } }],
    [{ $dynamicAnchor: "a", allOf: [{ $dynamicRef: "#a" }] }],
  ])
    t.throws(() => compileSchema(schema, { others: { y: other } }), { message }, JSON.stringify([schema, other]));
  const inner = { $id: "inner", $defs: { a: { $dynamicAnchor: "a" } }, $dynamicRef: "#a" };
  const outer = { $id: "outer", $dynamicAnchor: "a", $ref: "inner" };
  t.throws(() => compileSchema(inner, { others: { outer } }), { message }, "only in the scope of another schema");
  const chain = Object.fromEntries(
    Array.from({ length: 2000 }, (_, i) => [`y${i}`, { $ref: `#/components/schemas/y${i + 1}` }]),
  );
  const validate = compileSchema({ $ref: "#/components/schemas/y0" }, { others: { ...chain, y2000: { const: 1 } } });
  t.match([validate(1), validate(2)], [{ value: 1 }, { problems: Array }], "a long chain is no cycle");
});

t.test("Leaves out a reference that leads to itself, if problems are reported", async (t) => {
  const problems: string[] = [];
  const validate = compileSchema(
    { type: "object", properties: { kind: { type: "string" } }, oneOf: [{ $ref: "#/components/schemas/cat" }] },
    {
      others: {
        cat: { required: ["name"], allOf: [{ $ref: "#/components/schemas/x" }, { $ref: "#/components/schemas/x" }] },
      },
      report: (_, pointer, reason) => problems.push(`${pointer} ${reason}`),
    },
  );
  t.equal(problems.length, 2, problems.join("\n"));
  t.match(
    problems[0],
    /^\/components\/schemas\/cat\/allOf\/0 has a reference to \/components\/schemas\/x, which leads/,
  );
  t.match(validate({ kind: "x", name: 1 }), { value: {} });
  t.match(validate({ kind: "x" }), { problems: Array });
  t.match(validate({ kind: 1, name: 1 }), { problems: Array });
});

t.test("Leaves out one reference for all cycles through it", async (t) => {
  const problems: string[] = [];
  const [x, y] = [{ $ref: "#/components/schemas/x/allOf/0" }, { $ref: "#/components/schemas/y" }];
  const validate = compileSchema(
    { allOf: [y], maximum: 5 },
    { others: { y: { anyOf: [x, { minimum: 1, ...x }] } }, report: (_, pointer) => problems.push(pointer) },
  );
  t.same(problems, ["/components/schemas/x/allOf/0"]);
  t.match([validate(5), validate(6)], [{ value: 5 }, { problems: Array }]);
});
