// Deprecated operations: reads their dates from the document, and creates the headers of their responses.
import { methods, type OpenApi, type OperationObject } from "./document-types.ts";
import type { Operation, Reject } from "./operation.ts";

/** The dates of a deprecated operation, and the path template of its successor. */
export interface Deprecation {
  readonly since: Date;
  /** The date of the removal. */
  readonly sunset: Date | undefined;
  readonly successor: string | undefined;
}

const fields = ["x-deprecated-since", "x-sunset", "x-successor"] as const;

/**
 * Reads `x-deprecated-since`, `x-sunset` and `x-successor` of a deprecated operation. Without `x-deprecated-since`, the
 * operation is deprecated since the release of the document's version (`x-released`). Returns undefined if the
 * operation is not deprecated.
 */
export function readDeprecation(
  document: OpenApi,
  operation: OperationObject,
  reject: Reject,
): Deprecation | undefined {
  if (!operation.deprecated) {
    const unused = fields.find((name) => operation[name] !== undefined);
    return unused && reject(`has ${unused}, but is not deprecated: add deprecated: true`);
  }
  const toDate = (name: string, text: string | undefined): Date => {
    const date = new Date(`${text}T00:00:00Z`);
    if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text)
      return reject(`is deprecated, but its ${name} is not a date such as 2030-12-05`);
    return date;
  };
  const since = toDate("x-deprecated-since", operation["x-deprecated-since"] ?? document.info["x-released"]);
  const sunset = operation["x-sunset"] === undefined ? undefined : toDate("x-sunset", operation["x-sunset"]);
  if (sunset && sunset < since) reject("has an x-sunset before its deprecation");
  const successor = operation["x-successor"];
  if (successor === undefined) return { since, sunset, successor };
  const path = Object.entries(document.paths).find(([, item]) =>
    methods.some((method) => item[method]?.operationId === successor),
  )?.[0];
  return { since, sunset, successor: path ?? reject(`has the x-successor ${successor}, which is not an operationId`) };
}

/**
 * Returns the headers of every response of the operation: Deprecation (RFC 9745), Sunset (RFC 8594), and Link (RFC
 * 8288) to the documentation and to the successor. Returns none if the operation is not deprecated. `baseUrl` is the
 * URL of the API. `docsUrl` is the URL of Swagger UI, if there is one.
 */
export function deprecationHeaders(
  { id, tag, deprecation }: Operation,
  baseUrl: string,
  docsUrl: string | undefined,
): Record<string, string> {
  if (deprecation === undefined) return {};
  const { since, sunset, successor } = deprecation;
  const links: string[] = [];
  if (docsUrl !== undefined)
    links.push(`<${docsUrl}#/${encodeURIComponent(tag)}/${id}>; rel="deprecation"; type="text/html"`);
  if (successor !== undefined) links.push(`<${baseUrl}${successor}>; rel="successor-version"`);
  return {
    deprecation: `@${since.getTime() / 1_000}`,
    ...(sunset && { sunset: sunset.toUTCString() }),
    ...(links.length > 0 && { link: links.join(", ") }),
  };
}
