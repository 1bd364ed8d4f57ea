// Idempotency-Keys of a document, as a store contains them.
import type { Document } from "../../openapi/application.ts";

/** Returns a function that returns whether a store can contain an Idempotency-Key. Without such a header, it contains none. */
export function createIdempotencyKeyCheck({ operations }: Document): (key: string) => boolean {
  const headers = operations.map(({ parameters }) => parameters.headers);
  const group = headers.find((one) => one?.names.includes("Idempotency-Key"));
  // The store contains the text without its quotes and escapes. Every key can be written with them.
  return (key) => group?.read({ "idempotency-key": `"${key.replace(/["\\]/g, "\\$&")}"` }).error === undefined;
}
