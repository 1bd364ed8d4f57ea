// Compiles an operation of the document: everything that the server needs to serve it, read once.
import { type Body, compileBody } from "./body.ts";
import { type Deprecation, readDeprecation } from "./deprecation.ts";
import type { OpenApi, OperationObject } from "./document-types.ts";
import { compileParameters, type Parameters } from "./parameters.ts";
import type { Part } from "./part.ts";
import { compileResponses, type Responses } from "./response.ts";
import type { Schemas } from "./schema.ts";
import { readSecurity, type SecurityRequirement } from "./security.ts";

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
  readonly parameters: Parameters;
  readonly body: Body | undefined;
  readonly responses: Responses;
  readonly deprecation: Deprecation | undefined;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The operation of a route; undefined for routes that are not in the document. */
    operation?: Operation;
  }
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
      ...operations.flatMap(({ parameters }) => parameters.headers?.names ?? []),
    ],
    responseHeaders: [...headers, ...operations.flatMap(({ responses }) => responses.headers)],
  };
}

/** Compiles an operation. Throws an Error that names the operation and the unsupported feature. */
export function compileOperation(
  document: Part<OpenApi>,
  path: string,
  method: string,
  operation: Part<OperationObject>,
  schemas: Schemas,
): Operation {
  const { operationId: id, tags, servers, "x-stability": stability } = operation.value;
  if (id === undefined) throw new Error(`The operation ${method.toUpperCase()} ${path} has no operationId.`);
  const reject: Reject = (reason) => {
    throw new Error(`The operation ${id} ${reason}.`);
  };
  if (servers !== undefined) reject("has the field servers, which is not supported");
  if (![undefined, "experimental", "beta"].includes(stability))
    reject(`has the x-stability ${stability}, but it must be experimental or beta`);
  return {
    id,
    method: method.toUpperCase(),
    path,
    tag: tags?.[0] ?? "default",
    security: readSecurity(document, operation.value, reject),
    parameters: compileParameters(path, operation, schemas, reject),
    body: compileBody(operation, schemas, reject),
    responses: compileResponses(operation, schemas, reject),
    deprecation: readDeprecation(document.value, operation.value, reject),
  };
}
