// Runs the service in several processes: the primary starts the workers, replaces those that die, and restarts them one
// at a time.
import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { throttle, version } from "../lib/index.ts";
import { serveCounter } from "./limits/primary-counter.ts";
import { type RateLimit, TokenBuckets } from "./limits/token-bucket.ts";
import { Aggregator } from "./telemetry/aggregation.ts";
import { serveWorker } from "./telemetry/worker-ipc.ts";

/** The address at which the service listens. */
export interface Listening {
  /** The origin of URLs, such as http://127.0.0.1:3000. */
  readonly origin: string;
  /** The IP address. */
  readonly address: string;
  /** The release of the process. */
  readonly version: string;
}

const replacementInterval = 1_000; // milliseconds; limits the cost of workers that die as soon as they start
const startTimeout = 30_000; // milliseconds until a worker that does not listen is killed
const stopTimeout = 9_500; // milliseconds until a worker that does not exit is killed

export interface WorkerOptions {
  /** The name of the service. */
  readonly name: string;
  /** The number of workers. */
  readonly count: number;
  readonly log: FastifyBaseLogger;
  /** The rate limit of keys, whose requests the primary counts. */
  readonly limit: RateLimit | null;
}

/**
 * Starts workers. Resolves when the first listens and each other one listens or has failed. Resolves to
 * undefined if the first can't listen, or if a signal stopped them before. SIGTERM and SIGINT stop all workers. SIGHUP
 * restarts them one at a time.
 */
export async function startWorkers(options: WorkerOptions): Promise<Listening | undefined> {
  // The workers accept connections from a shared queue of the system. With round-robin scheduling, the primary accepts
  // them, and those that it has passed to a dying worker are lost.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const pool = new WorkerPool(options);
  const stop = () => pool.stop();
  process
    .on("SIGTERM", stop)
    .on("SIGINT", stop)
    .on("SIGHUP", () => pool.restart());
  return pool.start();
}

interface Exit {
  readonly code?: number;
  readonly signal?: string;
  /** The reason if the process could not be started. */
  readonly reason?: string;
}

class WorkerPool {
  readonly #size: number;
  readonly #log: FastifyBaseLogger;
  readonly #onMetricsError: (error: unknown) => void;
  readonly #aggregator: Aggregator;
  readonly #buckets: TokenBuckets | undefined;
  readonly #workers = new Map<Worker, Promise<void>>(); // with promises that resolve when they exit
  readonly #stopped = new WeakSet<Worker>(); // workers to which SIGTERM was sent
  #isServing = false;
  #isStopping = false;
  #isReplacing = false;
  #nextReplacement = 0; // milliseconds, monotonic
  #requestedRestarts = 0; // including the one in progress

  constructor({ name, count, log, limit }: WorkerOptions) {
    this.#size = count;
    this.#aggregator = new Aggregator(name);
    this.#buckets = limit === null ? undefined : new TokenBuckets(limit);
    this.#log = log;
    this.#onMetricsError = throttle((err: unknown) =>
      log.warn({ err }, "failed to aggregate the metrics of the workers"),
    );
  }

  async start(): Promise<Listening | undefined> {
    const first = await this.#startWorker(); // before the others, so that a problem is reported only once
    if (!first && !this.#isStopping) process.exitCode = 1;
    if (!first || this.#isStopping) return undefined;
    await Promise.all(Array.from({ length: this.#size - 1 }, () => this.#startWorker()));
    if (this.#isStopping) return undefined;
    this.#isServing = true;
    this.#replaceMissing();
    return first;
  }

  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const worker of this.#workers.keys()) this.#stopWorker(worker);
  }

  /** Replaces the workers one at a time. Calls during a restart cause one more restart after it. */
  async restart(): Promise<void> {
    if (!this.#isServing) return; // workers that are starting read the current code and certificate
    this.#requestedRestarts += 1;
    if (this.#requestedRestarts > 1) return;
    while (this.#requestedRestarts > 0 && !this.#isStopping) {
      await this.#restartOnce();
      this.#requestedRestarts = Math.min(1, this.#requestedRestarts - 1);
    }
    this.#requestedRestarts = 0;
  }

  async #restartOnce(): Promise<void> {
    for (const worker of [...this.#workers.keys()]) {
      if (this.#isStopping || !this.#workers.has(worker)) continue; // a worker that has died was replaced
      const replacement = await this.#startWorker(); // before the old worker stops
      if (!replacement) {
        if (!this.#isStopping) this.#log.error("new worker failed to start: restart aborted");
        return;
      }
      if (this.#workers.has(worker)) await this.#stopWorker(worker);
    }
  }

  // Starts a worker. Resolves when it listens, or to undefined if it exits before.
  async #startWorker(): Promise<Listening | undefined> {
    const worker = cluster.fork();
    const { pid } = worker.process;
    serveWorker(worker, this.#aggregator, this.#onMetricsError);
    if (this.#buckets) serveCounter(worker, this.#buckets);
    const exited = waitForExit(worker).then((exit): undefined => {
      this.#handleExit(worker, exit);
    });
    this.#workers.set(worker, exited);
    const timer = setTimeout(() => worker.process.kill("SIGKILL"), startTimeout);
    const listening = await Promise.race([waitForListening(worker), exited]);
    clearTimeout(timer);
    if (listening && this.#isServing) this.#log.info({ worker: pid }, "worker started");
    if (listening) checkRelease(listening.version, this.#log);
    return listening;
  }

  async #stopWorker(worker: Worker): Promise<void> {
    this.#stopped.add(worker);
    const timer = setTimeout(() => worker.process.kill("SIGKILL"), stopTimeout);
    worker.process.kill("SIGTERM");
    await this.#workers.get(worker);
    clearTimeout(timer);
  }

  #handleExit(worker: Worker, exit: Exit): void {
    this.#workers.delete(worker);
    const details = { worker: worker.process.pid, ...exit };
    if (this.#stopped.has(worker)) this.#log.info(details, "worker stopped");
    // A worker that can't start has printed the reason, and exits with 1.
    else if (this.#isServing || exit.code !== 1) this.#log.error(details, "worker died");
    this.#replaceMissing();
  }

  async #replaceMissing(): Promise<void> {
    if (this.#isReplacing || !this.#isServing) return;
    this.#isReplacing = true;
    while (!this.#isStopping && this.#workers.size < this.#size) {
      const delay = this.#nextReplacement - performance.now();
      this.#nextReplacement = Math.max(this.#nextReplacement, performance.now()) + replacementInterval;
      if (delay > 0) await sleep(delay);
      if (!this.#isStopping) await this.#startWorker();
    }
    this.#isReplacing = false;
  }
}

// Logs if a worker runs another release than the primary.
function checkRelease(worker: string, log: Pick<FastifyBaseLogger, "warn">): void {
  if (worker === version) return;
  const message = "another release was installed: restart the service, so that its primary process runs it, too";
  log.warn({ worker, primary: version }, message);
}

// Workers also send their metrics.
function waitForListening(worker: Worker): Promise<Listening> {
  return new Promise((resolve) => {
    worker.on("message", (message: Partial<Listening>) => {
      if (message.origin !== undefined) resolve(message as Listening);
    });
  });
}

// An error of a worker without a pid means that its process could not be started.
function waitForExit(worker: Worker): Promise<Exit> {
  return new Promise((resolve) => {
    worker.on("exit", (code, signal) => resolve({ code, signal }));
    worker.on("error", (error) => worker.process.pid === undefined && resolve({ reason: error.message }));
  });
}
