// Agents at real processes: `openapi-server mcp` on standard input and output, and `serve --mcp`.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import t, { type Test } from "tap";
import { connect, connectTo } from "../support/agents.ts";
import { folder, root } from "../support/files.ts";
import { startOpenApi } from "../support/openapi-command.ts";
import { until } from "../support/wait.ts";

const program = join(root, "src/command/bin.js");
const library = join(root, "examples/library/library.yaml");
const raw = (text: string) => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

async function startAgent(t: Test, args: readonly string[], env: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", ...args],
    env: { PATH: process.env.PATH as string, ...env },
    stderr: "pipe",
  });
  const errors = { text: "" };
  transport.stderr?.on("data", (chunk) => {
    errors.text += chunk;
  });
  return { ...(await connect(t, transport)), transport, errors };
}

t.test("mcp answers from the records of the document, with the key of the environment", async (t) => {
  const data = `sqlite:${join(folder(t), "library.db")}`;
  const key = execFileSync(process.execPath, [program, "keys", "create", library, "agent", "--data", data], {
    encoding: "utf8",
  }).trim();
  const agent = await startAgent(t, [library, "--data", data], { MCP_KEY: key });
  t.same(
    agent.tools.map(({ name }) => name),
    ["listBooks", "addBook", "getBook", "replaceBook", "removeBook"],
  );
  const added = await agent.call("addBook", { title: "Emma", author: "Austen", copies: raw("2147483647") });
  t.match(added, { isError: false, structuredContent: { id: 1, title: "Emma" } });
  t.match(await agent.call("getBook", { bookId: raw("9223372036854775807") }), {
    isError: true,
    text: /9223372036854775807/,
  });
  t.match(await agent.call("listBooks", { author: "Austen" }), { text: /^\[\{"id":1,/ });
  t.match(await agent.call("replaceBook", { bookId: 1, title: "" }), { isError: true, notes: /HTTP status 400/ });
  const other = await startAgent(t, [library, "--data", data, "--include", "addBook", "--key", "wrong"]);
  t.same(
    other.tools.map(({ name }) => name),
    ["addBook"],
  );
  t.match(await other.call("addBook", { title: "Emma", author: "Austen" }), {
    isError: true,
    notes: /HTTP status 401/,
  });
  t.equal(agent.errors.text, "");
});

t.test("mcp ends with its input, and names what is wrong", async (t) => {
  const child = spawn(process.execPath, [program, "mcp", library, "--data", "sqlite::memory:"], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.end('no JSON\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  t.same(await once(child, "close"), [0, null]);
  t.equal(stdout, '{"result":{},"jsonrpc":"2.0","id":1}\n');
  t.match(stderr, /^A message of the agent is no message of JSON-RPC/);
  const failing = spawn(
    process.execPath,
    [program, "mcp", library, "--include", "nothing", "--data", "sqlite::memory:"],
    { stdio: "ignore" },
  );
  t.same(await once(failing, "close"), [1, null]);
});

t.test("mcp --upstream calls an existing server, and validates both ways", async (t) => {
  const { url } = await startOpenApi(t, ["serve", library, "--key", "secret", "--data", "sqlite::memory:"]);
  const agent = await startAgent(t, [library, "--upstream", url, "--key", "librarian=secret", "--key", "secret"]);
  t.match(await agent.call("addBook", { title: "Emma", author: "Austen" }), { structuredContent: { id: 1 } });
  t.match(await agent.call("getBook", { bookId: 1 }), { text: /"title":"Emma"/ });
  t.match(await agent.call("getBook", { bookId: 2 }), { isError: true, text: /book_not_found/ });
  t.match(await agent.call("getBook", { bookId: "x" }), { isError: true, text: /must be an integer/ });

  const broken = createServer((_, response) =>
    response.setHeader("content-type", "application/json").end('{"id":"x"}'),
  );
  broken.listen(0, "127.0.0.1");
  await once(broken, "listening");
  t.teardown(() => broken.close());
  const wrong = await startAgent(t, [
    library,
    "--upstream",
    `http://127.0.0.1:${(broken.address() as AddressInfo).port}`,
  ]);
  t.match(await wrong.call("getBook", { bookId: 1 }), { isError: true, text: /^The response violates the document: / });
  broken.closeAllConnections();
  broken.close();
  await once(broken, "close");
  t.match(await wrong.call("getBook", { bookId: 1 }), { isError: true, text: /does not respond/ });
});

t.test("serve --mcp serves agents beside its clients, with one log", async (t) => {
  const args = ["serve", library, "--mcp", "--log", "--key", "secret", "--port", "0", "--data", "sqlite::memory:"];
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  t.teardown(() => child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const origin = await until(
    () => /^Agents \(MCP\) use (http:.*)\/mcp\.$/m.exec(output)?.[1],
    () => output,
  );
  const { call } = await connectTo(t, origin, { authorization: "Bearer secret" });
  t.match(await call("addBook", { title: "Emma", author: "Austen" }), { structuredContent: { id: 1 } });
  await until(
    () => /"operation":"addBook".*"status":201/.exec(output) ?? undefined,
    () => output,
  );
  t.notMatch(output, "secret");
});
