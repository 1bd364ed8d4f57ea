// Ajv, with the keywords that the server replaces, and validations that it compiles at their first use.
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Direction, ValidationContext } from "./memoized-validation.ts";
import { addIntegerFormats, numberKeywords } from "./number-keywords.ts";
import { compilePattern } from "./regular-expressions.ts";
import type { Convert } from "./value-conversion.ts";
import { type SchemaValidation, valueKeywords } from "./value-keywords.ts";

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
      if (!(error instanceof RangeError && error.message.startsWith("Maximum call stack"))) throw error;
      return { errors: [tooDeep] }; // the stack is too small for a recursive schema
    }
  };
}

/** Formats of strings by name: whether a text has the format. */
export type Formats = Readonly<Record<string, (text: string) => boolean>>;

/** Creates an Ajv with our keywords, and further formats. */
export function createAjv(validation: SchemaValidation, formats: Formats): Ajv2020 {
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
  for (const definition of [...numberKeywords, ...valueKeywords(validation)]) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
  addIntegerFormats(ajv);
  for (const [name, validate] of Object.entries(formats)) ajv.addFormat(name, validate);
  return ajv;
}
