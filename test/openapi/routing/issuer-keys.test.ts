// The keys of an issuer: where they are found, and when they are read again.
import t, { type Test } from "tap";
import { createTokenCheck } from "../../../src/index.ts";
import { IssuerKeys } from "../../../src/openapi/routing/issuer-keys.ts";
import { documentOf, serve } from "../../support/document-server.ts";
import { createKey, type Issuer, startIssuer } from "../../support/issuer.ts";

const text = documentOf(
  '  /a: { get: { security: [{ token: [] }], responses: { "204": { description: "" } } } }',
  "components: { securitySchemes: { token: { type: http, scheme: bearer } } }",
);

/** Serves a document whose tokens an issuer signs, with a clock of its own. */
async function start(t: Test, { url }: Pick<Issuer, "url">) {
  let time = 0;
  const reports: string[] = [];
  const keys = new IssuerKeys(
    url,
    (message) => reports.push(message),
    () => time,
  );
  const server = await serve(text, { security: { token: createTokenCheck({ issuer: url }, keys) } });
  t.teardown(() => server.app.close());
  const send = async (token: string) => {
    const { status, text } = await server.send("GET", "/a", { headers: { authorization: `Bearer ${token}` } });
    return status === 204 ? status : `${status} ${text}`;
  };
  const wait = (seconds: number) => {
    time += seconds * 1_000;
  };
  return { send, wait, reports };
}

t.test("The keys are read once for all tokens", async (t) => {
  const issuer = await startIssuer(t);
  const { send } = await start(t, issuer);
  const token = await issuer.key.sign();
  t.same(await Promise.all([send(token), send(token), send(token)]), [204, 204, 204]);
  t.equal(await send(token), 204);
  t.equal(issuer.reads, 1);
});

t.test("A new key is found, and a key that the issuer has removed is not accepted after 10 minutes", async (t) => {
  const issuer = await startIssuer(t);
  const { send, wait } = await start(t, issuer);
  const old = await issuer.key.sign();
  t.equal(await send(old), 204);
  await issuer.rotate("second");
  wait(11);
  t.equal(await send(old), 204, "its key is known");
  t.equal(await send(await issuer.key.sign()), 204, "reads the new key");
  t.match(await send(old), /^401 .*no applicable key found/, "which was the only one");
  await issuer.rotate("third");
  const known = issuer.reads;
  wait(601);
  t.equal(await send(await issuer.key.sign()), 204);
  t.equal(issuer.reads, known + 1);
  await issuer.rotate("fourth");
  const removed = await createKey(issuer.url, "third");
  wait(601);
  t.match(await send(await removed.sign()), /^401/);
});

t.test("Tokens with random keys cause a bounded number of requests to the issuer", async (t) => {
  const issuer = await startIssuer(t);
  const { send, wait } = await start(t, issuer);
  const storm = async () => {
    const tokens = Array.from({ length: 30 }, (_, index) => issuer.key.sign({}, { kid: `random-${index}` }));
    for (const token of tokens) t.match(await send(await token), /^401/);
    for (const result of await Promise.all(tokens.map(async (token) => send(await token)))) t.match(result, /^401/);
  };
  await storm();
  t.equal(issuer.reads, 1);
  wait(11);
  await storm();
  t.equal(issuer.reads, 2);
  t.equal(await send(await issuer.key.sign()), 204);
  wait(11);
  const { length } = issuer.requests;
  issuer.answer((_, response) => response.writeHead(500).end());
  const tokens = Array.from({ length: 30 }, (_, index) => issuer.key.sign({}, { kid: `down-${index}` }));
  for (const token of tokens) t.match(await send(await token), /^503/);
  t.equal(issuer.requests.length, length + 2, "one for each place of its metadata");
  t.equal(await send(await issuer.key.sign()), 204);
});

t.test("While the issuer can't be reached, tokens get 503, and known keys stay in use", async (t) => {
  const issuer = await startIssuer(t);
  const token = await issuer.key.sign();
  const other = await (await createKey(issuer.url, "other")).sign();
  await issuer.stop();
  const { send, wait, reports } = await start(t, issuer);
  t.match(await send(token), /^503 .*The token can't be checked now\. Try again in 1 second/);
  t.notMatch(await send(token), "127.0.0.1", "the client does not see the cause");
  t.match(reports, [/^The keys of the issuer http:\S+ can't be read: connect ECONNREFUSED .*503\.$/]);
  t.match(await send("opaque"), /^401/, "needs no key");
  await issuer.start();
  wait(11);
  t.equal(await send(token), 204);
  await issuer.stop();
  for (const seconds of [601, 11, 86_400]) {
    wait(seconds);
    t.equal(await send(token), 204);
  }
  t.match(await send(other), /^503/, "it may be a new key");
  await issuer.start();
  wait(11);
  t.match(await send(other), /^401/);
});

t.test("An issuer that does not answer delays few requests whose keys are known", { timeout: 30_000 }, async (t) => {
  const issuer = await startIssuer(t);
  const token = await issuer.key.sign();
  const { send, wait } = await start(t, issuer);
  t.equal(await send(token), 204);
  issuer.answer(() => {});
  wait(601);
  const began = performance.now();
  t.equal(await send(token), 204);
  const first = performance.now() - began;
  t.ok(first > 900 && first < 3_000, `${first} ms`);
  t.same(await Promise.all([send(token), send(token)]), [204, 204]);
  t.ok(performance.now() - began - first < 500, "the next requests do not wait");
});

t.test("The metadata is that of OpenID Connect, or of OAuth 2.0", async (t) => {
  const issuer = await startIssuer(t);
  const { jwk } = issuer.key;
  for (const [path, place] of [
    ["", "/.well-known/openid-configuration"],
    ["/", "/.well-known/openid-configuration"],
    ["/tenant", "/tenant/.well-known/openid-configuration"],
    ["", "/.well-known/oauth-authorization-server"],
    ["/tenant", "/.well-known/oauth-authorization-server/tenant"],
  ] as const) {
    const url = issuer.url + path;
    issuer.answer(({ url: sent }, response) => {
      const bodies: Record<string, object> = {
        [place]: { issuer: url, jwks_uri: `${issuer.url}/keys?a=b` },
        "/keys?a=b": {
          keys: [{ ...jwk, d: undefined, p: undefined, q: undefined, dp: undefined, dq: undefined, qi: undefined }],
        },
      };
      const body = bodies[sent as string];
      response.writeHead(body ? 200 : 404).end(JSON.stringify(body));
    });
    const { send } = await start(t, { url });
    t.equal(await send(await issuer.key.sign({ iss: url })), 204, place);
  }
});

t.test("Metadata that is wrong is reported", async (t) => {
  const issuer = await startIssuer(t);
  const token = await issuer.key.sign();
  for (const [status, body, reason] of [
    [200, { issuer: `${issuer.url}/` }, /its metadata name the issuer http:\S+\/, which must be the same text/],
    [200, { issuer: issuer.url }, /the jwks_uri of its metadata, undefined, must be a URL with https:/],
    [200, { issuer: issuer.url, jwks_uri: "http://x.example/keys" }, /jwks_uri .*must be a URL with https:/],
    [200, { issuer: issuer.url, jwks_uri: `${issuer.url}/x` }, /JSON Web Key Set malformed/],
    [200, null, /name the issuer undefined/],
    [404, {}, /it has its metadata neither at \/\.well-known\/openid-configuration nor at \/\.well-known\/oauth-/],
    [302, {}, /it has its metadata neither at/],
  ] as const) {
    issuer.answer((_, response) => response.writeHead(status, { location: "/x" }).end(JSON.stringify(body)));
    const { send, reports } = await start(t, issuer);
    t.match(await send(token), /^503/);
    t.match(reports, [reason]);
  }
});

t.test("The issuer is a URL with https:, or http: on loopback", async (t) => {
  for (const url of [
    "https://x.example",
    "https://x.example/a/",
    "http://localhost:1",
    "http://[::1]:1",
    "http://127.1.1.1",
  ])
    t.equal(new IssuerKeys(url).issuer, url);
  for (const url of [
    "",
    "x.example",
    "http://x.example",
    "ftp://x.example",
    "https://x.example?a=b",
    "https://x.example#a",
  ])
    t.throws(() => new IssuerKeys(url), /^The issuer must be a URL with https:, or http: on loopback, .* and not/);
  t.throws(() => new IssuerKeys("https://ada:secret@x.example"), /not https:\/\/x\.example\.$/);
});
