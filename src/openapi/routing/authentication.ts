// Checks the credentials that an operation requires: its security schemes, scopes and alternatives (OpenAPI 3.1.1, section
// 4.8.30).
import type { FastifyRequest } from "fastify";
import { HttpError } from "../../http/index.ts";
import { andThen, isPromise, type MaybePromise, withTimeout } from "../../lib/index.ts";
import {
  type Credential,
  hasCredential,
  isSupported,
  isVisible,
  readCredential,
  toChallenge,
} from "../operation/credentials.ts";
import type { Operation } from "../operation/operation.ts";
import type { RequiredScheme } from "../operation/security-requirements.ts";
import { SentRequest } from "../operation/sent-request.ts";
import type { SecuritySchemeObject } from "../source/document-types.ts";

const checkTimeout = 10_000; // milliseconds
const slow = `The credential was not checked within ${checkTimeout / 1_000} s.`;

/** The operation and the request for which a credential is checked. */
export interface SecurityContext {
  /** The scopes or roles that the operation requires. */
  readonly scopes: readonly string[];
  readonly operation: Operation;
  readonly request: SentRequest;
}

/** Why a credential is not valid: the message of the response (401). */
export class InvalidCredential extends Error {}

/**
 * Checks a credential. Returns the caller, or an InvalidCredential, undefined, null or false if the credential is not valid. If the caller has
 * `scopes`, an array, a Set or a string that is separated by spaces, the server compares them with those that are required. Throws an HttpError for another failure.
 */
export type CheckCredential<Caller = unknown> = (
  credential: Credential,
  context: SecurityContext,
) => MaybePromise<CheckResult<Caller> | InvalidCredential>;

type CheckResult<Caller> = Caller | undefined | null | false;

/** Authenticates a request. Returns the caller, or the error to respond with. */
export type Authenticate<Caller = unknown> = (request: FastifyRequest) => MaybePromise<Caller | HttpError>;

/**
 * A security scheme that reads and checks its credential by itself. `authenticate` returns the caller, or undefined, null
 * or false if the request has no credential. For an invalid credential, and to send a challenge of its own, it returns an
 * HttpError, after which the alternatives of the operation are tried, or throws it, after which they are not.
 */
export interface SecurityScheme<Caller = unknown> {
  /** The type that the document must declare: `http bearer`, `http basic`, `apikey header x-key`, `oauth2`, … */
  readonly type: string;
  readonly authenticate: (request: FastifyRequest) => MaybePromise<CheckResult<Caller> | HttpError>;
}

/** The implementations of security schemes, by their names in the document (`components.securitySchemes`). */
export type SecuritySchemes<Caller = unknown> = Readonly<
  Record<string, SecurityScheme<Caller> | CheckCredential<Caller>>
>;

/** Returns the type of a scheme with what distinguishes it: `http bearer`, `apikey header x-key`. */
export function typeOf({ type, scheme, in: location, name }: SecuritySchemeObject): string {
  return [type, scheme, location, name].filter(Boolean).join(" ").toLowerCase();
}

interface Attempt {
  readonly required: RequiredScheme;
  readonly authenticate: SecurityScheme["authenticate"];
  /** Whether it accepts each credential. */
  readonly isMock: boolean;
}

export interface AuthenticationOptions {
  readonly schemes: SecuritySchemes;
  /** The name of the protected API in WWW-Authenticate. */
  readonly realm: string;
  /** Accepts each credential of the right form for schemes without an implementation. */
  readonly mock?: boolean | undefined;
}

/**
 * Creates the authentication of an operation. It returns the caller, or undefined if no credential is required and none was
 * sent, and throws an HttpError if none of the requirements is met, and an UnavailableError if a check takes more than 10 s. The caller of several schemes is an object with the
 * caller of each, by name. Throws an Error that names the operation if a scheme has no implementation of its type.
 */
export function createAuthentication(
  operation: Operation,
  options: AuthenticationOptions,
): (request: FastifyRequest) => MaybePromise<unknown> {
  const alternatives = operation.security.map((requirement) =>
    requirement.map((required) => createAttempt(operation, required, options)),
  );
  const required = alternatives.filter((attempts) => attempts.length > 0);
  const isOptional = required.length < alternatives.length;
  const [[single, ...others] = []] = required;
  // The usual case, without a promise if the scheme needs none.
  if (single && others.length === 0 && alternatives.length === 1)
    return (request) => andThen(check(single, request, options), callerOrThrow);
  return async (request) => {
    let failure: HttpError | undefined;
    for (const attempts of required) {
      // A credential that was sent must be valid, even if none is required.
      if (isOptional && !attempts.some(({ required: { scheme } }) => hasCredential(scheme, request))) continue;
      const results: unknown[] = [];
      for (const attempt of attempts) {
        // After a failure, only the result of a scheme that the server can't see shows whether its credential was sent.
        const hasFailed = results.some((result) => result instanceof HttpError);
        const isNeeded = !hasFailed || (isOptional && !isVisible(attempt.required.scheme));
        results.push(isNeeded ? await check(attempt, request, options) : undefined);
      }
      const error = results.find((result) => result instanceof HttpError);
      if (error === undefined) return toCaller(attempts, results);
      if (!isOptional || wasSent(attempts, results, request)) failure = combine(failure, error);
    }
    return callerOrThrow(failure);
  };
}

function toCaller(attempts: readonly Attempt[], callers: readonly unknown[]): unknown {
  if (callers.length === 1) return callers[0];
  return Object.fromEntries(attempts.map(({ required: { name } }, index) => [name, callers[index]]));
}

/** Returns the callers of a request that have an id: one, or that of each security scheme. */
export function identitiesOf(caller: unknown): readonly { readonly id: unknown }[] {
  const hasId = (one: unknown): one is { readonly id: unknown } =>
    typeof one === "object" && one !== null && "id" in one && one.id !== undefined;
  return hasId(caller) ? [caller] : Object.values(Object(caller)).filter(hasId);
}

// The server can't see a certificate, so only the result of `authenticate` shows whether one was sent.
function wasSent(attempts: readonly Attempt[], results: readonly unknown[], request: FastifyRequest): boolean {
  return attempts.some(({ required: { scheme }, isMock }, index) =>
    isVisible(scheme) ? hasCredential(scheme, request) : !isMock && !(results[index] instanceof MissingCredential),
  );
}

// Returns the caller, or the error to respond with.
function check(
  { required, authenticate }: Attempt,
  request: FastifyRequest,
  { realm }: AuthenticationOptions,
): MaybePromise<unknown> {
  const result = authenticate(request);
  // Otherwise, a check that never settles would hold the request and its connection.
  return andThen(isPromise(result) ? withTimeout(result, checkTimeout, slow) : result, (caller) => {
    if (caller instanceof HttpError) return caller;
    if (caller instanceof Error) throw caller; // no caller, but a failure of the check
    if (isRejection(caller))
      return new MissingCredential([`security scheme ${required.name}`], toChallenge(required.scheme, { realm }));
    return checkScopes(caller, required, realm) ?? caller;
  });
}

function isRejection(caller: unknown): boolean {
  return caller === undefined || caller === null || caller === false;
}

function callerOrThrow(caller: unknown): unknown {
  if (caller instanceof HttpError) throw caller;
  return caller;
}

function createAttempt(
  operation: Operation,
  required: RequiredScheme,
  { schemes, realm, mock }: AuthenticationOptions,
): Attempt {
  const { name, scheme } = required;
  const own = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  const type = typeOf(scheme);
  const implementation = own ?? (mock ? acceptAny(scheme, type) : undefined);
  const isMatching = typeof implementation === "function" ? isSupported(scheme) : implementation?.type === type;
  if (implementation === undefined || !isMatching)
    throw new Error(
      `The operation ${operation.id} requires the security scheme ${name} of type ${type}, which has no implementation.`,
    );
  const authenticate =
    typeof implementation === "function"
      ? createCheck(implementation, operation, required, realm)
      : implementation.authenticate;
  return { required, authenticate, isMock: own === undefined };
}

// A credential that the server can't read, such as the certificate of a client, is not checked.
function acceptAny(scheme: SecuritySchemeObject, type: string): CheckCredential | SecurityScheme {
  return isSupported(scheme) ? async (credential) => credential : { type, authenticate: async () => true };
}

function createCheck(
  check: CheckCredential,
  operation: Operation,
  required: RequiredScheme,
  realm: string,
): Authenticate {
  const { scheme, scopes } = required;
  return async (request) => {
    const credential = readCredential(scheme, request);
    const caller = credential && (await check(credential, { scopes, operation, request: new SentRequest(request) }));
    const isExplained = caller instanceof InvalidCredential;
    if (!isExplained && !isRejection(caller)) return caller;
    if (credential === undefined) return new MissingCredential([describe(scheme)], toChallenge(scheme, { realm }));
    const challenge = toChallenge(scheme, { realm, error: "invalid_token" });
    const message = isExplained ? caller.message : "The credential is not valid.";
    return new HttpError("unauthorized", message, { "www-authenticate": challenge });
  };
}

class MissingCredential extends HttpError {
  readonly credentials: readonly string[];

  /** `credentials` are the alternatives, such as "the header X-Key". */
  constructor(credentials: readonly string[], challenge: string) {
    const message = `This operation requires a credential: ${credentials.join(" or ")}.`;
    super("unauthorized", message, { "www-authenticate": challenge });
    this.credentials = credentials;
  }
}

/** Returns the scopes of a caller; undefined if they are not known. Throws a TypeError if they have another form. */
export function scopesOf(caller: unknown): ReadonlySet<unknown> | undefined {
  const granted = (caller as { scopes?: unknown } | null | undefined)?.scopes;
  if (granted === undefined) return undefined;
  // A string is a list that is separated by spaces (RFC 6749, section 3.3).
  return new Set<unknown>(typeof granted === "string" ? granted.split(" ") : (granted as Iterable<unknown>));
}

// RFC 6750, section 3.1.
function checkScopes(caller: unknown, { scheme, scopes }: RequiredScheme, realm: string): HttpError | undefined {
  const known = scopesOf(caller);
  if (known === undefined) return undefined;
  const missing = scopes.filter((scope) => !known.has(scope));
  if (missing.length === 0) return undefined;
  const challenge = toChallenge(scheme, { realm, error: "insufficient_scope", scope: scopes.join(" ") });
  return new HttpError("insufficient_scope", `The credential must have the scope ${missing.join(", ")}.`, {
    "www-authenticate": challenge,
  });
}

// The challenges of all schemes that were tried. A credential that lacks only a scope takes precedence, and then one that is
// not valid.
function combine(first: HttpError | undefined, next: HttpError): HttpError {
  if (first === undefined) return next;
  const rank = (error: HttpError) => (error.response.status === 403 ? 2 : error instanceof MissingCredential ? 0 : 1);
  const [main, other] = rank(next) > rank(first) ? [next, first] : [first, next];
  const challenges = new Set([main, other].flatMap(({ headers }) => headers["www-authenticate"] ?? []));
  if (main.response.status !== 401 || challenges.size < 2) return main;
  const challenge = [...challenges].join(", ");
  if (main instanceof MissingCredential && other instanceof MissingCredential)
    return new MissingCredential([...main.credentials, ...other.credentials], challenge);
  const headers = { ...main.headers, "www-authenticate": challenge };
  return new HttpError(main.response.body.code as "unauthorized", main.message, headers);
}

function describe(scheme: SecuritySchemeObject): string {
  if (scheme.type === "apiKey") return `the ${scheme.in} ${scheme.in === "query" ? "parameter " : ""}${scheme.name}`;
  const { scheme: name = "bearer" } = scheme;
  return `the header Authorization: ${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
