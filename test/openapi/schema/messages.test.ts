// The messages of validation errors: what a value must be, for each keyword of JSON Schema.

import t from "tap";
import { createRecordValidator } from "../../../src/openapi/operation/table-cells.ts";
import { Schemas } from "../../../src/openapi/schema/schemas.ts";
import { Part } from "../../../src/openapi/source/part.ts";
import { compileSchema } from "../../support/schemas.ts";

type Schema = Record<string, unknown>;

/** Returns the sentence for a value that violates a schema. */
function validate(schema: Schema, body: unknown): string | undefined {
  const root = Part.of({ schema });
  const schemas = new Schemas(root.value);
  const options = { report: (_rule: string, _pointer: string, reason: string) => t.fail(reason) };
  schemas.add("/schema", options);
  schemas.checkReferences(options);
  const { problem } = createRecordValidator(root.find("/schema"), schemas)(body);
  return problem && `The ${problem.path === "" ? "body" : `field '${problem.path}'`} ${problem.requirement}.`;
}

/** Returns the message for the field `x` of a body. */
const validateField = (schema: Schema, x: unknown) => validate({ type: "object", properties: { x: schema } }, { x });

const text = { type: "string" };
const list = { type: "array", items: text };
const map = { type: "object" };
const tuple = { type: "array", prefixItems: [text], minItems: 1, items: false };

t.test("Says what a value must be, for each keyword", async (t) => {
  for (const [schema, value, requirement] of [
    [{ type: "array" }, 1, "must be an array"],
    [{ type: "boolean" }, 1, "must be a boolean"],
    [{ type: ["object", "null"] }, 1, "must be an object or null"],
    [{ enum: [1, null, "a"] }, 2, "must be one of: 1, null, a"],
    [{ const: { a: 1 } }, 2, 'must be equal to {"a":1}'],
    [{ type: "number", minimum: 5 }, 4, "must be at least 5"],
    [{ type: "number", maximum: 5 }, 6, "must be at most 5"],
    [{ type: "number", exclusiveMinimum: 5 }, 5, "must be greater than 5"],
    [{ type: "number", exclusiveMaximum: 5 }, 5, "must be less than 5"],
    [{ type: "number", multipleOf: 0.5 }, 0.7, "must be a multiple of 0.5"],
    [{ ...text, minLength: 1 }, "", "must have at least one character"],
    [{ ...text, maxLength: 2 }, "abc", "must have at most 2 characters"],
    [{ ...text, pattern: "^a+$" }, "b", "must match the regular expression ^a+$"],
    [{ ...text, pattern: "^a+$", title: "a series of a" }, "b", "must be a series of a"],
    [{ ...text, format: "date" }, "5 December", "must have the format date"],
    [{ ...list, minItems: 2 }, ["a"], "must have at least 2 items"],
    [{ ...list, maxItems: 1 }, ["a", "b"], "must have at most one item"],
    [tuple, ["a", "b"], "must have at most one item"],
    [{ type: "array", unevaluatedItems: false }, ["a"], "must have at most 0 items"],
    [{ ...list, uniqueItems: true }, ["a", "a"], "must not have the same item twice"],
    [{ type: "array", contains: text }, [1], "must have at least one item of the required form"],
    [
      { type: "array", contains: text, minContains: 2, maxContains: 3 },
      ["a"],
      "must have at least 2 items and at most 3 of the required form",
    ],
    [
      { type: "array", contains: text, minContains: 0, maxContains: 1 },
      ["a", "b"],
      "must have at most one item of the required form",
    ],
    [{ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10 }, 1n << 60n, "must be an integer from 1 to 9"],
    [
      { type: "integer", minimum: 0, exclusiveMinimum: 4, maximum: 9, exclusiveMaximum: 8 },
      1n << 60n,
      "must be an integer from 5 to 7",
    ],
    [
      { type: "integer", minimum: 6, exclusiveMinimum: 4, maximum: 7, exclusiveMaximum: 9 },
      1n << 60n,
      "must be an integer from 6 to 7",
    ],
    [{ ...map, minProperties: 1 }, {}, "must have at least one field"],
    [{ ...map, maxProperties: 2 }, { a: 1, b: 1, c: 1 }, "must have at most 2 fields"],
    [{ ...map, dependentRequired: { a: ["b"] } }, { a: 1 }, "must have the field 'b', because it has the field 'a'"],
    [
      { ...map, propertyNames: { maxLength: 2 } },
      { abc: 1 },
      "has the field 'abc', whose name must have at most 2 characters",
    ],
    [{ ...map, unevaluatedProperties: false }, { a: 1 }, "has the unknown field 'a'"],
    [{ ...map, additionalProperties: false }, { a: 1 }, "has the unknown field 'a'. No fields are allowed"],
    [
      { ...map, properties: { b: {}, c: {} }, additionalProperties: false },
      { a: 1 },
      "has the unknown field 'a'. Known fields: b, c",
    ],
    [{ anyOf: [text, { type: "null" }] }, 1, "must match one of the alternatives of its schema"],
    [
      { oneOf: [text, { ...text, title: "Code", maxLength: 3 }] },
      "a",
      "must match exactly one of the alternatives of its schema, but matches number 1 and Code",
    ],
    [
      { anyOf: [text, { ...map, title: "Cat", required: ["lives"] }] },
      { name: "x" },
      "must match one of the alternatives of its schema. The closest is Cat, for which it must have the field 'lives'",
    ],
    [{ ...text, not: { const: "a" } }, "a", "has a value that the document excludes"],
    [{ ...text, readOnly: true }, "a", "must not be sent, because it is read-only"],
    [
      JSON.parse('{"type":"object","if":{"required":["a"]},"then":{"required":["b"]}}'),
      { a: 1 },
      "must have the field 'b'",
    ],
  ] as [Schema, unknown, string][])
    t.equal(validateField(schema, value), `The field 'x' ${requirement}.`);
});

t.test("Names the body, or the path of the field", async (t) => {
  t.equal(validate({ ...map, minProperties: 1 }, {}), "The body must have at least one field.");
  const nested = { ...map, properties: { y: false } };
  t.equal(validateField(nested, { y: 1 }), "The field 'x.y' is not allowed.");
  t.equal(validateField(list, ["a", 1]), "The field 'x.1' must be a string.");
});

t.test("Shortens a name that the client has sent", async (t) => {
  const message = validate({ ...map, additionalProperties: false }, { ["n".repeat(100)]: 1 });
  t.match(message, `unknown field '${"n".repeat(50)}…'.`);
});

t.test("The alternative comes closest whose members a value has, also if one of them is invalid", async (t) => {
  const object = (name: string, rest: object = {}) => {
    return { type: "object", required: [name], properties: { [name]: { type: "integer" } }, ...rest };
  };
  const closed = { additionalProperties: false };
  const kind = (value: string) => ({ required: ["k"], properties: { k: { const: value }, n: { type: "integer" } } });
  for (const [alternatives, value, message] of [
    [
      [object("a", closed), object("b", closed)],
      { a: "x" },
      /The closest is number 1, for which its field 'a' must be an integer$/,
    ],
    [
      [object("a", closed), object("b", closed)],
      { b: "x" },
      /The closest is number 2, for which its field 'b' must be/,
    ],
    [
      [kind("a"), kind("b")],
      { k: "a", n: "x" },
      /The closest is number 1, for which its field 'n' must be an integer$/,
    ],
    [[object("a"), { type: "array" }], {}, /The closest is number 1, for which it must have the field 'a'$/],
  ] as const)
    t.match(compileSchema({ oneOf: alternatives })(value), { problems: [{ requirement: message }] });
});
