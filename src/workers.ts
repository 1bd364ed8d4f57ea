// Several processes of the service on one machine: node:cluster, where this process accepts the
// connections and hands them out, and the workers serve. A worker that dies is replaced.
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";

/** Where the service listens: its address for people, and the IP address. */
export interface Listening {
  readonly origin: string;
  readonly address: string;
}

const pace = 1_000; // milliseconds between two replacements: a worker that can't live takes no more than that
const patience = 9_500; // milliseconds until a worker that was told to end is killed

/**
 * Starts `count` workers, and resolves when they listen; to nothing where they can't, or were told
 * to end before. SIGTERM and SIGINT end all, SIGHUP replaces them one at a time.
 */
export async function startWorkers(count: number, log: FastifyBaseLogger): Promise<Listening | undefined> {
  const workers = new Set<Worker>();
  const leaving = new WeakSet<Worker>();
  let ending = false;
  let restarting = false;
  let soonest = 0;

  const start = async (): Promise<Listening | undefined> => {
    const worker = cluster.fork();
    workers.add(worker);
    let listening: Listening | undefined;
    const died = once(worker, "exit").then(([code, signal]) => {
      workers.delete(worker);
      if (leaving.has(worker)) return;
      log.error({ worker: worker.process.pid, code, signal }, "a worker died");
      if (listening) replace();
    });
    listening = await Promise.race([once(worker, "message").then(([message]) => message), died]);
    return listening;
  };

  const replace = async () => {
    for (let listening: Listening | undefined; !listening && !ending; ) {
      const wait = soonest - Date.now();
      soonest = Math.max(soonest, Date.now()) + pace;
      if (wait > 0) await pause(wait);
      if (!ending) listening = await start();
    }
  };

  const end = async (worker: Worker) => {
    leaving.add(worker);
    const exit = once(worker, "exit");
    const last = setTimeout(() => worker.process.kill("SIGKILL"), patience);
    worker.process.kill("SIGTERM");
    await exit;
    clearTimeout(last);
  };

  const endAll = () => {
    ending = true;
    for (const worker of workers) if (!leaving.has(worker)) end(worker);
  };

  const restart = async () => {
    if (restarting || ending) return;
    restarting = true;
    for (const old of [...workers]) {
      // The new one is there before the old one goes.
      const fresh = await start();
      if (!fresh && !ending) log.error("a new worker does not start: the others stay as they are");
      if (!fresh || ending) break;
      if (workers.has(old)) await end(old);
    }
    restarting = false;
  };

  process.on("SIGTERM", endAll).on("SIGINT", endAll).on("SIGHUP", restart);
  const first = await start(); // alone: what keeps it from starting is said once
  if (first) await Promise.all(Array.from({ length: count - 1 }, async () => (await start()) ?? replace()));
  else if (!ending) process.exitCode = 1;
  return ending ? undefined : first;
}
