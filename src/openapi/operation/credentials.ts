// Reads the credentials of a request by the types of security schemes.
import type { FastifyRequest } from "fastify";
import { splitAuthorization } from "../../http/index.ts";
import type { SecuritySchemeObject } from "../source/document-types.ts";
import { decodeComponent, parseCookies, queryOf } from "../wire/pairs.ts";

/** What of a request can have a credential. */
type CredentialSource = Pick<FastifyRequest, "headers" | "url" | "sentQuery">;

/** The credential of http basic (RFC 7617). */
export interface BasicCredential {
  readonly username: string;
  readonly password: string;
}

/** A token or an API key; for http basic, a user name and a password. For other schemes of http, what follows the name of the scheme. */
export type Credential = string | BasicCredential;

/** Returns whether the server can read the credentials of a scheme. */
export function isSupported({ type, scheme, in: location }: SecuritySchemeObject): boolean {
  if (type === "http") return /^[\w!#$%&'*+.^`|~-]+$/.test(scheme ?? "");
  if (type === "apiKey") return /^(header|query|cookie)$/.test(location ?? "");
  return type === "oauth2" || type === "openIdConnect";
}

/** Returns whether the credential of a scheme is a Bearer token (RFC 6750). */
export function isBearer(scheme: SecuritySchemeObject): boolean {
  return isSupported(scheme) && scheme.type !== "apiKey" && nameOf(scheme) === "bearer";
}

/** Returns the credential of a request for a scheme; undefined if it has none of the right form. */
export function readCredential(scheme: SecuritySchemeObject, request: CredentialSource): Credential | undefined {
  if (scheme.type === "apiKey") return readApiKey(scheme, request) || undefined;
  const [type, rest] = splitAuthorization(request.headers.authorization);
  if (type !== nameOf(scheme)) return undefined;
  // Of other schemes, the credential can be a list of parameters (RFC 9110, section 11.4).
  if (!/^(basic|bearer)$/.test(type)) return rest.trim() || undefined;
  const token = /^ +([\w.~+/=-]+) *$/.exec(rest)?.[1];
  return type === "basic" && token !== undefined ? decodeBasic(token) : token;
}

/** Returns whether the server can see if a request has a credential for a scheme. It can't see a certificate. */
export function isVisible(scheme: SecuritySchemeObject): boolean {
  return scheme.type === "http" || isSupported(scheme);
}

/** Returns whether a request may have a credential for a scheme, in whatever form. */
export function hasCredential(scheme: SecuritySchemeObject, request: CredentialSource): boolean {
  if (!isVisible(scheme)) return true;
  if (scheme.type === "apiKey") return readApiKey(scheme, request) !== undefined;
  const [type] = splitAuthorization(request.headers.authorization);
  return type !== "" && type === nameOf(scheme);
}

// The name of a scheme in the header Authorization, in lower case.
function nameOf({ type, scheme = "" }: SecuritySchemeObject): string {
  return type === "http" ? scheme.toLowerCase() : "bearer";
}

function readApiKey({ in: location, name = "" }: SecuritySchemeObject, request: CredentialSource): string | undefined {
  const { headers } = request;
  const key = name.toLowerCase();
  if (location === "header") return Object.hasOwn(headers, key) ? [headers[key]].flat()[0] : undefined;
  if (location === "cookie") return parseCookies(headers.cookie).get(name)?.[0];
  const [value] = queryOf(request).pairs.get(name) ?? [];
  return value === undefined ? undefined : decodeComponent(value);
}

function decodeBasic(token: string): BasicCredential | undefined {
  const text = Buffer.from(token, "base64").toString("utf8");
  const end = text.indexOf(":");
  return end < 0 ? undefined : { username: text.slice(0, end), password: text.slice(end + 1) };
}

/** Returns the challenge of a scheme for WWW-Authenticate (RFC 9110, section 11.6.1). */
export function toChallenge(scheme: SecuritySchemeObject, parameters: Readonly<Record<string, string>>): string {
  const [type, own] = toTypeAndParameters(scheme, parameters);
  const texts = Object.entries(own).map(([name, value]) => `${name}="${value.replace(/[^\x20-\x7e]|["\\]/g, "")}"`);
  return `${type} ${texts.join(", ")}`;
}

// Only Bearer has `error` and `scope` (RFC 6750, section 3). ApiKey and MutualTLS are not registered.
function toTypeAndParameters(
  { type, scheme = "bearer", in: location = "", name = "" }: SecuritySchemeObject,
  parameters: Readonly<Record<string, string>>,
): [string, Readonly<Record<string, string>>] {
  const { realm = "" } = parameters;
  if (type === "apiKey") return ["ApiKey", { realm, in: location, name }];
  if (type === "mutualTLS") return ["MutualTLS", { realm }];
  if (/^basic$/i.test(scheme)) return ["Basic", { realm, charset: "UTF-8" }];
  if (/^bearer$/i.test(scheme)) return ["Bearer", parameters];
  return [scheme.replace(/[^\w!#$%&'*+.^`|~-]/g, ""), { realm }];
}
