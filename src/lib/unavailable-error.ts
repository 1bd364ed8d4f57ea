// The error of temporary failures, which the error handler turns into a 503 response.

/** Reports that a dependency is unreachable, locked or out of space. The client may retry the request. */
export class UnavailableError extends Error {}
