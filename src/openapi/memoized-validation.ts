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
  #results: Map<object, Map<unknown, Result>> | undefined;

  constructor(direction: Direction) {
    this.direction = direction;
  }

  /**
   * Returns the results of a schema so far: its main error, or undefined. The key is the object or array in the value, or the
   * path of another part.
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
  const run = (context: ValidationContext, value: unknown, cxt?: DataValidationCxt): Result =>
    validate.call(context, value, cxt) ? undefined : findMainError(validate.errors as ErrorObject[]);
  const memoized = function (this: ValidationContext, value: unknown, cxt?: DataValidationCxt): boolean {
    const results = this.resultsOf(validate);
    // A string or number has no identity: equal ones can be at several paths.
    const key = typeof value === "object" && value !== null ? value : `${cxt?.instancePath}`;
    if (!results.has(key)) results.set(key, run(this, value, cxt));
    const error = results.get(key);
    memoized.errors = error && [error];
    return error === undefined;
  } as ValidateFunction;
  return Object.assign(memoized, { schema: validate.schema, schemaEnv: validate.schemaEnv });
}
