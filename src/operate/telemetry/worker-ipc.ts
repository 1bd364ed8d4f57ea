// IPC between the workers and the primary: workers send snapshots of their metrics, and request the metrics of all.
import type { Worker } from "node:cluster";
import { withTimeout } from "../../lib/index.ts";
import type { AggregatedMetrics, Aggregator, AggregatorClient, MetricsSnapshot } from "./aggregation.ts";

const requestTimeout = 1_000; // milliseconds

interface WorkerMessage {
  readonly snapshot?: MetricsSnapshot;
  readonly request?: { readonly id: number; readonly method: keyof AggregatedMetrics };
}

interface PrimaryMessage {
  readonly response?: { readonly id: number; readonly result: unknown };
}

type ChildProcess = NodeJS.Process & {
  send(message: WorkerMessage, handle: undefined, options: undefined, callback: () => void): void;
};

/** Settles as `operation` does, or rejects with `UnavailableError` after one second. */
export function waitForMetrics<T>(operation: Promise<T>): Promise<T> {
  return withTimeout(operation, requestTimeout, "The metrics of all processes are not available.");
}

/** Creates the client of a worker. Requests reject with `UnavailableError` if the primary does not respond within a second. */
export function connectToPrimary(): AggregatorClient {
  const pending = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  // Errors are ignored: if the channel is closed, the primary has exited, and this process is about to exit.
  const send = (message: WorkerMessage) =>
    new Promise<void>((resolve) => (process as ChildProcess).send(message, undefined, undefined, () => resolve()));
  process.on("message", ({ response }: PrimaryMessage) => response && pending.get(response.id)?.(response.result));
  const request = async <T>(method: keyof AggregatedMetrics): Promise<T> => {
    const id = ++lastId;
    const result = new Promise<unknown>((resolve) => pending.set(id, resolve));
    return waitForMetrics(send({ request: { id, method } }).then(() => result as Promise<T>)).finally(() =>
      pending.delete(id),
    );
  };
  return {
    update: (snapshot) => send({ snapshot }),
    metrics: () => request("metrics"),
    totals: () => request("totals"),
  };
}

/** Receives the snapshots of a worker, and responds to its requests. Calls `onError` with the errors. */
export function serveWorker(worker: Worker, aggregator: Aggregator, onError: (error: unknown) => void): void {
  const receive = async ({ snapshot, request }: WorkerMessage) => {
    if (snapshot) aggregator.update(worker, snapshot);
    if (!request) return;
    const message: PrimaryMessage = { response: { id: request.id, result: await aggregator[request.method]() } };
    worker.send(message, () => {}); // fails if the worker has exited
  };
  // A worker that was started after an update of the code may send unknown messages.
  worker.on("message", (message: WorkerMessage) => receive(message).catch(onError));
  // Not "exit", which may come before the last message.
  worker.once("disconnect", () => aggregator.remove(worker).catch(onError));
}
