// Authenticates requests by API key: the security scheme `http bearer` (RFC 6750).
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpError, toNetwork } from "../http/index.ts";
import { andThen, type MaybePromise } from "../lib/index.ts";
import type { Authenticate } from "../openapi/application.ts";
import { type Caller, callerOf } from "./caller.ts";
import type { Identify } from "./key-lookup.ts";
import type { KeyUsage } from "./key-usage.ts";
import type { RateLimiter } from "./rate-limit.ts";

/**
 * Creates the error of every 401 response. `details` are attributes of its `WWW-Authenticate` challenge, which has none
 * if no credential was sent (RFC 6750, section 3).
 */
export function unauthorized(
  message: string,
  details: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  return new HttpError("unauthorized", message, { ...headers, "www-authenticate": createChallenge(details) });
}

/** Creates the error of a request whose key is valid, but not sufficient (RFC 6750, section 3.1). */
export function insufficientScope(message: string): HttpError {
  const challenge = createChallenge({ error: "insufficient_scope" });
  return new HttpError("insufficient_scope", message, { "www-authenticate": challenge });
}

function createChallenge(details: Readonly<Record<string, string>>): string {
  const attributes = Object.entries({ realm: "petstore", ...details }).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${attributes.join(", ")}`;
}

export interface AuthenticationOptions {
  readonly identify: Identify;
  readonly usage: KeyUsage;
  /** Limits failed attempts by network address. */
  readonly failureLimiter: RateLimiter;
}

const header = "Authorization: Bearer <API_KEY>";

/**
 * Creates the security scheme `http bearer` (RFC 6750). Responds with 429 instead of 401 to an address with too many failed
 * attempts. Valid keys are never rejected, because 256 random bits can't be guessed, and other clients may have the same
 * address.
 */
export function createBearerScheme(
  app: FastifyInstance,
  { identify, usage, failureLimiter }: AuthenticationOptions,
): Authenticate<Caller> {
  app.decorateRequest("identity", undefined);
  return (request) =>
    andThen(identify(request), (identity): MaybePromise<Caller | HttpError> => {
      if ("reason" in identity) return reject(request, identity.reason, failureLimiter);
      if (callerOf(request) === undefined) usage.recordUse(identity.key); // authenticated again before a body is used
      return identity.key;
    });
}

async function reject(
  request: FastifyRequest,
  reason: "missing" | "not valid" | "expired",
  failureLimiter: RateLimiter,
): Promise<HttpError> {
  if (reason === "missing") return unauthorized(`This request requires an API key. Send it as ${header}.`);
  const { headers, error } = await failureLimiter.take(toNetwork(request.ip));
  if (error) return error;
  const problem = reason === "expired" ? "has expired" : "is not valid";
  const details = { error: "invalid_token", error_description: `The API key ${problem}` };
  return unauthorized(`The API key ${problem}. Send a valid key as ${header}.`, details, headers);
}
