// Compares the errors that the server itself makes with those that operations declare.
import type { ErrorBody } from "../../http/index.ts";
import { createErrorFormat, type ErrorFormat, type FormatInContext } from "../operation/error-format.ts";
import type { Operation } from "../operation/operation.ts";
import type { Report } from "../source/findings.ts";
import { selectMediaType } from "../wire/media-types.ts";

const advice = "set `formatError` to send theirs";

/**
 * Reports the operations that declare errors of another shape than those that the server makes: for invalid requests, credentials and
 * bodies, and for failures.
 */
export function compareErrorShapes(
  operations: readonly Operation[],
  format: ErrorFormat | undefined,
  report: Report,
): void {
  const formatInContext = createErrorFormat(operations, format);
  for (const operation of operations) {
    const reason = findDifference(operation, formatInContext);
    if (reason !== undefined) report("error-shape", `The operation ${operation.id}`, reason, operation.part.pointer);
  }
}

function findDifference(operation: Operation, format: FormatInContext): string | undefined {
  for (const failure of listFailures(operation)) {
    const { status } = failure;
    const contents = operation.responses.contentsOf(status);
    if (contents.size === 0) continue;
    let formatted: ReturnType<FormatInContext>;
    try {
      formatted = format(failure, { requestId: "id", request: undefined, operation, error: undefined });
    } catch (error) {
      return `has no errors for malformed HTTP, of which \`formatError\` gets no request: ${(error as Error).message}`;
    }
    const type = selectMediaType([...contents.keys()], formatted.type);
    if (type === undefined)
      return `declares errors as ${[...contents.keys()].join(" or ")}, and not as ${formatted.type}: ${advice}`;
    const result = contents.get(type)?.schema?.validate(JSON.parse(JSON.stringify(formatted.body) ?? "null"));
    if (result === undefined || "value" in result) continue;
    const [{ path, requirement }] = result.problems;
    const subject = path === "" ? "it" : `its field '${path}'`;
    return `declares errors of another shape than those of the server, of which ${subject} ${requirement}: ${advice}`;
  }
}

// The failures that the server can make for an operation.
function listFailures({ body, security }: Operation): ErrorBody[] {
  const location = body ? "body" : "query";
  const details = [{ location, name: "name", message: "A sentence." }] as const;
  return [
    { ...sample("invalid_parameter", 400), details }, // also of an unknown query parameter
    ...(security.length > 0 ? [sample("unauthorized", 401), sample("insufficient_scope", 403)] : []),
    ...(body ? [sample("content_too_large", 413), sample("unsupported_media_type", 415)] : []),
    sample("internal_error", 500),
    sample("unavailable", 503),
  ];
}

function sample(code: string, status: number): ErrorBody {
  return { code, message: "A sentence.", status };
}
