// Documentation, the document, the API catalog and health checks.
import { readdirSync } from "node:fs";
import t from "tap";
import { UnavailableError } from "../../src/lib/problem.ts";
import { type Service, start } from "../support/service.ts";

const service = await start(t);
const configured = await start(t, { settings: { BASE_URL: "https://a.example/shop/v1" } });
const open = (path: string, headers = {}, { call }: Service = service) => call("GET", path, { key: null, headers });

t.test("/readyz responds with 503 while the store can't be reached, and /healthz with 200", async (t) => {
  t.match(await open("/healthz"), { status: 200, body: { status: "ok" } });
  t.match(await open("/readyz"), { status: 200 });
  const check = () => Promise.reject(new UnavailableError("The store is gone."));
  const broken = await start(t, { store: { ...service.store, check } });
  t.match(await open("/readyz", {}, broken), {
    status: 503,
    headers: { "retry-after": "1" },
    body: { code: "unavailable" },
  });
  t.match(await open("/healthz", {}, broken), { status: 200 });
});

t.test("Pages that need no key reject other host names and origins, and what machines call does not", async (t) => {
  const settings = { BASE_URL: "https://a.example/v1", ALLOWED_HOSTS: "pets", CORS_ORIGINS: "https://app.example" };
  const named = await start(t, { settings });
  const statusOf = async (path: string, headers: object) => (await open(path, headers, named)).status;
  for (const path of ["/docs", "/openapi.json", "/openapi.yaml", "/.well-known/api-catalog", "/"]) {
    t.match(await open(path, { host: "evil.example" }, named), {
      status: 421,
      body: { code: "misdirected_request", message: /evil\.example .* add it to --allow-host \(ALLOWED_HOSTS\)\.$/ },
    });
    for (const host of ["localhost:1", "a.example", "pets:3000"]) t.ok((await statusOf(path, { host })) < 400, path);
    t.match(await open(path, { origin: "https://evil.example" }, named), {
      status: 403,
      body: { code: "cross_site_request", message: /add their origin to --origin \(CORS_ORIGINS\)\.$/ },
    });
    t.ok((await statusOf(path, { origin: "https://app.example" })) < 400, path);
  }
  const foreign = { host: "evil.example", origin: "https://evil.example" };
  for (const path of ["/healthz", "/readyz"]) t.equal(await statusOf(path, foreign), 200);
  t.match(await named.call("GET", "/v1/pets", { headers: foreign }), { status: 200 }, "an operation needs a key");
});

t.test("Security headers allow /docs to run only its own scripts", async (t) => {
  t.match(await open("/"), { status: 302, headers: { location: "/docs" } });
  const { status, headers } = await open("/docs");
  t.equal(status, 200);
  t.match(headers, {
    "content-security-policy": /script-src 'self';/,
    "x-frame-options": "SAMEORIGIN",
    "origin-agent-cluster": "?1",
  });
  t.notMatch(headers["content-security-policy"], /upgrade-insecure-requests/);
  t.match((await open("/healthz")).headers, { "x-content-type-options": "nosniff", "x-frame-options": "DENY" });
});

t.test("Sends Strict-Transport-Security only if the service has an https address (RFC 6797)", async (t) => {
  for (const path of ["/healthz", "/docs"]) {
    t.equal((await open(path)).headers["strict-transport-security"], undefined);
    t.match((await open(path, {}, configured)).headers["strict-transport-security"], /^max-age=\d{8}/);
  }
});

t.test("Responds with 404 to missing files of /docs", async (t) => {
  for (const path of ["", "%00", "%2e%2e/package.json", "./logo.svg", "x/../logo.svg", "/logo.svg", "csp.json"])
    for (const headers of [{}, { "if-match": '"x"' }, { range: "bytes=9999999-" }])
      t.match(
        await open(`/docs/static/${path}`, headers),
        { status: 404, body: { code: "path_not_found" } },
        `/docs/static/${path}`,
      );
});

const files = [
  ...["/openapi.json", "/openapi.yaml", "/.well-known/api-catalog"],
  ...readdirSync(new URL("static/", import.meta.resolve("@fastify/swagger-ui")))
    .filter((name) => !["csp.json", "index.html"].includes(name))
    .map((name) => `/docs/static/${name}`),
];

t.test("Evaluates If-Match of each file, by strong comparison (RFC 9110, section 13.1.1)", async (t) => {
  t.ok(files.includes("/docs/static/logo.svg") && files.includes("/docs/static/oauth2-redirect.html"));
  for (const path of files) {
    const etag = (await open(path)).headers.etag as string;
    for (const tag of [etag, `"x", ${etag}`, "*"])
      t.match(await open(path, { "if-match": tag }), { status: 200 }, `${path} matches ${tag}`);
    for (const tag of ['"x"', `W/${etag}`, ""])
      t.match(
        await open(path, { "if-match": tag, "if-none-match": etag }),
        { status: 412, body: { code: "precondition_failed" } },
        `${path} does not match ${tag}`,
      );
    t.equal((await open(path)).headers["last-modified"], undefined, "so If-Unmodified-Since is ignored");
  }
});

t.test("Ignores Range, which it does not support, also one that can't be satisfied", async (t) => {
  for (const path of files) t.match(await open(path, { range: "bytes=9999999-" }), { status: 200 }, path);
});

t.test("Serves the document and the API catalog to any origin, with an ETag", async (t) => {
  for (const [path, type] of [
    ["/openapi.json", "application/json"],
    ["/openapi.yaml", "application/yaml"],
    ["/.well-known/api-catalog", 'application/linkset\\+json; profile="[^"]*"$'],
  ] as const) {
    const { status, headers } = await open(path);
    t.equal(status, 200);
    t.match(headers, {
      "content-type": new RegExp(type),
      "access-control-allow-origin": "*",
      "cache-control": "no-cache",
      "cross-origin-resource-policy": "cross-origin",
      etag: /^"[\w-]+"$/,
    });
    for (const tag of [headers.etag, `W/${headers.etag}`, `"x", ${headers.etag}`, "*"])
      t.match(
        await open(path, { "if-none-match": tag }),
        { status: 304, text: "", headers: { etag: headers.etag } },
        `${path} matches ${tag}`,
      );
    t.match(await open(path, { "if-none-match": '"x"' }), { status: 200 });
  }
  const { headers } = await service.call("GET", "/v1/pets");
  t.equal(headers["access-control-allow-origin"], undefined, "no other path allows other origins");
});

t.test("Links to the document and the documentation from / and from failures (RFC 8631)", async (t) => {
  const links = '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"';
  const link = async (method: string, path: string, key?: null) =>
    (await service.call(method, path, key === null ? { key } : {})).headers.link;
  t.equal(await link("GET", "/", null), links);
  t.equal(await link("HEAD", "/", null), links);
  t.equal(await link("GET", "/v1/pets", null), links, "on 401");
  t.equal(await link("GET", "/v1", null), links, "on 404");
  t.equal(await link("PROPFIND", "/v1/pets", null), links, "on 405");
  t.equal(await link("GET", "/v1/pets"), undefined, "not on success");
  t.match(await link("GET", "/v1/pets/42"), new RegExp(`rel="deprecation".*, ${links}$`), "after other links");
  t.match((await open("/", {}, configured)).headers.link, "<https://a.example/shop/openapi.json>");
});

t.test("The API catalog leads to the document, the documentation and the health check (RFC 9727)", async (t) => {
  const catalog = (root: string) => ({
    linkset: [
      { anchor: `${root}/.well-known/api-catalog`, item: [{ href: `${root}/v1` }] },
      {
        anchor: `${root}/v1`,
        "service-desc": [
          { href: `${root}/openapi.json`, type: "application/json" },
          { href: `${root}/openapi.yaml`, type: "application/yaml" },
        ],
        "service-doc": [{ href: `${root}/docs`, type: "text/html" }],
        status: [{ href: `${root}/readyz`, type: "application/json" }],
      },
    ],
  });
  const path = "/.well-known/api-catalog";
  t.same(JSON.parse((await open(path)).text), catalog(""));
  t.same(JSON.parse((await open(path, {}, configured)).text), catalog("https://a.example/shop"));
  const { headers } = await service.call("HEAD", path, { key: null });
  t.equal(headers.link, `<${path}>; rel="api-catalog"`);
});
