// The service in several processes: WORKERS, SIGHUP, SIGTERM, and workers that die.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { petstore } from "../support/command.ts";
import { createSqliteStore } from "../support/faults.ts";
import { bin, folder, root } from "../support/files.ts";
import { createRequest, get, send } from "../support/http.ts";
import { startLoad } from "../support/load.ts";
import {
  isRunning,
  lastLines,
  listWorkers,
  petstoreProcess,
  type Server,
  slowStart,
  startServer,
} from "../support/processes.ts";
import { pause, until } from "../support/wait.ts";

t.jobs = 3;
const test = (title: string, work: (t: Test) => Promise<void>) => t.test(title, { buffered: true }, work);

async function prepare(t: Test) {
  const { file, key } = await createSqliteStore(t);
  return { file, key, environment: { DATABASE_URL: `sqlite:${file}`, WORKERS: "2" } };
}

/** Parses the complete lines of the log. */
function readLog({ out: { stdout } }: Pick<Server, "out">): { msg: string; pid: number; worker?: number }[] {
  const lines = stdout.slice(0, stdout.lastIndexOf("\n") + 1).split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

/** Counts the lines of the log with a message. */
const countOf = ({ out }: Server, message: string) => out.stdout.split(`"msg":"${message}"`).length - 1;

/** Waits until a condition is true. */
const untilTrue = (isTrue: () => boolean, { out }: Pick<Server, "out">) =>
  until(
    () => isTrue() || undefined,
    () => lastLines(out),
  );

test("Workers share the address and the store; one that dies is replaced, at most one per second", async (t) => {
  const { environment, key } = await prepare(t);
  const server = await startServer(t, environment);
  const before = listWorkers(server);
  t.equal(before.length, 2);
  t.equal(server.out.stderr.split("Pet Store is listening at").length, 2, "the greeting is printed once");
  const load = startLoad([server.url], key, 4);
  await untilTrue(() => new Set(readLog(server).map(({ pid }) => pid)).size === 2, server);
  await load.stop();
  t.same(load.rejections, []);

  process.kill(before[0] as number, "SIGKILL");
  const added = () => listWorkers(server).filter((pid) => !before.includes(pid));
  await untilTrue(() => added().length === 1, server);
  await untilTrue(() => countOf(server, "worker died") === 1, server);
  t.match(
    readLog(server).find(({ msg }) => msg === "worker died"),
    { worker: before[0], signal: "SIGKILL", level: 50 },
  );
  const after = startLoad([server.url], key, 4);
  await untilTrue(() => readLog(server).some(({ pid }) => added().includes(pid)), server);
  await after.stop();

  const start = performance.now();
  const killed = new Set<number>();
  const kill = () => {
    for (const pid of listWorkers(server).filter((one) => !killed.has(one))) {
      killed.add(pid);
      process.kill(pid, "SIGKILL");
    }
    return killed.size >= 2 + 3;
  };
  await untilTrue(kill, server);
  const ms = performance.now() - start;
  t.ok(ms > 1_950, `three replacements within ${ms} ms`);
  await untilTrue(() => listWorkers(server).length === 2, server);
  t.match(await server.end("SIGTERM"), { code: 0 });
});

test("SIGHUP replaces the workers one at a time without losing a request; later signals cause one more replacement", async (t) => {
  const { environment, key } = await prepare(t);
  const server = await startServer(t, environment);
  const before = listWorkers(server);
  const load = startLoad([server.url], key, 3);
  await untilTrue(() => load.acknowledged.size > 5, server);
  server.child.kill("SIGHUP");
  let [min, max] = [2, 2];
  const watch = () => {
    const { length } = listWorkers(server);
    min = Math.min(min, length);
    max = Math.max(max, length);
    return length;
  };
  await untilTrue(() => watch() === 3, server); // the first replacement is in progress
  for (let n = 0; n < 2; n++) {
    server.child.kill("SIGHUP");
    await pause(50); // the system merges signals that come at once
  }
  await untilTrue(() => watch() === 2 && countOf(server, "worker stopped") === 4, server);
  await load.stop();
  t.same([min, max], [2, 3], "never fewer than before, and at most one more");
  t.same(Object.keys(load.tally).sort(), ["200", "201"], JSON.stringify(load.tally));
  t.notOk(before.some(isRunning));
  t.match(await server.end("SIGTERM"), { code: 0 });
  t.equal(countOf(server, "worker started"), 4);
  t.equal(countOf(server, "worker stopped"), 4 + 2, "no other worker was started");
});

test("The number of workers is the same after one dies during a replacement; all end with the primary", async (t) => {
  const { environment } = await prepare(t);
  const server = await startServer(t, environment);
  for (const victim of [0, 1]) {
    const before = listWorkers(server);
    server.child.kill("SIGHUP");
    await untilTrue(() => listWorkers(server).length === 3, server);
    process.kill(before[victim] as number, "SIGKILL");
    await untilTrue(() => !listWorkers(server).some((pid) => before.includes(pid)), server);
    // Workers are replaced one after the other: if this replacement is done, all earlier ones are, too.
    const settled = listWorkers(server);
    process.kill(settled[0] as number, "SIGKILL");
    const isReplaced = () => listWorkers(server).some((pid) => !settled.includes(pid));
    await untilTrue(() => isReplaced() && listWorkers(server).length === 2, server);
  }
  await untilTrue(() => countOf(server, "worker died") === 4, server);

  const workers = listWorkers(server);
  await server.end("SIGKILL");
  await untilTrue(() => !workers.some(isRunning), server);
});

test("After an upgrade in place and SIGHUP, the log says that the primary runs the old release", async (t) => {
  const { environment } = await prepare(t);
  const copy = folder(t);
  for (const name of ["src", "openapi", "package.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: (path) => !path.includes("node_modules") });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const server = await startServer(t, environment, [process.execPath, join(copy, "src/bin.js"), "serve"], copy);
  const message = "another release was installed: restart the service, so that its primary process runs it, too";
  t.equal(countOf(server, message), 0);
  const description = JSON.parse(readFileSync(join(copy, "package.json"), "utf8"));
  writeFileSync(join(copy, "package.json"), JSON.stringify({ ...description, version: "9.8.7" }));
  server.child.kill("SIGHUP");
  await untilTrue(() => countOf(server, message) === 2, server);
  t.match(readLog(server).find(({ msg }) => msg === message) as object, {
    worker: "9.8.7",
    primary: description.version,
  });
  t.match(await server.end("SIGTERM"), { code: 0 });
});

test("SIGHUP while the service starts changes nothing", async (t) => {
  const { environment } = await prepare(t);
  const child = spawn(process.execPath, [bin, "serve"], {
    env: { ...process.env, ...environment, ...slowStart(folder(t)), PORT: "0" },
  });
  t.teardown(() => child.kill());
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk) => {
      out[name] += chunk;
    });
  await untilTrue(() => out.stderr.includes("looking for"), { out });
  child.kill("SIGHUP");
  await untilTrue(() => out.stderr.includes("Pet Store is listening at"), { out });
  t.equal(listWorkers({ child }).length, 2);
  t.notMatch(out.stdout, /worker started|worker stopped|worker died/);
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  t.same(await exit, [0, null]);
});

test("Continues with the present workers while no new one can start, and adds the others later", async (t) => {
  const { file, environment, key } = await prepare(t);
  const node = join(folder(t), "node");
  copyFileSync(process.execPath, node);
  const server = await startServer(t, environment, [node, bin, "serve"]);
  const before = listWorkers(server);
  const failures = () => countOf(server, "new worker failed to start: restart aborted");

  renameSync(file, `${file}.backup`);
  writeFileSync(file, "no database ".repeat(100));
  server.child.kill("SIGHUP");
  await untilTrue(() => failures() === 1, server);
  t.same(listWorkers(server), before);
  t.match(server.out.stderr, /petstore: The database .* can't be opened: file is not a database/);
  t.match(await get(`${server.url}/pets`, key), { status: 200 });
  renameSync(`${file}.backup`, file);

  renameSync(node, `${node}.away`); // no process can be started
  server.child.kill("SIGHUP");
  await untilTrue(() => failures() === 2, server);
  t.same(listWorkers(server), before);
  process.kill(before[0] as number, "SIGKILL");
  await untilTrue(() => server.out.stdout.split("ENOENT").length > 3, server);
  t.match(await send(new URL("/healthz", server.url).href), { status: 200 });
  renameSync(`${node}.away`, node);
  await untilTrue(() => listWorkers(server).length === 2, server);
  t.match(await server.end("SIGTERM"), { code: 0 });
});

test("SIGTERM ends the service at any moment of its start", async (t) => {
  const moments: Record<string, (started: Pick<Server, "child" | "out">, file: string) => boolean> = {
    "as soon as there is a process": () => true,
    "with the file of the store": (_, file) => existsSync(`${file}-wal`),
    "with the first worker": ({ child }) => listWorkers({ child }).length === 1,
    "with the second worker": ({ child }) => listWorkers({ child }).length === 2,
    "when it listens": ({ out }) => out.stderr.includes("Pet Store is listening at"),
  };
  const end = async (name: string, isReached: (typeof moments)[string]) => {
    const { environment, file } = await prepare(t);
    const child = spawn(process.execPath, [bin, "serve"], { env: { ...process.env, ...environment, PORT: "0" } });
    const out = { stdout: "", stderr: "" };
    child.stderr.on("data", (chunk) => {
      out.stderr += chunk;
    });
    child.stdout.resume();
    await untilTrue(() => isReached({ child, out }, file), { out });
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 7_500); // connections are closed after 8 s
    t.not((await exit)[1], "SIGKILL", name);
    clearTimeout(timer);
  };
  for (const [name, isReached] of Object.entries(moments)) await end(name, isReached);
});

/** Starts creates without their bodies. Returns a function that sends the bodies and returns the responses. */
async function beginCreates({ url }: Server, key: string): Promise<() => Promise<string[]>> {
  const { head, body } = createRequest(key, "Rex", "Expect: 100-continue");
  const sockets = Array.from({ length: 16 }, () => connect(Number(new URL(url).port), "127.0.0.1"));
  for (const socket of sockets) socket.write(head);
  await Promise.all(sockets.map((socket) => once(socket, "data"))); // 100 Continue
  return () => {
    for (const socket of sockets) socket.write(body);
    return Promise.all(sockets.map((socket) => text(socket)));
  };
}

/** Waits until no worker accepts connections: all of them are shutting down. */
const untilRejected = ({ url, out }: Server) =>
  until(
    () =>
      send(url, { agent: false }).then(
        () => undefined,
        ({ code }) => code === "ECONNREFUSED" || undefined,
      ),
    () => lastLines(out),
  );

test("SIGTERM finishes the requests in progress of every worker", async (t) => {
  const { environment, key } = await prepare(t);
  const server = await startServer(t, environment);
  const finish = await beginCreates(server, key);
  const end = server.end("SIGTERM");
  server.child.kill("SIGINT");
  await untilRejected(server);
  for (const response of await finish()) t.match(response, /^HTTP\/1\.1 201 Created\r\n.*connection: close/is);
  const { code, ms } = await end;
  t.equal(code, 0);
  t.ok(ms < 7_500, `it took ${ms} ms: connections are closed after 8 s`);
});

test("SIGTERM during a replacement finishes the requests in progress", async (t) => {
  const { environment, key } = await prepare(t);
  const server = await startServer(t, environment);
  const finish = await beginCreates(server, key);
  server.child.kill("SIGHUP");
  await untilTrue(() => countOf(server, "worker started") === 1, server); // and an old one is stopping
  const end = server.end("SIGTERM");
  await untilRejected(server);
  for (const response of await finish()) t.match(response, /^HTTP\/1\.1 201 Created\r\n.*connection: close/is);
  t.match(await end, { code: 0 });
  t.equal(countOf(server, "worker started"), 1);
});

test("Reports once why workers can't start", async (t) => {
  t.match(await petstore({ WORKERS: "2", DATABASE_URL: "sqlite::memory:" }, ["serve"]), {
    status: 1,
    stderr:
      "petstore: --workers (WORKERS) must be 1 with an in-memory database, because other processes can't share it.\n",
  });
  const { environment } = await prepare(t);
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.teardown(() => other.close());
  const PORT = `${(other.address() as AddressInfo).port}`;
  t.match(petstoreProcess({ ...environment, PORT }, "serve"), {
    status: 1,
    stderr: /^petstore: The service can't listen on [^\n]*\n$/,
  });
});
