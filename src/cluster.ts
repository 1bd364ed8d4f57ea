// Several processes of the service on one machine: node:cluster, where this process accepts the
// connections and hands them out, and the workers serve. A worker that dies is replaced.
import cluster, { type Worker } from "node:cluster";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { throttle } from "./lib/index.ts";
import { createAggregator, serveWorker } from "./telemetry/index.ts";

/** Where the service listens: its address for people, and the IP address. */
export interface Listening {
  readonly origin: string;
  readonly address: string;
}

const pace = 1_000; // milliseconds between two replacements: a worker that can't live takes no more than that
const startTimeout = 30_000; // milliseconds until a worker that does not listen is killed
const endTimeout = 9_500; // and one that was told to end

/**
 * Starts `count` workers, and resolves when they listen; to nothing where they can't, or were told
 * to end before. SIGTERM and SIGINT end all, SIGHUP replaces them one at a time.
 */
export async function startWorkers(count: number, log: FastifyBaseLogger): Promise<Listening | undefined> {
  // The workers accept by themselves, from one queue of the system's: a connection that waits there
  // is lost with no worker, where one that this process hands to a dying worker would be.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const workers = new Map<Worker, Promise<void>>();
  const leaving = new WeakSet<Worker>();
  const tell = throttle((err: unknown) => log.warn({ err }, "the figures can't be read"));
  const figures = createAggregator(tell);
  let ending = false;
  let serving = false;
  let soonest = 0;

  const start = async (): Promise<Listening | undefined> => {
    const worker = cluster.fork();
    serveWorker(worker, figures, tell);
    const gone = untilGone(worker).then((how): undefined => {
      workers.delete(worker);
      const line = { worker: worker.process.pid, ...how };
      if (leaving.has(worker)) log.info(line, "a worker ended");
      // With 1 it ended by itself, and said why.
      else if (serving || how.code !== 1) log.error(line, "a worker died");
      fill();
    });
    workers.set(worker, gone);
    const late = setTimeout(() => worker.process.kill("SIGKILL"), startTimeout);
    const listening = await Promise.race([untilListening(worker), gone]);
    clearTimeout(late);
    if (listening && serving) log.info({ worker: worker.process.pid }, "a new worker serves");
    return listening;
  };

  let filling = false;
  const fill = async () => {
    if (filling || !serving) return;
    filling = true;
    while (!ending && workers.size < count) {
      const wait = soonest - performance.now();
      soonest = Math.max(soonest, performance.now()) + pace;
      if (wait > 0) await pause(wait);
      if (!ending) await start();
    }
    filling = false;
  };

  const end = async (worker: Worker) => {
    leaving.add(worker);
    const last = setTimeout(() => worker.process.kill("SIGKILL"), endTimeout);
    worker.process.kill("SIGTERM");
    await workers.get(worker);
    clearTimeout(last);
  };

  const endAll = () => {
    if (ending) return;
    ending = true;
    for (const worker of workers.keys()) end(worker);
  };

  let restarts = 0; // that were asked for and are not done
  const restart = async () => {
    if (!serving) return; // what starts just now is new already
    restarts += 1;
    if (restarts > 1) return;
    for (; restarts > 0 && !ending; restarts = Math.min(1, restarts - 1))
      for (const old of [...workers.keys()]) {
        if (ending || !workers.has(old)) continue; // or it died, and was replaced
        // The new one is there before the old one goes.
        const fresh = await start();
        if (!fresh && !ending) log.error("a new worker does not start: the others stay as they are");
        if (!fresh) break;
        if (workers.has(old)) await end(old);
      }
    restarts = 0;
  };

  process.on("SIGTERM", endAll).on("SIGINT", endAll).on("SIGHUP", restart);
  const first = await start(); // alone: what keeps it from starting is said once
  if (!first && !ending) process.exitCode = 1;
  if (!first || ending) return undefined;
  await Promise.all(Array.from({ length: count - 1 }, start));
  serving = true;
  fill();
  return first;
}

// It also sends its figures (src/telemetry/worker-ipc.ts).
function untilListening(worker: Worker): Promise<Listening> {
  return new Promise((resolve) => {
    worker.on(
      "message",
      (message: Partial<Listening>) => message.origin !== undefined && resolve(message as Listening),
    );
  });
}

// An error without a process: there was none to be had.
function untilGone(worker: Worker): Promise<{ code?: number; signal?: string; reason?: string }> {
  return new Promise((resolve) => {
    worker.on("exit", (code, signal) => resolve({ code, signal }));
    worker.on("error", (error) => worker.process.pid === undefined && resolve({ reason: error.message }));
  });
}
