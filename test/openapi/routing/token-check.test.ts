// The check of access tokens: which tokens of an issuer are accepted, and what a caller has of them.
import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKeyInput } from "node:crypto";
import { base64url, SignJWT } from "jose";
import t, { type Test } from "tap";
import { createTokenCheck, type TokenCheckOptions } from "../../../src/index.ts";
import { documentOf, serve } from "../../support/document-server.ts";
import { audience, createKey, startIssuer } from "../../support/issuer.ts";

const text = documentOf(
  ["bearer", "oauth", "login"]
    .map(
      (name) => `  /${name}: { get: { security: [{ ${name}: [read] }], responses: { "204": { description: "" } } } }`,
    )
    .join("\n"),
  `components:
  securitySchemes:
    bearer: { type: http, scheme: Bearer, bearerFormat: JWT }
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://x.example/token", scopes: { read: "" } } } }
    login: { type: openIdConnect, openIdConnectUrl: "https://x.example" }
`,
);

async function start(t: Test, options: Omit<TokenCheckOptions, "issuer"> = { audience }) {
  const issuer = await startIssuer(t);
  const check = createTokenCheck({ issuer: issuer.url, ...options });
  const server = await serve(text, { security: { bearer: check, oauth: check, login: check } });
  t.teardown(() => server.app.close());
  const send = async (token: string, path = "/bearer") => {
    const { status, headers, body } = await server.send("GET", path, { headers: { authorization: `Bearer ${token}` } });
    const { message } = Object(body) as { message?: string };
    return { status, message, challenge: headers["www-authenticate"], caller: server.calls.at(-1)?.caller };
  };
  const sign = (claims: object = {}, header: object = {}) => issuer.key.sign({ scope: "read", ...claims }, header);
  return { issuer, send, sign };
}

const now = Math.floor(Date.now() / 1000);

t.test("A token of the issuer is accepted for each scheme of Bearer tokens, and its scopes are compared", async (t) => {
  const { issuer, send } = await start(t);
  const token = await issuer.requestToken("read write");
  for (const path of ["/bearer", "/oauth", "/login"]) t.match(await send(token, path), { status: 204 }, path);
  const id = `${issuer.url} subject service`;
  t.match((await send(token)).caller, { id, name: "service", scopes: ["read", "write"], claims: { aud: audience } });
  t.match(await send(await issuer.requestToken("write")), {
    status: 403,
    challenge: /error="insufficient_scope", scope="read"/,
    message: "The credential must have the scope read.",
  });
});

t.test("The tokens of a user: the access token is accepted, and the ID token is not", async (t) => {
  for (const options of [{ audience }, {}, { audience: "service" }]) {
    const { issuer, send } = await start(t, options);
    const { access_token = "", id_token = "" } = await issuer.logIn();
    const isAccepted = options.audience !== "service";
    t.match(await send(access_token), { status: isAccepted ? 204 : 401 });
    t.match((await send(access_token)).caller, isAccepted ? { name: "ada", scopes: ["read"] } : undefined);
    t.not((await send(id_token)).status, 204, `${options.audience}`);
  }
});

t.test("Only tokens of the issuer for the audience are accepted, while they are valid", async (t) => {
  const { issuer, send, sign } = await start(t);
  const stranger = await createKey(issuer.url, "first");
  for (const [token, reason] of [
    [sign({ aud: "https://other.example" }), 'unexpected "aud" claim value'],
    [sign({ aud: undefined }), 'missing required "aud" claim'],
    [sign({ aud: [audience, "https://other.example"] }), undefined],
    [sign({ iss: "https://other.example" }), 'unexpected "iss" claim value'],
    [sign({ iss: `${issuer.url}/` }), 'unexpected "iss" claim value'],
    [sign({ exp: now - 60 }), '"exp" claim timestamp check failed'],
    [sign({ exp: now - 10 }), undefined],
    [sign({ exp: undefined }), 'missing required "exp" claim'],
    [sign({ nbf: now + 60 }), '"nbf" claim timestamp check failed'],
    [sign({ nbf: now + 10 }), undefined],
    [sign({ sub: undefined }), "it has neither sub nor client_id"],
    [sign({ sub: undefined, azp: "app" }), undefined],
    [stranger.sign({ scope: "read" }), "signature verification failed"],
    [stranger.sign({ scope: "read" }, { kid: "other" }), "no applicable key found in the JSON Web Key Set"],
    ["an-opaque-token", "Invalid Compact JWS"],
  ] as const) {
    const { status, message, challenge } = await send(await token);
    t.equal(status, reason === undefined ? 204 : 401, `${reason ?? message}`);
    t.equal(message, reason && `The token is not valid: ${reason}.`);
    if (reason) t.match(challenge, /^Bearer realm="[^"]*", error="invalid_token"$/);
  }
});

t.test("Algorithms without a public key are refused", async (t) => {
  const { issuer, send, sign } = await start(t);
  const [, payload] = (await sign()).split(".") as [string, string];
  const part = (value: object) => base64url.encode(JSON.stringify(value));
  const refused = /"alg" \(Algorithm\) Header Parameter value not allowed/;
  for (const alg of ["none", "None", "NONE"])
    t.match(await send(`${part({ alg, kid: "first", typ: "at+jwt" })}.${payload}.`), { status: 401 });
  const input = { key: issuer.key.jwk, format: "jwk" } as JsonWebKeyInput;
  const publicKey = createPublicKey(input).export({ type: "spki", format: "pem" });
  const signed = `${part({ alg: "HS256", kid: "first", typ: "at+jwt" })}.${payload}`;
  const mac = createHmac("sha256", publicKey).update(signed).digest("base64url");
  t.match(await send(`${signed}.${mac}`), { status: 401, message: refused });
  // A key that the token has itself.
  const { privateKey, publicKey: own } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const header = { alg: "ES256", jwk: own.export({ format: "jwk" }) };
  const forged = await new SignJWT({ iss: issuer.url, sub: "ada", aud: audience, exp: now + 60 })
    .setProtectedHeader(header)
    .sign(privateKey);
  t.match(await send(forged), { status: 401 });
});

t.test("Only the algorithms of the option are accepted, which must be asymmetric", async (t) => {
  const { send, sign } = await start(t, { algorithms: ["ES256"] });
  t.match(await send(await sign()), { status: 401, message: /"alg" .* not allowed/ });
  const issuer = "https://x.example";
  for (const algorithms of [["HS256"], ["RS256", "none"]])
    t.throws(() => createTokenCheck({ issuer, algorithms }), /must be some of RS256, .*, and not (HS256|none)\./);
  for (const audience of ["", ["a", ""]]) t.throws(() => createTokenCheck({ issuer, audience }), /must not be empty/);
});

t.test("Keys of other kinds sign tokens, too", async (t) => {
  for (const alg of ["ES256", "PS256", "EdDSA"]) {
    const { issuer, send, sign } = await start(t);
    await issuer.rotate("first", alg);
    t.match(await send(await sign()), { status: 204 }, alg);
  }
});

t.test("A token of another kind is refused", async (t) => {
  const { send, sign } = await start(t, {});
  const noScope = { scope: undefined };
  for (const [claims, header, status] of [
    [{}, { typ: undefined }, 204],
    [{}, { typ: "JWT" }, 204],
    [{}, { typ: "application/AT+JWT" }, 204],
    [{}, { typ: "logout+jwt" }, 401],
    [{}, { typ: "dpop+jwt" }, 401],
    [{ typ: "Bearer", nonce: "x" }, { typ: "JWT" }, 204], // Keycloak
    [{ typ: "ID" }, { typ: "JWT" }, 401],
    [{ typ: "Refresh" }, { typ: "JWT" }, 401],
    [{ token_use: "access" }, { typ: undefined }, 204], // Cognito
    [{ token_use: "id" }, { typ: undefined }, 401],
    [{ at_hash: "x" }, { typ: "JWT" }, 401],
    [{ events: {} }, { typ: "JWT" }, 401],
    [{ ...noScope, nonce: "x" }, { typ: "JWT" }, 401],
    [{ ...noScope }, { typ: "JWT" }, 401],
    [{ ...noScope, client_id: "app" }, { typ: "JWT" }, 403],
    [{ ...noScope }, {}, 403],
    [{ cnf: { jkt: "x" } }, {}, 401],
  ] as const)
    t.match(await send(await sign(claims, header)), { status }, JSON.stringify({ claims, header }));
});

t.test("Scopes are a text or a list, in scope or scp", async (t) => {
  const { send, sign } = await start(t);
  for (const [claims, scopes] of [
    [{ scope: "read write" }, ["read", "write"]],
    [{ scope: ["read"] }, ["read"]],
    [{ scope: undefined, scp: "read write" }, ["read", "write"]],
    [{ scope: undefined, scp: ["read", "write"] }, ["read", "write"]],
    [{ scope: " openid  ", scp: ["read"] }, ["openid", "read"]],
  ] as const)
    t.match((await send(await sign(claims))).caller, { scopes });
  for (const scope of [undefined, null, 1, {}, "reader", "READ"])
    t.match(await send(await sign({ scope })), { status: 403 }, `${scope}`);
});

t.test("The id of a caller tells subjects and clients apart", async (t) => {
  const { issuer, send, sign } = await start(t);
  const idOf = async (claims: object) => Object((await send(await sign(claims))).caller).id;
  t.equal(await idOf({ jti: "1" }), await idOf({ jti: "2", iat: now - 1 }));
  t.equal(await idOf({}), `${issuer.url} subject ada`);
  t.equal(await idOf({ sub: undefined, client_id: "ada" }), `${issuer.url} client ada`);
});
