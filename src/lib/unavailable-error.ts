// Errors of dependencies that the error handler turns into responses.
import { ExpectedError } from "./problem.ts";

/** Reports that a dependency is unreachable, locked or out of space (503). The client may retry the request. */
export class UnavailableError extends Error {}

/** Reports that a store can't contain a value of a request (400). The message completes a sentence about the value. */
export class UnstorableValue extends ExpectedError {}
