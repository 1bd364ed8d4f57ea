// `mcp --upstream`: what agents can call of an existing server, and what they get of its responses.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import t, { type Test } from "tap";
import { runCommand } from "../../src/command/index.ts";
import { connect } from "../support/agents.ts";
import { documentOf } from "../support/document-server.ts";
import { writeFiles } from "../support/files.ts";
import { until } from "../support/wait.ts";

/** Connects an agent to the command, and the command to an upstream. */
async function startAgent(t: Test, document: string, respond: RequestListener) {
  const upstream = createServer(respond).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  t.teardown(() => upstream.close());
  const file = writeFiles(t, { "document.yaml": document });
  const address = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const io = { env: {}, stdin, stdout, stderr, onStop: () => {} };
  const running = runCommand(["mcp", file, "--upstream", address], { io });
  t.teardown(async () => {
    stdin.end();
    await running;
  });
  return connect(t, new StdioServerTransport(stdout, stdin)); // its two sides are the same
}

const id = "{ name: id, in: path, required: true, schema: { type: string } }";
const ok = "responses: { 204: { description: x } }";

t.test("An argument can't lead to another path of an upstream that decodes paths before it routes them", async (t) => {
  const document = documentOf(`  /books/{id}:
    get: { operationId: getBook, parameters: [${id}], ${ok} }
  /books/{id}/admin:
    get: { operationId: administer, x-mcp: false, parameters: [${id}], ${ok} }
  /books/all:purge:
    get: { operationId: purge, x-mcp: false, ${ok} }
`);
  const paths: string[] = [];
  const { call, tools } = await startAgent(t, document, ({ url = "" }, response) => {
    paths.push(decodeURIComponent(url));
    response.writeHead(204).end();
  });
  t.same(
    tools.map(({ name }) => name),
    ["getBook"],
  );
  const others = ["a/admin", "a\\admin", "/a//admin/", "all:purge", "all:purge/", "../x", "a\\..\\x", "a/.", ".."];
  for (const id of others) t.match(await call("getBook", { id }), { isError: true, text: /path/ }, id);
  t.same(paths, []);
  const own = ["a/b", "a/b/admin", "a:purge", "a..b", "x;y@z"];
  for (const id of own) t.match(await call("getBook", { id }), { isError: false }, id);
  t.same(
    paths,
    own.map((id) => `/books/${id}`),
  );
});

t.test("A response that is not compared is read, or named as an error", async (t) => {
  const get = (name: string, type: string, schema: string) =>
    `  /${name}: { get: { operationId: ${name}, responses: { 200: { description: x, content: { ${type}: { schema: ${schema} } } } } } }\n`;
  const document = documentOf(
    get("large", "application/json", "{ type: object }") +
      get("latin", "text/plain", "{ type: string }") +
      get("image", "image/png", "{}") +
      get("events", "text/event-stream", "{ type: string }") +
      get("compressed", "application/pdf", "{}"),
  );
  const bodies: Record<string, readonly [headers: Record<string, string>, body: Buffer | string]> = {
    "/large": [{ "content-type": "application/json" }, `{"a":"${"x".repeat(17 * 1024 * 1024)}"}`],
    "/latin": [{ "content-type": "text/plain" }, Buffer.from("é", "latin1")],
    "/image": [{ "content-type": "image/png" }, Buffer.alloc(100_000)],
    "/events": [{ "content-type": "text/event-stream" }, "data: x\n\n"],
    "/compressed": [{ "content-type": "application/pdf", "content-encoding": "gzip" }, Buffer.alloc(10)],
  };
  let isOpen = false;
  const { call } = await startAgent(t, document, ({ url = "" }, response) => {
    const [headers, body] = bodies[url] ?? [{}, ""];
    response.writeHead(200, headers);
    if (url !== "/events") return response.end(body);
    isOpen = true;
    response.once("close", () => {
      isOpen = false;
    });
    return response.write(body);
  });
  const notRead = "The upstream has responded with the HTTP status 200. The body was not read:";
  t.match(await call("large"), { isError: true, text: `${notRead} It has more than 16777216 bytes.` });
  t.match(await call("latin"), { isError: true, text: notRead });
  t.match(await call("compressed"), { isError: true, text: `${notRead} It has the content coding gzip.` });
  t.match(await call("image"), { isError: false, text: "The body has 100000 bytes of image/png." });
  t.match(await call("events"), { isError: false, text: "data: x\n\n" });
  await until(() => !isOpen, "the stream is still open");
});
