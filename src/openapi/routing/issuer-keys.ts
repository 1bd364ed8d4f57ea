// The public keys of an issuer of tokens: finds them by its metadata, caches them, and refreshes them at a bounded rate.
import type { JWTVerifyGetKey } from "jose";
import { isLoopbackHost, redactUrl, shareResult, throttle, UnavailableError, withTimeout } from "../../lib/index.ts";

const maxAge = 600_000; // milliseconds, after which keys that the issuer has removed are not accepted any more
const refreshInterval = 10_000; // milliseconds, also after a failure
const maxWait = 1_000; // milliseconds that a request waits if it can use keys that are known
const timeout = 4_000; // milliseconds, for the metadata, and for the keys

/**
 * The keys of an issuer. `createRemoteJWKSet` of jose reads them. Its cache is not used: it expires while the issuer is down, and
 * a failure does not start its cooldown, so that each token with an unknown key would cause a request to the issuer.
 */
export class IssuerKeys {
  readonly issuer: string;
  /** Reads the keys, unless that was tried in the last 10 s. Rejects with an UnavailableError if they can't be read. */
  readonly refresh: () => Promise<JWTVerifyGetKey>;
  readonly #report: (message: string) => void;
  readonly #clock: () => number;
  #known: JWTVerifyGetKey | undefined;
  #expiresAt = 0;

  /**
   * Throws an Error if `issuer` is no URL with `https:`, or `http:` on loopback. `report` receives a sentence for the operator if the keys
   * can't be read, at most once a minute.
   */
  constructor(issuer: string, report: (message: string) => void = () => {}, clock = () => performance.now()) {
    if (!isSecure(issuer) || /[?#@]/.test(issuer))
      throw new Error(
        `The issuer must be a URL with https:, or http: on loopback, without a user, a query and a fragment, and not ${redactUrl(issuer)}.`,
      );
    this.issuer = issuer;
    this.refresh = shareResult(() => this.#read(), refreshInterval, clock);
    this.#report = throttle(report);
    this.#clock = clock;
  }

  /** Finds the key of a token. Rejects with an error of jose if there is none, and with an UnavailableError if that is not known. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const { JWKSNoMatchingKey } = (await import("jose")).errors;
    if (this.#known && this.#clock() > this.#expiresAt) {
      this.#expiresAt = this.#clock() + refreshInterval; // known keys stay in use while the issuer is down, and few requests wait
      await withTimeout(this.refresh(), maxWait, "").catch(() => {});
    }
    const known = this.#known ?? (await this.refresh());
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey)) throw error;
      return (await this.refresh())(header, token); // the issuer may have a new key
    }
  };

  async #read(): Promise<JWTVerifyGetKey> {
    try {
      const { createRemoteJWKSet } = await import("jose");
      const never = { cacheMaxAge: Number.POSITIVE_INFINITY, cooldownDuration: Number.POSITIVE_INFINITY };
      const keys = createRemoteJWKSet(await findKeySet(this.issuer), { ...never, timeoutDuration: timeout });
      await keys.reload();
      this.#expiresAt = this.#clock() + maxAge;
      this.#known = keys;
      return keys;
    } catch (error) {
      const { message, cause } = error as Error;
      const { message: detail, code } = Object(cause) as NodeJS.ErrnoException; // of fetch, whose message says nothing
      const reason = `The keys of the issuer ${this.issuer} can't be read: ${detail || code || message}.`;
      this.#report(`${reason} Until they are, tokens with unknown keys get 503.`);
      throw new UnavailableError("The token can't be checked now.", { cause: new Error(reason, { cause: error }) });
    }
  }
}

function isSecure(url: string): boolean {
  const { protocol, host = "" } = URL.parse(url) ?? {};
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(host));
}

// OpenID Connect Discovery 1.0, section 4, and RFC 8414, section 3.
async function findKeySet(issuer: string): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const signal = AbortSignal.timeout(timeout);
  const places = [`${path}/.well-known/openid-configuration`, `/.well-known/oauth-authorization-server${path}`];
  for (const place of places) {
    const headers = { accept: "application/json" };
    const response = await fetch(origin + place, { headers, signal, redirect: "manual" });
    if (response.status !== 200) {
      await response.body?.cancel();
      continue;
    }
    const { issuer: named, jwks_uri: url } = Object(await response.json()) as Readonly<Record<string, unknown>>;
    if (named !== issuer) throw new Error(`its metadata name the issuer ${named}, which must be the same text`);
    if (!isSecure(`${url}`)) throw new Error(`the jwks_uri of its metadata, ${url}, must be a URL with https:`);
    return new URL(`${url}`);
  }
  throw new Error(`it has its metadata neither at ${places.join(" nor at ")}`);
}
