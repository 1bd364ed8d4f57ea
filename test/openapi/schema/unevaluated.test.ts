// The keywords unevaluatedProperties and unevaluatedItems: messages and time. Which values they accept is in the official suite.
import t from "tap";
import { compileSchema } from "../../support/schemas.ts";

const closed = { unevaluatedProperties: false };
const a = { properties: { a: { type: "integer" } } };

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
