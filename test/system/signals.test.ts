// Graceful shutdown by SIGTERM, SIGINT and SIGHUP.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import t from "tap";
import { petstore } from "../support/command.ts";
import { stores } from "../support/databases.ts";
import { bin, folder } from "../support/files.ts";
import { slowStart, startServer } from "../support/processes.ts";
import { until } from "../support/wait.ts";

const body = JSON.stringify({ name: "Rex", categoryId: 7 });

/** Sends a POST with only part of its body, and waits until the service has read its headers. */
async function beginCreate(url: string, key: string) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`;
  socket.write(head + body.slice(0, 5));
  t.match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 100 Continue/);
  return socket;
}

/** Waits until the service does not accept connections. */
function untilClosed(url: string): Promise<true> {
  const tryToConnect = async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const connected = await once(socket, "connect").catch(() => undefined);
    socket.destroy();
    return connected ? undefined : (true as const);
  };
  return until(tryToConnect, () => "the service still listens");
}

t.test("SIGTERM finishes the request in progress, and the service exits with 0", async (t) => {
  const settings = { DATABASE_URL: await stores.sqlite(t) };
  const key = (await petstore(settings, ["keys", "create", "slow"])).stdout.trim();
  const server = await startServer(t, settings);
  const socket = await beginCreate(server.url, key);
  const ended = server.end("SIGTERM");
  server.child.kill("SIGINT"); // npm forwards the signal that the terminal has already sent
  await untilClosed(server.url);
  socket.write(body.slice(5));
  t.match(await text(socket), /^HTTP\/1\.1 201 Created\r\n.*connection: close/is);
  const { code, ms } = await ended;
  t.equal(code, 0);
  t.ok(ms < 5_000, `it took ${ms} ms`);
});

t.test("SIGTERM ends the service within 10 s, even if a client never finishes its request", async (t) => {
  const settings = { DATABASE_URL: await stores.sqlite(t) };
  const key = (await petstore(settings, ["keys", "create", "stuck"])).stdout.trim();
  const server = await startServer(t, settings);
  await beginCreate(server.url, key);
  const { code, ms } = await server.end("SIGTERM");
  t.equal(code, 0);
  t.ok(ms < 10_000, `it took ${ms} ms`);
});

t.test("SIGTERM before the service listens ends it with 0, without listening", async (t) => {
  const env = { ...process.env, ...slowStart(folder(t)), DATABASE_URL: "sqlite::memory:", PORT: "0" };
  const child = spawn(process.execPath, [bin, "serve"], { env });
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

t.test("SIGTERM while the second of two workers starts ends the service with 0", async (t) => {
  const settings = { DATABASE_URL: await stores.sqlite(t), WORKERS: "2", PORT: "0" };
  const child = spawn(process.execPath, [bin, "serve"], {
    env: { ...process.env, ...slowStart(folder(t)), ...settings },
  });
  t.teardown(() => child.kill());
  let stderr = "";
  child.stdout.resume();
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const exit = once(child, "exit");
  await until(
    () => stderr.split("looking for").length > 2 || undefined,
    () => stderr,
  );
  child.kill("SIGTERM");
  t.same(await exit, [0, null]);
  t.notMatch(stderr, "Pet Store is listening at");
});

t.test("SIGHUP ends the service as SIGTERM does", async (t) => {
  const { end } = await startServer(t, { DATABASE_URL: "sqlite::memory:" });
  t.match(await end("SIGHUP"), { code: 0 });
});

t.test("SIGTERM to npm start ends the service, even if clients keep connections half-open", async (t) => {
  const { url, end } = await startServer(t, { DATABASE_URL: "sqlite::memory:" }, ["npm", "start"]);
  const port = Number(new URL(url).port);
  for (const bytes of ["CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", "hello\r\n\r\n"]) {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => {}).write(bytes);
    t.match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 4\d\d /);
    socket.resume();
  }
  const { code, ms } = await end("SIGTERM");
  t.equal(code, 0);
  t.ok(ms < 5_000, `it took ${ms} ms`);
  await t.rejects(fetch(url), "the service does not listen");
});
