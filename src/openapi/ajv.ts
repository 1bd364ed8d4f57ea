// Ajv, with the keywords that the server replaces, and validations that it compiles at their first use.
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Direction, ValidationContext } from "./memoized-validation.ts";
import { numberKeywords } from "./number-keywords.ts";
import { compilePattern } from "./regular-expressions.ts";
import type { SchemaNode } from "./schema-node.ts";
import type { Convert } from "./value-conversion.ts";
import { valueKeywords } from "./value-keywords.ts";

/** The result of a validation: the value with exact numbers and default values, or the errors of Ajv. */
export type Validation = { readonly value: unknown } | { readonly errors: readonly ErrorObject[] };

/** Validates a value. */
export type Validate = (value: unknown) => Validation;

const tooDeep: ErrorObject = {
  keyword: "depth",
  instancePath: "",
  schemaPath: "",
  params: {},
  message: "must not be nested so deeply",
};

/** Creates a validation, which is compiled at its first call. `createConversion` returns undefined if no value is converted. */
export function createValidate(
  compile: () => ValidateFunction,
  createConversion: () => Convert | undefined,
  direction: Direction,
): Validate {
  let validate: ValidateFunction | undefined;
  let convert: Convert | undefined;
  return (value) => {
    if (validate === undefined) {
      validate = compile();
      convert = createConversion();
    }
    try {
      if (!validate.call(new ValidationContext(direction), value)) return { errors: validate.errors as ErrorObject[] };
      return { value: convert ? convert(value) : value };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { errors: [tooDeep] }; // the stack is too small for a recursive schema
    }
  };
}

// Of the format registry of OpenAPI.
const integerFormats = {
  int8: { min: -(2 ** 7), max: 2 ** 7 - 1 },
  int16: { min: -(2 ** 15), max: 2 ** 15 - 1 },
  uint8: { min: 0, max: 2 ** 8 - 1 },
  uint16: { min: 0, max: 2 ** 16 - 1 },
  uint32: { min: 0, max: 2 ** 32 - 1 },
};

/** Creates an Ajv with our keywords. `matches` returns whether a value matches a schema. */
export function createAjv(matches: (node: SchemaNode, value: unknown, context: ValidationContext) => boolean): Ajv2020 {
  // Not the strict mode of Ajv, which also rejects valid schemas: a keyword without `type` beside it.
  const ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    validateSchema: false,
    verbose: true,
    addUsedSchema: false,
    ownProperties: true, // otherwise, every object has the property `constructor`
    passContext: true, // `this` is the ValidationContext
    code: { regExp: Object.assign((pattern: string) => compilePattern(pattern), { code: "compilePattern" }) },
  });
  // Replaced by own keywords, and each costs time in every validation.
  Object.assign(ajv.opts, { unevaluated: false, dynamicRef: false });
  addFormats.default(ajv, { keywords: false });
  for (const definition of [...numberKeywords, ...valueKeywords(matches)]) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
  for (const [name, { min, max }] of Object.entries(integerFormats))
    ajv.addFormat(name, {
      type: "number",
      validate: (value) => Number.isInteger(value) && value >= min && value <= max,
    });
  // Enforced by numericType. On another type, the format is unknown.
  delete ajv.formats.int64;
  return ajv;
}
