// The service as a process: how it starts, and what it prints.
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import t from "tap";
import { petstore } from "../support/command.ts";
import { stores } from "../support/databases.ts";
import { editDocument, setParameterSchema } from "../support/document.ts";
import { bin, folder, root, service } from "../support/files.ts";
import { lastLines, listWorkers, petstoreProcess, startServer } from "../support/processes.ts";
import { until } from "../support/wait.ts";

t.test("Prints a first key once, in a curl command, if the store is empty", async (t) => {
  const settings = { DATABASE_URL: await stores.sqlite(t) };
  const first = await startServer(t, settings);
  const line = await until(
    () => /^ {2}(curl .*)$/m.exec(first.out.stderr)?.[1],
    () => lastLines(first.out),
  );
  const addresses =
    /^Pet Store is listening at http:\/\/127\.0\.0\.1:\d+\/v1\nDocumentation: http:\/\/127\.0\.0\.1:\d+\/docs\n/;
  t.match(first.out.stderr, addresses);
  t.equal(execFileSync("sh", ["-c", line], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }), "[]");
  t.match(await first.end("SIGTERM"), { code: 0 });
  t.notMatch(first.out.stdout, /psk_/, "the log does not have the key");
  const lines = first.out.stdout
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  t.match(lines.at(-1), { operation: "listPets", key: "first", status: 200, reqId: String }, "the log is JSON lines");
  const { stdout } = await petstore(settings, ["keys", "list", "--json"]);
  t.match(JSON.parse(stdout), [{ name: "first", lastUsed: /^\d{4}/ }]);

  const second = await startServer(t, settings);
  await second.end("SIGINT");
  t.equal(second.out.stderr.replace(addresses, ""), "", "the second start prints no key");
});

t.test("Prints no first key if other machines can reach the service", async (t) => {
  const open = await startServer(t, { DATABASE_URL: "sqlite::memory:", HOST: "0.0.0.0" });
  await open.end("SIGTERM");
  t.match(
    open.out.stderr,
    /^Pet Store is listening at .*\nDocumentation: .*\nThere is no API key yet\. Create one: npx petstore keys create NAME\n$/,
  );
});

t.test("Listens on IPv6", async (t) => {
  const server = await startServer(t, { DATABASE_URL: "sqlite::memory:", HOST: "::1" }).catch((error: Error) => error);
  if (server instanceof Error) t.match(server.message, /EADDRNOTAVAIL|EAFNOSUPPORT/, "this machine has no IPv6");
  else t.match(server.url, /^http:\/\/\[::1\]:\d+\/v1$/);
});

t.test("Ends with one line and exit code 1 if it can't start", async (t) => {
  const settings = { DATABASE_URL: "sqlite::memory:" };
  const { url } = await startServer(t, settings);
  for (const [wrong, message] of [
    [{ PORT: "80000" }, /^petstore: PORT must be an integer from 0 to 65535\.\n$/],
    [{ PORT: new URL(url).port }, /^petstore: .*can't listen on host 127.0.0.1, port \d+: listen EADDRINUSE.*\n$/],
  ] as const)
    t.match(petstoreProcess({ ...settings, ...wrong }, "serve"), { status: 1, stdout: "", stderr: message });
});

t.test("Accepts a new key and rejects a revoked key of another process at once", async (t) => {
  const settings = { DATABASE_URL: await stores.sqlite(t) };
  const { url } = await startServer(t, settings);
  const key = (await petstore(settings, ["keys", "create", "guest"])).stdout.trim();
  const status = async () => (await fetch(`${url}/pets`, { headers: { authorization: `Bearer ${key}` } })).status;
  t.equal(await status(), 200);
  await petstore(settings, ["keys", "revoke", "guest"]);
  t.equal(await status(), 401);
});

t.test("Clients that send CONNECT and reset the connection do not end the service", async (t) => {
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

t.test("Starts without permission to inspect its own process", async (t) => {
  // NODE_OPTIONS is empty, because the modules that measure coverage may not be loaded.
  const command = `NODE_OPTIONS= exec ${process.execPath} --permission --allow-fs-read=* --allow-fs-write=* --allow-net ${bin} serve`;
  const server = await startServer(t, { DATABASE_URL: "sqlite::memory:" }, ["sh", "-c", command]);
  t.equal((await fetch(`${new URL(server.url).origin}/healthz`)).status, 200);
});

t.test("The program of a container runs the service in one process or several", async (t) => {
  const command = [process.execPath, service];
  const DATABASE_URL = await stores.sqlite(t);
  for (const [WORKERS, workers] of [
    ["1", 0],
    ["2", 2],
  ] as const) {
    const server = await startServer(t, { DATABASE_URL, WORKERS }, command);
    t.equal((await fetch(new URL("/readyz", server.url))).status, 200);
    t.equal(listWorkers(server).length, workers);
    t.match(await server.end("SIGTERM"), { code: 0 });
  }
  const env = { ...process.env, PORT: "80000" };
  const { status, stdout, stderr } = spawnSync(process.execPath, command.slice(1), { env, encoding: "utf8" });
  t.same([status, stdout, stderr], [1, "", "petstore: PORT must be an integer from 0 to 65535.\n"]);
});

t.test("npm run dev restarts the service if the source or the document changes", async (t) => {
  const copy = folder(t);
  for (const name of ["openapi", "src", "package.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const { dev } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts;
  const command = [process.execPath, ...dev.split(" ").slice(1)];
  const server = await startServer(t, { DATABASE_URL: "sqlite::memory:" }, command, copy);
  const waitForStarts = (count: number) =>
    until(
      () => (server.out.stderr.split("Pet Store is listening at").length > count ? true : undefined),
      () => lastLines(server.out),
    );
  await waitForStarts(1);
  const edited = editDocument(setParameterSchema("listPets", "limit", { maximum: 50 }));
  writeFileSync(join(copy, "openapi/petstore.yaml"), edited);
  t.ok(await waitForStarts(2), "after a change of the document");
  const handler = join(copy, "src/pets/handlers/getPet.ts");
  writeFileSync(handler, `${readFileSync(handler, "utf8")}\n`);
  t.ok(await waitForStarts(3), "after a change of the source");
});
