// Authenticates requests by API key, and by the tokens of an issuer.
import type { FastifyRequest } from "fastify";
import { HttpError, toNetwork } from "../../http/index.ts";
import { andThen, type MaybePromise } from "../../lib/index.ts";
import {
  type Authenticate,
  InvalidCredential,
  isBearer,
  isSupported,
  type Operation,
  type RequiredScheme,
  readCredential,
  type SecuritySchemeObject,
  type SecuritySchemes,
  type TokenCaller,
  toChallenge,
  typeOf,
} from "../../openapi/index.ts";
import type { RateLimiter, RateLimitResult } from "../limits/rate-limit.ts";
import { type Caller, callerOf } from "./api-keys.ts";
import type { Identification } from "./key-lookup.ts";
import type { KeyUsage } from "./key-usage.ts";

export interface AuthenticationOptions {
  /** The name of the service in challenges. */
  readonly realm: string;
  readonly identification: Identification;
  readonly usage: KeyUsage;
  /** Limits failed attempts by network address. */
  readonly failureLimiter: RateLimiter;
  /** Checks a token of an issuer. */
  readonly checkToken?: ((token: string) => MaybePromise<TokenCaller | InvalidCredential>) | undefined;
}

const failures = new WeakMap<FastifyRequest, MaybePromise<RateLimitResult>>();

/** The scheme of operators: `http bearer` (RFC 6750). */
export const bearer: SecuritySchemeObject = { type: "http", scheme: "bearer" };

/**
 * Creates the security scheme of a document by which clients send a key. Responds with 429 instead of 401 to an address with too
 * many failed attempts. Valid keys are never rejected, because 256 random bits can't be guessed, and other clients may have the same
 * address.
 */
export function createAuthentication(
  scheme: SecuritySchemeObject,
  { realm, identification, usage, failureLimiter, checkToken }: AuthenticationOptions,
): Authenticate<Caller | TokenCaller> {
  const usageText = describe(scheme);
  const identify = identification.by(scheme);
  const reject = async (request: FastifyRequest, problem: string, message: string): Promise<HttpError> => {
    // Alternatives of an operation can read the same credential, which counts once.
    const taken = failures.get(request) ?? failureLimiter.take(toNetwork(request.ip));
    failures.set(request, taken);
    const { headers, error } = await taken;
    if (error) return error;
    const details = { realm, error: "invalid_token", error_description: problem };
    return new HttpError("unauthorized", message, { ...headers, "www-authenticate": toChallenge(scheme, details) });
  };
  const rejectKey = (request: FastifyRequest, reason: "not valid" | "expired") => {
    const problem = `The API key ${reason === "expired" ? "has expired" : "is not valid"}`;
    return reject(request, problem, `${problem}. Send a valid key as ${usageText}.`);
  };
  const check = async (request: FastifyRequest, token: string) => {
    const caller = await checkToken?.(token);
    return caller instanceof InvalidCredential ? reject(request, "The token is not valid", caller.message) : caller;
  };
  return (request) => {
    const token = checkToken && isBearer(scheme) ? readCredential(scheme, request) : undefined;
    if (typeof token === "string" && isJwt(token)) return check(request, token) as Promise<TokenCaller | HttpError>;
    return andThen(identify(request), (identity): MaybePromise<Caller | TokenCaller | HttpError> => {
      if ("key" in identity) {
        if (callerOf(request) === undefined) usage.recordUse(identity.key); // authenticated again before a body is used
        return identity.key;
      }
      if (identity.reason === "missing")
        return new HttpError("unauthorized", `This request requires an API key. Send it as ${usageText}.`, {
          "www-authenticate": toChallenge(scheme, { realm }),
        });
      return rejectKey(request, identity.reason);
    });
  };
}

/** Returns whether a token has the form of a JWT: three parts in base64url, the first of which is JSON (RFC 7519, section 3). */
export function isJwt(token: string): boolean {
  return /^ey[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

function describe(scheme: SecuritySchemeObject): string {
  const { type, in: location, name, scheme: word = "Bearer" } = scheme;
  if (type === "apiKey")
    return location === "header"
      ? `${name}: <API_KEY>`
      : `the ${location === "query" ? "parameter" : "cookie"} ${name}`;
  if (isBearer(scheme)) return "Authorization: Bearer <API_KEY>";
  const isBasic = word.toLowerCase() === "basic";
  return isBasic ? "the password of Authorization: Basic" : `Authorization: ${word} <API_KEY>`;
}

/** Returns the schemes of operations that a key can satisfy, by name, except those of `own`. */
export function listKeySchemes(
  operations: readonly Operation[],
  own: object = {},
): ReadonlyMap<string, SecuritySchemeObject> {
  const found = listSchemes(operations, own).filter(({ scheme }) => isSupported(scheme));
  return new Map(found.map(({ name, scheme }) => [name, scheme]));
}

function listSchemes(operations: readonly Operation[], own: object): RequiredScheme[] {
  return operations.flatMap(({ security }) => security.flat()).filter(({ name }) => !Object.hasOwn(own, name));
}

/**
 * Returns implementations of the security schemes that operations need, except those of `own`. Calls `refuse` with a sentence about
 * each operation that no key can satisfy.
 */
export function createKeySchemes(
  operations: readonly Operation[],
  own: object,
  options: AuthenticationOptions,
  refuse: (problem: string) => void,
): SecuritySchemes {
  const isUnmet = ({ name, scheme }: RequiredScheme) => !Object.hasOwn(own, name) && !isSupported(scheme);
  for (const { id, security } of operations) {
    const unmet = security.map((schemes) => schemes.find(isUnmet));
    const [first] = unmet;
    if (first === undefined || unmet.includes(undefined)) continue;
    refuse(
      `The operation ${id} requires the security scheme ${first.name} of type ${typeOf(first.scheme)}, which no key can satisfy.`,
    );
  }
  const entries = listSchemes(operations, own).map(({ name, scheme }) => {
    // Without a key, it is an alternative to others.
    const authenticate = isSupported(scheme) ? createAuthentication(scheme, options) : () => undefined;
    return [name, { type: typeOf(scheme), authenticate }] as const;
  });
  return Object.fromEntries(entries) as SecuritySchemes;
}
