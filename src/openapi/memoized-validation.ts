// The results of a validation by schema and part of the value. Alternatives often refer to the same schema, so that the
// time of Ajv alone can double with each level of a recursive schema.
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { DataValidationCxt } from "ajv/dist/types/index.js";
import { findMainError } from "./validation-messages.ts";

/** Whether a value is the body of a request or of a response, or the parameters of a request. */
export type Direction = "request" | "response" | "parameters";

type Result = ErrorObject | undefined;

/** The validation of one value: `this` in the functions of Ajv. */
export class ValidationContext {
  readonly direction: Direction;
  #results: Map<object, Map<object, Result>> | undefined;

  constructor(direction: Direction) {
    this.direction = direction;
  }

  /** Returns the results of a schema so far: its main error, or undefined, by the object or array in the value. */
  resultsOf(schema: object): Map<object, Result> {
    this.#results ??= new Map();
    const results = this.#results.get(schema) ?? new Map<object, Result>();
    this.#results.set(schema, results);
    return results;
  }
}

/** Returns a function of Ajv that validates each object and array once in a validation, and returns only its main error. */
export function memoize(validate: ValidateFunction): ValidateFunction {
  const run = (context: ValidationContext, value: unknown, cxt?: DataValidationCxt): Result =>
    validate.call(context, value, cxt) ? undefined : findMainError(validate.errors as ErrorObject[]);
  const memoized = function (this: ValidationContext, value: unknown, cxt?: DataValidationCxt): boolean {
    let error: Result;
    if (typeof value !== "object" || value === null) error = run(this, value, cxt);
    else {
      const results = this.resultsOf(validate);
      if (!results.has(value)) results.set(value, run(this, value, cxt));
      error = results.get(value);
    }
    memoized.errors = error && [error];
    return error === undefined;
  } as ValidateFunction;
  return Object.assign(memoized, { schema: validate.schema, schemaEnv: validate.schemaEnv });
}
