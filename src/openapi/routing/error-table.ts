// Errors of the application that are failures of a request.
import { HttpError } from "../../http/index.ts";
import type { Operation } from "../operation/operation.ts";

/** Maps the errors of a class to a status and a code. Their messages are sent. */
export interface MappedError {
  /** A class of errors, also of its subclasses. */
  readonly error: abstract new (
    ...args: never[]
  ) => Error;
  /** 400 to 599. The operation must declare it. */
  readonly status: number;
  readonly code: string;
}

/** The errors that handlers can throw or return. The first class that matches counts. */
export class ErrorTable {
  readonly #entries: readonly MappedError[];

  /** Throws a TypeError for an entry that no error can have. */
  constructor(entries: readonly MappedError[]) {
    for (const [index, { error, status, code }] of entries.entries()) {
      if (typeof error !== "function" || typeof code !== "string")
        throw new TypeError(
          "Each entry of `errors` must be { error, status, code }, with a class, a number and a string.",
        );
      if (!(Number.isInteger(status) && status >= 400 && status <= 599))
        throw new TypeError(`\`errors\` maps ${error.name} to the status ${status}, which is not one of 400 to 599.`);
      const earlier = entries
        .slice(0, index)
        .find((other) => error === other.error || error.prototype instanceof other.error);
      if (earlier)
        throw new TypeError(
          `\`errors\` has ${error.name} behind ${earlier.error.name}, which includes it. Put it before.`,
        );
    }
    this.#entries = entries;
  }

  /**
   * Returns the failure to which an error is mapped, or what was thrown if it is not mapped. Throws an Error if the operation does not
   * declare the status.
   */
  map(thrown: unknown, operation: Operation): unknown {
    const entry = this.#entries.find(({ error }) => isInstance(thrown, error));
    if (entry === undefined) return thrown;
    const { error, status, code } = entry;
    const cause = thrown as Error;
    if (operation.responses.declares(status)) return new HttpError({ code, status }, cause.message, {}, { cause });
    return new Error(
      `The handler failed with ${error.name}, which \`errors\` maps to the status ${status}. The document does not declare it for ${operation.id}.`,
      { cause },
    );
  }
}

// A Proxy can throw.
function isInstance(thrown: unknown, error: MappedError["error"]): boolean {
  try {
    return thrown instanceof error;
  } catch {
    return false;
  }
}
