// The headers of a deprecated operation, from the document alone.

import type { Operation } from "./operation.ts";
/**
 * The headers on every answer of the operation: Deprecation (RFC 9745), Sunset (RFC 8594), and Link
 * (RFC 8288) to the documentation and to the operation that follows. None where it is not deprecated.
 * `base` is the address of the service as clients know it, with its version segment, `docs` that of
 * the documentation.
 */
export function deprecationHeaders(
  { id, tag, deprecation }: Operation,
  base: string,
  docs: string,
): Record<string, string> {
  if (deprecation === undefined) return {};
  const { since, sunset, successor } = deprecation;
  // Swagger UI's address of the operation.
  const page = `${docs}#/${encodeURIComponent(tag)}/${id}`;
  const links = [`<${page}>; rel="deprecation"; type="text/html"`];
  if (successor !== undefined) links.push(`<${base}${successor}>; rel="successor-version"`);
  return {
    deprecation: `@${since.getTime() / 1000}`,
    ...(sunset && { sunset: sunset.toUTCString() }),
    link: links.join(", "),
  };
}
