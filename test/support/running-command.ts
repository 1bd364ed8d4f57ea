// Starts a command in a separate process, so that a test can kill or stop it while it runs.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { bin } from "./files.ts";

/** Starts `petstore ARGS…` over a store. `exit` waits for its end, and returns the exit code and standard error. */
export function startCommand(url: string, args: readonly string[], env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, [bin, ...args], {
    env: { ...process.env, DATABASE_URL: url, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exit = once(child, "close");
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  return { child, exit: async () => ({ code: (await exit)[0] as number | null, stderr }) };
}
