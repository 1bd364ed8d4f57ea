// The failures of an application's code. It can throw any value, also one whose properties throw, are frozen, or look like those
// of Fastify's errors.
import { inspect, types } from "node:util";
import { ExpectedError, shorten, UnavailableError } from "../../lib/index.ts";

const maxCauses = 5; // of an error, and of each of these
const maxText = 10_000; // characters

/** A copy of what an application has thrown: safe to read, and without the data that libraries add to their errors. */
class ApplicationError extends Error {
  readonly code?: string | number;
  readonly errors?: readonly Error[];

  constructor(thrown: object, depth: number) {
    const cause = depth < maxCauses ? read(thrown, "cause") : undefined;
    super(text(read(thrown, "message")), cause === undefined ? {} : { cause: copy(cause, depth + 1) });
    this.name = text(read(thrown, "name")) || "Error";
    const errors = depth < maxCauses ? read(thrown, "errors") : undefined; // of an AggregateError
    if (Array.isArray(errors)) this.errors = errors.slice(0, maxCauses).map((error) => copy(error, depth + 1));
    this.stack = text(read(thrown, "stack")) || `${this.name}: ${this.message}`;
    const code = read(thrown, "code");
    if (typeof code === "string" || typeof code === "number") this.code = code;
    Object.defineProperty(this, "constructor", { value: undefined }); // pino would log it as the type, instead of the name
  }
}

/**
 * Returns an error of this library as it is, and a copy of any other value that was thrown. The copy has the name, message,
 * stack, code, causes and errors. Texts are shortened to 10,000 characters.
 */
export function toError(thrown: unknown): Error {
  return isOwn(thrown) ? thrown : copy(thrown, 0);
}

/** Returns whether an error is a failure of the application's code, for which `toError` has returned a copy. */
export function isApplicationError(error: Error): boolean {
  return error instanceof ApplicationError;
}

function isOwn(thrown: unknown): thrown is Error {
  try {
    return (
      types.isNativeError(thrown) &&
      [ExpectedError, UnavailableError, ApplicationError].some((own) => thrown instanceof own)
    );
  } catch {
    return false; // its prototype is a Proxy
  }
}

function copy(thrown: unknown, depth: number): Error {
  if (isErrorLike(thrown)) return new ApplicationError(thrown, depth);
  return new ApplicationError(new Error(`The thrown value is not an Error: ${describe(thrown)}`), depth);
}

// Not the content of objects, which can be secret.
function describe(thrown: unknown): string {
  try {
    return shorten(
      inspect(thrown, { depth: -1, customInspect: false, breakLength: Number.POSITIVE_INFINITY }),
      maxText,
    );
  } catch {
    return `a value of the type ${typeof thrown}`; // its prototype is a Proxy
  }
}

function isErrorLike(thrown: unknown): thrown is object {
  if (typeof thrown !== "object" || thrown === null || types.isProxy(thrown)) return false;
  return (
    types.isNativeError(thrown) ||
    [read(thrown, "message"), read(thrown, "stack")].every((part) => typeof part === "string")
  );
}

function read(object: object, name: string): unknown {
  try {
    return Reflect.get(object, name);
  } catch {
    return undefined;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? shorten(value, maxText) : "";
}
