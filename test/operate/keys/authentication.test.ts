// Authentication by API key: src/operate/keys/authentication.ts.
import { once } from "node:events";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import t from "tap";
import { parse } from "yaml";
import { generateKey } from "../../../src/operate/keys/api-keys.ts";
import { bearer } from "../../../src/operate/keys/authentication.ts";
import { KeyCache } from "../../../src/operate/keys/key-lookup.ts";
import type { Key } from "../../../src/store/port.ts";
import { documentText } from "../../support/files.ts";
import { petsOf } from "../../support/pets.ts";
import { addKey, minimalPet, start } from "../../support/service.ts";

const service = await start(t);

t.test("Authenticates before it examines the query, path, media type or body", async (t) => {
  const calls: [string, string, object][] = [
    ["GET", "/v1/pets?limit=0", {}],
    ["GET", "/v1/pets?stauts=1", {}],
    ["GET", "/v1/pets/abc", {}],
    ["GET", "/v1/pets/%zz", {}],
    ["HEAD", "/v1/pets", {}],
    ["POST", "/v1/pets", { json: "{" }],
    ["POST", "/v1/pets", { body: "x", headers: { "content-type": "text/plain" } }],
    ["POST", "/v1/pets", { body: "x".repeat(100_000), headers: { "content-type": "application/json" } }],
    ["POST", "/v1/pets", { headers: { "idempotency-key": "" } }],
  ];
  for (const [method, path, call] of calls) {
    const response = await service.call(method, path, { ...call, key: null });
    t.match(response, { status: 401, headers: { "www-authenticate": 'Bearer realm="petstore"' } }, `${method} ${path}`);
  }
});

t.test("Sends 100 Continue, and reads the body, only after authentication", async (t) => {
  const body = JSON.stringify(minimalPet);
  const maxBytes: number = parse(documentText).paths["/pets"].post.requestBody["x-max-bytes"];
  const head = (key: string, ...headers: string[]) =>
    [
      "POST /v1/pets HTTP/1.1",
      "Host: x",
      `Authorization: Bearer ${key}`,
      "Content-Type: application/json",
      ...headers,
      "\r\n",
    ].join("\r\n");
  const expecting = (key: string) =>
    head(key, `Content-Length: ${body.length}`, "Expect: 100-continue", "Connection: close") + body;
  t.match(await service.raw(expecting("psk_no")), [{ status: 401 }], "sends no 100 Continue without a valid key");
  const socket = connect(service.port, "127.0.0.1").end(expecting(service.key));
  t.match(await readText(socket), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/);
  const old = expecting(service.key).replace("HTTP/1.1", "HTTP/1.0");
  t.match(await service.raw(old), [{ status: 201 }], "sends no 100 Continue to HTTP/1.0");
  const large = head(service.key, `Content-Length: ${maxBytes + 1}`, "Expect: 100-continue");
  t.match(await service.raw(large, "more"), [{ status: 413 }], "does not ask for a body that is too large");
  for (const length of ["Content-Length: 2000000", "Transfer-Encoding: chunked"])
    t.match(
      await service.raw(head("psk_no", length), "more"),
      [{ status: 401, headers: { connection: "close" } }],
      `closes the connection instead of reading the rest of a large body (${length})`,
    );
  t.match(
    await service.raw(head("psk_no", "Content-Length: 1000", "Connection: keep-alive"), "more"),
    [{ status: 401, headers: { connection: "keep-alive" } }],
    "keeps the connection if little of the body is left",
  );
});

t.test('Sends error="invalid_token" only if a bearer credential was sent (RFC 6750)', async (t) => {
  const challenge = async (authorization: string) => {
    const { status, headers } = await service.call("GET", "/v1/pets", { key: null, headers: { authorization } });
    return [status, headers["www-authenticate"]?.includes('error="invalid_token"')];
  };
  t.same(await challenge("Basic eDp5"), [401, false], "another scheme is not a bearer credential");
  t.same(await challenge("Bearer"), [401, false]);
  t.same(await challenge("Bearer psk_nope"), [401, true]);
  t.same(await challenge("Bearer\tpsk_nope"), [401, true], "a malformed credential is no absent one");
  t.same(await challenge(`Bearer\t${service.key}`), [401, true]);
  t.same(await challenge(`Bearer ${service.key}x`), [401, true]);
  t.same(await challenge(`Bearer ${service.key} x`), [401, true]);
  t.same(await challenge(`bearer  ${service.key}`), [200, undefined], "scheme names ignore case (RFC 9110)");
});

t.test("Authenticates each request of a connection by its own, single key", async (t) => {
  const other = await addKey(service.store, "other");
  const toRequest = (key?: string) =>
    `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${key === undefined ? "" : `Authorization: Bearer ${key}\r\n`}\r\n`;
  const keys = [
    service.key,
    "psk_wrong",
    undefined,
    other,
    service.key,
    `${service.key}\r\nAuthorization: Bearer ${other}`,
  ];
  t.same(
    (await service.raw(keys.map(toRequest).join(""))).map(({ status }) => status),
    [200, 401, 401, 200, 200, 401],
  );
  t.match(
    service.logs
      .filter(({ msg }) => msg === "request completed")
      .slice(-6)
      .map(({ key }) => key),
    [/^test-/, undefined, undefined, "other", /^test-/, undefined],
    "the log names the key of each",
  );
});

t.test("Rejects expired keys, and revoked keys after 5 ms", async (t) => {
  const expired = await addKey(service.store, "expired", new Date(Date.now() - 1));
  t.match(await service.call("GET", "/v1/pets", { key: expired }), { status: 401, body: { message: /has expired/ } });
  const revoked = await addKey(service.store, "revoked", new Date(Date.now() + 600_000));
  t.match(await service.call("GET", "/v1/pets", { key: revoked }), { status: 200 });
  await service.store.keys.revoke("revoked");
  await sleep(6);
  t.match(await service.call("GET", "/v1/pets", { key: revoked }), { status: 401, body: { message: /is not valid/ } });
});

const requestWith = (authorization: string) => ({ headers: { authorization }, url: "/" }) as FastifyRequest;

t.test("Looks up a key once for all requests of 5 ms, and an unknown key each time", async (t) => {
  const { keys } = service.store;
  const time = { now: 0, lookups: 0 };
  const find = (hash: string) => {
    time.lookups += 1;
    return keys.find(hash);
  };
  const cache = new KeyCache({ find }, bearer, () => time.now);
  const lookUp = async (authorization: string) => cache.find(requestWith(authorization));
  const { key, hash } = generateKey();
  const authorization = `Bearer ${key}`;
  t.equal(await lookUp("Basic eDp5"), undefined);
  for (let n = 0; n < 3; n++) t.same(await lookUp(authorization), { hash, key: undefined });
  t.equal(time.lookups, 3);
  await keys.create("cached", hash);
  for (let n = 0; n < 3; n++) t.match(await lookUp(authorization), { hash, key: { name: "cached" } });
  t.equal(time.lookups, 4);
  await keys.revoke("cached");
  time.now = 4.9;
  t.match(await lookUp(authorization), { key: { name: "cached" } });
  time.now = 5;
  t.match(await lookUp(authorization), { key: undefined });
});

t.test("Caches no result of a lookup that began more than 5 ms ago", async (t) => {
  const time = { now: 0 };
  const results = [Promise.withResolvers<Key>(), Promise.withResolvers<Key>()] as const;
  const pending = results.map(({ promise }) => promise);
  const cache = new KeyCache({ find: () => pending.shift() as Promise<Key> }, bearer, () => time.now);
  const key = (name: string): Key => ({ id: 1n, name, operator: false, createdAt: new Date(0) });
  const slow = cache.find(requestWith("Bearer k"));
  time.now = 5;
  const next = cache.find(requestWith("Bearer k"));
  results[0].resolve(key("slow"));
  t.match(await slow, { key: { name: "slow" } });
  results[1].resolve(key("next"));
  t.match(await next, { key: { name: "next" } });
  t.match(cache.find(requestWith("Bearer k")), { key: { name: "next" } }, "in the cache: no promise");
});
t.test("Rejects a create if its key was revoked while the body arrived", async (t) => {
  const { port, store } = await start(t);
  const key = await addKey(store, "late");
  const body = JSON.stringify(minimalPet);
  const socket = connect(port, "127.0.0.1");
  t.teardown(() => socket.destroy());
  socket.write(
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
  );
  await sleep(1_100); // a younger authentication is not repeated
  await store.keys.revoke("late");
  socket.write(body.slice(1));
  const [response] = await once(socket, "data");
  t.match(String(response), /^HTTP\/1\.1 401 /);
  t.equal((await petsOf(store).list({ limit: 1 })).last, undefined);
});
