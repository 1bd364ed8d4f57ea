// Several processes of the service on one machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, renameSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { folder } from "./support/files.ts";
import { startLoad } from "./support/load.ts";
import {
  lives,
  petstoreProcess as petstore,
  type Server,
  slowStart,
  startServer,
  workersOf,
} from "./support/processes.ts";
import { until } from "./support/wait.ts";

const root = new URL("..", import.meta.url).pathname;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function settings(t: Test) {
  const file = join(folder(t), "petstore.db");
  const env = { DATABASE_URL: `sqlite:${file}`, WORKERS: "2" };
  return { file, env, key: petstore(env, "keys", "create", "a").stdout.trim() };
}

const lines = ({ out }: Server) =>
  out.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

t.test("workers share the address and the store; one that dies is replaced, at most one a second", async (t) => {
  const { env, key } = settings(t);
  const server = await startServer(t, env);
  const { url, out } = server;
  const before = workersOf(server);
  t.equal(before.length, 2);
  t.equal(out.stderr.split("Pet Store at").length, 2, "it greets once");
  const load = startLoad([url], key, 8);
  await until(
    () => (new Set(lines(server).map(({ pid }) => pid)).size === 2 ? true : undefined),
    () => "one process answers all",
  );
  await load.stop();
  t.same(load.refusals, []);

  process.kill(before[0] as number, "SIGKILL");
  const replaced = () => workersOf(server).filter((pid) => !before.includes(pid));
  await until(
    () => replaced()[0],
    () => "it was not replaced",
  );
  t.match(
    lines(server).find(({ msg }) => msg === "a worker died"),
    { worker: before[0], signal: "SIGKILL", level: 50 },
  );
  const after = startLoad([url], key, 4);
  await until(
    () => (lines(server).some(({ pid }) => replaced().includes(pid)) ? true : undefined),
    () => "the new one does not serve",
  );
  await after.stop();

  const began = Date.now();
  const seen = new Set<number>();
  while (Date.now() - began < 2_500) {
    for (const pid of workersOf(server)) {
      seen.add(pid);
      process.kill(pid, "SIGKILL");
    }
    await wait(20);
  }
  t.ok(seen.size <= 2 + 4, `${seen.size} processes in 2.5 seconds`);
  await until(
    () => (workersOf(server).length === 2 ? true : undefined),
    () => "they do not come back",
  );
  t.match(await server.end("SIGTERM"), { code: 0 });
});

t.test("SIGHUP replaces the workers one at a time, and no request is lost", async (t) => {
  const { env, key } = settings(t);
  const server = await startServer(t, { ...env, LOG_LEVEL: "error" });
  const before = workersOf(server);
  const load = startLoad([server.url], key, 16);
  await wait(200);
  server.child.kill("SIGHUP");
  let [least, most] = [2, 2];
  await until(
    () => {
      const now = workersOf(server);
      least = Math.min(least, now.length);
      most = Math.max(most, now.length);
      return now.length === 2 && !now.some((pid) => before.includes(pid)) ? true : undefined;
    },
    () => "they were not replaced",
  );
  await load.stop();
  t.same([least, most], [2, 3], "never fewer than before, and one more at a time");
  t.same(Object.keys(load.tally).sort(), ["200", "201"], JSON.stringify(load.tally));
  t.match(await server.end("SIGTERM"), { code: 0 });
});

t.test("a second SIGHUP, for a newer release still, is obeyed after the first", async (t) => {
  const { env } = settings(t);
  const server = await startServer(t, env);
  const started = () => lines(server).filter(({ msg }) => msg === "a new worker serves").length;
  for (let n = 0; n < 3; n++) {
    server.child.kill("SIGHUP");
    await wait(50);
  }
  await until(
    () => (started() >= 4 ? true : undefined),
    () => server.out.stdout,
  );
  await wait(1_500);
  t.equal(started(), 4, "those that came during the first are one");
  t.equal(workersOf(server).length, 2);
});

for (const which of [0, 1])
  t.test(`worker ${which} that dies while they are replaced makes neither more nor fewer`, async (t) => {
    const { env } = settings(t);
    const server = await startServer(t, env);
    const before = workersOf(server);
    server.child.kill("SIGHUP");
    await wait(100);
    process.kill(before[which] as number, "SIGKILL");
    await until(
      () => (workersOf(server).some((pid) => before.includes(pid)) ? undefined : true),
      () => "they were not replaced",
    );
    await wait(2_500);
    t.equal(workersOf(server).length, 2);
  });

t.test("SIGHUP while the service starts changes nothing", async (t) => {
  const { env } = settings(t);
  const child = spawn(process.execPath, [join(root, "src/bin.js"), "serve"], {
    env: { ...process.env, ...env, ...slowStart(folder(t)), PORT: "0" },
  });
  t.teardown(() => child.kill());
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk) => {
      out[name] += chunk;
    });
  const said = (words: string) =>
    until(
      () => (out.stderr.includes(words) ? true : undefined),
      () => out.stderr,
    );
  await said("looking for");
  child.kill("SIGHUP");
  await said("Pet Store at");
  t.equal(workersOf({ child }).length, 2);
  t.notMatch(out.stdout, /a new worker serves|a worker ended|a worker died/);
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  t.same(await exit, [0, null]);
});

t.test("where the system has no process to give, those that serve go on, and the others come later", async (t) => {
  const { env } = settings(t);
  const node = join(folder(t), "node");
  copyFileSync(process.execPath, node);
  const server = await startServer(t, env, [node, join(root, "src/bin.js"), "serve"]);
  const before = workersOf(server);
  renameSync(node, `${node}.away`);
  server.child.kill("SIGHUP");
  await until(
    () => /a new worker does not start/.exec(server.out.stdout)?.[0],
    () => server.out.stdout,
  );
  t.same(workersOf(server), before);
  process.kill(before[0] as number, "SIGKILL");
  await until(
    () => (server.out.stdout.split("ENOENT").length > 3 ? true : undefined),
    () => server.out.stdout,
  );
  t.equal((await fetch(new URL("/healthz", server.url))).status, 200);
  renameSync(`${node}.away`, node);
  await until(
    () => (workersOf(server).length === 2 ? true : undefined),
    () => server.out.stdout,
  );
  t.match(await server.end("SIGTERM"), { code: 0 });
});

t.test("SIGTERM ends the service at any moment of its start", async (t) => {
  const { env } = settings(t);
  for (const ms of [100, 600, 900, 1_200, 1_600]) {
    const child = spawn(process.execPath, [join(root, "src/bin.js"), "serve"], {
      env: { ...process.env, ...env, PORT: "0" },
    });
    await wait(ms);
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
    t.not((await exit)[1], "SIGKILL", `after ${ms} ms`);
    clearTimeout(late);
  }
});

t.test("where no new worker can start, SIGHUP leaves those that serve", async (t) => {
  const { file, env, key } = settings(t);
  const server = await startServer(t, env);
  const before = workersOf(server);
  writeFileSync(`${file}.other`, "no database ".repeat(100));
  renameSync(file, `${file}.kept`);
  renameSync(`${file}.other`, file);
  server.child.kill("SIGHUP");
  await until(
    () => /a new worker does not start/.exec(server.out.stdout)?.[0],
    () => server.out.stdout,
  );
  t.same(workersOf(server), before);
  t.match(server.out.stderr, /petstore: The database .* can't be opened: file is not a database/);
  const answer = await fetch(`${server.url}/pets`, { headers: { authorization: `Bearer ${key}` } });
  t.equal(answer.status, 200);
});

/** Requests that have begun and are not whole yet. */
function begin({ url }: Server, key: string) {
  const body = JSON.stringify({ name: "Rex", categoryId: 7 });
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const sockets = Array.from({ length: 16 }, () => connect(Number(new URL(url).port), "127.0.0.1"));
  for (const socket of sockets) socket.write(head + body.slice(0, 5));
  return async () => {
    for (const socket of sockets) socket.write(body.slice(5));
    return Promise.all(sockets.map((socket) => text(socket)));
  };
}

t.test("SIGTERM finishes what every worker has under way", async (t) => {
  const { env, key } = settings(t);
  const server = await startServer(t, env);
  const finish = begin(server, key);
  await wait(300);
  const ended = server.end("SIGTERM");
  server.child.kill("SIGINT");
  await wait(300);
  for (const answer of await finish()) t.match(answer, /^HTTP\/1\.1 201 Created\r\n.*connection: close/is);
  t.match(await ended, { code: 0 });
  t.ok((await ended).ms < 5_000);
});

t.test("SIGTERM while workers are replaced finishes what is under way, too", async (t) => {
  const { env, key } = settings(t);
  const server = await startServer(t, env);
  const finish = begin(server, key);
  await wait(300);
  server.child.kill("SIGHUP");
  await until(
    () => lines(server).find(({ msg }) => msg === "a new worker serves"),
    () => server.out.stdout,
  );
  await wait(200); // an old one is told to end, and can't yet
  const ended = server.end("SIGTERM");
  await wait(300);
  for (const answer of await finish()) t.match(answer, /^HTTP\/1\.1 201 Created\r\n.*connection: close/is);
  t.match(await ended, { code: 0 });
  t.equal(lines(server).filter(({ msg }) => msg === "a new worker serves").length, 1);
});

t.test("the workers end with the process that started them", async (t) => {
  const { env } = settings(t);
  const server = await startServer(t, env);
  const workers = workersOf(server);
  await server.end("SIGKILL");
  await until(
    () => (workers.some(lives) ? undefined : true),
    () => "they live on",
  );
  t.pass();
});

t.test("what keeps workers from starting is said once", async (t) => {
  t.match(petstore({ WORKERS: "2", DATABASE_URL: "sqlite::memory:" }, "serve"), {
    status: 1,
    stderr: "petstore: WORKERS must be 1 for a store in memory, which other processes can't share.\n",
  });
  const { env } = settings(t);
  const other = await startServer(t, { DATABASE_URL: "sqlite::memory:" });
  t.match(petstore({ ...env, PORT: new URL(other.url).port }, "serve"), {
    status: 1,
    stderr: /^petstore: The service can't listen on [^\n]*\n$/,
  });
});
