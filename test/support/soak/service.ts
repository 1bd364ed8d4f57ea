// The service of a soak run: two workers, which can be restarted on the same port.
import { readFileSync } from "node:fs";
import type { Test } from "tap";
import { freePort } from "../port.ts";
import { isRunning, listWorkers, type Server, startServer } from "../processes.ts";
import { until } from "../wait.ts";

/** A service that can be restarted. */
export class SoakService {
  /** The number of times that SIGTERM did not end the service with the exit code 0. */
  failedStops = 0;
  readonly origin: string;
  readonly #start: () => Promise<Server>;
  #server: Server;

  private constructor(origin: string, start: () => Promise<Server>, server: Server) {
    this.origin = origin;
    this.#start = start;
    this.#server = server;
  }

  /** Starts the service. It ends with `t`. */
  static async start(t: Pick<Test, "teardown">, environment: Record<string, string>): Promise<SoakService> {
    const port = String(await freePort());
    // The load contains invalid API keys, all from one address.
    const settings = { PORT: port, WORKERS: "2", LOG_LEVEL: "fatal", RATE_LIMIT_FAILED: "1000000/1s" };
    const start = () => startServer(t, { ...environment, ...settings });
    return new SoakService(`http://127.0.0.1:${port}`, start, await start());
  }

  /** Returns the process ids of the workers. */
  workers(): number[] {
    return listWorkers(this.#server);
  }

  /** Starts to replace the workers. Does not wait for it. */
  replaceWorkers(): void {
    this.#server.child.kill("SIGHUP");
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
