// Deprecated operations: reads their dates from the document, and creates the headers of their responses.
import type { OpenApi, OperationObject } from "../source/document-types.ts";
import type { ReportReason } from "../source/findings.ts";

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
 * operation is not deprecated, or if the document has neither date: the Deprecation header requires it. `paths` are the
 * path templates of all operations, by operationId.
 */
export function readDeprecation(
  { info }: OpenApi,
  operation: OperationObject,
  paths: ReadonlyMap<string, string>,
  report: ReportReason,
): Deprecation | undefined {
  if (!operation.deprecated) {
    const unused = fields.find((name) => operation[name] !== undefined);
    if (unused) report("extension", `has ${unused}, but is not deprecated: add deprecated: true`);
    return undefined;
  }
  const toDate = (name: string, text: string | undefined): Date | undefined => {
    if (text === undefined) return undefined;
    const date = new Date(`${text}T00:00:00Z`);
    if (!Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text) return date;
    report("deprecation", `is deprecated, but its ${name} is not a date such as 2030-12-05`);
    return undefined;
  };
  const since = toDate("x-deprecated-since", operation["x-deprecated-since"] ?? info?.["x-released"]);
  const sunset = toDate("x-sunset", operation["x-sunset"]);
  if (since && sunset && sunset < since) report("deprecation", "has an x-sunset before its deprecation");
  const { "x-successor": successorId } = operation;
  const successor = paths.get(successorId ?? "");
  if (successorId !== undefined && successor === undefined)
    report("deprecation", `has the x-successor ${successorId}, which is not an operationId`);
  return since && { since, sunset, successor };
}

/**
 * Returns the headers of every response of the operation: Deprecation (RFC 9745), Sunset (RFC 8594), and Link (RFC
 * 8288) to the documentation and to the successor. Returns none if the operation is not deprecated. `baseUrl` is the
 * URL of the API. `docsUrl` is the URL of Swagger UI, if there is one.
 */
export function deprecationHeaders(
  {
    id,
    tag,
    deprecation,
  }: { readonly id: string; readonly tag: string; readonly deprecation: Deprecation | undefined },
  baseUrl: string,
  docsUrl: string | undefined,
): Record<string, string> {
  if (deprecation === undefined) return {};
  const { since, sunset, successor } = deprecation;
  const links: string[] = [];
  const place = `${encodeURIComponent(tag)}/${encodeURIComponent(id)}`;
  if (docsUrl !== undefined) links.push(`<${docsUrl}#/${place}>; rel="deprecation"; type="text/html"`);
  if (successor !== undefined) links.push(`<${baseUrl}${encodePath(successor)}>; rel="successor-version"`);
  return {
    deprecation: `@${since.getTime() / 1_000}`,
    ...(sunset && { sunset: sunset.toUTCString() }),
    ...(links.length > 0 && { link: links.join(", ") }),
  };
}

// Keeps the braces of parameters.
function encodePath(path: string): string {
  return path.replace(/[^{}]+/g, encodeURI);
}
