// The results of a validation by schema and part of the value. Alternatives often refer to the same schema, so that the
// time of Ajv alone can double with each level of a recursive schema.
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { DataValidationCxt } from "ajv/dist/types/index.js";
import { findMainError } from "./validation-messages.ts";

/** Whether a value is the body of a request or of a response, or the parameters of a request. */
export type Direction = "request" | "response" | "parameters";

interface Result {
  /** The main error, or undefined. */
  readonly error: ErrorObject | undefined;
  /** The path at which the part was validated. */
  readonly path: string;
}

/** The validation of one value: `this` in the functions of Ajv. */
export class ValidationContext {
  readonly direction: Direction;
  #results: Map<object, Map<unknown, Result>> | undefined;

  constructor(direction: Direction) {
    this.direction = direction;
  }

  /**
   * Returns the results of a schema so far. The key is the object or array in the value. Another part, which has no identity,
   * is its own key: equal ones have equal results.
   */
  resultsOf(schema: object): Map<unknown, Result> {
    this.#results ??= new Map();
    const results = this.#results.get(schema) ?? new Map<unknown, Result>();
    this.#results.set(schema, results);
    return results;
  }
}

/** Returns a function of Ajv that validates each part of a value once, and returns only its main error. */
export function memoize(validate: ValidateFunction): ValidateFunction {
  const run = (context: ValidationContext, value: unknown, path: string, cxt?: DataValidationCxt): Result => {
    const isValid = validate.call(context, value, cxt);
    return { error: isValid ? undefined : findMainError(validate.errors as ErrorObject[]), path };
  };
  const memoized = function (this: ValidationContext, value: unknown, cxt?: DataValidationCxt): boolean {
    const path = cxt?.instancePath ?? "";
    // readOnly and writeOnly depend on whether the value is a property.
    const results = this.resultsOf(typeof cxt?.parentDataProperty === "string" ? validate : memoized);
    const result = results.get(value) ?? run(this, value, path, cxt);
    results.set(value, result);
    const { error } = result;
    memoized.errors = error && [
      path === result.path ? error : { ...error, instancePath: path + error.instancePath.slice(result.path.length) },
    ];
    return error === undefined;
  } as ValidateFunction;
  return Object.assign(memoized, { schema: validate.schema, schemaEnv: validate.schemaEnv });
}
