// Compression and conditional requests of the service.
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import t from "tap";
import { createTag } from "../../../src/http/message/preconditions.ts";
import { minimalPet, type Service, start } from "../../support/service.ts";

const service = await start(t);
for (let n = 0; n < 100; n++) await service.create({ ...minimalPet, name: `Rex ${n}`, status: "sold" });

const decode = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  identity: (bytes: Buffer) => bytes,
};
const request = async (url: string, headers = {}, { method = "GET" as "GET" | "HEAD", from = service } = {}) => {
  const authorization = `Bearer ${from.key}`;
  const response = await from.app.inject({ method, url, headers: { host: "localhost", authorization, ...headers } });
  return { status: response.statusCode, headers: response.headers, bytes: response.rawPayload };
};
const list = "/v1/pets?limit=100";

t.test("Compresses responses as the client accepts them", async (t) => {
  const plain = await request(list);
  t.match(plain.headers, {
    "content-encoding": undefined,
    vary: "accept-encoding",
    "content-type": "application/json",
  });
  for (const [coding, maxSize] of [
    ["gzip", 1_000],
    ["br", 1_000],
    ["zstd", 1_000],
  ] as const) {
    const { status, headers, bytes } = await request(list, { "accept-encoding": coding });
    t.match([status, headers["content-encoding"], headers.vary], [200, coding, "accept-encoding"]);
    t.equal(headers["content-length"], `${bytes.length}`);
    t.ok(bytes.length < maxSize, `${plain.bytes.length} bytes become ${bytes.length} with ${coding}`);
    t.same(decode[coding](bytes), plain.bytes);
    const head = await request(list, { "accept-encoding": coding }, { method: "HEAD" });
    t.match(head.headers, { "content-encoding": coding, "content-length": `${bytes.length}`, etag: headers.etag });
  }
});

t.test("Does not compress small responses, nor those that may contain a secret", async (t) => {
  const operator = await start(t, { settings: { OPERATOR_KEY: `psk_${"o".repeat(43)}` } });
  const gzip = { "accept-encoding": "gzip" };
  t.match((await request("/v1/pets?limit=1", gzip)).headers, { "content-encoding": undefined, vary: undefined });
  const metrics = { ...gzip, authorization: `Bearer psk_${"o".repeat(43)}` };
  const { status, headers, bytes } = await request("/metrics", metrics, { from: operator });
  t.match([status, headers["content-encoding"]], [200, undefined], "Cache-Control: no-store");
  t.ok(bytes.length > 1_024);
  const withCookie = { ...gzip, cookie: "session=1" };
  t.equal((await request(list, withCookie)).headers["content-encoding"], undefined, "a browser adds cookies by itself");
});

t.test("Vary names each header once", async (t) => {
  for (const coding of ["identity", "gzip"])
    for (const path of [list, "/openapi.json"])
      t.equal((await request(path, { "accept-encoding": coding })).headers.vary, "accept-encoding", path);
});

t.test("COMPRESSION=off compresses nothing", async (t) => {
  const off = await start(t, { settings: { COMPRESSION: "off" } });
  for (const url of ["/openapi.json", "/docs/static/swagger-ui.css"]) {
    const { headers } = await request(url, { "accept-encoding": "gzip" }, { from: off });
    t.match(headers, { "content-encoding": undefined, vary: undefined, etag: /./ }, url);
  }
});

t.test("Compresses the files of /docs once, each coding with an ETag of its own", async (t) => {
  const path = "/docs/static/swagger-ui-bundle.js";
  const plain = await request(path, {});
  const tags = new Set([plain.headers.etag]);
  for (const coding of ["br", "zstd", "gzip"] as const) {
    const { headers, bytes } = await request(path, { "accept-encoding": coding });
    t.match(headers, { "content-encoding": coding, vary: "accept-encoding" });
    t.ok(bytes.length < plain.bytes.length / 3, `${plain.bytes.length} bytes become ${bytes.length}`);
    t.same(decode[coding](bytes), plain.bytes);
    tags.add(headers.etag);
    const start = performance.now();
    await request(path, { "accept-encoding": coding });
    t.ok(performance.now() - start < 500, "the second time, it is not compressed again");
    t.equal((await request(path, { "accept-encoding": coding, "if-none-match": headers.etag })).status, 304);
  }
  t.equal(tags.size, 4);
  t.equal((await request("/docs/static/favicon-32x32.png", { "accept-encoding": "gzip" })).headers.vary, undefined);
});

t.test("Responds with 304 while a pet or a page is the same, per coding", async (t) => {
  const own = await start(t, { settings: { RATE_LIMIT: "1000/1h" } });
  await own.create({ ...minimalPet, name: "x".repeat(1_000) });
  await own.create({ ...minimalPet, name: "y".repeat(100) });
  const read = (url: string, headers: object) => request(url, headers, { from: own });
  for (const url of ["/v1/pets/1", "/v1/pets?limit=1"])
    for (const coding of ["identity", "gzip"]) {
      const accept = { "accept-encoding": coding };
      const first = await read(url, accept);
      const { etag, vary } = first.headers;
      t.match(etag, coding === "gzip" ? /^"[\w-]{27}-gzip"$/ : /^"[\w-]{27}"$/);
      for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, `"a,b",${etag}`, "*"]) {
        const same = await read(url, { ...accept, "if-none-match": tag });
        const head = await request(url, { ...accept, "if-none-match": tag }, { method: "HEAD", from: own });
        t.match(head, { status: 304, bytes: { length: 0 }, headers: { etag, vary, "content-length": undefined } });
        t.match(same, { status: 304, bytes: { length: 0 }, headers: { etag, vary, link: first.headers.link } });
        t.match(same.headers, { "cache-control": "private, no-cache", "x-request-id": /./, "ratelimit-policy": /./ });
        t.match(same.headers, { "content-type": undefined, "content-encoding": undefined });
      }
      const other = coding === "gzip" ? `${etag}`.replace("-gzip", "") : `${etag}`.replace(/"$/, '-gzip"');
      for (const tag of ['"x"', `"x,*,${`${etag}`.slice(1)}`, other])
        t.equal((await read(url, { ...accept, "if-none-match": tag })).status, 200);
    }
  const page = async () => (await read("/v1/pets?limit=2", {})).headers.etag as string;
  const before = await page();
  t.equal(await page(), before);
  await own.create(minimalPet);
  t.equal((await read("/v1/pets?limit=2", { "if-none-match": before })).status, 200, "another page follows now");
});

t.test("Rejects If-Match that does not match, or can't be evaluated", async (t) => {
  const { etag } = (await service.call("GET", "/v1/pets/1")).headers;
  for (const tag of [etag as string, "*"])
    t.equal((await service.call("GET", "/v1/pets/1", { headers: { "if-match": tag } })).status, 200);
  for (const [path, tag] of [
    ["/v1/pets/1", '"x"'],
    ["/v1/pets/1", `W/${etag}`],
    ["/v1/pets", etag as string],
  ] as const) {
    const { status, headers, body } = await service.call("GET", path, { headers: { "if-match": tag } });
    t.match({ status, body }, { status: 412, body: { code: "precondition_failed" } });
    t.match(headers, { etag: undefined, "cache-control": "no-store" });
  }
  for (const path of [list, "/openapi.json", "/docs/static/swagger-ui.css"]) {
    const rejected = await request(path, { "accept-encoding": "gzip", "if-match": '"x"' });
    t.match(rejected, { status: 412, headers: { "content-encoding": undefined } }, path);
    t.match(JSON.parse(`${rejected.bytes}`), { code: "precondition_failed" }, "it is not compressed");
  }
  t.equal((await service.call("GET", "/v1/pets/999", { headers: { "if-match": '"x"' } })).status, 404);
  t.equal((await service.call("POST", "/v1/pets", { json: {}, headers: { "if-match": "*" } })).status, 400);
  const before = (await service.call("GET", "/v1/pets?limit=100")).headers.link;
  const created = await service.call("POST", "/v1/pets", { json: minimalPet, headers: { "if-match": "*" } });
  t.match(created, { status: 412, body: { message: /can't evaluate the header If-Match, and was not executed/ } });
  const ifNone = await service.call("POST", "/v1/pets", { json: minimalPet, headers: { "if-none-match": "*" } });
  t.match(ifNone, { status: 412, body: { message: /can't evaluate the header If-None-Match/ } });
  t.equal((await service.call("GET", "/v1/pets?limit=100")).headers.link, before, "no pet was created");
});

t.test("No error is stored by a cache", async (t) => {
  const requests: [string, string, Parameters<Service["call"]>[2]?][] = [
    ["GET", "/v1/pets/999"],
    ["GET", "/v1/pets?limit=0"],
    ["GET", "/v1/pets", { key: null }],
    ["GET", "/v1/nothing"],
    ["DELETE", "/v1/pets"],
    ["GET", "/metrics"],
  ];
  for (const [method, path, options] of requests) {
    const { status, headers } = await service.call(method, path, options);
    t.ok(status >= 400);
    t.equal(headers["cache-control"], "no-store", `${method} ${path}: ${status}`);
  }
  t.match((await service.raw("GET /\r\n\r\n"))[0]?.headers, { "cache-control": "no-store" });
});

t.test("A header and the content that begins like it have different ETags", async (t) => {
  const headers = [["a", "b"]] as const;
  t.not(createTag("x", headers), createTag(`${JSON.stringify(headers)}x`));
  t.equal(createTag("x", headers), createTag(Buffer.from("x"), headers));
});
