// The command and the server as who runs them meets them: arguments, settings, output, signals.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t from "tap";
import { readConfig } from "../src/config.ts";
import { documentText, edit, folder } from "./support/files.ts";
import { petstoreProcess as petstore, slowStart, startServer, workersOf } from "./support/processes.ts";
import { until } from "./support/wait.ts";

const root = new URL("..", import.meta.url).pathname;

t.test("a client that sends CONNECT and resets the connection harms nobody", async (t) => {
  const server = await startServer(t, { DATABASE_URL: "sqlite::memory:" });
  const { port, origin } = new URL(server.url);
  for (let n = 0; n < 100; n++) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
    setTimeout(() => socket.resetAndDestroy(), n % 3);
    await once(socket, "close");
  }
  t.equal((await fetch(`${origin}/healthz`)).status, 200);
  t.equal(server.child.exitCode, null);
});

t.test("a service that may not inspect itself starts all the same", async (t) => {
  // Without what measures the coverage, which may not be loaded there.
  const command = `NODE_OPTIONS= exec ${process.execPath} --permission --allow-fs-read=* --allow-fs-write=* --allow-net src/bin.js serve`;
  const server = await startServer(t, { DATABASE_URL: "sqlite::memory:" }, ["sh", "-c", command]);
  t.equal((await fetch(`${new URL(server.url).origin}/healthz`)).status, 200);
});

t.test("petstore keys", async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}` };
  const keys = (...args: string[]) => petstore(settings, "keys", ...args);
  t.match(
    keys("create", "alice"),
    { status: 0, stdout: /^psk_[\w-]{43}\n$/, stderr: "" },
    "the key alone is on stdout",
  );
  t.match(keys("create", "bob", "--expires", "90d"), { status: 0 });
  const made = JSON.parse(keys("create", "carol", "--operator", "--json").stdout);
  t.match(made, { name: "carol", key: /^psk_[\w-]{43}$/, operator: true, expires: null });
  t.match(keys("create", "bob"), {
    status: 1,
    stdout: "",
    stderr: "petstore: There is a key named bob already: revoke it, or take another name.\n",
  });
  t.match(keys("list"), {
    status: 0,
    stdout:
      /^NAME {3}ROLE {6}CREATED {12}EXPIRES {12}LAST USED\nalice {2}client {4}\d{4}-\d\d-\d\d \d\d:\d\dZ {2}never {14}never\nbob {4}.*never\ncarol {2}operator .*never\n$/,
  });
  const [alice, bob] = JSON.parse(keys("list", "--json").stdout);
  t.match(alice, { name: "alice", expires: null, lastUsed: null });
  const days = (Date.parse(bob.expires) - Date.parse(bob.created)) / 86_400_000;
  t.ok(Math.abs(days - 90) < 0.0001, "90d are 90 days");
  t.match(keys("revoke", "bob"), { status: 0, stdout: "", stderr: "" });
  t.match(keys("revoke", "bob"), { status: 1, stderr: "petstore: There is no key named bob.\n" });
  for (const wrong of [
    ["create"],
    ["create", "a b"],
    ["create", "x", "--expires", "soon"],
    ["create", "x", "--expires", "0d"],
    ["create", "x", "--expires", "101y"],
    ["create", "-x"],
    ["create", "x", "y"],
    ["nope"],
    ["list", "--nope"],
    [],
  ])
    t.match(keys(...wrong), { status: 2, stdout: "", stderr: /./ }, `wrong usage: keys ${wrong.join(" ")}`);
  const lost = { DATABASE_URL: `sqlite:${join(folder(t), "nested/lost.db")}` };
  t.match(petstore(lost, "keys", "list"), {
    status: 1,
    stderr: /^petstore: The database .*lost\.db can't be opened: ENOENT/,
  });
  t.match(petstore({ DATABASE_URL: "sqlite::memory:" }, "keys", "create", "x"), {
    status: 1,
    stderr: /names a store in memory/,
  });
  t.match(petstore(settings, "--version"), { status: 0, stdout: "1.0.0\n" });
  t.match(petstore(settings), { status: 2 });
  t.match(petstore(settings, "--help"), { status: 0, stdout: /serve.*keys.*DATABASE_URL/s });
});

t.test("what can't work ends with one line and exit code 1", async (t) => {
  const path = folder(t);
  writeFileSync(join(path, "text"), "no database ".repeat(100));
  const server = await startServer(t, { DATABASE_URL: "sqlite::memory:" });
  const port = new URL(server.url).port;
  for (const [settings, message] of [
    [{ PORT: "80000" }, /PORT must be a number from 0 to 65535/],
    [{ DATABASE_URL: "mysql://x" }, /DATABASE_URL must be sqlite:PATH/],
    [{ LOG_LEVEL: "loud" }, /LOG_LEVEL must be one of trace/],
    [
      { BASE_URL: "https://x.example" },
      /BASE_URL must be an http or https URL that ends with the path of the service, \/v1/,
    ],
    [{ BASE_URL: "https://u:p@x.example/v1" }, /BASE_URL must be/],
    [{ HOST: "127.0.0.1:80" }, /HOST must be an IP address or a host name/],
    [{ PORT: "03000" }, /PORT must be/],
    [{ DATABASE_URL: "sqlite::file:" }, /DATABASE_URL must be/],
    [{ BASE_URL: "https://[/v1" }, /BASE_URL must be/],
    [{ OPERATOR_KEY: "no key" }, /OPERATOR_KEY must be a key, as petstore keys create prints it/],
    [{ STAGING_BASE_URL: "x/v1" }, /STAGING_BASE_URL must be/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "127.0.0.1:4318" }, /OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://u:p@x.example" }, /OTEL_EXPORTER_OTLP_ENDPOINT must be/],
    [{ HOST: "not a host" }, /HOST must be/],
    [{ DATABASE_URL: `sqlite:${join(path, "text")}` }, /file is not a database/],
    [{ DATABASE_URL: "sqlite::memory:", PORT: port }, /can't listen on HOST 127.0.0.1, PORT \d+: listen EADDRINUSE/],
  ] as const)
    t.match(
      petstore(settings, "serve"),
      { status: 1, stderr: new RegExp(`^petstore: .*${message.source}.*\\n$`) },
      String(message),
    );
  t.equal(readConfig({ WORKERS: "auto" }).WORKERS, availableParallelism());
  t.same(readConfig({ HOST: "" }), {
    HOST: "127.0.0.1",
    PORT: 3000,
    DATABASE_URL: "sqlite:data/petstore.db",
    DATABASE_POOL: 10,
    WORKERS: 1,
    LOG_LEVEL: "info",
    MAX_CONNECTIONS: 10_000,
    RATE_LIMIT: null,
    RATE_LIMIT_FAILED: { count: 100, seconds: 60 },
    TRUST_PROXY: [],
    METRICS_FROM: ["127.0.0.0/8", "::1"],
    CORS_ORIGINS: [],
    TLS_CERT: "",
    TLS_KEY: "",
    OPERATOR_KEY: "",
    BASE_URL: "",
    STAGING_BASE_URL: "",
    OTEL_EXPORTER_OTLP_ENDPOINT: "",
  });
});

t.test("a Node that is too old is told so in one line", async (t) => {
  const disguise = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'24.3.0'})";
  const { status, stderr } = spawnSync(process.execPath, ["--import", disguise, join(root, "src/bin.js")], {
    encoding: "utf8",
  });
  t.match(
    { status, stderr },
    { status: 1, stderr: /^petstore: Node 24\.3\.0 is too old: the service takes Node 24\.4 or newer\..*\n$/ },
  );
});

t.test("on an empty store, the first start gives a key in a line that works when pasted", async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}` };
  const first = await startServer(t, settings);
  const line = await until(
    () => /^ {2}(curl .*)$/m.exec(first.out.stderr)?.[1],
    () => first.out.stderr,
  );
  t.match(
    first.out.stderr,
    /^Pet Store at http:\/\/127\.0\.0\.1:\d+\/v1, documentation at http:\/\/127\.0\.0\.1:\d+\/docs\n/,
  );
  t.equal(execFileSync("sh", ["-c", line], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }), "[]");
  t.match(await first.end("SIGTERM"), { code: 0 });
  t.notMatch(first.out.stdout, /psk_/, "it is not in the log");
  const lines = first.out.stdout
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  t.match(lines.at(-1), { operation: "listPets", key: "first", status: 200, reqId: String }, "the log is JSON lines");
  t.match(JSON.parse(petstore(settings, "keys", "list", "--json").stdout), [{ name: "first", lastUsed: /^\d{4}/ }]);

  const second = await startServer(t, settings);
  await second.end("SIGINT");
  t.notMatch(second.out.stderr, /psk_/, "later starts give none");
  petstore(settings, "keys", "revoke", "first");
  const open = await startServer(t, { DATABASE_URL: "sqlite::memory:", HOST: "0.0.0.0" });
  await open.end("SIGTERM");
  t.notMatch(open.out.stderr, /psk_/, "none where others can reach the service");
  const unicode = await startServer(t, { DATABASE_URL: "sqlite::memory:", BASE_URL: "https://例え.example/v1" });
  const served = (await (await fetch(new URL("/openapi.json", unicode.url))).json()) as { servers: { url: string }[] };
  t.equal(served.servers[0]?.url, "https://xn--r8jz45g.example/v1", "an address that headers can hold");
  const six = await startServer(t, { DATABASE_URL: "sqlite::memory:", HOST: "::1" }).catch((error) => error as Error);
  if (six instanceof Error) t.match(six.message, /EADDRNOTAVAIL|EAFNOSUPPORT/, "this machine has no IPv6");
  else t.match(six.url, /^http:\/\/\[::1\]:\d+\/v1$/);
});

t.test("on a terminal the log is for people", async (t) => {
  // script(1) gives the command a terminal of its own; exec, since a plain shell in between ends with 130 at Ctrl-C.
  const command = `exec ${process.execPath} ${join(root, "src/bin.js")} serve`;
  // Apart from what runs the tests, which may have no colours.
  const unset = ["env", "-u", "NO_COLOR", "-u", "FORCE_COLOR"];
  const terminal = [...unset, "script", "-qefc", command, "/dev/null"];
  const env = { DATABASE_URL: "sqlite::memory:", TERM: "xterm-256color" };
  const { child, url, out } = await startServer(t, env, terminal);
  await fetch(`${url}/pets`);
  await until(
    () => /answered/.exec(out.stdout)?.[0],
    () => out.stdout,
  );
  t.match(out.stdout, /\[\d\d:\d\d:\d\d\.\d{3}\] .*INFO.*answered: GET \/v1\/pets 401 in [\d.]+ ms/);
  const exit = once(child, "exit");
  child.stdin.write("\x03"); // Ctrl-C
  t.same((await exit)[0], 0);
  const plain = await startServer(t, env, [...unset, "NO_COLOR=1", ...terminal.slice(unset.length)]);
  await fetch(`${plain.url}/pets`);
  await until(
    () => /answered/.exec(plain.out.stdout)?.[0],
    () => plain.out.stdout,
  );
  t.ok(out.stdout.includes("\x1b["), "with colours");
  t.notOk(plain.out.stdout.includes("\x1b["), "and without, where NO_COLOR is set");
});

t.test("keys made and revoked while the service runs hold at once", async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}` };
  const { url } = await startServer(t, settings, [process.execPath, join(root, "src/bin.js"), "serve"]);
  const key = petstore(settings, "keys", "create", "guest").stdout.trim();
  const status = async () => (await fetch(`${url}/pets`, { headers: { authorization: `Bearer ${key}` } })).status;
  t.equal(await status(), 200);
  petstore(settings, "keys", "revoke", "guest");
  t.equal(await status(), 401);
});

t.test("SIGTERM finishes what is under way, and ends 0", async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}` };
  const key = petstore(settings, "keys", "create", "slow").stdout.trim();
  const body = JSON.stringify({ name: "Rex", categoryId: 7 });
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const begin = (url: string) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(head + body.slice(0, 5));
    return socket;
  };
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  const patient = await startServer(t, settings);
  const socket = begin(patient.url);
  await wait(300);
  const ended = patient.end("SIGTERM");
  patient.child.kill("SIGINT"); // npm forwards the signal that the terminal sent already
  await wait(300);
  socket.write(body.slice(5));
  t.match(await text(socket), /^HTTP\/1\.1 201 Created\r\n.*connection: close/is, "the request under way is answered");
  const { code, ms } = await ended;
  t.equal(code, 0);
  t.ok(ms < 5_000, `it took ${ms} ms`);

  const stuck = await startServer(t, settings);
  begin(stuck.url);
  await wait(300);
  const cut = await stuck.end("SIGTERM");
  t.equal(cut.code, 0);
  t.ok(cut.ms < 10_000, `with a client that never finishes it took ${cut.ms} ms`);
});

t.test("node src/server.ts serves, too, as one process or several", async (t) => {
  const command = [process.execPath, join(root, "src/server.ts")];
  const run = (settings: Record<string, string>) =>
    startServer(t, { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`, ...settings }, command);
  for (const [WORKERS, workers] of [
    ["1", 0],
    ["2", 2],
  ] as const) {
    const server = await run({ WORKERS });
    t.equal((await fetch(new URL("/readyz", server.url))).status, 200);
    t.equal(workersOf(server).length, workers);
    t.match(await server.end("SIGTERM"), { code: 0 });
  }
  const env = { ...process.env, PORT: "80000" };
  const { status, stdout, stderr } = spawnSync(process.execPath, command.slice(1), { env, encoding: "utf8" });
  t.same([status, stdout, stderr], [1, "", "petstore: PORT must be a number from 0 to 65535.\n"]);
});

t.test("SIGTERM before the service listens ends it with 0, and it never listens", async (t) => {
  const env = { ...process.env, ...slowStart(folder(t)), DATABASE_URL: "sqlite::memory:", PORT: "0" };
  const child = spawn(process.execPath, [join(root, "src/bin.js"), "serve"], { env });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const exit = once(child, "exit");
  t.equal(String((await once(child.stderr, "data"))[0]), "looking for 127.0.0.1\n");
  child.kill("SIGTERM");
  t.same(await exit, [0, null]);
  t.equal(out, "");
});

t.test("a hangup ends the service as SIGTERM does", async (t) => {
  const { end } = await startServer(t, { DATABASE_URL: "sqlite::memory:" });
  t.match(await end("SIGHUP"), { code: 0 });
});

t.test("SIGTERM to npm start ends the service, whoever keeps a connection half open", async (t) => {
  const { url, end } = await startServer(t, { DATABASE_URL: "sqlite::memory:" }, ["npm", "start"]);
  const port = Number(new URL(url).port);
  for (const bytes of ["CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", "hello\r\n\r\n"])
    connect({ port, host: "127.0.0.1", allowHalfOpen: true })
      .on("error", () => {})
      .resume()
      .write(bytes);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { code, ms } = await end("SIGTERM");
  t.equal(code, 0);
  t.ok(ms < 5_000, `it took ${ms} ms`);
  await t.rejects(fetch(url), "nothing listens any more");
});

t.test("npm run dev restarts on a change of source or document", async (t) => {
  const copy = folder(t);
  for (const name of ["openapi", "src", "package.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const { dev } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts;
  const server = await startServer(
    t,
    { DATABASE_URL: "sqlite::memory:" },
    [process.execPath, ...dev.split(" ").slice(1)],
    copy,
  );
  const starts = (n: number) =>
    until(
      () => (server.out.stderr.split("Pet Store at").length > n ? true : undefined),
      () => server.out.stderr,
    );
  await starts(1);
  writeFileSync(join(copy, "openapi/petstore.yaml"), edit(documentText, ["maximum: 100\n", "maximum: 50\n"]));
  t.ok(await starts(2), "after a change of the document");
  writeFileSync(
    join(copy, "src/handlers/getPet.ts"),
    `${readFileSync(join(copy, "src/handlers/getPet.ts"), "utf8")}\n`,
  );
  t.ok(await starts(3), "after a change of the source");
});
