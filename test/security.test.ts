// What strangers can't do, and what nobody is told.

import { once } from "node:events";
import { readdirSync, readFileSync, renameSync } from "node:fs";
import { get } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TLSSocket, connect as tlsConnect } from "node:tls";
import t from "tap";
import { buildLogger, mask } from "../src/logger.ts";
import { certify } from "./support/certificate.ts";
import { folder } from "./support/files.ts";
import { petstoreProcess as petstore, startServer } from "./support/processes.ts";
import { findSecret } from "./support/secrets.ts";
import { type Service, start } from "./support/service.ts";
import { until } from "./support/wait.ts";

const page = "https://app.example";
const fromPage = (service: Service, method: string, path: string, headers: Record<string, string> = {}) =>
  service.call(method, path, { headers: { origin: page, ...headers } });

t.test("CORS is off by default", async (t) => {
  const service = await start(t);
  const preflight = { "access-control-request-method": "POST" };
  for (const answer of [
    await fromPage(service, "GET", "/v1/pets"),
    await fromPage(service, "OPTIONS", "/v1/pets", preflight),
    await fromPage(service, "GET", "/v1/nothing"),
  ])
    t.notOk(
      Object.keys(answer.headers).some((name) => name.startsWith("access-control-")),
      `${answer.status}`,
    );
  t.match(await fromPage(service, "OPTIONS", "/v1/pets", preflight), { status: 405 });
});

t.test("pages of CORS_ORIGINS may call, and read all that the document promises", async (t) => {
  const service = await start(t, { settings: { CORS_ORIGINS: `${page}, https://other.example` } });
  const preflight = await service.call("OPTIONS", "/v1/pets", {
    key: null,
    headers: {
      origin: page,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,idempotency-key",
    },
  });
  t.match(preflight, {
    status: 204,
    headers: {
      "access-control-allow-origin": page,
      "access-control-allow-methods": "GET, HEAD, POST",
      "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key",
      "access-control-max-age": "7200",
      vary: "origin",
    },
  });
  for (const [answer, status] of [
    [await fromPage(service, "GET", "/v1/pets"), 200],
    [await fromPage(service, "GET", "/v1/pets", { authorization: "Bearer wrong" }), 401],
    [await fromPage(service, "GET", "/v1/nothing"), 404],
    [await fromPage(service, "OPTIONS", "/v1/pets"), 405],
  ] as const)
    t.match(answer, {
      status,
      headers: {
        "access-control-allow-origin": page,
        "access-control-expose-headers":
          /Deprecation, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id/,
        "access-control-allow-credentials": undefined,
      },
    });
  const stranger = await fromPage(service, "GET", "/v1/pets", { origin: "https://app.example.evil" });
  t.match(stranger.headers, { "access-control-allow-origin": undefined, vary: "origin" });
  t.match((await service.call("GET", "/v1/pets")).headers, {
    "access-control-allow-origin": undefined,
    vary: "origin",
  });
  const open = await start(t, { settings: { CORS_ORIGINS: "*" } });
  t.match((await fromPage(open, "GET", "/v1/pets")).headers, { "access-control-allow-origin": "*", vary: undefined });
});

const answer = (url: string, ca: string): Promise<{ status: number | undefined; hsts: unknown; fingerprint: string }> =>
  new Promise((resolve, reject) => {
    const call = get(url, { ca, servername: "localhost", agent: false }, (incoming) => {
      const { fingerprint256: fingerprint } = (incoming.socket as TLSSocket).getPeerCertificate();
      const { statusCode: status, headers } = incoming.resume();
      incoming.once("end", () => resolve({ status, hsts: headers["strict-transport-security"], fingerprint }));
    });
    call.once("error", reject);
  });

t.test("TLS_CERT and TLS_KEY serve https, and a new certificate is read at SIGHUP", async (t) => {
  const old = await certify(t, 30);
  const fresh = await certify(t, 60);
  const server = await startServer(t, { DATABASE_URL: "sqlite::memory:", ...old.files });
  t.match(server.url, /^https:/);
  const url = `${server.url.replace("127.0.0.1", "localhost")}/pets`;
  const before = await answer(url, old.cert);
  t.match(before, { status: 401, hsts: /max-age=/ });
  const port = Number(new URL(url).port);

  const kept = tlsConnect({ port, host: "127.0.0.1", ca: old.cert, servername: "localhost" });
  const keptText = text(kept);
  kept.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  renameSync(fresh.files.TLS_CERT, old.files.TLS_CERT);
  server.child.kill("SIGHUP");
  await until(
    () => /"reason":".*"msg":"the certificate stays as it is"/.exec(server.out.stdout)?.[0],
    () => server.out.stdout,
  );
  t.equal((await answer(url, old.cert)).fingerprint, before.fingerprint, "half of a new pair changes nothing");
  renameSync(fresh.files.TLS_KEY, old.files.TLS_KEY);
  server.child.kill("SIGHUP");
  await until(
    () => /the certificate was read anew/.exec(server.out.stdout)?.[0],
    () => server.out.stdout,
  );
  t.not((await answer(url, fresh.cert)).fingerprint, before.fingerprint);
  kept.end("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
  t.equal((await keptText).split("HTTP/1.1 200 OK").length, 3, "connections that are there go on");

  const plain = connect(port, "127.0.0.1");
  plain.end("GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n");
  t.equal(await text(plain), "", "who speaks no TLS is told nothing");
  t.equal((await answer(url, fresh.cert)).status, 401, "and harms nobody");
  await t.rejects(
    new Promise((resolve, reject) =>
      tlsConnect({ port, host: "127.0.0.1", ca: fresh.cert, servername: "localhost", maxVersion: "TLSv1.1" }, () =>
        resolve(undefined),
      ).on("error", reject),
    ),
    "nothing older than TLS 1.2",
  );
  t.match(await server.end("SIGTERM"), { code: 0 });
});

t.test("who begins TLS and does not go on is cut, and holds up no end", async (t) => {
  const { files } = await certify(t, 1);
  const server = await startServer(t, { DATABASE_URL: "sqlite::memory:", ...files, MAX_CONNECTIONS: "3" });
  const port = Number(new URL(server.url).port);
  const begin = (bytes: Buffer) => {
    const socket = connect(port, "127.0.0.1")
      .on("error", () => {})
      .resume();
    socket.write(bytes);
    return once(socket, "close");
  };
  const hello = Buffer.from("16030100a5010000a10303", "hex"); // the beginning of a ClientHello
  const began = Date.now();
  await Promise.all([begin(hello), begin(Buffer.alloc(0)), begin(hello)]);
  t.ok(Date.now() - began > 10_000 && Date.now() - began < 20_000, "as long as headers may take");
  t.equal(
    (await answer(`${server.url.replace("127.0.0.1", "localhost")}/pets`, readFileSync(files.TLS_CERT, "utf8"))).status,
    401,
  );
  t.notMatch(server.out.stdout, /malformed/);
  begin(hello);
  begin(Buffer.alloc(0));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { code, ms } = await server.end("SIGTERM");
  t.equal(code, 0);
  t.ok(ms < 4_000, `it took ${ms} ms`);
});

t.test("what can't be a certificate ends the start with one line", async (t) => {
  const [one, other] = [(await certify(t, 1)).files, (await certify(t, 1)).files];
  for (const [settings, message] of [
    [{ TLS_CERT: one.TLS_CERT }, /TLS_KEY must be the path of a file, together with TLS_CERT\./],
    [{ TLS_KEY: one.TLS_KEY }, /TLS_CERT must be the path of a file, together with TLS_KEY\./],
    [{ ...one, TLS_CERT: "/nowhere" }, /The file of TLS_CERT can't be read: ENOENT/],
    [{ ...one, TLS_KEY: other.TLS_KEY }, /TLS_CERT and TLS_KEY are no certificate and its key: .*mismatch/],
  ] as const)
    t.match(petstore({ DATABASE_URL: "sqlite::memory:", ...settings }, "serve"), {
      status: 1,
      stderr: new RegExp(`^petstore: ${message.source}.*\\n$`),
    });
});

t.test("workers serve https, and SIGHUP to the process that keeps them brings the new certificate", async (t) => {
  const old = await certify(t, 30);
  const fresh = await certify(t, 60);
  const DATABASE_URL = `sqlite:${join(folder(t), "petstore.db")}`;
  const server = await startServer(t, { DATABASE_URL, WORKERS: "2", ...old.files });
  const url = `${server.url.replace("127.0.0.1", "localhost")}/pets`;
  t.equal((await answer(url, old.cert)).status, 401);
  for (const name of ["TLS_CERT", "TLS_KEY"] as const) renameSync(fresh.files[name], old.files[name]);
  server.child.kill("SIGHUP");
  await until(
    () => (server.out.stdout.split("a new worker serves").length > 2 ? true : undefined),
    () => server.out.stdout,
  );
  t.equal((await answer(url, fresh.cert)).status, 401);
});

t.test("scripts of /docs come from the service alone, none stands in the page", async (t) => {
  const service = await start(t);
  const page = await service.call("GET", "/docs", { key: null });
  const policy = Object.fromEntries(
    (page.headers["content-security-policy"] ?? "").split(";").map((rule) => [rule.trim().split(" ")[0], rule]),
  );
  t.equal(policy["script-src"]?.trim(), "script-src 'self'");
  t.equal(policy["script-src-attr"]?.trim(), "script-src-attr 'none'");
  t.equal(policy["object-src"]?.trim(), "object-src 'none'");
  t.notMatch(page.text, /<script(?![^>]* src=)/, "and the page needs no other");
});

t.test("what a driver says of a failed row stays out of the log, and so do keys and passwords", async (t) => {
  const lines: string[] = [];
  const log = await buildLogger("info", { write: (line: string) => void lines.push(line) });
  const error = Object.assign(new Error("can't reach postgres://me:secret@db/x with psk_0123456789abcdefghij"), {
    code: "23502",
    detail: "Failing row contains (Rex).",
    parameters: ["Rex"],
  });
  log.error({ err: error, url: "postgresql://me:p%40ss@[::1]/x" }, "Bearer psk_0123456789abcdefghij failed");
  t.notMatch(lines.join(), /Rex|secret|0123456789|me:|p%40ss/);
  t.match(JSON.parse(lines[0] as string), {
    err: { type: "Error", message: "can't reach postgres://…@db/x with psk_…", code: "23502", stack: /security\.test/ },
    url: "postgresql://…@[::1]/x",
  });
  t.equal(mask("postgres://me:p@ssword@host/x"), "postgres://…@host/x", "also where a password has an @");
});

t.test("the search for secrets finds them", async (t) => {
  for (const secret of [
    `x psk_${"a".repeat(43)} x`,
    "authorization: Bearer abcdefg",
    '{"categoryId":7}',
    "postgres://a:b@c/d",
  ])
    t.ok(findSecret(secret), secret.slice(0, 8));
  t.equal(findSecret('{"key":"alice","path":"/v1/pets","url":"http://127.0.0.1:3000/v1"}'), undefined);
});

t.test("nothing in the service calls an address, but the driver of the database", async (t) => {
  const names = readdirSync(new URL("../src", import.meta.url), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => /\.ts$/.test(name) && name !== "commands/status.ts"); // a client of the service
  const calls =
    /\b(fetch|WebSocket|EventSource)\(|\{[^}]*\b(request|get|connect|createConnection|Client)\b[^}]*\} from "(node:)?(http|https|http2|net|tls|dgram|undici)"/;
  t.match('import { connect } from "node:net";', calls);
  for (const name of files) t.notMatch(readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8"), calls, name);
});
