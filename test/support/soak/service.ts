// The service of a soak run: two workers, which can be restarted on the same port.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { folder } from "../files.ts";
import { freePort } from "../port.ts";
import { isRunning, listWorkers, type Server, startServer } from "../processes.ts";
import { until } from "../wait.ts";

/** A service that can be restarted. */
export class SoakService {
  /** The number of times that SIGTERM did not end the service with the exit code 0. */
  failedStops = 0;
  readonly origin: string;
  readonly #start: () => Promise<Server>;
  readonly #clockFile: string;
  #server: Server;

  private constructor(origin: string, start: () => Promise<Server>, server: Server, clockFile: string) {
    this.origin = origin;
    this.#start = start;
    this.#server = server;
    this.#clockFile = clockFile;
  }

  /** Starts the service on a database. It ends with `t`. */
  static async start(t: Pick<Test, "teardown">, databaseUrl: string): Promise<SoakService> {
    const port = String(await freePort());
    const clockFile = join(folder(t), "clock");
    writeFileSync(clockFile, "0");
    const environment = {
      DATABASE_URL: databaseUrl,
      PORT: port,
      WORKERS: "2",
      LOG_LEVEL: "fatal",
      RATE_LIMIT_FAILED: "1000000/1s", // the load contains invalid API keys, all from one address
      // Replaces the coverage hooks of a test, which end a process at SIGXFSZ.
      NODE_OPTIONS: `--import=${new URL("clock-shift.js", import.meta.url)}`,
      CLOCK_SHIFT_FILE: clockFile,
    };
    const start = () => startServer(t, environment);
    return new SoakService(`http://127.0.0.1:${port}`, start, await start(), clockFile);
  }

  /** Returns the process ids of the workers. */
  workers(): number[] {
    return listWorkers(this.#server);
  }

  /** Starts to replace the workers. Does not wait for it. */
  replaceWorkers(): void {
    this.#server.child.kill("SIGHUP");
  }

  /** Shifts the clocks of all processes by `ms`, in opposite directions; see clock-shift.js. */
  shiftClocks(ms: number): void {
    writeFileSync(this.#clockFile, String(ms));
  }

  /** Limits the size of the files that the workers write. Their writes beyond it fail, as on a full disk. */
  limitFileSize(bytes: number | "unlimited"): void {
    for (const pid of this.workers()) spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]);
  }

  /** Ends all processes, and starts the service again. */
  async restart(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    await this.stop(signal);
    this.#server = await this.#start();
  }

  /** Ends all processes. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const workers = this.workers();
    const { code } = await this.#server.end(signal);
    if (signal === "SIGTERM" && code !== 0) this.failedStops += 1;
    // Workers hold the port until they exit.
    await until(
      () => (workers.some(isRunning) ? undefined : true),
      () => "the workers did not exit",
    );
  }

  /** Returns the resident memory of all processes, in MB. */
  memory(): number {
    const resident = (pid = 0) => {
      const [, kilobytes] = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      return Number(kilobytes);
    };
    return [this.#server.child.pid, ...this.workers()].map(resident).reduce((sum, one) => sum + one) / 1024;
  }
}
