// Checks the access tokens of an external issuer: JWTs (RFC 7519, RFC 8725) with the claims of RFC 9068.
import type { JWTPayload, JWTVerifyResult } from "jose";
import type { Credential } from "../operation/credentials.ts";
import { InvalidCredential } from "./authentication.ts";
import { IssuerKeys } from "./issuer-keys.ts";

// Only asymmetric ones: with HMAC, the public key of the issuer would be the secret.
const asymmetric = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

const clockTolerance = 30; // seconds

export interface TokenCheckOptions {
  /** The URL of the issuer, exactly as the claim `iss` has it. Only on loopback, it can have `http:`. */
  readonly issuer: string;
  /** What the claim `aud` must have; one of several. By default, tokens for other services of the issuer are accepted, too. */
  readonly audience?: string | readonly string[] | undefined;
  /** The accepted algorithms of signatures. The default is all of RS, PS, ES and EdDSA. */
  readonly algorithms?: readonly string[] | undefined;
}

/** The caller that a token names. */
export interface TokenCaller {
  /** Identifies the caller among those of all issuers. */
  readonly id: string;
  /** The claim `sub`, or the id of the client. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** All claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Creates the check of a Bearer token (`http bearer`, `oauth2`, `openIdConnect`): the signature by the keys of the issuer, `iss`, `aud`,
 * `exp`, `nbf`, and that it is an access token. The keys are read at the first token. If they can't be read, the response is a 503. Throws
 * an Error if an option is wrong.
 *
 * @example
 * security: { login: createTokenCheck({ issuer: "https://login.example/", audience: "https://api.example" }) }
 */
export function createTokenCheck(
  { issuer, audience, algorithms = asymmetric }: TokenCheckOptions,
  keys: IssuerKeys = new IssuerKeys(issuer),
): (token: Credential) => Promise<TokenCaller | InvalidCredential> {
  const wrong = algorithms.find((one) => !asymmetric.includes(one));
  if (wrong !== undefined)
    throw new Error(`The algorithms must be some of ${asymmetric.join(", ")}, and not ${wrong}.`);
  const audiences = audience === undefined ? undefined : [audience].flat();
  if (audiences?.includes("")) throw new Error("The audience must not be empty.");
  const options = {
    issuer,
    audience: audiences,
    algorithms: [...algorithms],
    clockTolerance,
    requiredClaims: ["exp"],
  };
  return async (token) => {
    const { jwtVerify, errors } = await import("jose");
    try {
      const verified = await jwtVerify(token as string, keys.find, options);
      const fault = findFault(verified, audience !== undefined);
      if (fault !== undefined) return invalid(fault);
      return toCaller(verified.payload) ?? invalid("it has neither sub nor client_id");
    } catch (error) {
      if (error instanceof errors.JOSEError) return invalid(error.message);
      throw error;
    }
  };
}

function invalid(reason: string): InvalidCredential {
  return new InvalidCredential(`The token is not valid: ${reason}.`);
}

// What access tokens have, and ID tokens do not.
const ofAccessTokens = ["scope", "scp", "client_id", "cid", "appid"];
// What only other tokens have: ID tokens (OpenID Connect Core 1.0, section 3.3.2.11) and those of logouts.
const ofOthers = ["at_hash", "c_hash", "s_hash", "events"];

// Why a token that the issuer has signed is no access token, or none that its bearer alone can use.
function findFault({ protectedHeader, payload }: JWTVerifyResult, hasAudience: boolean): string | undefined {
  const { typ = "JWT" } = protectedHeader;
  const type = `${typ}`.toLowerCase().replace(/^application\//, "");
  if (!/^(at\+)?jwt$/.test(type)) return `its type must be at+jwt or JWT, and not ${typ}`;
  const hasAny = (claims: readonly string[]) => claims.some((claim) => payload[claim] !== undefined);
  // Keycloak and Cognito name the kind of a token in a claim.
  const kind = `${payload.typ ?? payload.token_use}`.toLowerCase();
  const isAccess = type === "at+jwt" || /^(bearer|access)$/.test(kind) || hasAny(ofAccessTokens);
  const isOther = /^(id|refresh|offline|logout)$/.test(kind) || hasAny(ofOthers);
  if (isOther || (!isAccess && hasAny(["nonce"]))) return "it is no access token";
  // The audience of an ID token is a client.
  if (!isAccess && !hasAudience) return "it can be an ID token, which only an audience of the server can rule out";
  return hasAny(["cnf"]) ? "it is bound to a key (cnf), and only Bearer tokens are accepted" : undefined;
}

function toCaller(claims: JWTPayload): TokenCaller | undefined {
  // Keycloak, Okta and Microsoft have other claims for the client than RFC 9068.
  const claim = ["sub", "client_id", "azp", "cid", "appid"].find((one) => claims[one]);
  const name = claim && claims[claim];
  if (typeof name !== "string") return undefined;
  // As a text (RFC 6749, section 3.3) or a list.
  const scopes = [claims.scope, claims.scp]
    .flat()
    .flatMap((one) => (typeof one === "string" ? (one.match(/[^ ]+/g) ?? []) : []));
  return { id: `${claims.iss} ${claim === "sub" ? "subject" : "client"} ${name}`, name, scopes, claims };
}
