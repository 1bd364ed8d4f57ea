// The results of calls: what agents get of long, endless and other responses.
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { cutValue } from "../../src/mcp/result.ts";
import { connectTo, startAgents } from "../support/agents.ts";
import { documentOf } from "../support/document-server.ts";
import { writeFiles } from "../support/files.ts";

const object =
  "{ type: object, properties: { items: { type: array, items: { type: string } }, next: { type: string } } }";
const success = (type: string, schema: string) =>
  `{ 200: { description: x, content: { ${type}: { schema: ${schema} } } } }`;
const document = documentOf(
  `  /long: { get: { operationId: getLong, parameters: [{ name: fields, in: query, schema: { type: string } }], responses: ${success("application/json", object)} } }
  /list: { get: { operationId: getList, responses: ${success("application/json", "{ type: array, items: {} }")} } }
  /text: { get: { operationId: getText, responses: ${success("text/plain", "{ type: string }")} } }
  /bytes: { get: { operationId: getBytes, responses: ${success("application/pdf", "{ type: string, format: binary }")} } }
  /events: { get: { operationId: getEvents, responses: ${success("text/event-stream", "{ type: string }")} } }
  /slow: { get: { operationId: getSlow, responses: { 204: { description: x } } } }
  /secure:
    get:
      operationId: getSecure
      security: [{ inQuery: [], inCookie: [] }, { inHeader: [] }, { basic: [] }]
      parameters: [{ name: api_key, in: query, schema: { type: string } }]
      responses: { 204: { description: x } }
`,
  `components:
  securitySchemes:
    inQuery: { type: apiKey, in: query, name: api_key }
    inCookie: { type: apiKey, in: cookie, name: session }
    inHeader: { type: apiKey, in: header, name: X-Key }
    basic: { type: http, scheme: basic }
`,
);
const long = Array.from({ length: 10_000 }, (_, index) => `item ${index}`);
const bytes = Buffer.from([1, 2, 3]);
let isOpen = false;
let running = 0;
const seen: unknown[] = [];
const handlers = {
  getLong: async () => ({ status: 200, body: { items: long, next: "cursor" } }),
  getList: async () => ({ status: 200, body: [2n ** 63n - 1n, ...long] }),
  getText: async () => ({ status: 200, body: "x".repeat(5_000_000) }),
  getBytes: async () => ({ status: 200, body: bytes }),
  getEvents: async () => ({
    status: 200,
    body: (async function* () {
      isOpen = true;
      try {
        for (;;) {
          yield "x";
          await sleep(100);
        }
      } finally {
        isOpen = false;
      }
    })(),
  }),
  getSlow: async () => {
    running++;
    await sleep(500);
    running--;
    return { status: 204 };
  },
  getSecure: async () => ({ status: 204 }),
};
const check = (credential: unknown) => {
  seen.push(credential);
  return {};
};
const security = { inQuery: check, inCookie: check, inHeader: check, basic: check };

t.test("Results", async (t) => {
  const path = writeFiles(t, { "a.yaml": document });
  const { app, origin, connect } = await startAgents(t, { document: path, handlers, security });
  const { call, tools } = await connect();

  t.test("A long response is cut between its items, and says so", async (t) => {
    const { text, notes, structuredContent, isError } = await call("getLong");
    t.notOk(isError);
    t.ok(text.length <= 40_000 && text.length > 38_000, `${text.length}`);
    const { items, next } = JSON.parse(text);
    t.same(items, long.slice(0, items.length));
    t.equal(next, "cursor");
    t.same(structuredContent, { items, next });
    t.equal(
      notes,
      `The response was cut to 40000 characters: /items has ${items.length} of 10000 items. To get the rest, or less of each, use the arguments fields.`,
    );
    const list = await call("getList");
    t.match(list.text, /^\[9223372036854775807,"item 0"/);
    t.match(list.notes, /the array has \d+ of 10001 items\.$/);
  });

  t.test("Texts are cut, and bytes are named", async (t) => {
    const { text, notes } = await call("getText");
    t.equal(text.length, 40_001);
    t.match(notes, /The body has the first 40000 of \d+ characters/);
    t.match(await call("getBytes"), { text: "The body has 3 bytes of application/pdf." });
  });

  t.test("An endless stream is read for 5 s, and then ended", async (t) => {
    const { text } = await call("getEvents");
    t.match(text, /^data: x\n\ndata: x\n/);
    while (isOpen) await sleep(10);
    t.pass("the handler has ended");
  });

  t.test("At most 32 calls run at once", async (t) => {
    const results = await Promise.all(Array.from({ length: 40 }, () => call("getSlow")));
    t.equal(results.filter(({ isError }) => isError).length, 8);
    t.match(results.find(({ isError }) => isError)?.text, /The server runs 32 calls of agents/);
    t.match(await call("getSlow"), { isError: false });
    t.equal(running, 0);
  });

  t.test("Credentials are forwarded to where the document has them, and are no arguments", async (t) => {
    t.same(tools.find(({ name }) => name === "getSecure")?.inputSchema.properties, {});
    t.match(await call("getSecure"), { isError: true, notes: /^HTTP status 401/ });
    const both = await connectTo(t, origin, { cookie: "session=a; other=b", "x-other": "c", "x-key": "k e" });
    t.match(await both.call("getSecure"), { isError: false });
    t.match(seen.at(-1), "k e");
    const basic = await connectTo(t, origin, { authorization: `Basic ${btoa("me:secret")}` });
    t.match(await basic.call("getSecure"), { isError: false });
    t.same(seen.at(-1), { username: "me", password: "secret" });
  });

  t.test("Without `allowedHosts`, only /mcp is protected from other names", async (t) => {
    const headers = { host: "evil.example", "content-type": "application/json" };
    t.equal((await app.inject({ method: "POST", url: "/mcp", headers, payload: "{}" })).statusCode, 421);
    t.equal((await app.inject({ url: "/bytes", headers: { host: "evil.example" } })).statusCode, 200);
  });
});

t.test("A value is cut in linear time, however deep it is", async (t) => {
  const text = "x".repeat(4_000);
  let value: object = {};
  for (let depth = 0; depth < 950; depth++) value = { text, inner: value };
  const operations = `  /deep: { get: { operationId: getDeep, responses: ${success("application/json", "{ type: object }")} } }\n`;
  const path = writeFiles(t, { "a.yaml": documentOf(operations) });
  const options = { document: path, handlers: { getDeep: async () => ({ status: 200, body: value }) } };
  const { call } = await (await startAgents(t, options)).connect();
  const start = performance.now();
  const { text: cut, notes } = await call("getDeep");
  t.ok(performance.now() - start < 2_000); // not 6 s
  t.ok(cut.length < 100_000, `${cut.length}`);
  t.ok(notes.length < 2_000, `${notes.length}`);
});

t.test("Small members of a value stay when it is cut", async (t) => {
  const cuts: string[] = [];
  const value = { a: 1, text: "x".repeat(1_000), list: [{ deep: "y".repeat(1_000) }, 2], b: [1, 2, 3] };
  const cut = cutValue(value, 300, "", cuts) as typeof value;
  t.match(cut, { a: 1, b: [1, 2, 3] });
  t.ok(JSON.stringify(cut).length <= 300, JSON.stringify(cut));
  t.same(
    cuts.map((text) => text.replace(/\d{2,}/g, "N")),
    ["/text has the first N of N characters", "/list/0/deep has the first N of N characters", "/list has 1 of 2 items"],
  );
});
