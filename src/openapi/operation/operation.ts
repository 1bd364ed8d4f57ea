// Compiles an operation of the document: everything that the server needs to serve it, read once.

import type { Schemas } from "../schema/schemas.ts";
import type { OpenApi, OperationObject, ParameterObject, PathItem } from "../source/document-types.ts";
import type { Report, ReportReason } from "../source/findings.ts";
import type { Part } from "../source/part.ts";
import { listBasePaths, readBasePath } from "../source/servers.ts";
import { type Body, compileBody } from "./body.ts";
import { type Deprecation, readDeprecation } from "./deprecation.ts";
import { collectParameters, compileParameters, type Parameters } from "./parameters.ts";
import { type PathTemplate, parsePathTemplate } from "./path-template.ts";
import { compileResponses, type Responses } from "./response/response.ts";
import { readSecurity, type SecurityRequirement } from "./security-requirements.ts";

/** One operation of the document. */
export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** The path template below the base path, such as `/books/{bookId}`. */
  readonly path: string;
  /** The path of its server, such as `/v1`. Empty if it has none. */
  readonly basePath: string;
  /** The path with the base path. */
  readonly template: PathTemplate;
  /** The path with the base paths of the other values of its server's variables. */
  readonly otherTemplates: readonly PathTemplate[];
  /** The group under which it is documented. */
  readonly tag: string;
  /** Alternative requirements, one of which must be met. Empty if the operation requires no credential. */
  readonly security: readonly SecurityRequirement[];
  readonly parameters: Parameters;
  readonly body: Body | undefined;
  readonly responses: Responses;
  readonly deprecation: Deprecation | undefined;
  /** Its place in the document. */
  readonly part: Part<OperationObject>;
  /** The places of its parameters, also of those of its path. */
  readonly parameterParts: readonly Part<ParameterObject>[];
}

/**
 * Returns the methods and headers of all operations, as options of the plugin `cors`. `headers` are further headers of
 * requests and responses.
 */
export function listForCors(operations: readonly Operation[], headers: readonly string[] = []) {
  const schemes = operations.flatMap(({ security }) => security.flat().map(({ scheme }) => scheme));
  const keys = schemes.filter(({ type, in: location }) => type === "apiKey" && location === "header");
  return {
    methods: operations.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])),
    requestHeaders: [
      "Authorization",
      "Content-Type",
      ...(operations.some(({ responses }) => responses.haveTags) ? ["If-Match", "If-None-Match"] : []),
      ...headers,
      ...operations.flatMap(({ parameters }) => parameters.headers?.names ?? []),
      ...keys.flatMap(({ name }) => name ?? []),
    ],
    responseHeaders: [
      ...["Link", "RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate", "X-Request-Id"],
      ...(operations.some(({ deprecation }) => deprecation) ? ["Deprecation", "Sunset"] : []),
      ...headers,
      ...operations.flatMap(({ responses }) => responses.headers),
    ],
  };
}

/** The place of an operation in the document. */
export interface OperationEntry {
  readonly id: string;
  readonly path: string;
  /** In lower case. */
  readonly method: string;
  readonly item: Part<PathItem>;
  readonly operation: Part<OperationObject>;
}

export interface OperationOptions {
  readonly document: Part<OpenApi>;
  readonly schemas: Schemas;
  /** The path templates of all operations, by operationId. */
  readonly paths: ReadonlyMap<string, string>;
  readonly report: Report;
  /** Ignores unknown query parameters instead of rejecting them. */
  readonly ignoreUnknown?: boolean | undefined;
}

/** Compiles an operation. Reports what would not be enforced, with the name of the operation. */
export function compileOperation(
  { id, path, method, item, operation }: OperationEntry,
  options: OperationOptions,
): Operation {
  const { document, schemas, paths, ignoreUnknown } = options;
  const report: ReportReason = (rule, reason, pointer = operation.pointer) =>
    options.report(rule, `The operation ${id}`, reason, pointer);
  const { tags, "x-stability": stability } = operation.value;
  if (![undefined, "experimental", "beta"].includes(stability))
    report("extension", `has the x-stability ${stability}, but it must be experimental or beta`);
  const server = [operation.value, item.value, document.value].find(({ servers }) => servers?.length) ?? {};
  const basePath = readBasePath(server);
  const template = parsePathTemplate(path, basePath);
  const others = [...listBasePaths({ servers: server.servers?.slice(0, 1) })].filter((one) => one !== basePath);
  const security = readSecurity(document, operation.value, report);
  const parameterParts = collectParameters(item, operation, report);
  return {
    id,
    method: method.toUpperCase(),
    path,
    basePath,
    template,
    otherTemplates: others.map((one) => parsePathTemplate(path, one)),
    tag: tags?.[0] ?? "default",
    security,
    parameters: compileParameters({ parts: parameterParts, template, security, schemas, report, ignoreUnknown }),
    body: compileBody(method, operation, schemas, report),
    responses: compileResponses(operation, schemas, report),
    deprecation: readDeprecation(document.value, operation.value, paths, report),
    part: operation,
    parameterParts,
  };
}

/** Returns the pointers of the schemas of requests: of parameters and bodies. */
export function listRequestSchemas(operations: readonly Operation[]): string[] {
  return operations.flatMap(({ part, parameterParts }) => {
    const contents = part.at("requestBody")?.membersOf("content") ?? [];
    const parts = [...contents, ...parameterParts.flatMap((parameter) => parameter.membersOf("content"))].map(
      ([, one]) => one,
    );
    const schemas = [
      ...parts.flatMap((one) => [one.written("schema"), one.written("itemSchema")]),
      ...parameterParts.map((parameter) => parameter.written("schema")),
    ];
    return schemas.flatMap((schema) => schema?.pointer ?? []);
  });
}
