// The error of a request with invalid parts.
import { type ErrorDetail, InvalidRequest } from "../../http/index.ts";
import type { Problem } from "../../lib/index.ts";

/** Returns the error of problems in one location of a request. `noun` names a part of it, such as "query parameter". */
export function toInvalidRequest(
  problems: readonly Problem[],
  location: ErrorDetail["location"],
  noun: string,
): InvalidRequest {
  const whole = location === "body" ? "body" : "request";
  return new InvalidRequest(
    problems.map(({ path, part = path, requirement }) => {
      const subject = path === "" ? whole : `${noun} '${path}'`;
      return { location, name: part, message: `The ${subject} ${requirement}.` };
    }),
  );
}
