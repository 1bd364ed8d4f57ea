// An issuer of tokens on loopback: oidc-provider, with keys and clients of its own.
import { once } from "node:events";
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
// @ts-expect-error -- the package has no types
import Provider from "oidc-provider";
import type { Test } from "tap";

/** The audience of the access tokens. */
export const audience = "https://api.example";

const redirectUri = "https://app.example/callback";

interface SigningKey {
  readonly jwk: JWK;
  /** Signs claims, as the issuer does: `sub`, `iss`, `aud`, `iat` and `exp` are made, unless they are given. */
  sign(claims?: JWTPayload, header?: object): Promise<string>;
}

/** Creates a key. */
export async function createKey(issuer: string, kid: string, alg = "RS256"): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid, alg, use: "sig" };
  const now = Math.floor(Date.now() / 1000);
  const sign = (claims: JWTPayload = {}, header: object = {}) =>
    new SignJWT({ iss: issuer, sub: "ada", aud: audience, iat: now, exp: now + 600, ...claims })
      .setProtectedHeader({ alg, kid, typ: "at+jwt", ...header })
      .sign(privateKey);
  return { jwk, sign };
}

/** An issuer that runs. */
export class Issuer {
  /** The URLs of all requests. */
  readonly requests: string[] = [];
  readonly #server = http.createServer((request, response) => {
    this.requests.push(request.url as string);
    this.#listener(request, response);
  });
  #listener: RequestListener = (_, response) => response.writeHead(503).end();
  #port = 0;
  key!: SigningKey;

  /** Its URL. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The number of times that its keys were read. */
  get reads(): number {
    return this.requests.filter((url) => url === "/jwks").length;
  }

  /** Starts, again at the same port. */
  async start(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Stops, and closes all connections. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Replaces its keys by a new one. */
  async rotate(kid: string, alg = "RS256"): Promise<void> {
    this.key = await createKey(this.url, kid, alg);
    const provider = createProvider(this.url, this.key.jwk);
    const callback: RequestListener = provider.callback();
    this.#listener = (request, response) =>
      request.url?.startsWith("/interaction/") ? logIn(provider, request, response) : callback(request, response);
  }

  /** Answers by itself instead. */
  answer(listener: RequestListener): void {
    this.#listener = listener;
  }

  /** Requests an access token for a client. */
  async requestToken(scope: string): Promise<string> {
    const { access_token } = await this.#post({ grant_type: "client_credentials", scope, resource: audience });
    return access_token as string;
  }

  /** Requests the tokens of a user: `access_token` and `id_token`. */
  async logIn(): Promise<Readonly<Record<string, string>>> {
    const code_verifier = "v".repeat(43);
    const hash = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(code_verifier)));
    const query = new URLSearchParams({
      client_id: "service",
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "openid read",
      resource: audience,
      code_challenge: hash.toString("base64url"),
      code_challenge_method: "S256",
    });
    const cookies = new Map<string, string>();
    let url = new URL(`${this.url}/auth?${query}`);
    while (!url.href.startsWith(redirectUri)) {
      const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
      const response = await fetch(url, { redirect: "manual", headers: { cookie } });
      for (const one of response.headers.getSetCookie())
        cookies.set(...(one.split(";", 1)[0]?.split("=", 2) as [string, string]));
      url = new URL(response.headers.get("location") as string, url);
    }
    const code = url.searchParams.get("code") as string;
    return this.#post({ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier });
  }

  async #post(fields: Record<string, string>): Promise<Record<string, string>> {
    const headers = { authorization: `Basic ${btoa("service:secret")}` };
    const response = await fetch(`${this.url}/token`, { method: "POST", headers, body: new URLSearchParams(fields) });
    if (!response.ok) throw new Error(await response.text());
    return response.json() as Promise<Record<string, string>>;
  }
}

/** Starts an issuer with a key. */
export async function startIssuer(t: Test, kid = "first"): Promise<Issuer> {
  const issuer = new Issuer();
  await issuer.start();
  t.teardown(() => issuer.stop());
  await issuer.rotate(kid);
  return issuer;
}

function createProvider(url: string, key: JWK) {
  const resource = {
    scope: "read write",
    audience,
    accessTokenFormat: "jwt",
    jwt: { sign: { alg: key.alg } },
  };
  return new Provider(url, {
    jwks: { keys: [key] },
    scopes: ["openid", "read", "write"],
    clients: [
      {
        client_id: "service",
        client_secret: "secret",
        grant_types: ["client_credentials", "authorization_code"],
        redirect_uris: [redirectUri],
        id_token_signed_response_alg: key.alg,
      },
    ],
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    cookies: { keys: ["a secret of the test"] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => resource,
      },
    },
    loadExistingGrant: async (ctx: { oidc: { client: { clientId: string }; session: { accountId: string } } }) => {
      const { client, session } = ctx.oidc;
      const grant = new (Object(ctx.oidc).provider.Grant)({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid read");
      grant.addResourceScope(audience, "read");
      await grant.save();
      return grant;
    },
  });
}

function logIn(provider: InstanceType<typeof Provider>, request: IncomingMessage, response: ServerResponse): void {
  provider.interactionFinished(request, response, { login: { accountId: "ada" } });
}
