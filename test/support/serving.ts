// `openapi-server serve` in a process of its own, which a test can kill and start again.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "./files.ts";

/** Serves a document in another process. It is killed at the end of the test. */
export class Serving {
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;

  constructor(t: { teardown(work: () => unknown): void }, file: string, data?: string, others: readonly string[] = []) {
    const place = data === undefined ? [] : ["--data", data];
    this.#args = [join(root, "src/command/bin.js"), "serve", file, "--port", "0", ...place, "--key", "any", ...others];
    t.teardown(() => this.#child?.kill("SIGKILL"));
  }

  /** Starts it. Returns its URL. Rejects with an Error if it ends before it listens. */
  async start(): Promise<string> {
    const child = spawn(process.execPath, this.#args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    for (;;) {
      const [, url] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
      if (url !== undefined) return url;
      const ended = once(child, "exit").then(() => Promise.reject(new Error(`serve has ended: ${output}`)));
      await Promise.race([once(child.stdout, "data"), ended]);
    }
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}
