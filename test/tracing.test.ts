// Traces, as a receiver of OTLP over HTTP gets them: from the app over both stores, and from the process.

import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text as readText } from "node:stream/consumers";
import t, { type Test } from "tap";
import { handlers } from "../src/handlers.ts";
import { buildLogger } from "../src/logger.ts";
import { openStore } from "../src/store/open.ts";
import { openTracing } from "../src/tracing.ts";
import { newDatabase } from "./support/databases.ts";
import { folder } from "./support/files.ts";
import { query } from "./support/postgres.ts";
import { petstoreProcess as petstore, startServer } from "./support/processes.ts";
import { type Options, start } from "./support/service.ts";
import { until } from "./support/wait.ts";

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number; message?: string };
  links: { traceId: string; spanId: string }[];
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

const toObject = (attributes: { key: string; value: object }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A receiver on loopback; it answers with `status`, or not at all for 0. */
async function receive(t: Test) {
  const got = { endpoint: "", status: 200, text: "", spans: [] as Span[], headers: [] as IncomingHttpHeaders[] };
  const server = createServer(async (request, answer) => {
    const text = await readText(request);
    if (request.url !== "/otlp/v1/traces" || got.status === 0) return;
    got.headers.push(request.headers);
    if (got.status === 200) {
      got.text += text;
      for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans)
        for (const span of scopeSpans.flatMap(({ spans }: { spans: object[] }) => spans))
          got.spans.push({
            ...span,
            attributes: toObject(span.attributes),
            resource: toObject(resource.attributes),
          });
    }
    answer.writeHead(got.status, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  got.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp`;
  return got;
}

const began = ({ startTimeUnixNano: time }: Span) => BigInt(time);
const ended = ({ endTimeUnixNano: time }: Span) => BigInt(time);

/** The traced service; `finish` ends it, and gives all spans in the order in which they ended. */
async function trace(t: Test, options: Options = {}) {
  const received = await receive(t);
  const tracing = await openTracing(received.endpoint, await buildLogger("silent", { write() {} }));
  if (tracing === undefined) throw new Error("there is no tracing");
  t.teardown(tracing.end);
  const service = await start(t, { ...options, tracing });
  const finish = async () => {
    await service.app.close();
    await tracing.end();
    return received.spans;
  };
  return { ...service, received, finish };
}

const below = (spans: Span[], parent: Span | undefined) => spans.filter((span) => span.parentSpanId === parent?.spanId);
const withName = (spans: Span[], name: string) => spans.filter((span) => span.name === name);

/** What is below a span, by name: `pets.create(BEGIN INSERT COMMIT)`. */
function outline(spans: Span[], parent: Span): string {
  const inner = below(spans, parent).map((span) => outline(spans, span));
  return inner.length === 0 ? parent.name : `${parent.name}(${inner.join(" ")})`;
}

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
const pet = { name: "Rex", categoryId: 7 };

const stores = {
  SQLite: async (_: Test) => openStore("sqlite::memory:"),
  PostgreSQL: async (t: Test) => openStore(await newDatabase(t)),
};
for (const [kind, open] of Object.entries(stores)) {
  const isSqlite = kind === "SQLite";
  const stored = async (t: Test) => {
    const store = await open(t);
    t.teardown(() => store.close());
    return trace(t, { store });
  };

  t.test(`a call is one trace, from HTTP to the statements of ${kind}`, async (t) => {
    const { call, create, finish, port } = await stored(t);
    await create(pet, { traceparent: `${parent}-01`, tracestate: "vendor=x", "idempotency-key": "k" });
    await call("GET", "/v1/pets/1?");
    await call("GET", "/v1/pets/1");
    const spans = await finish();
    const [post, get, again, ...more] = spans.filter(({ kind }) => kind === 2) as [Span, Span, Span];
    t.same(more, []);
    t.match(post, { traceId: parent.slice(3, 35), parentSpanId: parent.slice(36), traceState: "vendor=x" });
    const created = isSqlite ? "BEGIN DELETE SELECT INSERT REPLACE COMMIT" : "INSERT";
    t.equal(outline(spans, post), `POST /v1/pets(keys.find(SELECT) pets.create(${created}))`);
    t.notOk(get.parentSpanId);
    for (const outer of spans)
      for (const inner of below(spans, outer))
        t.ok(began(outer) <= began(inner) && ended(inner) <= ended(outer), `${inner.name} is within ${outer.name}`);
    t.not(get.traceId, post.traceId);
    // Whether SQLite still keeps the key depends on the clock: each second the use of keys is noted.
    const found = (span: Span) => outline(spans, span).replace("keys.find(SELECT)", "keys.find");
    t.equal(found(get), "GET /v1/pets/{petId}(keys.find pets.find(SELECT))");
    const kept = isSqlite ? "pets.find" : "pets.find(SELECT)";
    t.equal(found(again), `GET /v1/pets/{petId}(keys.find ${kept})`, "what is kept in memory asks nothing");
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
        "petstore.operation": "getPet",
        "petstore.key": /^test-/,
      },
      resource: {
        "service.name": "petstore",
        "service.version": "1.0.0",
        "service.instance.id": /^[\da-f-]{36}$/,
        "telemetry.sdk.language": "nodejs",
      },
    });
    const [find] = withName(below(spans, get), "pets.find") as [Span];
    t.equal(find.kind, 1);
    t.match(below(spans, find), [
      {
        kind: 3,
        attributes: {
          "db.system.name": isSqlite ? "sqlite" : "postgresql",
          "db.operation.name": "SELECT",
          "db.query.text": isSqlite ? /FROM pets WHERE id = \?$/ : /FROM petstore\.pets WHERE id = ANY \(\$1\)$/,
          "petstore.calls": 1,
        },
      },
    ]);
  });

  t.test(`a statement that fails in ${kind} is seen on all that it fails`, async (t) => {
    const file = join(folder(t), "petstore.db");
    const url = isSqlite ? `sqlite:${file}` : await newDatabase(t);
    const store = await openStore(url);
    t.teardown(() => store.close());
    const { call, finish } = await trace(t, { store });
    if (isSqlite) {
      const db = new DatabaseSync(file);
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

t.test(
  "creates that share a commit each have their INSERT, and one has the commit, with links both ways",
  async (t) => {
    const { call, create, finish } = await trace(t);
    await Promise.all(Array.from({ length: 40 }, () => call("GET", "/v1/pets"))); // the connections are there
    await Promise.all(Array.from({ length: 40 }, () => create(pet)));
    const spans = await finish();
    const creates = withName(spans, "pets.create");
    t.equal(creates.length, 40);
    for (const one of creates) t.equal(withName(below(spans, one), "INSERT").length, 1);
    t.equal(new Set(creates.map(({ traceId }) => traceId)).size, 40);
    for (const name of ["BEGIN", "COMMIT"]) shares(t, creates, withName(spans, name));
    t.ok(withName(spans, "COMMIT").length < 40);
  },
);

t.test("gets and lists that share a statement of PostgreSQL are linked with it", async (t) => {
  const store = await openStore(await newDatabase(t));
  t.teardown(() => store.close());
  const { create, call, finish } = await trace(t, { store });
  for (let n = 0; n < 3; n++) await create(pet);
  await Promise.all(Array.from({ length: 40 }, (_, n) => call("GET", `/v1/pets/${1 + (n % 3)}`)));
  await Promise.all(Array.from({ length: 40 }, () => call("GET", "/v1/pets")));
  const spans = await finish();
  for (const name of ["pets.find", "pets.list"]) {
    const questions = withName(spans, name);
    t.equal(questions.length, 40);
    const statements = questions.flatMap((question) => below(spans, question));
    t.ok(statements.length < 40, `${statements.length} statements for ${name}`);
    shares(t, questions, statements);
  }
});

/** Each of `questions` has one of `statements`, or a link to it, and there is a link back. */
function shares(t: Test, questions: Span[], statements: Span[]) {
  const counted = statements.reduce((sum, { attributes }) => sum + Number(attributes["petstore.calls"]), 0);
  t.equal(counted, questions.length, "each call is counted once");
  for (const statement of statements)
    t.equal(statement.links.length, Number(statement.attributes["petstore.calls"]) - 1);
  for (const { spanId, traceId, links } of questions) {
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

t.test("a statement is in the trace of a call that is traced, whoever else it is for", async (t) => {
  const { call, create, finish } = await trace(t);
  await Promise.all(Array.from({ length: 40 }, () => call("GET", "/v1/pets")));
  await Promise.all(
    Array.from({ length: 40 }, (_, n) => create(pet, { traceparent: `${parent}-0${n % 2}` })), // every other one
  );
  const spans = await finish();
  t.equal(withName(spans, "INSERT").length, 20);
  const commits = withName(spans, "COMMIT");
  t.ok(commits.some(({ attributes, links }) => Number(attributes["petstore.calls"]) > links.length + 1));
});

t.test("the caller's trace goes on, and what it does not record is not recorded here", async (t) => {
  const { call, logs, received, finish } = await trace(t);
  const sent = async (headers: Record<string, string>) => {
    const { headers: got } = await call("GET", "/v1/pets", { headers });
    return /^00-([\da-f]{32})-([\da-f]{16})-(0[01])$/.exec(got.traceparent ?? "")?.slice(1) ?? [];
  };
  const [id, span, flags] = await sent({ traceparent: `${parent}-00` });
  t.same([id, flags], [parent.slice(3, 35), "00"]);
  t.not(span, parent.slice(36));
  t.match(logs.at(-1), { msg: "answered", trace: id, span });

  const wrong = [
    "",
    "nonsense",
    `${parent}`,
    `${parent}-01-more`,
    `${parent}-01, ${parent}-01`,
    `ff${parent.slice(2)}-01`,
    `${parent.toUpperCase()}-01`,
    `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
    `00-0af7651916cd43dd8448eb211c80319c-${"0".repeat(16)}-01`,
    "é".repeat(1000),
  ];
  for (const traceparent of wrong) {
    const [fresh = "", , flags] = await sent({
      traceparent: Buffer.from(traceparent).toString("latin1"),
      tracestate: "=,=",
    });
    t.equal(flags, "01", `a new trace: ${traceparent.slice(0, 80)}`);
    t.not(fresh, parent.slice(3, 35));
  }
  const secret = `psk_${"s".repeat(43)}`;
  const [kept] = await sent({ traceparent: `${parent}-01`, tracestate: `vendor=${secret}` });
  t.equal(kept, parent.slice(3, 35), "the trace goes on without what looks like a secret");
  const [later] = await sent({ traceparent: `cc${parent.slice(2)}-01-what-will-be` });
  t.equal(later, parent.slice(3, 35), "a later version is read as this one");
  const spans = await finish();
  t.equal(spans.filter(({ kind }) => kind === 2).length, wrong.length + 2);
  t.notMatch(received.text, secret);
  t.notMatch(received.text, span);
});

t.test(
  "each call has a span, also one that never reaches its handler; what stands around the interface has none",
  async (t) => {
    const file = join(folder(t), "petstore.db");
    const store = await openStore(`sqlite:${file}`);
    t.teardown(() => store.close());
    const { call, raw, finish, received } = await trace(t, { store });
    for (const path of ["/healthz", "/readyz", "/docs", "/openapi.json", "/"])
      t.notOk((await call("GET", path)).headers.traceparent, path);
    t.match(await call("GET", "/v1/pets", { key: null }), { status: 401 });
    t.match(await call("GET", "/v1/pets?limit=0"), { status: 400 });
    t.match(await call("POST", "/v1/pets", { json: "{" }), { status: 400 });
    t.match(await call("GET", "/v1/nope"), { status: 404 });
    t.match(await call("DELETE", "/v1/pets/1"), { status: 405 });
    t.match(await raw("PROPFIND /v1/pets HTTP/1.1\r\nHost: pets.example\r\n\r\n"), [{ status: 405 }]);
    t.match(await call("HEAD", "/v1/pets"), { status: 200 });
    rmSync(file);
    t.match(await call("POST", "/v1/pets", { json: pet }), { status: 503 });
    const spans = await finish();
    t.match(
      spans
        .filter(({ kind }) => kind === 2)
        .map(({ name, status, attributes: { "error.type": type, "http.response.status_code": code } }) =>
          [name, code, status.code, type].filter(Boolean).join(" "),
        ),
      [
        "GET /v1/pets 401",
        "GET /v1/pets 400",
        "POST /v1/pets 400",
        "GET 404",
        "DELETE 405",
        "HTTP 405",
        "HEAD /v1/pets 200",
        "POST /v1/pets 503 2 503",
      ],
    );
    t.match(withName(spans, "pets.create"), [{ status: { code: 2 }, attributes: { "error.type": "Unavailable" } }]);
    t.notMatch(received.text, "FROM secret", "what /readyz asks");
  },
);

t.test("a call whose body comes late stays in its trace", async (t) => {
  const { port, key, finish } = await trace(t);
  const body = JSON.stringify(pet);
  const socket = connect(port, "127.0.0.1");
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`);
  t.match(String(await once(socket, "data")), /^HTTP\/1.1 100 /);
  socket.end(body);
  t.match(await readText(socket), /^HTTP\/1.1 201 /);
  const spans = await finish();
  const [post] = withName(spans, "POST /v1/pets") as [Span];
  t.equal(outline(spans, post), "POST /v1/pets(keys.find(SELECT) pets.create(BEGIN INSERT COMMIT))");
});

t.test("a client that goes before its answer leaves a span without a status", async (t) => {
  const { promise: gone, resolve: go } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const getPet: typeof handlers.getPet = async (...call) => {
    ask();
    await gone;
    return handlers.getPet(...call);
  };
  const { port, key, finish, app, received } = await trace(t, { handlers: { ...handlers, getPet } });
  const closed = new Promise((resolve) => app.server.once("connection", (socket) => socket.once("close", resolve)));
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await asked;
  socket.resetAndDestroy();
  await closed;
  go();
  const spans = await finish();
  const [get] = withName(spans, "GET /v1/pets/{petId}");
  t.match(get, { status: { code: 0 }, attributes: { "http.response.status_code": undefined } });
  t.equal(withName(spans, "pets.find").length, 0, "what goes on after the span has none");
  t.ok(received.text);
});

t.test("no key, query, body, value or address of a client leaves", async (t) => {
  const { call, create, key, finish, received } = await trace(t, { settings: { TRUST_PROXY: "127.0.0.0/8" } });
  const headers = { host: "pets.example:8443", "x-forwarded-for": "203.0.113.9", "user-agent": "secretagent" };
  await create({ name: "secretname", categoryId: 4711471147 }, { ...headers, "idempotency-key": "secretonce" });
  await call("GET", "/v1/pets?status=sold&limit=77", { headers });
  await call("GET", "/v1/pets?secretquery=1", { headers });
  await call("GET", `/v1/${key}`, { headers: { ...headers, host: `${key}.example` } });
  await call("POST", "/v1/pets", { headers, json: { name: 1, secretfield: 1 } });
  const spans = await finish();
  t.equal(spans.filter(({ kind }) => kind === 2).length, 5);
  t.match(spans.find(({ kind }) => kind === 2)?.attributes, { "server.address": "pets.example", "server.port": 8443 });
  t.notMatch(received.text, /secret(name|once|query|field|agent)|4711471147|sold|limit=|127\.0\.0|203\.0\.113/);
  t.notOk(received.text.includes(key), "the key");
  t.match(received.text, "/v1/psk_…");
});

t.test("each line in the log about a call has its trace", async (t) => {
  const getPet = async () => {
    throw new Error("a bug");
  };
  const { call, create, logs, finish } = await trace(t, { handlers: { ...handlers, getPet } });
  await create(pet);
  await call("GET", "/v1/pets/1");
  const spans = (await finish()).filter(({ kind }) => kind === 2);
  const lines = logs.filter(({ msg }) => msg === "answered" || msg === "failed");
  t.same(
    lines.map(({ msg, trace, span }) => [msg, trace, span]),
    [
      ["answered", spans[0]?.traceId, spans[0]?.spanId],
      ["failed", spans[1]?.traceId, spans[1]?.spanId],
      ["answered", spans[1]?.traceId, spans[1]?.spanId],
    ],
  );
});

// What stands for a machine on which they were not installed: they can't be found.
function withoutPackages(t: Test): Record<string, string> {
  const file = join(folder(t), "without.cjs");
  writeFileSync(
    file,
    `require("node:module").registerHooks({
      resolve(name, context, next) {
        // prom-client depends on the API by itself.
        if (!name.startsWith("@opentelemetry/") || name === "@opentelemetry/api") return next(name, context);
        throw Object.assign(new Error("Cannot find package '" + name + "' imported from here"), { code: "ERR_MODULE_NOT_FOUND" });
      },
    });`,
  );
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require ${file}`, DATABASE_URL: "sqlite::memory:" };
}

async function callOften({ url, out }: { url: string; out: { stderr: string } }, count: number) {
  const key = /Bearer (psk_[\w-]+)/.exec(out.stderr)?.[1];
  const headers = { authorization: `Bearer ${key}`, connection: "close" };
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) {
    const answer = await fetch(`${url}/pets`, { headers });
    await answer.text();
    statuses.push(answer.status);
  }
  return [...new Set(statuses)];
}

t.test(
  "nothing of OpenTelemetry is loaded where there are no traces; where there are and it is missing, the start says so",
  async (t) => {
    const without = withoutPackages(t);
    const server = await startServer(t, without);
    t.same(await callOften(server, 3), [200]);
    t.equal((await server.end("SIGTERM")).code, 0);
    t.match(petstore({ ...without, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }, "serve"), {
      status: 1,
      stderr:
        /^petstore: OTEL_EXPORTER_OTLP_ENDPOINT needs OpenTelemetry \(Cannot find package '@opentelemetry\/\S+'\): npm ci --include=optional installs it\.\n$/,
    });
  },
);

t.test(
  "what was not sent yet is sent when the service ends, of each worker, with what OpenTelemetry reads by itself",
  async (t) => {
    const received = await receive(t);
    const server = await startServer(t, {
      WORKERS: "2",
      DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${received.endpoint}/`,
      OTEL_SERVICE_NAME: "shop",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=pets",
    });
    t.same(await callOften(server, 20), [200]);
    t.equal(received.spans.length, 0);
    t.match(await server.end("SIGTERM"), { code: 0 });
    t.equal(withName(received.spans, "GET /v1/pets").length, 20);
    t.match(received.spans[0]?.resource, { "service.name": "shop", "deployment.environment.name": "test" });
    const instances = new Set(received.spans.map(({ resource }) => resource["service.instance.id"]));
    t.equal(instances.size, received.headers.length, "one for each process that was called");
    t.match(received.headers[0], { "x-tenant": "pets", "content-type": "application/json" });
  },
);

t.test(
  "a receiver that refuses costs a line a minute, one that does not answer or is not there no more than three seconds at the end",
  async (t) => {
    const received = await receive(t);
    received.status = 400;
    const traced = (endpoint: string) =>
      startServer(t, { DATABASE_URL: "sqlite::memory:", OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    const server = await traced(received.endpoint);
    const lost = () => server.out.stdout.split("\n").filter((line) => line.includes("traces are lost"));
    t.same(await callOften(server, 400), [200]); // some thousand spans: two batches
    await until(
      () => (received.headers.length > 1 ? true : undefined),
      () => "nothing was sent",
    );
    t.match(await server.end("SIGTERM"), { code: 0 });
    t.ok(received.headers.length > 2);
    t.equal(lost().length, 1, lost().join("\n"));
    t.match(JSON.parse(lost()[0] as string), { level: 40, reason: "Bad Request" });

    received.status = 0;
    for (const endpoint of [received.endpoint, "http://127.0.0.1:9"]) {
      const server = await traced(endpoint);
      t.same(await callOften(server, 3), [200]);
      const { code, ms } = await server.end("SIGTERM");
      t.equal(code, 0);
      t.ok(ms < 6_000, `ended after ${ms} ms`);
      t.match(server.out.stdout, /traces are lost/);
    }
  },
);
