// The security requirements of operations: schemes, alternatives, combinations and scopes.
import { runInNewContext } from "node:vm";
import type { FastifyRequest } from "fastify";
import t from "tap";
import { HttpError } from "../../../src/http/index.ts";
import type { CheckCredential, Operation, SecurityContext, SecuritySchemes } from "../../../src/index.ts";
import { parseDocument } from "../../../src/openapi/index.ts";
import { createAuthentication } from "../../../src/openapi/routing/authentication.ts";
import { documentOf, serve } from "../../support/document-server.ts";

const components = (schemes = "") => `components:
  securitySchemes:
    bearer: { type: http, scheme: Bearer }
    basic: { type: http, scheme: basic }
    header: { type: apiKey, in: header, name: X-Key }
    query: { type: apiKey, in: query, name: api_key }
    cookie: { type: apiKey, in: cookie, name: session }
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://x", scopes: { read: r, write: w } } } }
    oidc: { type: openIdConnect, openIdConnectUrl: "https://x" }${schemes}`;

const operation = (id: string, security: string) => `
  /${id}:
    get: { operationId: ${id}, security: ${security}, responses: { 204: { description: Done } } }`;

const paths = [
  ...["bearer", "basic", "header", "query", "cookie", "oauth", "oidc"].map((name) =>
    operation(name, `[{ ${name}: [] }]`),
  ),
  operation("scoped", "[{ oauth: [read, write] }]"),
  operation("scopedOidc", "[{ oidc: [read] }]"),
  operation("roles", "[{ header: [admin] }]"),
  operation("either", "[{ bearer: [] }, { header: [] }, { basic: [] }]"),
  operation("both", "[{ bearer: [], header: [] }]"),
  operation("optional", "[{ bearer: [] }, { header: [] }, { basic: [] }, {}]"),
  operation("mixed", "[{ oauth: [write] }, { header: [] }]"),
  operation("twice", "[{ header: [] }, { oauth: [write] }, { bearer: [] }]"),
  operation("open", "[]"),
].join("");

/** What the checks were called with. */
const seen: [credential: unknown, context: SecurityContext][] = [];
const check: CheckCredential = async (credential, context) => {
  seen.push([credential, context]);
  const text = typeof credential === "string" ? credential : `${credential.username}:${credential.password}`;
  if (text === "busy") throw new HttpError("too_many_requests", "Slow down.", { "retry-after": "5" });
  if (text === "returned") return new HttpError("too_many_requests", "Slow down.");
  if (text === "bug") throw new Error("a bug");
  if (text.startsWith("bad")) return undefined;
  if (text === "reader") return { name: text, scopes: ["read"] };
  if (text === "writer") return { name: text, scopes: new Set(["read", "write"]) };
  return { name: text };
};
const all = ["bearer", "basic", "header", "query", "cookie", "oauth", "oidc"];
const security: SecuritySchemes = Object.fromEntries(all.map((name) => [name, check]));
const { app, calls, send } = await serve(documentOf(paths, components()), { security });
t.teardown(() => app.close());

const get = async (path: string, headers: Record<string, string> = {}) => {
  calls.length = 0;
  seen.length = 0;
  const { status, body, headers: received } = await send("GET", `/${path}`, { headers });
  const { caller } = (calls[0] ?? {}) as { caller?: unknown };
  return { status, caller, challenge: received["www-authenticate"], body: body as { code: string; message: string } };
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });

t.test("Passes the caller of each type of scheme to the handler", async (t) => {
  for (const [path, headers, name] of [
    ["bearer", bearer("abc"), "abc"],
    ["bearer", { authorization: "bEARER   a.b-c_~+/== " }, "a.b-c_~+/=="],
    ["basic", basic("ann:p:w"), "ann:p:w"],
    ["basic", basic("änn:"), "änn:"],
    ["header", { "x-key": "k" }, "k"],
    ["query?api_key=a%20b", {}, "a b"],
    ["query?api_key=k?", {}, "k?"],
    ["cookie", { cookie: "a=b; session=s=1; c" }, "s=1"],
    ["oauth", bearer("t"), "t"],
    ["oidc", bearer("t"), "t"],
  ] as const)
    t.match(await get(path, headers), { status: 204, caller: { name } }, path);
  t.match(seen, [["t", { scopes: [], operation: { id: "oidc" }, request: { url: "/oidc" } }]]);
});

t.test("Challenges a client without a valid credential", async (t) => {
  for (const [path, headers, challenge, message] of [
    ["bearer", {}, 'Bearer realm="Test"', "This operation requires a credential: the header Authorization: Bearer."],
    ["bearer", bearer("bad"), 'Bearer realm="Test", error="invalid_token"', "The credential is not valid."],
    ["bearer", basic("a:b"), 'Bearer realm="Test"', /requires a credential/],
    ["basic", {}, 'Basic realm="Test", charset="UTF-8"', /the header Authorization: Basic\.$/],
    ["basic", basic("bad:x"), 'Basic realm="Test", charset="UTF-8"', "The credential is not valid."],
    ["basic", basic("nocolon"), 'Basic realm="Test", charset="UTF-8"', /requires a credential/],
    ["header", {}, 'ApiKey realm="Test", in="header", name="X-Key"', /: the header X-Key\.$/],
    ["header", { "x-key": "" }, 'ApiKey realm="Test", in="header", name="X-Key"', /requires a credential/],
    ["query", {}, 'ApiKey realm="Test", in="query", name="api_key"', /: the query parameter api_key\.$/],
    ["query?api_key=", {}, 'ApiKey realm="Test", in="query", name="api_key"', /requires a credential/],
    ["query?api_key=bad", {}, 'ApiKey realm="Test", in="query", name="api_key"', "The credential is not valid."],
    ["cookie", { cookie: "other=1" }, 'ApiKey realm="Test", in="cookie", name="session"', /: the cookie session\.$/],
    ["oauth", {}, 'Bearer realm="Test"', /Bearer\.$/],
    ["oidc", bearer("bad"), 'Bearer realm="Test", error="invalid_token"', "The credential is not valid."],
  ] as const)
    t.match(await get(path, headers), { status: 401, challenge, body: { code: "unauthorized", message } }, path);
});

t.test("Accepts any of several alternatives, and challenges for those that were tried", async (t) => {
  for (const headers of [bearer("a"), { "x-key": "a" }, { ...bearer("bad"), "x-key": "a" }])
    t.match(await get("either", headers), { status: 204, caller: { name: "a" } });
  t.match(await get("either"), {
    status: 401,
    challenge:
      'Bearer realm="Test", ApiKey realm="Test", in="header", name="X-Key", Basic realm="Test", charset="UTF-8"',
    body: {
      message:
        "This operation requires a credential: the header Authorization: Bearer or the header X-Key or the header Authorization: Basic.",
    },
  });
  t.match(await get("either", { "x-key": "bad" }), { status: 401, body: { message: "The credential is not valid." } });
});

t.test("Requires all schemes of a combination, and passes the caller of each", async (t) => {
  t.same((await get("both", { ...bearer("a"), "x-key": "b" })).caller, {
    bearer: { name: "a" },
    header: { name: "b" },
  });
  t.match(await get("both", bearer("a")), { status: 401, challenge: /^ApiKey/ });
  t.match(await get("both", { "x-key": "b" }), { status: 401, challenge: /^Bearer/ });
  t.match(await get("both", { ...bearer("a"), "x-key": "bad" }), { status: 401, challenge: /^ApiKey/ });
});

t.test("Accepts anonymous requests if the credential is optional, but no invalid credential", async (t) => {
  t.match(await get("optional"), { status: 204, caller: undefined });
  t.match(await get("open", bearer("bad")), { status: 204, caller: undefined }, "reads no credential");
  for (const headers of [bearer("a"), { "x-key": "a" }, { ...bearer("bad"), "x-key": "a" }])
    t.match(await get("optional", headers), { status: 204, caller: { name: "a" } });
  for (const headers of [
    bearer("bad"),
    bearer("a,b"),
    { authorization: "Bearer" },
    { authorization: "Basic !" },
    basic("nocolon"),
    { "x-key": "bad" },
    { "x-key": "" },
  ])
    t.match(await get("optional", headers), { status: 401 }, JSON.stringify(headers));
  t.match(await get("optional", { authorization: "Digest x" }), { status: 204 }, "the credential of no scheme");
});

t.test("Compares the scopes of the caller with those that are required", async (t) => {
  t.match(await get("scoped", bearer("writer")), { status: 204, caller: { name: "writer" } }, "a Set");
  t.match(await get("scopedOidc", bearer("reader")), { status: 204, caller: { name: "reader" } }, "an array");
  t.match(await get("scoped", bearer("other")), { status: 204 }, "the check has compared them");
  t.match(seen, [["other", { scopes: ["read", "write"] }]]);
  t.match(await get("scoped", bearer("reader")), {
    status: 403,
    challenge: 'Bearer realm="Test", error="insufficient_scope", scope="read write"',
    body: { code: "insufficient_scope", message: "The credential must have the scope write." },
  });
  t.match(await get("scoped", bearer("bad")), { status: 401 });
  t.match(await get("roles", { "x-key": "reader" }), { status: 403, challenge: /^ApiKey realm="Test", in="header"/ });
  const mixed = { status: 403, challenge: /insufficient_scope/ };
  t.match(await get("mixed", bearer("reader")), mixed, "a missing scope says more than a missing credential");
  t.match(await get("mixed", { ...bearer("reader"), "x-key": "bad" }), mixed);
  t.match(await get("twice", { ...bearer("reader"), "x-key": "bad" }), { status: 204 });
  t.match(await get("mixed", { ...bearer("reader"), "x-key": "a" }), { status: 204, caller: { name: "a" } });
});

t.test("Keeps the error that a check throws, and treats any other as a bug", async (t) => {
  t.match(await get("either", bearer("busy")), {
    status: 429,
    body: { code: "too_many_requests", message: "Slow down." },
  });
  t.match(await get("mixed", bearer("returned")), { status: 429, body: { message: "Slow down." } });
  t.match(await get("bearer", bearer("bug")), { status: 500, body: { code: "internal_error" } });
});

t.test("Knows an API key in the query from an unknown parameter", async (t) => {
  t.match(await get("query?api_key=k&other=1"), { status: 400, body: { message: /unknown query parameter 'other'/ } });
  t.match(await get("header?api_key=k", { "x-key": "k" }), { status: 400, body: { message: /'api_key'/ } });
});

t.test("Accepts each credential of the right form in a mock", async (t) => {
  const { operations } = await parseDocument(documentOf(operation("x", "[{ bearer: [] }]"), components()));
  const authenticate = createAuthentication(operations[0] as Operation, { schemes: {}, realm: "", mock: true });
  const request = (headers: object) => ({ headers, url: "/" }) as FastifyRequest;
  t.equal(await authenticate(request(bearer("any"))), "any");
  await t.rejects(async () => authenticate(request({})), { message: /requires a credential/ });
});

t.test("Marks responses that depend on a credential as private", async (t) => {
  const { headers } = await send("GET", "/bearer", { headers: bearer("b") });
  t.match(headers, { "cache-control": "private, no-cache" });
  t.equal((await send("GET", "/open")).headers["cache-control"], undefined);
});

t.test("Fails to start without an implementation of a scheme", async (t) => {
  const extra = "\n    tls: { type: mutualTLS }\n    digest: { type: http, scheme: digest }";
  const start = async (name: string, schemes: SecuritySchemes) => {
    const { app } = await serve(documentOf(operation("x", `[{ ${name}: [] }]`), components(extra)), {
      security: schemes,
    });
    await app.close();
  };
  for (const [name, schemes, type] of [
    ["tls", { tls: check }, "mutualtls"],
    ["bearer", {}, "http bearer"],
    ["header", { header: { type: "apikey header x-other", authenticate: async () => 1 } }, "apikey header x-key"],
  ] as const)
    await t.rejects(start(name, schemes), {
      message: `The operation x requires the security scheme ${name} of type ${type}, which has no implementation.`,
    });
  await start("digest", { digest: check });
  await start("tls", { tls: { type: "mutualtls", authenticate: async () => 1 } });
  await t.rejects(start("missing", {}), {
    message: "The operation x requires the security scheme missing, which is not",
  });
});

t.test("A check that throws any value, or returns the promise of another library, lets no request pass", async (t) => {
  const document = documentOf(operation("x", "[{ bearer: [] }]"), components());
  const failure = () => new HttpError("unauthorized", "No.");
  // The promise of another realm is not `instanceof Promise`, like that of a library.
  const OtherPromise: PromiseConstructor = runInNewContext("Promise");
  const thenable = (settle: ConstructorParameters<PromiseConstructor>[0]) => ({
    type: "http bearer",
    authenticate: () => new OtherPromise(settle),
  });
  const throwing = (thrown: unknown) => ({
    type: "http bearer",
    authenticate: () => {
      throw thrown;
    },
  });
  for (const [status, scheme] of [
    [500, () => Promise.reject()],
    [500, throwing(undefined)],
    [500, throwing(null)],
    [500, throwing(Object.create(null))],
    [401, throwing(failure())],
    [401, thenable((resolve) => resolve(failure()))],
    [401, thenable((_, reject) => reject(failure()))],
  ] as const) {
    const { send, calls } = await serve(document, { security: { bearer: scheme } });
    t.match(await send("GET", "/x", { headers: bearer("any") }), { status });
    t.same(calls, []);
  }
});
