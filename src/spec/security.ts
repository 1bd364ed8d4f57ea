// Checks the credentials that the document requires for an operation (OpenAPI 3.1, Security Requirement Object).
import type { FastifyRequest } from "fastify";
import { HttpError } from "../http/index.ts";
import type { Operation } from "./operation.ts";

/** Authenticates a request by one security scheme. Returns the caller, or the error to respond with. */
export type SecurityScheme<Caller = unknown> = (request: FastifyRequest) => Promise<Caller | HttpError>;

/** The implementations of security schemes, by type and scheme as in the document: `http bearer`. */
export type SecuritySchemes = Readonly<Record<string, SecurityScheme>>;

/** Authenticates a request. Returns the caller, or undefined if no credential is required. Throws an HttpError. */
export type Authenticate = (request: FastifyRequest) => Promise<unknown>;

/**
 * Creates the authentication of an operation. One of its alternative requirements must be met, each with all of its
 * schemes. Throws an Error that names the operation if a required scheme has no implementation.
 */
export function createAuthentication({ id, security }: Operation, schemes: SecuritySchemes): Authenticate {
  const missing = security.flat().find((type) => schemes[type] === undefined);
  if (missing)
    throw new Error(`The operation ${id} needs a security scheme of type ${missing}, which has no implementation.`);
  const alternatives = security.map((types) => types.map((type) => schemes[type] as SecurityScheme));
  return async (request) => {
    let error: HttpError | undefined;
    for (const alternative of alternatives) {
      let caller: unknown;
      for (const scheme of alternative) {
        caller = await scheme(request);
        if (caller instanceof HttpError) break;
      }
      if (!(caller instanceof HttpError)) return caller;
      error ??= caller;
    }
    if (error) throw error;
    return undefined;
  };
}
