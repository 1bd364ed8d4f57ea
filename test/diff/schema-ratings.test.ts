// How changes of schemas are rated: by what they mean to callers, who send requests and receive responses.
import t from "tap";
import { checkRating, type Expected } from "../support/diff.ts";

const [breaking, compatible, documentation, none] = ["breaking", "compatible", "documentation", "none"] as const;

// A schema as the body of a request, and as that of a response.
const schemas: readonly [old: string, revised: string, inRequest: Expected, inResponse: Expected][] = [
  // Types
  ["{ type: string }", "{ type: integer }", breaking, breaking],
  ["{ type: integer }", "{ type: number }", compatible, breaking],
  ["{ type: number }", "{ type: integer }", breaking, compatible],
  ["{ type: [string, integer] }", "{ type: string }", breaking, compatible],
  ["{ type: string }", "{ type: [string, 'null'] }", compatible, breaking],
  ["{ type: [string, 'null'] }", "{ type: string }", breaking, compatible],
  ["{ type: string }", "{}", compatible, breaking],
  ["{}", "{ type: string }", breaking, compatible],
  ["{ type: [string, 'null'] }", "{ type: ['null', string] }", none, none],
  ["{ type: string }", "{ type: [string] }", none, none],
  ["{ properties: { a: {} } }", "{ type: object, properties: { a: {} } }", none, none],
  ["{ type: [string, 'null'] }", "{ anyOf: [{ type: string }, { type: 'null' }] }", none, none],
  // Formats
  ["{ type: string }", "{ type: string, format: date }", breaking, compatible],
  ["{ type: string, format: date }", "{ type: string }", compatible, breaking],
  ["{ type: integer, format: int32 }", "{ type: integer, format: int64 }", compatible, breaking],
  ["{ type: integer, format: int64 }", "{ type: integer, format: int32 }", breaking, compatible],
  ["{ type: string, format: date }", "{ type: string, format: uuid }", breaking, breaking],
  // Values
  ["{ enum: [a, b] }", "{ enum: [a, b, c] }", compatible, breaking],
  ["{ enum: [a, b] }", "{ enum: [a] }", breaking, compatible],
  ["{ enum: [a, b] }", "{ enum: [b, a] }", none, none],
  ["{ type: string, enum: [a, b] }", "{ enum: [a, b] }", none, none],
  ["{ type: string, enum: [a] }", "{ type: string }", compatible, breaking],
  ["{ type: string }", "{ type: string, enum: [a] }", breaking, compatible],
  ["{ const: a }", "{ enum: [a] }", none, none],
  ["{ type: integer, format: int32 }", "{ type: integer, format: int32, enum: [1] }", breaking, compatible],
  ["{ const: a }", "{ const: b }", breaking, breaking],
  ["{ enum: [a, b] }", "{ oneOf: [{ const: a }, { const: b }] }", none, none],
  // Limits
  ["{ type: integer, minimum: 1 }", "{ type: integer, minimum: 2 }", breaking, compatible],
  ["{ type: integer, minimum: 1 }", "{ type: integer }", compatible, breaking],
  ["{ type: integer, maximum: 9 }", "{ type: integer, maximum: 8 }", breaking, compatible],
  ["{ type: integer }", "{ type: integer, maximum: 8 }", breaking, compatible],
  ["{ type: integer, minimum: 1 }", "{ type: integer, exclusiveMinimum: 0 }", none, none],
  ["{ type: number, minimum: 0 }", "{ type: number, exclusiveMinimum: 0 }", breaking, compatible],
  ["{ type: string, minLength: 1 }", "{ type: string, minLength: 0 }", compatible, breaking],
  ["{ type: string }", "{ type: string, minLength: 0 }", none, none],
  ["{ type: string, maxLength: 9 }", "{ type: string, maxLength: 99 }", compatible, breaking],
  ["{ type: array, maxItems: 9 }", "{ type: array, maxItems: 8 }", breaking, compatible],
  ["{ type: array }", "{ type: array, minItems: 1 }", breaking, compatible],
  ["{ type: array, uniqueItems: true }", "{ type: array, uniqueItems: false }", compatible, breaking],
  ["{ type: object, minProperties: 1 }", "{ type: object }", compatible, breaking],
  ["{ type: integer, multipleOf: 5 }", "{ type: integer, multipleOf: 10 }", breaking, compatible],
  ["{ type: integer, multipleOf: 5 }", "{ type: integer, multipleOf: 3 }", breaking, breaking],
  ["{ type: string, pattern: a }", "{ type: string, pattern: b }", breaking, breaking],
  ["{ type: string, pattern: a }", "{ type: string, pattern: .* }", compatible, breaking],
  ["{ type: string }", "{ type: string, pattern: a }", breaking, compatible],
  // Properties
  ["{ type: object }", "{ type: object, properties: { a: {} } }", compatible, compatible],
  ["{ properties: { a: {} } }", "{ type: object }", breaking, breaking],
  ["{ properties: { a: {} } }", "{ properties: { a: {} }, required: [a] }", breaking, compatible],
  ["{ properties: { a: {} }, required: [a] }", "{ properties: { a: {} } }", compatible, breaking],
  ["{ type: object }", "{ properties: { a: {} }, required: [a] }", breaking, compatible],
  ["{ properties: { a: {}, b: {} } }", "{ properties: { b: {}, a: {} } }", none, none],
  ["{ properties: { a: { properties: { b: {} } } } }", "{ properties: { a: { type: object } } }", breaking, breaking],
  ["{ properties: { a: { x-sunset: 2029-01-01 } } }", "{ type: object }", compatible, compatible],
  ["{ properties: { a: {} } }", "{ properties: { a: { readOnly: true } } }", breaking, none],
  ["{ properties: { a: {} } }", "{ properties: { a: { writeOnly: true } } }", none, breaking],
  ["{ properties: { a: { readOnly: true } } }", "{ properties: { a: {} } }", compatible, none],
  ["{ properties: { a: { readOnly: true } } }", "{ type: object }", none, breaking],
  ["{ properties: { a: {} } }", "{ properties: { a: {} }, additionalProperties: false }", breaking, compatible],
  ["{ properties: { a: {} }, additionalProperties: false }", "{ properties: { a: {} } }", compatible, breaking],
  [
    "{ properties: { a: {} }, additionalProperties: false }",
    "{ properties: { a: {}, b: {} }, additionalProperties: false }",
    compatible,
    breaking,
  ],
  ["{ additionalProperties: { type: string } }", "{ additionalProperties: { type: integer } }", breaking, breaking],
  ["{ additionalProperties: { type: string } }", "{ type: object }", compatible, breaking],
  ["{ type: object, additionalProperties: true }", "{ type: object }", none, none],
  // Arrays
  ["{ items: { type: integer } }", "{ items: { type: number } }", compatible, breaking],
  ["{ type: array }", "{ items: { type: number } }", breaking, compatible],
  ["{ prefixItems: [{ type: string }] }", "{ prefixItems: [{ type: integer }] }", breaking, breaking],
  // Alternatives
  ["{ oneOf: [{ $ref: '#/components/schemas/Cat' }] }", "{ $ref: '#/components/schemas/Cat' }", none, none],
  [
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/Dog' }, { $ref: '#/components/schemas/Cat' }] }",
    compatible,
    breaking,
  ],
  [
    "{ anyOf: [{ $ref: '#/components/schemas/Dog' }, { $ref: '#/components/schemas/Cat' }] }",
    "{ anyOf: [{ $ref: '#/components/schemas/Cat' }] }",
    breaking,
    compatible,
  ],
  [
    "{ oneOf: [{ $ref: '#/components/schemas/Dog' }, { $ref: '#/components/schemas/Cat' }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }] }",
    none,
    none,
  ],
  [
    "{ $ref: '#/components/schemas/Cat' }",
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }] }",
    compatible,
    breaking,
  ],
  ["{ type: object }", "{ type: object, anyOf: [{ required: [a] }, { required: [b] }] }", breaking, compatible],
  [
    "{ discriminator: { propertyName: a }, oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }",
    "{ discriminator: { propertyName: b }, oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }",
    breaking,
    breaking,
  ],
  [
    "{ oneOf: [{ properties: { a: { const: 1 } } }, { properties: { a: { const: 2 } } }] }",
    "{ oneOf: [{ properties: { a: { const: 1 } } }, { properties: { a: { const: 3 } } }] }",
    breaking,
    breaking,
  ],
  ["{ oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }", "{}", compatible, breaking],
  // Schemas with the same meaning
  [
    "{ $ref: '#/components/schemas/Cat' }",
    "{ type: object, required: [name], properties: { name: { type: string } } }",
    none,
    none,
  ],
  [
    "{ type: object, required: [name], properties: { name: { type: string }, age: { type: integer } } }",
    "{ allOf: [{ $ref: '#/components/schemas/Cat' }, { properties: { age: { type: integer } } }] }",
    none,
    none,
  ],
  ["{ type: integer, maximum: 5 }", "{ allOf: [{ type: integer, maximum: 9 }, { maximum: 5 }] }", none, none],
  ["{ $ref: '#/components/schemas/Tree' }", "{ allOf: [{ $ref: '#/components/schemas/Tree' }] }", none, none],
  [
    "{ $ref: '#/components/schemas/Tree' }",
    "{ type: object, properties: { label: { type: integer }, children: { type: array, items: { $ref: '#/components/schemas/Tree' } } } }",
    breaking,
    breaking,
  ],
  // What no rule rates
  ["{ not: { type: string } }", "{ not: { type: integer } }", breaking, breaking],
  ["{ type: string }", "{ type: string, not: { const: a } }", breaking, breaking],
  ["{ if: { required: [a] }, then: { required: [b] } }", "{ if: { required: [a] } }", breaking, breaking],
  ["{ patternProperties: { a: { type: string } } }", "{ patternProperties: { a: {} } }", breaking, breaking],
  ["{ type: string, xml: { name: a } }", "{ type: string, xml: { name: b } }", breaking, breaking],
  ["{ not: { type: string, title: A } }", "{ not: { type: string, title: B } }", documentation, documentation],
  // Other fields
  ["{ type: string, default: a }", "{ type: string, default: b }", breaking, compatible],
  ["{ type: string }", "{ type: string, default: b }", compatible, compatible],
  ["{ type: string, default: a }", "{ type: string }", breaking, compatible],
  ["{ type: string, x-extensible-enum: [a] }", "{ type: string, x-extensible-enum: [a, b] }", compatible, compatible],
  ["{ type: string, x-extensible-enum: [a, b] }", "{ type: string, x-extensible-enum: [a] }", breaking, breaking],
  ["{ type: string, x-extensible-enum: [a, b] }", "{ type: string }", breaking, breaking],
  ["{ type: string, enum: [a] }", "{ type: string, x-extensible-enum: [a] }", compatible, breaking],
  ["{ type: string }", "{ type: string, deprecated: true }", compatible, compatible],
  ["{ type: string, description: A }", "{ type: string, description: B }", documentation, documentation],
  ["{ type: string, examples: [a] }", "{ type: string }", documentation, documentation],
  ["{ type: string, x-color: red }", "{ type: string, x-color: blue }", documentation, documentation],
];

for (const [old, revised, inRequest, inResponse] of schemas)
  t.test(`${old} -> ${revised} is ${inRequest} in a request, and ${inResponse} in a response`, async (t) => {
    await checkRating(t, "request", old, revised, inRequest);
    await checkRating(t, "response", old, revised, inResponse);
  });
