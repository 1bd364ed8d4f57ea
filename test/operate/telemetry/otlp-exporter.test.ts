// Traces across services: the caller's context, data that is never sent, correlation with the log, and failing
// receivers.
import t from "tap";
import { handlers } from "../../../src/pets/handlers.ts";
import { parent, parentSpanId, parentTraceId, serverSpans, startTraced } from "../../support/traces.ts";
import { until } from "../../support/wait.ts";

t.test("Continues the caller's trace, and records nothing of one that is not sampled", async (t) => {
  const { call, logs, received, finish } = await startTraced(t);
  const send = async (headers: Record<string, string>) => {
    const { headers: got } = await call("GET", "/v1/pets", { headers });
    return /^00-([\da-f]{32})-([\da-f]{16})-(0[01])$/.exec(got.traceparent ?? "")?.slice(1) ?? [];
  };
  const [id, span, flags] = await send({ traceparent: `${parent}-00` });
  t.same([id, flags], [parentTraceId, "00"]);
  t.not(span, parentSpanId);
  t.match(logs.at(-1), { msg: "request completed", trace: id, span });

  const invalid = [
    "",
    "nonsense",
    `${parent}`,
    `${parent}-01-more`,
    `${parent}-01, ${parent}-01`,
    `ff${parent.slice(2)}-01`,
    `${parent.toUpperCase()}-01`,
    `00-${"0".repeat(32)}-${parentSpanId}-01`,
    `00-${parentTraceId}-${"0".repeat(16)}-01`,
    "é".repeat(1000),
  ];
  for (const traceparent of invalid) {
    const [fresh = "", , flags] = await send({
      traceparent: Buffer.from(traceparent).toString("latin1"),
      tracestate: "=,=",
    });
    t.equal(flags, "01", `a new trace: ${traceparent.slice(0, 80)}`);
    t.not(fresh, parentTraceId);
  }
  const secret = `psk_${"s".repeat(43)}`;
  const [continued] = await send({ traceparent: `${parent}-01`, tracestate: `vendor=${secret}` });
  t.equal(continued, parentTraceId, "the trace continues without a tracestate that looks like a secret");
  const [later] = await send({ traceparent: `cc${parent.slice(2)}-01-what-will-be` });
  t.equal(later, parentTraceId, "a later version of the header is read as this one");
  const spans = await finish();
  t.equal(serverSpans(spans).length, invalid.length + 2);
  t.notMatch(received.text, secret);
  t.notMatch(received.text, span);
});

t.test("Traces have no key, query, body, value or address of a client", async (t) => {
  const { call, create, key, finish, received } = await startTraced(t, { settings: { TRUST_PROXY: "127.0.0.0/8" } });
  const headers = { host: "pets.example:8443", "x-forwarded-for": "203.0.113.9", "user-agent": "secretagent" };
  await create({ name: "secretname", categoryId: 4711471147 }, { ...headers, "idempotency-key": "secretonce" });
  await call("GET", "/v1/pets?status=sold&limit=77", { headers });
  await call("GET", "/v1/pets?secretquery=1", { headers });
  await call("GET", `/v1/${key}`, { headers: { ...headers, host: `${key}.example` } });
  await call("POST", "/v1/pets", { headers, json: { name: 1, secretfield: 1 } });
  const calls = serverSpans(await finish());
  t.equal(calls.length, 5);
  t.match(calls[0]?.attributes, { "server.address": "pets.example", "server.port": 8443 });
  t.notMatch(received.text, /secret(name|once|query|field|agent)|4711471147|sold|limit=|127\.0\.0|203\.0\.113/);
  t.notOk(received.text.includes(key), "the key");
  t.match(received.text, "/v1/psk_…");
});

t.test("Each log line of a request contains its trace id", async (t) => {
  const getPet = async () => {
    throw new Error("a bug");
  };
  const { call, create, logs, finish } = await startTraced(t, { handlers: { ...handlers, getPet } });
  await create({ name: "Rex", categoryId: 7 });
  await call("GET", "/v1/pets/1");
  const [post, get] = serverSpans(await finish());
  const lines = logs.filter(({ msg }) => msg === "request completed" || msg === "request failed");
  t.same(
    lines.map(({ msg, trace, span }) => [msg, trace, span]),
    [
      ["request completed", post?.traceId, post?.spanId],
      ["request failed", get?.traceId, get?.spanId],
      ["request completed", get?.traceId, get?.spanId],
    ],
  );
});

t.test("Logs one line a minute while the receiver rejects traces", async (t) => {
  const { call, received, exporterLogs, finish } = await startTraced(t);
  received.status = 400;
  for (let n = 0; n < 20; n++) {
    const responses = await Promise.all(Array.from({ length: 20 }, () => call("GET", "/v1/pets")));
    t.ok(responses.every(({ status }) => status === 200));
  } // more than a thousand spans: two batches
  await until(() => received.headers.length > 1, "nothing was sent");
  await finish();
  t.ok(received.headers.length > 2);
  t.match(exporterLogs, [{ level: 40, msg: "failed to export traces", reason: "Bad Request" }]);
  t.equal(exporterLogs.length, 1);
});

for (const [what, endpoint, reason] of [
  ["does not respond", undefined, /timed out/],
  ["does not exist", "http://127.0.0.1:9", /ECONNREFUSED|timed out/],
] as const)
  t.test(`Ends after the timeout of an export if the receiver ${what}`, async (t) => {
    const { call, received, exporterLogs, finish } = await startTraced(t, {
      timeout: 100,
      ...(endpoint && { endpoint }),
    });
    received.status = 0;
    t.match(await call("GET", "/v1/pets"), { status: 200 });
    await finish();
    t.match(exporterLogs, [{ level: 40, msg: "failed to export traces", reason }]);
  });
