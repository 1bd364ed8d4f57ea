// The spans of a call: their names, attributes and links, from HTTP to the statements of both stores.
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { version } from "../../../src/lib/version.ts";
import { handlers } from "../../../src/pets/handlers.ts";
import { newDatabase } from "../../support/databases.ts";
import { folder } from "../../support/files.ts";
import { createRequest } from "../../support/http.ts";
import { openPetStore } from "../../support/pets.ts";
import { query } from "../../support/postgres.ts";
import {
  childrenOf,
  outline,
  parent,
  parentSpanId,
  parentTraceId,
  type Span,
  serverSpans,
  startTraced,
  withName,
} from "../../support/traces.ts";
import { pause } from "../../support/wait.ts";

const pet = { name: "Rex", categoryId: 7 };
const stores = { SQLite: async (t: Test) => `sqlite:${join(folder(t), "petstore.db")}`, PostgreSQL: newDatabase };

async function startOver(t: Test, url: string) {
  const store = await openPetStore(url);
  t.teardown(() => store.close());
  return startTraced(t, { store });
}

for (const [kind, createStore] of Object.entries(stores)) {
  const isSqlite = kind === "SQLite";

  t.test(`A call is one trace, from HTTP to the statements of ${kind}`, async (t) => {
    const { call, create, finish, port } = await startOver(t, await createStore(t));
    await create(pet, { traceparent: `${parent}-01`, tracestate: "vendor=x", "idempotency-key": "k" });
    await pause(10); // a key is cached for 5 ms
    await call("GET", "/v1/pets/1?");
    await call("GET", "/v1/pets/1");
    const spans = await finish();
    const [post, get, again, ...more] = serverSpans(spans) as [Span, Span, Span];
    t.same(more, []);
    t.match(post, { traceId: parentTraceId, parentSpanId, traceState: "vendor=x" });
    const created = isSqlite ? "BEGIN DELETE SELECT INSERT REPLACE COMMIT" : "INSERT";
    t.equal(outline(spans, post), `POST /v1/pets(keys.find(SELECT) pets.create(${created}))`);
    t.notOk(get.parentSpanId);
    for (const outer of spans)
      for (const inner of childrenOf(spans, outer))
        t.ok(isWithin(inner, outer), `${inner.name} is within ${outer.name}`);
    t.not(get.traceId, post.traceId);
    // The key of the second request may be cached.
    for (const span of [get, again])
      t.equal(outline(spans, span).replace("keys.find(SELECT) ", ""), "GET /v1/pets/{petId}(pets.find(SELECT))");
    t.match(outline(spans, get), "(keys.find(SELECT) ");
    t.match(get, {
      status: { code: 0 },
      attributes: {
        "http.request.method": "GET",
        "http.route": "/v1/pets/{petId}",
        "url.path": "/v1/pets/1",
        "url.scheme": "http",
        "server.address": "127.0.0.1",
        "server.port": port,
        "network.protocol.version": "1.1",
        "http.response.status_code": 200,
        "openapi.operation": "getPet",
        "openapi.key": /^test-/,
      },
      resource: {
        "service.name": "petstore",
        "service.version": version,
        "service.instance.id": /^[\da-f-]{36}$/,
        "telemetry.sdk.language": "nodejs",
      },
    });
    const [find] = withName(childrenOf(spans, get), "pets.find") as [Span];
    t.equal(find.kind, 1);
    t.match(childrenOf(spans, find), [
      {
        kind: 3,
        attributes: {
          "db.system.name": isSqlite ? "sqlite" : "postgresql",
          "db.operation.name": "SELECT",
          "db.query.text": isSqlite ? /FROM "pets" WHERE id = \?$/ : /FROM "petstore"\."pets" WHERE id = \$1$/,
          "openapi.calls": 1,
        },
      },
    ]);
  });

  t.test(`A failed statement of ${kind} is an error of all spans above it, without its message`, async (t) => {
    const url = await createStore(t);
    const { call, finish } = await startOver(t, url);
    if (isSqlite) {
      const db = new DatabaseSync(url.slice("sqlite:".length));
      db.exec("DROP TABLE pets");
      db.close();
    } else await query(url, "ALTER TABLE petstore.pets RENAME TO gone");
    t.match(await call("GET", "/v1/pets/1"), { status: 500 });
    const spans = await finish();
    const type = isSqlite ? "1" : "42P01"; // no such table
    for (const name of ["SELECT", "pets.find"])
      t.match(withName(spans, name).at(-1), {
        status: { code: 2, message: undefined },
        attributes: { "error.type": type },
      });
    t.match(withName(spans, "GET /v1/pets/{petId}"), [{ status: { code: 2 }, attributes: { "error.type": "500" } }]);
    t.notMatch(JSON.stringify(spans), /no such table|does not exist/, "no message");
  });
}

function isWithin(inner: Span, outer: Span): boolean {
  const [begin, end] = [BigInt(inner.startTimeUnixNano), BigInt(inner.endTimeUnixNano)];
  return BigInt(outer.startTimeUnixNano) <= begin && end <= BigInt(outer.endTimeUnixNano);
}

t.test("Creates that share a commit each have an INSERT; one has the commit, with links both ways", async (t) => {
  const { call, create, finish } = await startTraced(t);
  await Promise.all(Array.from({ length: 40 }, () => call("GET", "/v1/pets"))); // opens the connections
  await Promise.all(Array.from({ length: 40 }, () => create(pet)));
  const spans = await finish();
  const creates = withName(spans, "pets.create");
  t.equal(creates.length, 40);
  for (const one of creates) t.equal(withName(childrenOf(spans, one), "INSERT").length, 1);
  t.equal(new Set(creates.map(({ traceId }) => traceId)).size, 40);
  for (const name of ["BEGIN", "COMMIT"]) areLinked(t, creates, withName(spans, name));
  t.ok(withName(spans, "COMMIT").length < 40);
});

t.test("Gets that share a statement of PostgreSQL are linked to it", async (t) => {
  const { create, call, finish } = await startOver(t, await newDatabase(t));
  for (let n = 0; n < 3; n++) await create(pet);
  await Promise.all(Array.from({ length: 40 }, (_, n) => call("GET", `/v1/pets/${1 + (n % 3)}`)));
  const spans = await finish();
  const reads = withName(spans, "pets.find");
  t.equal(reads.length, 40);
  const statements = reads.flatMap((read) => childrenOf(spans, read));
  t.ok(statements.length < 40, `${statements.length} statements`);
  areLinked(t, reads, statements);
});

/** Asserts that each span of `requests` has one of `statements` as its child, or links to one that links back. */
function areLinked(t: Test, requests: Span[], statements: Span[]) {
  const counted = statements.reduce((sum, { attributes }) => sum + Number(attributes["openapi.calls"]), 0);
  t.equal(counted, requests.length, "each call is counted once");
  for (const statement of statements)
    t.equal(statement.links.length, Number(statement.attributes["openapi.calls"]) - 1);
  for (const { spanId, traceId, links } of requests) {
    const statement = statements.find(
      (one) => one.parentSpanId === spanId || links.some((link) => link.spanId === one.spanId),
    );
    if (statement?.parentSpanId === spanId) t.equal(statement.traceId, traceId);
    else
      t.match(
        statement?.links.filter((link) => link.spanId === spanId),
        [{ traceId }],
      );
  }
}

t.test("A shared statement is in the trace of a call that is sampled", async (t) => {
  const { call, create, finish } = await startTraced(t);
  await Promise.all(Array.from({ length: 40 }, () => call("GET", "/v1/pets")));
  await Promise.all(
    Array.from({ length: 40 }, (_, n) => create(pet, { traceparent: `${parent}-0${n % 2}` })), // every other one
  );
  const spans = await finish();
  t.equal(withName(spans, "INSERT").length, 20);
  const commits = withName(spans, "COMMIT");
  t.ok(commits.some(({ attributes, links }) => Number(attributes["openapi.calls"]) > links.length + 1));
});

t.test("Each call has a span, even if it reaches no handler; paths outside of the API have none", async (t) => {
  const file = join(folder(t), "petstore.db");
  const { call, raw, finish, received } = await startOver(t, `sqlite:${file}`);
  for (const path of ["/healthz", "/readyz", "/docs", "/openapi.json", "/"])
    t.notOk((await call("GET", path)).headers.traceparent, path);
  t.match(await call("GET", "/v1/pets", { key: null }), { status: 401 });
  t.match(await call("GET", "/v1/pets?limit=0"), { status: 400 });
  t.match(await call("POST", "/v1/pets", { json: "{" }), { status: 400 });
  t.match(await call("GET", "/v1/nope"), { status: 404 });
  t.match(await call("TRACE", "/v1/pets/1"), { status: 405 });
  t.match(await raw("PROPFIND /v1/pets HTTP/1.1\r\nHost: pets.example\r\n\r\n"), [{ status: 405 }]);
  t.match(await call("HEAD", "/v1/pets"), { status: 200 });
  rmSync(file);
  t.match(await call("POST", "/v1/pets", { json: pet }), { status: 503 });
  const spans = await finish();
  t.match(
    serverSpans(spans).map(({ name, status, attributes: { "error.type": type, "http.response.status_code": code } }) =>
      [name, code, status.code, type].filter(Boolean).join(" "),
    ),
    [
      "GET /v1/pets 401",
      "GET /v1/pets 400",
      "POST /v1/pets 400",
      "GET 404",
      "TRACE 405",
      "HTTP 405",
      "HEAD /v1/pets 200",
      "POST /v1/pets 503 2 503",
    ],
  );
  t.match(withName(spans, "pets.create"), [{ status: { code: 2 }, attributes: { "error.type": "UnavailableError" } }]);
  t.notMatch(received.text, "FROM secret", "the statement of /readyz");
});

t.test("A call whose body comes late stays in its trace", async (t) => {
  const { port, key, finish } = await startTraced(t);
  const { head, body } = createRequest(key, "Rex", "Expect: 100-continue");
  const socket = connect(port, "127.0.0.1");
  socket.write(head);
  t.match(String(await once(socket, "data")), /^HTTP\/1.1 100 /);
  socket.end(body);
  t.match(await text(socket), /^HTTP\/1.1 201 /);
  const spans = await finish();
  const [post] = withName(spans, "POST /v1/pets") as [Span];
  t.equal(outline(spans, post), "POST /v1/pets(keys.find(SELECT) pets.create(BEGIN INSERT COMMIT))");
});

t.test("The span of a call whose client disconnects has no status", async (t) => {
  const { promise: disconnected, resolve: setDisconnected } = Promise.withResolvers<void>();
  const { promise: called, resolve: setCalled } = Promise.withResolvers<void>();
  const getPet: typeof handlers.getPet = async (...call) => {
    setCalled();
    await disconnected;
    return handlers.getPet(...call);
  };
  const { port, key, finish, app, received } = await startTraced(t, { handlers: { ...handlers, getPet } });
  const closed = new Promise((resolve) => app.server.once("connection", (socket) => socket.once("close", resolve)));
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await called;
  socket.resetAndDestroy();
  await closed;
  setDisconnected();
  const spans = await finish();
  const [get] = withName(spans, "GET /v1/pets/{petId}");
  t.match(get, { status: { code: 0 }, attributes: { "http.response.status_code": undefined } });
  t.equal(withName(spans, "pets.find").length, 0, "work after the end of the span has none");
  t.ok(received.text);
});
