// The service with two workers, ended and started again at the same address.

import { readFileSync } from "node:fs";
import type { Test } from "tap";
import { freePort } from "../../test/support/port.ts";
import { isRunning, listWorkers, type Server, startServer } from "../../test/support/processes.ts";
import { until } from "../../test/support/wait.ts";

export interface Service {
  /** Its address, without the version. */
  readonly origin: string;
  workers(): number[];
  /** Has the workers replaced, and does not wait for it. */
  replaceWorkers(): void;
  /** Ends all of it, and starts it again. */
  restart(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Ends it with SIGTERM. */
  end(): Promise<void>;
  /** How often SIGTERM did not end it with 0. */
  badEnds(): number;
  /** What its processes hold, in MB. */
  memory(): number;
}

export async function startService(t: Pick<Test, "teardown">, environment: Record<string, string>): Promise<Service> {
  const port = await freePort();
  const settings = { ...environment, PORT: String(port), WORKERS: "2", LOG_LEVEL: "fatal" };
  // Wrong keys are a part of the load, from one address.
  const start = () => startServer(t, { ...settings, RATE_LIMIT_FAILED: "1000000/1s" });
  let server: Server = await start();
  let badEnds = 0;

  const stop = async (signal: "SIGTERM" | "SIGKILL") => {
    const workers = listWorkers(server);
    const { code } = await server.end(signal);
    if (signal === "SIGTERM" && code !== 0) badEnds += 1;
    // They hold the port.
    await until(
      () => (workers.some(isRunning) ? undefined : true),
      () => "the workers live on",
    );
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    workers: () => listWorkers(server),
    replaceWorkers: () => server.child.kill("SIGHUP"),
    async restart(signal) {
      await stop(signal);
      server = await start();
    },
    end: () => stop("SIGTERM"),
    badEnds: () => badEnds,
    memory() {
      const resident = (pid = 0) => {
        const [, kilobytes] = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
        return Number(kilobytes);
      };
      return [server.child.pid, ...listWorkers(server)].map(resident).reduce((sum, one) => sum + one) / 1024;
    },
  };
}
