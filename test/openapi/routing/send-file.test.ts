// Files as responses of handlers: ranges, conditional requests, downloads, and paths that lead out of the folder.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, sendFile } from "../../../src/index.ts";
import { documentOf } from "../../support/document-server.ts";
import { folder } from "../../support/files.ts";

const outer = folder(t);
const root = join(outer, "files");
mkdirSync(join(root, "folder"), { recursive: true });
for (const name of ["files/a.txt", "files/b%20 é.pdf", "files/.hidden", "files/empty.txt", "secret.txt"])
  writeFileSync(join(outer, name), name.includes("empty") ? "" : "0123456789");
symlinkSync(join(outer, "secret.txt"), join(root, "out.txt"));
symlinkSync(join(root, "a.txt"), join(root, "in.txt"));

const parameters = "parameters: [{ name: name, in: query, required: true, schema: { type: string } }]";
const failure = "default: { description: x, content: { application/json: { schema: { required: [oops] } } } }";
const document = parse(
  documentOf(`  /files:
    get:
      operationId: download
      ${parameters}
      responses:
        200: { description: x, content: { "*/*": {} } }
        206: { description: x, content: { "*/*": {} } }
        304: { description: x }
        ${failure}
  /whole:
    get:
      operationId: downloadWhole
      ${parameters}
      responses: { 200: { description: x, content: { application/octet-stream: {} } }, 400: { description: x } }
`),
);
const nameOf = ({ query }: { query: unknown }) => (query as { name: string }).name;
const app = await createServer({
  document,
  handlers: {
    download: async (call) => sendFile(call, nameOf(call), { root, filename: 'report "é".txt' }),
    downloadWhole: async (call) => sendFile(call, nameOf(call), { root }),
  },
  formatError: ({ code }) => ({ oops: code }),
  logger: pino({ level: "silent" }),
});
t.teardown(() => app.close());
const send = async (name: string, headers: Record<string, string> = {}, method = "GET", path = "/files") => {
  const url = `${path}?name=${encodeURIComponent(name)}`;
  const response = await app.inject({ method: method as "GET", url, headers: { host: "x", ...headers } });
  return { status: response.statusCode, headers: response.headers, text: response.payload };
};

t.test("Sends a file with its length, times and media type, and the name of a download", async (t) => {
  t.match(await send("a.txt"), {
    status: 200,
    text: "0123456789",
    headers: {
      "content-length": "10",
      "content-type": /^text\/plain/,
      etag: /^W\/"a-/,
      "last-modified": /GMT$/,
      "accept-ranges": "bytes",
      "content-disposition": `attachment; filename="report \\"?\\".txt"; filename*=UTF-8''report%20%22%C3%A9%22.txt`,
    },
  });
  t.match(await send("a.txt", {}, "HEAD"), { status: 200, text: "", headers: { "content-length": "10" } });
  t.match(await send("b%20 é.pdf"), { status: 200, headers: { "content-type": "application/pdf" } });
  t.match(await send("empty.txt"), { status: 200, text: "", headers: { "content-length": "0" } });
  t.match(await send("in.txt"), { status: 200 }, "a link within the folder");
});

t.test("Sends a range, and 416 if the file does not have it", async (t) => {
  const part = await send("a.txt", { range: "bytes=2-4" });
  t.match(part, { status: 206, text: "234", headers: { "content-range": "bytes 2-4/10", "content-length": "3" } });
  t.match(await send("a.txt", { range: "bytes=-3" }), { status: 206, text: "789" });
  t.match(await send("a.txt", { range: "bytes=2-4" }, "HEAD"), { status: 206, headers: { "content-length": "3" } });
  t.match(await send("a.txt", { range: "bytes=0-1,4-5" }), { status: 200, text: "0123456789" });
  t.match(await send("a.txt", { range: "bytes=2-4", "if-range": '"other"' }), { status: 200 });
  t.match(await send("a.txt", { range: "bytes=10-" }), {
    status: 416,
    text: '{"oops":"range_not_satisfiable"}',
    headers: { "content-range": "bytes */10" },
  });
});

t.test("Responds with 304 to a client that has the file, and with 412 to one that expects another one", async (t) => {
  const { headers } = await send("a.txt");
  const tag = `${headers.etag}`;
  const modified = `${headers["last-modified"]}`;
  for (const [name, value] of Object.entries({ "if-none-match": tag, "if-modified-since": modified }))
    t.match(await send("a.txt", { [name]: value }), { status: 304, text: "", headers: { etag: tag } });
  t.match(await send("a.txt", { "if-none-match": '"x"', "if-modified-since": modified }), { status: 200 });
  t.match(await send("a.txt", { "if-unmodified-since": "Mon, 01 Jan 2001 00:00:00 GMT" }), {
    status: 412,
    text: '{"oops":"precondition_failed"}',
  });
});

t.test("Finds nothing outside of the folder, no folders and no hidden files", async (t) => {
  const names = ["../secret.txt", "/../secret.txt", "folder/../../secret.txt", "out.txt", ".hidden", "folder", "x", ""];
  for (const name of [...names, "..\\secret.txt", "%2e%2e/secret.txt", "a.txt\0", "a.txt/x", join(outer, "secret.txt")])
    t.match(await send(name), { status: 404, text: '{"oops":"path_not_found"}' }, name);
});

t.test("Sends only statuses and media types that the document declares", async (t) => {
  const whole = await send("a.txt", { range: "bytes=2-4" }, "GET", "/whole");
  t.match(whole, { status: 200, text: "0123456789", headers: { "content-type": "application/octet-stream" } });
  t.notOk(whole.headers["accept-ranges"]);
  const since = { "if-modified-since": `${whole.headers["last-modified"]}` };
  t.match(await send("a.txt", since, "GET", "/whole"), { status: 200 });
});
