// Examples as texts that are sent (`serializedValue`, `externalValue`), and lists of items (`itemSchema`): what check and a mock make of
// them.
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { pino } from "pino";
import t, { type Test } from "tap";
import { createServer } from "../../../src/index.ts";
import { readDocument } from "../../../src/openapi/document/document.ts";
import { listDocumentFiles } from "../../../src/openapi/source/load.ts";
import { documentOf } from "../../support/document-server.ts";
import { writeFiles } from "../../support/files.ts";

const object = "type: object, required: [q], properties: { q: { type: integer } }";
const get = (name: string, content: string, headers = "{}") =>
  `  /${name}: { get: { operationId: ${name}, responses: { 200: { description: x, headers: ${headers}, content: { ${content} } } } } }\n`;

/** Writes a document with files beside it, and returns its path, the findings of check, and a function that requests its mock. */
async function open(t: Test, paths: string, files: Readonly<Record<string, string | Buffer>> = {}, version = "3.2.0") {
  const path = writeFiles(t, { "api/api.yaml": documentOf(paths, "", version), ...files });
  const { findings } = await readDocument(path, { strict: false, isThorough: true });
  const app = await createServer({ document: path, mock: true, logger: pino({ level: "silent" }) });
  t.teardown(() => app.close());
  return {
    path,
    found: findings
      .list({}, Number.POSITIVE_INFINITY)
      .map(({ rule, level, message }) => `${level} ${rule}: ${message}`),
    send: (url: string, prefer = "") => app.inject({ url, headers: { host: "x", prefer } }),
  };
}

const serialized = (schema: string, text: string, rest = "") =>
  `{ ${schema}, examples: { one: { serializedValue: ${JSON.stringify(text)}${rest} } } }`;

t.test("The mock sends a serializedValue as it is, in each media type, and check accepts it", async (t) => {
  for (const [type, schema, text] of [
    ["application/json", `schema: { ${object} }`, '{ "q":  7 }'],
    ["application/problem+json", `schema: { ${object} }`, '{"q":7.0}\n'],
    ["application/jsonl", `itemSchema: { ${object} }`, '{"q":7}\n{"q": 8}\n'],
    ["application/json-seq", `itemSchema: { ${object} }`, '\u001e{"q":\n7}\n\u001e{"q":8}\n'],
    ["application/geo+json-seq", `itemSchema: { ${object} }`, '\u001e{"q":7}\n'],
    ["text/event-stream", "itemSchema: { type: object }", "event: a\r\ndata: b\r\n\r\n"],
    ["text/plain", "schema: { type: integer }", "5"],
    ["text/csv", "schema: { type: array }", "a;b"],
    ["application/xml", `schema: { ${object} }`, "<a/>"],
    ["application/x-www-form-urlencoded", `schema: { ${object} }`, "q=7"],
    ["multipart/mixed; boundary=x", "itemSchema: {}", "--x\r\n\r\na\r\n--x--"],
  ] as const) {
    const { send, found } = await open(t, get("a", `'${type}': ${serialized(schema, text)}`));
    const { body, headers } = await send("/a");
    t.same([body, headers["mock-problem"]], [text, undefined], type);
    t.same(
      found.filter((one) => !one.includes("stream:multipart")),
      [],
      type,
    );
  }
});

t.test("A text that its schema rejects, or that is malformed, is found, and not sent", async (t) => {
  for (const [type, schema, text, reason] of [
    ["application/json", `schema: { ${object} }`, "{}", /must have .*q/],
    ["application/json", `schema: { ${object} }`, "{", /not valid JSON/],
    ["application/jsonl", `itemSchema: { ${object} }`, '{"q":7}\n{"q":"x"}\n', /'q' must be an integer/],
    ["application/jsonl", `itemSchema: { ${object} }`, "q\n", /not valid JSON/],
    ["application/geo+json-seq", `itemSchema: { ${object} }`, "\u001e{}\n", /must have .*q/],
    ["text/plain", "schema: { type: integer }", "five", /must be an integer/],
  ] as const) {
    const { send, found } = await open(t, get("a", `${type}: ${serialized(schema, text)}`));
    t.match(found, [/^warning example: The example at .*\/serializedValue does not match its schema/], type);
    t.match(found, [reason], type);
    const { body, headers } = await send("/a");
    t.match(headers["mock-problem"], reason, type);
    t.not(body, text);
    t.equal((await send("/a", "example=one")).body, text, "the client has asked for it");
  }
});

t.test("Items in value, dataValue and example are checked", async (t) => {
  for (const [example, reason] of [
    ["example: [{ q: 1 }, { q: x }]", /'q' must be an integer/],
    ["examples: { a: { value: { q: 1 } } }", /must be an array of items/],
    ["examples: { a: { dataValue: [{}] } }", /must have/],
  ] as const) {
    const { found, send } = await open(t, get("a", `application/jsonl: { itemSchema: { ${object} }, ${example} }`));
    t.match(found, [reason], example);
    t.match((await send("/a")).headers["mock-problem"], reason, example);
  }
  const { found, send } = await open(
    t,
    get("a", `application/jsonl: { itemSchema: { ${object} }, examples: { a: { dataValue: [{ q: 1 }, { q: 2 }] } } }`),
  );
  t.same(found, []);
  t.equal((await send("/a")).body, '{"q":1}\n{"q":2}\n');
});

t.test("Both forms of an example are checked, and the serialized one is sent", async (t) => {
  const both = serialized(`schema: { ${object} }`, '{"q": 7}', ", dataValue: { q: x }");
  const { found, send } = await open(t, get("a", `application/json: ${both}`));
  t.match(found, [/examples\/one\/dataValue does not match/]);
  t.equal((await send("/a")).body, '{"q": 7}');
});

t.test("The text of a header is sent, in its style or as JSON", async (t) => {
  const headers = `{ X-A: ${serialized("schema: { type: array, items: { type: integer } }", "1,2")},
    X-B: ${serialized("schema: { type: integer }", "x")}, X-C: { content: { application/json: ${serialized("schema: {}", '{ "a": 1 }')} } } }`;
  const { send, found } = await open(t, get("a", "application/json: {}", headers));
  t.match((await send("/a")).headers, {
    "x-a": "1,2",
    "x-b": "1",
    "x-c": '{"a":1}',
    "mock-problem": /^X-B: The example/,
  });
  t.match(found, [/X-B\/examples\/one\/serializedValue does not match its schema, which must be an integer/]);
});

t.test("An externalValue is the content of a file, relative to its document or its $self", async (t) => {
  const external = (schema: string, file: string) => `{ ${schema}, examples: { one: { externalValue: ${file} } } }`;
  const pixel = Buffer.from("89504e470d0a1a0a", "hex"); // not UTF-8
  const paths =
    get("json", `application/json: ${external(`schema: { ${object} }`, "json.json")}`) +
    get("bad", `application/json: ${external(`schema: { ${object} }`, "bad.json#x")}`) +
    get("xml", `application/xml: ${external(`schema: { ${object} }`, "x/a.xml")}`) +
    get("png", `image/png: ${external("schema: {}", "a.png")}`) +
    `  /ref: { $ref: x/path.yaml }\n`;
  const files = {
    "api/json.json": '{ "q": 7 }',
    "api/bad.json": '{ "q": "x" }',
    "api/x/a.xml": "<a/>",
    "api/a.png": pixel,
    "api/x/path.yaml": `get: { operationId: p, responses: { 200: { description: x, content: { text/plain: { examples: { one: { $ref: e.yaml } } } } } } }`,
    "api/x/e.yaml": "externalValue: e.txt",
    "api/x/e.txt": "text",
  };
  for (const [version, self] of [
    ["3.0.4", ""],
    ["3.1.0", ""],
    ["3.2.0", "\n$self: https://example.com/v1/api"],
  ] as const) {
    const { path, send, found } = await open(t, paths, files, version + self);
    t.same([(await send("/json")).body, (await send("/json", "example=one")).body], ['{ "q": 7 }', '{ "q": 7 }']);
    t.same([(await send("/xml")).body, (await send("/png")).rawPayload], ["<a/>", pixel]);
    t.equal((await send("/ref")).body, "text");
    t.match((await send("/bad")).headers["mock-problem"], /The example one does not match its schema: its field 'q'/);
    t.match(found, [/^warning example: The example at .*bad.*externalValue does not match its schema/]);
    t.ok((await listDocumentFiles(path)).includes(join(dirname(path), "x/e.txt")), "and is watched");
    t.match((await send("/openapi.json")).json().paths["/json"].get.responses, {
      200: { content: { "application/json": { examples: { one: { externalValue: "json.json" } } } } },
    });
  }
});

t.test("An externalValue that is not read is a note, and the mock says so", async (t) => {
  for (const [file, reason] of [
    ["https://example.com/ex.json", /is not a file: download it first/],
    ["none.json", /can't be read: ENOENT/],
    ["../other/secret.json", /leaves the folder of the document: .*--allow-folder/],
    [`${pathToFileURL("/etc/passwd")}`, /leaves the folder of the document/],
  ] as const) {
    const content = `application/json: { schema: { ${object} }, examples: { one: { externalValue: "${file}" } } }`;
    const { send, found } = await open(t, get("a", content), { "other/secret.json": '{ "q": 1234567 }' });
    t.match(found, [/^note external-value: The example at \/paths\/~1a\/.* has the externalValue/], file);
    t.match(found, [reason], file);
    const { body, headers } = await send("/a");
    t.equal(body, '{"q":1}');
    t.match(headers["mock-problem"], /^The example one was not read: its externalValue \S+ must be a file/);
    t.match(await send("/a", "example=one"), { statusCode: 501, body: /The example one was not read/ });
    t.match(await send("/a", "example=two"), { statusCode: 400, body: /the document declares one\./ });
  }
});
