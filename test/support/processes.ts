// The service and its command as processes of their own.
import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { root } from "./files.ts";
import { findSecret } from "./secrets.ts";
import { until } from "./wait.ts";

const path = (name: string) => join(root, name);

/** Runs `petstore ARGS…` in a process of its own, to its end. Blocks this process; `petstore` in command.ts does not. */
export function petstoreProcess(environment: Record<string, string>, ...args: string[]) {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [path("src/bin.js"), ...args], {
    env,
    encoding: "utf8",
  });
  const secret = findSecret(stderr);
  if (secret !== undefined) throw new Error(`a secret is in the output of petstore ${args.join(" ")}: ${secret}`);
  return { status, stdout, stderr };
}

/** Runs `petstore …` to its end, while all else goes on: what it printed, or nothing where it failed. */
export function petstoreAside(environment: Record<string, string>, ...args: string[]): Promise<string | undefined> {
  const env = { ...process.env, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [path("src/bin.js"), ...args], { env }, (error, out) =>
      resolve(error ? undefined : out),
    );
  });
}

export interface Server {
  child: ChildProcessWithoutNullStreams;
  /** The address with its version segment. */
  url: string;
  /** What was written so far. */
  out: { stdout: string; stderr: string };
  /** Sends a signal and gives the exit code, and the milliseconds that it took. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

/** Starts the service and waits until it listens. Rejects if it exits. Sends SIGTERM when the test ends. */
export async function startServer(
  t: Pick<Test, "teardown">,
  environment: Record<string, string>,
  [command = "", ...args]: string[] = [process.execPath, path("src/bin.js"), "serve"],
  cwd = path(""),
): Promise<Server> {
  const child = spawn(command, args, { env: { ...process.env, PORT: "0", ...environment }, cwd });
  const exit = once(child, "exit");
  t.teardown(async () => {
    // Not SIGKILL at once: npm, a watcher or a terminal would leave the service behind.
    child.kill("SIGTERM");
    const last = setTimeout(() => child.kill("SIGKILL"), 12_000);
    await exit;
    clearTimeout(last);
    // The one key that may be seen is the first, for people, in a line to paste.
    const secret = findSecret((out.stdout + out.stderr).replace(/^ {2}curl -H .*$/gm, ""));
    if (secret !== undefined) throw new Error(`a secret is in the output of the service: ${secret}`);
  });
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk) => {
      out[name] += chunk;
    });
  const all = () => out.stdout + out.stderr;
  const url = await until(
    () => {
      if (child.exitCode !== null) throw new Error(`the service exited with ${child.exitCode}: ${all()}`);
      return /Pet Store at (\S+),/.exec(all())?.[1];
    },
    () => `the service did not start: ${all()}`,
  );
  const end: Server["end"] = async (signal) => {
    const began = Date.now();
    child.kill(signal);
    const [code] = await exit;
    return { code, ms: Date.now() - began };
  };
  return { child, url, out, end };
}

/** The processes that serve now where there are several, as Linux tells them. */
export function workersOf({ child: { pid } }: Pick<Server, "child">): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
}

/** Whether there is a process of that id. */
export function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What makes the service slow to start: it looks for its HOST for a second, and says when it begins. */
export function slowStart(folder: string): Record<string, string> {
  const file = join(folder, "slow.cjs");
  const script = `const dns = require("node:dns").promises;
    const { lookup } = dns;
    dns.lookup = async (...name) => {
      console.error("looking for", name[0]);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return lookup(...name);
    };
    require("node:module").syncBuiltinESMExports();`;
  writeFileSync(file, script);
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require ${file}` };
}
