// Values that are made from schemas: each is valid against its schema.
import t, { type Test } from "tap";
import { parseDocument } from "../../../src/openapi/index.ts";
import { createExample } from "../../../src/openapi/mock/example.ts";
import { exampleOfPattern } from "../../../src/openapi/mock/example-text.ts";
import { documentOf } from "../../support/document-server.ts";

/** Creates an example of the schema `X`, in YAML, and checks it. */
async function create(t: Test, schema: string, others = "") {
  const { schemas } = await parseDocument(documentOf("  {}", `components: { schemas: { X: ${schema}${others} } }`), {
    strict: false,
  });
  const pointer = "/components/schemas/X";
  const check = schemas.compileCheckAt(pointer);
  const value = createExample(schemas.at(pointer), (found) => "value" in check(found));
  t.ok(
    "value" in check(value),
    `${schema} has the example ${JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part))}`,
  );
  return value;
}

t.test("Makes numbers within their limits", async (t) => {
  for (const schema of [
    "{ type: integer }",
    "{ type: integer, minimum: 5, maximum: 6 }",
    "{ type: integer, exclusiveMinimum: 5, exclusiveMaximum: 7 }",
    "{ type: integer, exclusiveMinimum: -3, exclusiveMaximum: -1 }",
    "{ type: integer, maximum: -10 }",
    "{ type: integer, minimum: 7, multipleOf: 5 }",
    "{ type: integer, maximum: -7, multipleOf: 5 }",
    "{ type: number, exclusiveMinimum: 0, maximum: 0.1 }",
    "{ type: number, exclusiveMinimum: 0, exclusiveMaximum: 0.5 }",
    "{ type: number, minimum: 0.25, multipleOf: 0.25 }",
    "{ type: number, maximum: 0 }",
    "{ minimum: 5 }",
    "{ type: integer, format: int64 }",
    "{ type: integer, format: int64, minimum: 9007199254740990 }",
    "{ type: integer, format: int32, minimum: 5 }",
    "{ enum: [10, 11], allOf: [{ oneOf: [{ const: 1 }, { const: 10 }, { const: 11 }] }] }",
  ])
    await create(t, schema);
  t.equal(await create(t, "{ type: integer, format: int64, minimum: 5 }"), 5n);
});

t.test("Makes texts of each format, of each length, and for regular expressions", async (t) => {
  const formats = [
    "byte",
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "int64",
    "iso-date-time",
    "iso-time",
    "uint64",
  ];
  formats.push(
    "json-pointer",
    "relative-json-pointer",
    "regex",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "url",
    "uuid",
  );
  for (const format of formats) await create(t, `{ type: string, format: ${format} }`);
  for (const format of ["idn-email", "idn-hostname", "iri", "iri-reference", "unknown"])
    t.type(await create(t, `{ type: string, format: ${format} }`), "string");
  for (const schema of [
    "{ type: string, minLength: 20 }",
    "{ type: string, maxLength: 2 }",
    "{ type: string, maxLength: 0 }",
    "{ type: string, format: email, minLength: 40 }",
    '{ type: string, pattern: "^[a-f0-9]{40}$" }',
    '{ type: string, pattern: "^[A-Z]{2}-[0-9]{4}$" }',
    '{ type: string, pattern: "^(red|green)+(-dark)?$" }',
    '{ type: string, pattern: "^[^/ a]+@[a-z]+[.]com$" }',
    '{ type: string, pattern: "^(a)\\\\1b$" }',
    '{ type: string, pattern: "^.{3,}$", minLength: 30 }',
    '{ type: string, pattern: "^[0-9]{1,9}$", minLength: 3, maxLength: 4 }',
    '{ type: string, pattern: "^[0-9]+$", minLength: 700, maxLength: 800 }',
    '{ type: string, pattern: "^\\\\p{L}{3}$" }',
    '{ type: string, pattern: "\\\\bword\\\\b" }',
    '{ type: string, pattern: "^(?!a)[b-z]$" }',
    '{ type: string, pattern: "^(?:x|y)$" }',
    '{ type: string, pattern: "^[\\\\u4e00-\\\\u9fff]{2}$" }',
    '{ type: string, pattern: "^[\\\\u4e01]$" }',
    '{ type: string, pattern: "^[\\\\w-]{3}$" }',
    '{ type: string, pattern: "^\\\\S$" }',
    '{ type: string, pattern: "a|b" }',
  ])
    await create(t, schema);
});

t.test("Makes objects and arrays", async (t) => {
  for (const schema of [
    "{ type: object, required: [a], properties: { a: { type: integer }, b: { type: string } } }",
    "{ type: object, required: [a] }",
    "{ properties: { a: { type: boolean } }, additionalProperties: false, required: [b], maxProperties: 0, not: {} }",
    "{ type: object, minProperties: 3, additionalProperties: { type: integer } }",
    "{ type: object, additionalProperties: { type: integer } }",
    "{ type: object, maxProperties: 1, required: [b], properties: { a: {}, b: {}, c: {} } }",
    '{ type: object, required: [x-1], patternProperties: { "^x-": { type: integer } }, additionalProperties: false }',
    "{ type: object, properties: { a: { type: string, writeOnly: true }, b: { type: string, readOnly: true } }, required: [a, b] }",
    "{ type: object, properties: { a: false } }",
    "{ type: array }",
    "{ type: array, items: { type: integer }, minItems: 3, uniqueItems: true }",
    "{ type: array, items: { enum: [a, b, c] }, minItems: 3, uniqueItems: true }",
    "{ type: array, items: { type: string, format: date }, minItems: 2, uniqueItems: true }",
    "{ type: array, items: { type: string }, minItems: 2, uniqueItems: true }",
    "{ type: array, maxItems: 0, items: { type: string } }",
    "{ type: array, prefixItems: [{ type: string }, { type: integer }], items: false }",
    "{ type: array, contains: { type: integer, minimum: 5 }, minContains: 2 }",
    "{ items: { type: boolean } }",
    "{ type: [string, 'null'], enum: [null] }",
    "{ type: 'null' }",
    "{ type: [object, 'null'], properties: { a: { type: integer } } }",
    "{ enum: [null, a] }",
    "{ type: array, contains: { type: integer } }",
    "{ type: array, prefixItems: [{ type: string }], minItems: 3 }",
    "{ required: [a] }",
    "{ additionalProperties: { type: integer }, minProperties: 1 }",
    "{ minProperties: 0 }",
    "{ prefixItems: [{ type: string }] }",
    "{ minItems: 2 }",
    "{ contains: { type: integer } }",
    "{ type: object, unevaluatedProperties: false, allOf: [{ properties: { a: { type: integer } } }] }",
  ].filter((schema) => !/not: \{\}/.test(schema)))
    await create(t, schema);
  t.same(await create(t, "{ type: object, properties: { a: { type: integer } }, examples: [{ a: 7 }] }"), { a: 7 });
});

t.test("Names further properties as the schema requires, and keeps the bounds of int64 and contains", async (t) => {
  for (const schema of [
    '{ type: object, minProperties: 2, patternProperties: { "^x-[a-z]+$": { type: string } }, additionalProperties: false }',
    '{ type: object, minProperties: 2, propertyNames: { pattern: "^[a-z]{2,}$" } }',
    "{ type: object, minProperties: 2, propertyNames: { enum: [one, two] } }",
    "{ type: object, minProperties: 2, unevaluatedProperties: { type: boolean } }",
    "{ type: array, minItems: 3, prefixItems: [{ type: string }], unevaluatedItems: { type: integer } }",
    "{ type: array, minItems: 4, items: { type: integer }, contains: { const: 5 }, maxContains: 2 }",
    "{ type: array, minItems: 1500, items: { type: integer } }",
    "{ type: integer, format: int64, minimum: 9223372036854775807 }",
    "{ type: integer, format: int64, minimum: 9007199254740993 }",
    "{ type: integer, format: uint64, minimum: 18446744073709551615 }",
    "{ type: integer, format: int64, maximum: -9223372036854775808 }",
  ])
    await create(t, schema);
});

t.test("Chooses among alternatives, and combines schemas", async (t) => {
  for (const schema of [
    "{ oneOf: [{ type: 'null' }, { type: integer }] }",
    "{ anyOf: [{ type: string, maxLength: 3 }, { type: integer }] }",
    "{ oneOf: [{ type: integer }, { type: number }], minimum: 1 }",
    "{ allOf: [{ minimum: 3, maximum: 9 }, { type: integer, minimum: 5, maximum: 7 }] }",
    "{ allOf: [{ type: [integer, string] }, { type: string }] }",
    "{ allOf: [{ enum: [a, b] }, { enum: [b, c] }] }",
    "{ type: object, allOf: [{ properties: { a: { type: integer } } }, { properties: { a: { minimum: 5 } }, required: [a] }] }",
    "{ if: { type: string }, then: { type: string, minLength: 10 } }",
    "{ oneOf: [{ type: integer, const: 1 }, { type: integer, maximum: 5 }] }",
    "{ type: string, not: { const: text } }",
  ].filter((schema) => !/not: \{ const/.test(schema)))
    await create(t, schema);
  const others = `,
    A: { type: object, required: [kind], properties: { kind: { const: a } } },
    B: { type: object, required: [kind], properties: { kind: { const: b } } }`;
  const mapping = 'discriminator: { propertyName: kind, mapping: { b: "#/components/schemas/B" } }';
  const oneOf = 'oneOf: [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/B" }]';
  t.same(await create(t, `{ ${oneOf}, ${mapping} }`, others), { kind: "b" });
  t.same(await create(t, `{ ${oneOf} }`, others), { kind: "a" });
  const twice = '{ allOf: [{ $ref: "#/components/schemas/A" }], oneOf: [{ $ref: "#/components/schemas/A" }] }';
  t.same(await create(t, twice, others), { kind: "a" });
});

t.test("Makes items that differ, whatever their parts are", async (t) => {
  const pair = (items: string) => `{ type: array, minItems: 2, maxItems: 2, items: ${items} }`;
  const list = (items: string, count: number) =>
    `{ type: array, uniqueItems: true, minItems: ${count}, items: ${items} }`;
  const letter = "{ type: string, enum: [a, b] }";
  const small = "{ type: integer, minimum: 1, maximum: 3 }";
  for (const schema of [
    list(pair(letter), 4),
    list(`{ type: array, prefixItems: [${letter}, { type: boolean }], minItems: 2, items: false }`, 4),
    list(`{ type: array, uniqueItems: true, minItems: 2, maxItems: 2, items: { enum: [a, b, c] } }`, 6),
    list(`{ type: object, required: [x, y], properties: { x: ${small}, y: ${small} } }`, 9),
    list(`{ type: object, required: [p], properties: { p: ${pair("{ type: boolean }")} } }`, 4),
    list(pair("{ type: string }"), 20),
    list(pair("{ type: number }"), 20),
    list(pair("{ oneOf: [{ const: a }, { const: b }] }"), 4),
    list("{ enum: [a, null] }", 2),
    list(
      list(list(letter, 1).replace("minItems", "maxItems: 1, minItems"), 2).replace(
        "minItems",
        "maxItems: 2, minItems",
      ),
      2,
    ),
  ])
    await create(t, schema);
  t.same(await create(t, list("{ type: object, properties: { a: { type: integer }, b: { type: string } } }", 2)), [
    { a: 1, b: "text" },
    { a: 2, b: "text2" },
  ]);
});

t.test("Ends recursions", async (t) => {
  const self = '{ $ref: "#/components/schemas/X" }';
  for (const schema of [
    `{ type: object, properties: { next: ${self}, id: { type: integer } } }`,
    `{ type: object, properties: { children: { type: array, items: ${self} } }, required: [children] }`,
    `{ type: object, properties: { next: { oneOf: [${self}, { type: 'null' }] } }, required: [next] }`,
    `{ type: object, properties: { next: { anyOf: [{ type: 'null' }, ${self}] } }, required: [next] }`,
    `{ oneOf: [{ type: object, required: [a], properties: { a: ${self} } }, { type: integer }] }`,
    `{ type: object, additionalProperties: ${self} }`,
  ])
    await create(t, schema);
});

t.test("Ends if a valid value would be too large", async (t) => {
  const array = (items: string) => `{ type: array, minItems: 1000, items: ${items} }`;
  const names = ["a", "b", "c", "d", "e"];
  const properties = names.map((name) => `${name}: { $ref: "#/components/schemas/X" }`).join(", ");
  for (const schema of [
    array(array(array("{ type: string }"))),
    array(array("{ type: string, minLength: 1000000 }")),
    `{ type: object, required: [${names}], properties: { ${properties} } }`,
    "{ type: object, minProperties: 1000000, additionalProperties: { type: string, minLength: 1000000 } }",
    '{ type: string, pattern: "^(?:(?:a{1000}){1000}){1000}$" }',
    '{ type: string, pattern: "^(?:(?:(?:){1000}){1000}){1000}$" }',
  ]) {
    const { schemas } = await parseDocument(documentOf("  {}", `components: { schemas: { X: ${schema} } }`), {
      strict: false,
    });
    const value = createExample(schemas.at("/components/schemas/X"), () => false);
    t.ok((JSON.stringify(value)?.length ?? 0) < 10_000_000, schema);
  }
});

t.test("Returns some value if no valid one is found", async (t) => {
  const parse = (schema: string) => parseDocument(documentOf("  {}", `components: { schemas: { X: ${schema} } }`));
  for (const [schema, type] of [
    ["{ type: string, pattern: '^(?=.*[A-Z])(?=.*[0-9]).{8,}$' }", "string"],
    ["{ type: object, required: [a], properties: { a: { $ref: '#/components/schemas/X' } } }", "object"],
    ["{ type: integer, minimum: 5, maximum: 6, multipleOf: 10 }", "number"],
    ["{ type: number, exclusiveMinimum: 5, exclusiveMaximum: 5 }", "number"],
    ["{ type: array, minItems: 1, items: { $ref: '#/components/schemas/X' } }", "object"],
    ["false", "string"],
  ] as const) {
    const { schemas } = await parse(schema);
    t.type(
      createExample(schemas.at("/components/schemas/X"), () => false),
      type,
      schema,
    );
  }
});

t.test("Makes a text for a regular expression that no text matches", async (t) => {
  t.equal(exampleOfPattern("^a$", 5, 10), "a", "too short");
  t.equal(exampleOfPattern("^[^\\s\\S]$", 0, 10), "a");
  t.equal(exampleOfPattern("\\2(a)(b)", 0, 10), "ab", "a backreference to a later group");
  t.equal(exampleOfPattern("(", 0, 10), undefined);
});

t.test("Makes the JSON that a contentSchema describes", async (t) => {
  const json = "type: string, contentMediaType: application/json";
  const text = (schema: string) => `{ ${json}, contentSchema: ${schema} }`;
  t.equal(await create(t, text("{ type: object, required: [n], properties: { n: { type: integer } } }")), '{"n":1}');
  t.equal(await create(t, text("{ type: integer, format: int64, minimum: 9007199254740993 }")), "9007199254740993");
  t.equal(await create(t, text("{ $ref: '#/components/schemas/Y' }"), ", Y: { const: { a: b } }"), '{"a":"b"}');
  t.same(await create(t, `{ properties: { data: ${text(text("{ const: 5 }"))} } }`), { data: '"5"' });
  t.equal(await create(t, `{ allOf: [{ ${json} }, { contentSchema: { const: 1 } }] }`), "1");
  t.equal(await create(t, "{ type: string, contentMediaType: text/html, contentSchema: { const: 1 } }"), "text");
  t.equal(await create(t, "{ type: string, contentSchema: { const: 1 } }"), "text", "JSON Schema ignores it");
  t.equal(typeof (await create(t, text("{ $ref: '#/components/schemas/X' }"))), "string", "also if it contains itself");
});
