// Starts the service and its command as separate processes.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { bin, root } from "./files.ts";
import { findSecret } from "./secrets.ts";
import { assertKnown } from "./settings.ts";
import { until } from "./wait.ts";

const path = (name: string) => join(root, name);

// Environment variables of Node, OpenTelemetry and pg, and of the commands that tests run.
const otherVariables = /^(NODE_|OTEL_|PG)|^(PATH|TERM|TMPDIR|SERVE|LOG_FILE|CLOCK_SHIFT_FILE)$/;

/** Runs `petstore ARGS…` in a separate process, to its end. Blocks this process, unlike `petstore` in command.ts. */
export function petstoreProcess(environment: Record<string, string>, ...args: string[]) {
  assertKnown(environment, otherVariables);
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    env,
    encoding: "utf8",
  });
  const secret = findSecret(stderr);
  if (secret !== undefined) throw new Error(`a secret is in the output of petstore ${args.join(" ")}: ${secret}`);
  return { status, stdout, stderr };
}

/** The service as a process. */
export interface Server {
  child: ChildProcessWithoutNullStreams;
  /** The base URL, with its version segment. */
  url: string;
  /** The output so far. */
  out: { stdout: string; stderr: string };
  /** Sends a signal and waits for the exit. Returns the exit code and the duration in milliseconds. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

/** Starts the service and waits until it listens. Rejects if it exits. Sends SIGTERM when the test ends. */
export async function startServer(
  t: Pick<Test, "teardown">,
  environment: Record<string, string>,
  [command = "", ...args]: string[] = [process.execPath, bin, "serve"],
  cwd = path(""),
): Promise<Server> {
  assertKnown(environment, otherVariables);
  // Without a limit, because the load of a test may exceed the default.
  const env = { ...process.env, PORT: "0", RATE_LIMIT: "none", ...environment };
  const child = spawn(command, args, { env, cwd });
  const exit = once(child, "exit");
  t.teardown(async () => {
    // SIGTERM first: after a SIGKILL, npm, a watcher or a terminal would leave the service running.
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 12_000);
    await exit;
    clearTimeout(timer);
    // Only the curl command for the first key may show a key.
    const secret = findSecret((out.stdout + out.stderr).replace(/^ {2}curl -H .*$/gm, ""));
    if (secret !== undefined) throw new Error(`a secret is in the output of the service: ${secret}`);
  });
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk) => {
      out[name] += chunk;
    });
  const url = await until(
    () => {
      if (child.exitCode !== null) throw new Error(`the service exited with ${child.exitCode}: ${lastLines(out)}`);
      return /Pet Store is listening at (\S+)\s/.exec(out.stdout + out.stderr)?.[1];
    },
    () => `the service did not start: ${lastLines(out)}`,
  );
  const end: Server["end"] = async (signal) => {
    const start = Date.now();
    child.kill(signal);
    const [code] = await exit;
    return { code, ms: Date.now() - start };
  };
  return { child, url, out, end };
}

/** Returns the last lines of the output, for the message of a failed test. */
export function lastLines({ stdout, stderr }: Server["out"]): string {
  return [stdout, stderr].flatMap((text) => text.trimEnd().split("\n").slice(-10)).join("\n");
}

/** Returns the process ids of the workers. Reads them from /proc, which only Linux has. */
export function listWorkers({ child: { pid } }: Pick<Server, "child">): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
}

/** Returns whether a process with this id exists. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Returns environment variables that delay the start of the service: resolving HOST takes a second. The service prints
 * "looking for" and the host name when the delay begins.
 */
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
