// Reads an operation of the document. Rejects features of OpenAPI that the server does not implement.
import { type Deprecation, readDeprecation } from "./deprecation.ts";
import type {
  OpenApi,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from "./openapi.ts";
import { checkParameters, checkPath } from "./parameters.ts";
import { readSecurity, type SecurityRequirement } from "./security.ts";
import { errorFields } from "./signature.ts";
import { checkResponse } from "./signature-check.ts";

const jsonType = "application/json";

/** One operation of the document. */
export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** The path template below the base path, such as `/books/{bookId}`. */
  readonly path: string;
  /** The group under which it is documented. */
  readonly tag: string;
  /** Alternative requirements, one of which must be met. Empty if the operation requires no credential. */
  readonly security: readonly SecurityRequirement[];
  readonly parameters: readonly ParameterObject[];
  readonly body: RequestBody | undefined;
  /** The responses by status. */
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly deprecation: Deprecation | undefined;
  /** The names of the headers that are parameters, and of those that responses may have. */
  readonly headers: { readonly request: readonly string[]; readonly response: readonly string[] };
}

/** The request body of an operation. */
export interface RequestBody {
  readonly required: boolean;
  /** The maximum size in bytes; undefined for Fastify's default of 1 MiB. */
  readonly maxBytes: number | undefined;
  readonly schema: SchemaObject | undefined;
}

/** Throws an Error that names the operation. The reason completes the sentence "The operation getBook …". */
export type Reject = (reason: string) => never;

/**
 * Returns the methods and headers of all operations, as options of the plugin `cors`. `headers` are further headers of
 * requests and responses.
 */
export function listForCors(operations: readonly Operation[], headers: readonly string[] = []) {
  return {
    methods: operations.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])),
    requestHeaders: [
      "Authorization",
      "Content-Type",
      ...headers,
      ...operations.flatMap(({ headers }) => headers.request),
    ],
    responseHeaders: [...headers, ...operations.flatMap(({ headers }) => headers.response)],
  };
}

/** Reads an operation. Throws an Error that names the operation and the unsupported feature. */
export function readOperation(document: OpenApi, path: string, method: string, operation: OperationObject): Operation {
  const { operationId: id, parameters = [], responses = {} } = operation;
  if (id === undefined) throw new Error(`The operation ${method.toUpperCase()} ${path} has no operationId.`);
  const reject: Reject = (reason) => {
    throw new Error(`The operation ${id} ${reason}.`);
  };
  if (operation.servers !== undefined) reject("has the field servers, which is not supported");
  const stability = operation["x-stability"];
  if (![undefined, "experimental", "beta"].includes(stability))
    reject(`has the x-stability ${stability}, but it must be experimental or beta`);
  checkPath(path, parameters, reject);
  checkParameters(parameters, reject);
  checkResponses(responses, reject);
  return {
    id,
    method: method.toUpperCase(),
    path,
    tag: operation.tags?.[0] ?? "default",
    security: readSecurity(document, operation, reject),
    parameters,
    body: operation.requestBody && readBody(operation.requestBody, reject),
    responses,
    deprecation: readDeprecation(document, operation, reject),
    headers: {
      request: parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name),
      response: Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
    },
  };
}

function readBody({ required = false, content, "x-max-bytes": maxBytes }: RequestBodyObject, reject: Reject) {
  const unsupported = Object.keys(content).find((type) => type !== jsonType);
  if (unsupported) reject(`has a body of ${unsupported}, but only ${jsonType} is supported`);
  if (content[jsonType]?.schema === undefined) reject(`has a body without a schema for ${jsonType}`);
  if (maxBytes !== undefined && !(Number.isSafeInteger(maxBytes) && maxBytes > 0))
    reject(`has the x-max-bytes ${maxBytes}, but it must be a positive integer`);
  return { required, maxBytes, schema: content[jsonType]?.schema };
}

function checkResponses(responses: Record<string, ResponseObject>, reject: Reject): void {
  for (const [status, response] of Object.entries(responses)) {
    const unsupported = Object.keys(response.content ?? {}).find((type) => type !== jsonType);
    if (unsupported) reject(`has a response ${status} of ${unsupported}, but only ${jsonType} is supported`);
    // The server responds to failures itself, always with the same fields.
    if (response.content !== undefined && /^([45]|default)/.test(status))
      checkResponse(status, response, errorFields, reject);
  }
}
