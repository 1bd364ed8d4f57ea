// The result of reading a part of a request, and the error of its invalid parts.
import { type ErrorDetail, InvalidRequest } from "../../http/index.ts";
import type { Problem } from "../../lib/index.ts";

/** The value of a part of a request, or the error of what is invalid in it. */
export type ReadPart =
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: InvalidRequest; readonly value?: undefined };

/**
 * Returns the error of problems in one location of a request. `noun` names a part of it, such as "query parameter", and `whole` all of
 * it.
 */
export function toInvalidRequest(
  problems: readonly Problem[],
  location: ErrorDetail["location"],
  noun: string,
  whole = location === "body" ? "body" : "request",
): InvalidRequest {
  return new InvalidRequest(
    problems.map(({ path, part = path, requirement }) => {
      const subject = path === "" ? whole : `${noun} '${path}'`;
      return { location, name: part, message: `The ${subject} ${requirement}.` };
    }),
  );
}
