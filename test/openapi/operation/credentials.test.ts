// Credentials in requests, also malformed ones: no client causes a 5xx, or takes much time.
import { mock } from "node:test";
import type { FastifyRequest } from "fastify";
import t from "tap";
import { hasCredential, isSupported, readCredential, toChallenge } from "../../../src/openapi/operation/credentials.ts";
import { Query } from "../../../src/openapi/wire/pairs.ts";
import { documentOf, serve } from "../../support/document-server.ts";

const bearer = { type: "http", scheme: "bearer" };
const basic = { type: "http", scheme: "Basic" };
const request = (headers: Record<string, string | string[]>, url = "/") =>
  ({ headers, sentQuery: new Query(url) }) as unknown as FastifyRequest;
const read = (scheme: { type: string }, authorization: string) => readCredential(scheme, request({ authorization }));
const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64");

t.test("Reads only well-formed credentials", async (t) => {
  for (const [scheme, authorization, expected] of [
    [bearer, "Bearer abc", "abc"],
    [bearer, "bearer  abc ", "abc"],
    [bearer, "Bearer", undefined],
    [bearer, "Bearer ", undefined],
    [bearer, "Bearerabc", undefined],
    [bearer, " Bearer abc", undefined],
    [bearer, "Bearer a b", undefined],
    [bearer, "Bearer a,b", undefined],
    [bearer, "Bearer a, Bearer b", undefined],
    [bearer, "Bearer ä", undefined],
    [bearer, "Bearer \u0001", undefined],
    [bearer, "Bearer a\0", undefined],
    [bearer, "", undefined],
    [basic, `Basic ${base64("a:b")}`, { username: "a", password: "b" }],
    [basic, `basic ${base64("a:b:c")}`, { username: "a", password: "b:c" }],
    [basic, `Basic ${base64(":")}`, { username: "", password: "" }],
    [basic, `Basic ${base64("abcd:").replaceAll("=", "")}`, { username: "abcd", password: "" }],
    [basic, "Basic ====", undefined],
    [basic, "Basic A", undefined],
    [basic, "Basic ~~~~", undefined],
    [basic, `Basic ${base64(Buffer.from([255, 58, 255]))}`, { username: "\ufffd", password: "\ufffd" }],
    [basic, "Bearer abc", undefined],
    [{ type: "oauth2" }, "Bearer abc", "abc"],
    [{ type: "openIdConnect" }, `Basic ${base64("a:b")}`, undefined],
  ] as const)
    t.same(read(scheme, authorization), expected, authorization);
});

t.test("Reads API keys", async (t) => {
  const scheme = (location: string) => ({ type: "apiKey", in: location, name: "Key" });
  for (const [location, headers, url, expected] of [
    ["header", { key: "a" }, "/", "a"],
    ["header", {}, "/", undefined],
    ["cookie", { cookie: "Key=a" }, "/", "a"],
    ["cookie", { cookie: "key=a; =b; Key" }, "/", undefined],
    ["cookie", { cookie: 'x=1; Key="a b"' }, "/", "a b"],
    ["cookie", { cookie: 'Key="a' }, "/", '"a'],
    ["cookie", {}, "/", undefined],
    ["query", {}, "/?x=1&Key=a%2Bb", "a+b"],
    ["query", {}, "/?x=?&Key=a", "a"],
    ["query", {}, "/?Key=%zz", "%zz"],
    ["query", {}, "/?key=a", undefined],
    ["query", {}, "/Key=a", undefined],
    ["query", {}, "/?__proto__=a", undefined],
  ] as const)
    t.equal(readCredential(scheme(location), request(headers, url)), expected, `${location} ${url}`);
});

t.test("Finds no API key in an object's prototype", async (t) => {
  for (const name of ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__", "__defineGetter__"])
    for (const location of ["header", "cookie", "query"]) {
      const scheme = { type: "apiKey", in: location, name };
      t.equal(readCredential(scheme, request({})), undefined, `${location} ${name}`);
      t.notOk(hasCredential(scheme, request({})), `${location} ${name}`);
    }
});

t.test("Knows whether a credential was sent, in whatever form", async (t) => {
  for (const [scheme, headers, expected] of [
    [bearer, { authorization: "Bearer" }, true],
    [bearer, { authorization: "BEARER \u0001" }, true],
    [bearer, { authorization: "Bearer\tx" }, true],
    [bearer, { authorization: "Bearer,x" }, true],
    [bearer, { authorization: "Bearer=x" }, true],
    [bearer, { authorization: "Bearerx y" }, false],
    [bearer, { authorization: "Basic x" }, false],
    [bearer, {}, false],
    [{ type: "openIdConnect" }, { authorization: "bearer\tx" }, true],
    [basic, { authorization: "BASIC\tx" }, true],
    [basic, { authorization: "Basic !" }, true],
    [{ type: "http", scheme: "digest" }, { authorization: "Digest x" }, true],
    [{ type: "http" }, { authorization: "Digest x" }, false],
    [{ type: "http" }, {}, false],
    [{ type: "oauth2" }, { authorization: "Bearer x" }, true],
    [{ type: "apiKey", in: "header", name: "K" }, { k: "" }, true],
    [{ type: "apiKey", in: "header", name: "K" }, {}, false],
  ] as const)
    t.equal(hasCredential(scheme, request(headers)), expected);
});

t.test(
  "Responds with 503 if a check of a credential does not settle within 10 s, and does not call the handler",
  async (t) => {
    for (const isOptional of [false, true]) {
      const paths = `  /a: { get: { operationId: getA, security: [{ k: [] }${isOptional ? ", {}" : ""}], responses: { "204": { description: "" } } } }`;
      const schemes = "components: { securitySchemes: { k: { type: apiKey, in: header, name: K } } }";
      const { promise: started, resolve: start } = Promise.withResolvers<void>();
      const server = await serve(documentOf(paths, schemes), {
        security: {
          k: () => {
            start();
            return new Promise(() => {});
          },
        },
      });
      mock.timers.enable({ apis: ["setTimeout"] });
      t.teardown(() => mock.timers.reset());
      const response = server.send("GET", "/a", { headers: { k: "secret" } });
      await started;
      mock.timers.tick(9_999);
      await new Promise(setImmediate);
      mock.timers.tick(1);
      t.match(await response, { status: 503, body: { code: "unavailable", message: /not checked within 10 s/ } });
      mock.timers.reset();
      t.same(server.calls, []);
      await server.app.close();
    }
  },
);

t.test("Knows the types of schemes that it can read", async (t) => {
  for (const [scheme, expected] of [
    [bearer, true],
    [basic, true],
    [{ type: "http", scheme: "digest" }, true],
    [{ type: "http" }, false],
    [{ type: "apiKey", in: "cookie" }, true],
    [{ type: "apiKey", in: "body" }, false],
    [{ type: "apiKey" }, false],
    [{ type: "oauth2" }, true],
    [{ type: "openIdConnect" }, true],
    [{ type: "mutualTLS" }, false],
  ] as const)
    t.equal(isSupported(scheme), expected, JSON.stringify(scheme));
});

t.test("Writes challenges in ASCII without quotes", async (t) => {
  t.equal(toChallenge(bearer, { realm: 'A "ü"\r\n\\' }), 'Bearer realm="A "');
  t.equal(toChallenge(basic, {}), 'Basic realm="", charset="UTF-8"');
  t.equal(toChallenge({ type: "apiKey" }, {}), 'ApiKey realm="", in="", name=""');
});

t.test("Reads malformed headers of 16 KB in linear time", async (t) => {
  const size = 16_000;
  const start = performance.now();
  for (const piece of ["a", " ", "=", "a ", "a=", ":", "\u0001", "Bearer "])
    for (const end of ["", "!", " !"])
      for (const name of ["Bearer ", "Basic ", "Bearer a", ""])
        for (const scheme of [bearer, basic]) read(scheme, name + piece.repeat(size / piece.length) + end);
  t.ok(performance.now() - start < 1_000);
});

t.test("A check that returns null or false rejects the credential, and scopes can be a string", async (t) => {
  const text = documentOf(
    "  /x:\n    get: { operationId: x, security: [{ oauth: [write] }], responses: { 204: { description: x } } }\n",
    `components:
  securitySchemes:
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://x", scopes: { write: w } } } }`,
  );
  for (const [caller, status] of [
    [null, 401],
    [false, 401],
    [undefined, 401],
    [{ scopes: "read" }, 403],
    [{ scopes: "read write" }, 204],
    [{ scopes: 5 }, 500],
    [{}, 204],
  ] as const) {
    const { send } = await serve(text, { security: { oauth: async () => caller } });
    const response = await send("GET", "/x", { headers: { authorization: "Bearer a" } });
    t.equal(response.status, status, JSON.stringify(caller));
  }
});

t.test("A scheme with the name of a property of each object has no implementation", async (t) => {
  const text = documentOf(
    "  /x:\n    get: { operationId: x, security: [{ constructor: [] }], responses: { 204: { description: x } } }\n",
    "components: { securitySchemes: { constructor: { type: http, scheme: bearer } } }",
  );
  await t.rejects(serve(text), { message: /requires the security scheme constructor .*no implementation/ });
});
