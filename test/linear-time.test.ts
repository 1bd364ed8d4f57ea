// Every parser of bytes that a client sends takes linear time: headers, URLs, bodies, cursors and files.
import { once } from "node:events";
import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { MIMEType } from "node:util";
import t from "tap";
import { findLink } from "../openapi/client/link.ts";
import { formats } from "../src/data/formats/file-formats.ts";
import { parseJson } from "../src/lib/index.ts";
import { readRecords } from "../src/lib/record-reader.ts";
import { Schemas } from "../src/openapi/schema/schemas.ts";
import { ImportReader } from "../src/resources/index.ts";
import { petCollection, petResource } from "./support/pets.ts";
import { startTraced } from "./support/traces.ts";
import { createWorstCases, findSlowCases } from "./support/worst-cases.ts";

const length = 15_000; // of a header or a URL; Node accepts 16 KiB of headers
const bodyLength = 60_000; // of 64 KiB

t.test("The measurement finds a parser that takes quadratic time", async (t) => {
  const usual = `a/b; a=b${"x".repeat(length)}`;
  const [blanks] = createWorstCases(length, ["a/b; a=b"], ["c"]) as Iterable<string> as [string];
  const find = (run: (text: string) => unknown) => findSlowCases(run, usual, [usual, blanks]);
  t.match(await find((text) => new MIMEType(text).params.get("a")), [/^"a\/b; a=b {32}"… takes \d+ ms,/]);
  t.match(await find((text) => /\s+$/.test(text)), [/^"a\/b; a=b {32}"… takes \d+ ms,/]);
  t.same(await find((text) => text.split(" ")), []);
});

/** The headers that the service and its libraries parse, with the beginnings of their values. */
const headers: Record<string, string[]> = {
  accept: ["", "text/html,"],
  "accept-encoding": ["", "gzip;q="],
  authorization: ["", "Bearer", "Bearer "],
  "content-encoding": ["", ","],
  "content-type": [
    "",
    "application/json",
    "application/json; a=b",
    'application/json; a="',
    "application/json;charset=",
  ],
  cookie: ["", "a=b; "],
  expect: ["", "100-continue"],
  forwarded: ["", "for="],
  host: ["", "[", "x:"],
  "idempotency-key": ["", '"'],
  "if-match": ["", '"a",'],
  "if-none-match": ["", '"a",', "W/"],
  origin: ["", "https://"],
  range: ["", "bytes="],
  tracestate: ["", "a=b,"],
  traceparent: ["", "00-"],
  "transfer-encoding": ["", "chunked,"],
  "x-forwarded-for": ["", "::1,", "10.0.0.1,", "fe80::1%"],
  "x-unknown": [""],
};

// A service that reads every header.
const { port, key } = await startTraced(t, {
  settings: { TRUST_PROXY: "127.0.0.1", CORS_ORIGINS: "https://app.example", RATE_LIMIT_FAILED: "1000000/1s" },
});
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
t.teardown(() => agent.destroy());

async function send(method: string, path: string, headers: OutgoingHttpHeaders = {}, body?: string): Promise<void> {
  const authorization = `Bearer ${key}`;
  const outgoing = request({ agent, port, method, path, headers: { authorization, ...headers } });
  outgoing.end(body);
  // The connection of a request that is rejected for its framing can be closed before the response is read.
  const incoming = await once(outgoing, "response").catch(() => []);
  await incoming[0]?.resume().toArray();
}

for (const [name, prefixes] of Object.entries(headers))
  t.test(`Takes linear time for the header ${name}`, async (t) => {
    const body = name.startsWith("content-") || name === "expect" ? '{"name":"Rex","categoryId":1}' : undefined;
    const type = { "content-type": "application/json" };
    const run = (value: string) => send(body ? "POST" : "GET", "/v1/pets?limit=1", { ...type, [name]: value }, body);
    t.same(await findSlowCases(run, "x".repeat(length), createWorstCases(length, prefixes)), []);
  });

t.test("Takes linear time for URLs and cursors", async (t) => {
  const prefixes = ["/", "/v1/pets/", "/v1/pets?", "/v1/pets?limit=", "/v1/pets?cursor=", "/%", "http://x", "http://["];
  const run = (path: string) => send("GET", path.replaceAll(/[ \t]/g, "+"));
  t.same(await findSlowCases(run, `/${"x".repeat(length)}`, createWorstCases(length, prefixes)), []);
});

t.test("Takes linear time for bodies", async (t) => {
  const field = '{"name":"x","categoryId":1,"';
  const prefixes = ["", '{"name":"', field, `${field}x":`, "[", "{", '{"a":[1,', '{"a":1.'];
  const suffixes = ["", '"}', '","categoryId":1}', "]", "}"];
  const run = (body: string) => send("POST", "/v1/pets", { "content-type": "application/json" }, body);
  const cases = createWorstCases(bodyLength, prefixes, suffixes);
  t.same(await findSlowCases(run, `{"name":"${"x".repeat(bodyLength)}","categoryId":1}`, cases), []);
});

for (const [name, format] of Object.entries(formats))
  t.test(`Takes linear time for records of ${name}`, async (t) => {
    const parse = format.createParser(new ImportReader(petResource));
    const header = Buffer.from(
      format
        .header({
          collection: petCollection,
          withoutIds: true,
          places: [],
          toCell: petResource.record.createCellWriter(),
        })
        .trim() || "{}",
    );
    const run = async (text: string) => {
      const read = async function* () {
        yield Buffer.from(`${header}\n${text}\n`);
      };
      const records = await Array.fromAsync(readRecords(read(), 2 * bodyLength, format.createDelimiter())).catch(
        () => [],
      );
      for (const { bytes } of records.flat())
        try {
          parse(bytes as Buffer);
        } catch {} // only the time is of interest
    };
    t.same(await findSlowCases(run, "x".repeat(bodyLength), createWorstCases(bodyLength, ["", '"', '{"name":"'])), []);
  });

t.test("The client takes linear time for the header Link", async (t) => {
  const prefixes = ["", "<", "<x>", '<x>; rel="', "<x>; rel=a", '<x>; title="a", '];
  const run = (link: string) => findLink("next", new Headers({ link }));
  t.same(await findSlowCases(run, "x".repeat(length), createWorstCases(length, prefixes)), []);
});

const x = { $ref: "#/components/schemas/x" };
const nest = (open: string, close: string, inner: string, levels: number) =>
  open.repeat(levels) + inner + close.repeat(levels);
const chains = (count: number) => `[${Array.from({ length: count }, () => nest('{"a":', "}", "1", 20)).join()}]`;
const then = "then"; // Biome takes an object with this name for a promise

/** Schemas whose alternatives or parts apply to the same value, which without kept results take exponential time. */
const recursiveSchemas: Record<string, object> = {
  anyOf: { anyOf: [{ type: "object", properties: { a: x } }, { items: x, type: "array" }, { properties: { a: x } }] },
  oneOf: { oneOf: [{ required: ["z"], properties: { a: x } }, { type: "array", items: x }, { properties: { a: x } }] },
  "anyOf in which nothing matches": {
    type: ["object", "array"],
    anyOf: [{ properties: { a: x } }, { items: x }, x1()],
  },
  allOf: { allOf: [{ properties: { a: x } }, { additionalProperties: x }], items: x },
  conditions: {
    if: { properties: { a: x } },
    [then]: { properties: { a: x } },
    else: { properties: { a: x } },
    items: x,
  },
  dependentSchemas: { dependentSchemas: { a: { properties: { a: x } } }, properties: { a: x }, items: x },
  not: { not: { not: { properties: { a: x }, items: x } }, properties: { a: x }, items: x },
  unevaluated: { anyOf: [{ properties: { a: x } }, { properties: { b: x } }], unevaluatedProperties: x, items: x },
  contains: { contains: x, items: x, properties: { a: x } },
  patternProperties: { patternProperties: { a: x, "^a": x, a$: x }, items: x },
  defaults: { properties: { a: x, d: { default: { e: 1 }, properties: { f: { default: [1] } } } }, items: x },
  uniqueItems: { uniqueItems: true, items: { uniqueItems: true, properties: { a: x } } },
  enum: { not: { enum: [{ a: { a: 1 } }, [1]] }, properties: { a: x }, items: x },
};

function x1() {
  return { allOf: [{ properties: { a: x } }, { items: x, minItems: 1, not: {} }] };
}

/** Returns the CPU time of a validation in milliseconds: the best of three. */
function measureValidation(schema: object, text: string): number {
  const schemas = new Schemas({ components: { schemas: { x: schema } } });
  const refuse = (pointer: string, reason: string) => {
    throw new Error(pointer + reason);
  };
  schemas.add("/components/schemas/x", { report: refuse });
  schemas.checkReferences({ report: refuse });
  const validate = schemas.compileReaderAt("/components/schemas/x");
  const times = [1, 2, 3].map(() => {
    const value = parseJson(text);
    const start = process.cpuUsage();
    validate(value);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

for (const [name, schema] of Object.entries(recursiveSchemas))
  t.test(`Takes linear time for values of a recursive schema: ${name}`, async (t) => {
    const [short, long] = [measureValidation(schema, chains(100)), measureValidation(schema, chains(800))];
    t.ok(long < 8 * 5 * Math.max(short, 1), `8 times the text takes ${long} ms instead of ${short} ms`);
    const deep = measureValidation(schema, nest('{"a":', "}", "1", 400));
    t.ok(deep < 300, `400 levels take ${deep} ms`);
  });

t.test("Takes linear time for JSON of any form", async (t) => {
  const texts: Record<string, (count: number) => string> = {
    integers: (count) => `[${"1,".repeat(count)}1]`,
    "long integers": (count) => `[${"12345678901234567890,".repeat(count)}1]`,
    names: (count) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join()}}`,
    escapes: (count) => `"${"\\\\\\ud83d\\ude00".repeat(count)}"`,
    text: (count) => `"${"x".repeat(10 * count)}"`,
    objects: (count) => `[${'{"a":{}},'.repeat(count)}{}]`,
  };
  const measure = (text: string) => {
    const start = process.cpuUsage();
    parseJson(text);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
  for (const [name, create] of Object.entries(texts)) {
    const times = (count: number) => Math.min(...[1, 2, 3].map(() => measure(create(count))));
    const [short, long] = [times(10_000), times(80_000)];
    t.ok(long < 8 * 5 * Math.max(short, 1), `${name}: 8 times the text takes ${long} ms instead of ${short} ms`);
  }
});
