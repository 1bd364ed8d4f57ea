// Arbitrary pets. Their fields follow from the schema NewPet of the document.
import fc from "fast-check";
import { parse } from "yaml";
import { documentText } from "./files.ts";
import { maxInt64, type NewPet } from "./pets.ts";

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: string[];
  pattern?: string;
  maxLength?: number;
}

const { schemas } = parse(documentText).components;
const { properties, required }: { properties: Record<string, Schema>; required: string[] } = schemas.NewPet;

// Equivalent to the unit "binary", which takes 1.5 s to initialize.
const codePoint = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
const anyText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 30 }),
  fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", " ", "a", "🐕", "\u2028", "="), maxLength: 30 }),
);

/** Creates an arbitrary of the texts that are valid for a schema. */
export function anyTextOf({ pattern, maxLength = Number.POSITIVE_INFINITY }: Schema): fc.Arbitrary<string> {
  const regex = new RegExp(pattern ?? "", "u");
  const isValid = (text: string) => regex.test(text) && text.isWellFormed() && [...text].length <= maxLength;
  // Few arbitrary texts match a narrow pattern.
  return (pattern === undefined ? anyText : fc.oneof(anyText, fc.stringMatching(regex))).filter(isValid);
}

/** Creates an arbitrary of the values that are valid for a field of NewPet. Throws an Error for an unknown type. */
export function anyField(name: string): fc.Arbitrary<string | bigint | boolean> {
  const property = properties[name] as Schema;
  const schema: Schema = property.$ref ? schemas[property.$ref.split("/").at(-1) as string] : property;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === "boolean") return fc.boolean();
  if (schema.format === "int64") return fc.bigInt({ min: -maxInt64 - 1n, max: maxInt64 });
  if (schema.type !== "string") throw new Error(`tests can't generate values of ${name}`);
  // In CSV, an empty text is a missing value.
  return required.includes(name) ? anyTextOf(schema) : anyTextOf(schema).filter((text) => text !== "");
}

/** Arbitrary pets to create. */
export const anyNewPet = fc.record(Object.fromEntries(Object.keys(properties).map((name) => [name, anyField(name)])), {
  requiredKeys: required,
  noNullPrototype: true,
}) as fc.Arbitrary<unknown> as fc.Arbitrary<NewPet>;
