// Checks the credentials that the document requires for an operation (OpenAPI 3.1, Security Requirement Object).
import type { FastifyRequest } from "fastify";
import { HttpError } from "../http/index.ts";
import type { OpenApi, OperationObject } from "./document-types.ts";
import type { Operation, Reject } from "./operation.ts";
import type { Part } from "./part.ts";

/** Authenticates a request by one credential. Returns the caller, or the error to respond with. */
export type Authenticate<Caller = unknown> = (request: FastifyRequest) => Promise<Caller | HttpError>;

/** The implementation of a security scheme. */
export interface SecurityScheme<Caller = unknown> {
  /** The type that the document must declare: `http bearer`, `http basic`, `apikey header x-key`, `oauth2`, … */
  readonly type: string;
  readonly authenticate: Authenticate<Caller>;
}

/** The implementations of security schemes, by their names in the document (`components.securitySchemes`). */
export type SecuritySchemes<Caller = unknown> = Readonly<Record<string, SecurityScheme<Caller>>>;

/** A security requirement: all of its schemes must be met. Without schemes, no credential is required. */
export type SecurityRequirement = readonly { readonly name: string; readonly type: string }[];

/** Reads the security requirements of an operation, which default to those of the document. */
export function readSecurity(
  document: Part<OpenApi>,
  operation: OperationObject,
  reject: Reject,
): SecurityRequirement[] {
  const schemes = document.at("components")?.at("securitySchemes");
  return (operation.security ?? document.value.security ?? []).map((requirement) =>
    Object.entries(requirement).map(([name, roles]) => {
      const scheme = schemes?.at(name)?.value;
      if (scheme === undefined) return reject(`requires the security scheme ${name}, which is not declared`);
      if (roles.length > 0) return reject(`requires roles of the security scheme ${name}, which are not supported`);
      const type = [scheme.type, scheme.scheme, scheme.in, scheme.name].filter(Boolean).join(" ").toLowerCase();
      return { name, type };
    }),
  );
}

/**
 * Creates the authentication of an operation. It returns the caller, or undefined if no credential is required, and
 * throws an HttpError if none of the requirements is met. Throws an Error that names the operation if a required scheme
 * has no implementation of its type.
 */
export function createAuthentication(
  { id, security }: Operation,
  schemes: SecuritySchemes,
): (request: FastifyRequest) => Promise<unknown> {
  const alternatives = security.map((requirement) =>
    requirement.map(({ name, type }) => {
      const scheme = schemes[name];
      if (scheme?.type === type) return scheme.authenticate;
      throw new Error(
        `The operation ${id} requires the security scheme ${name} of type ${type}, which has no implementation.`,
      );
    }),
  );
  return async (request) => {
    let error: HttpError | undefined;
    for (const alternative of alternatives) {
      let caller: unknown;
      for (const authenticate of alternative) {
        caller = await authenticate(request);
        if (caller instanceof HttpError) break;
      }
      if (!(caller instanceof HttpError)) return caller;
      error ??= caller;
    }
    if (error) throw error;
    return undefined;
  };
}
