// Figures between the workers and the process that keeps them: each sends its own, and asks for those of all.
import type { Worker } from "node:cluster";
import { withTimeout } from "../lib/index.ts";
import type { AggregatedMetrics, Aggregator, MetricsHub } from "./aggregation.ts";
import type { MetricsSnapshot } from "./metrics.ts";

interface Message {
  readonly figures?: MetricsSnapshot;
  readonly question?: { readonly id: number; readonly about: keyof AggregatedMetrics };
}

interface Answer {
  readonly id: number;
  readonly answer: unknown;
}

// A process that another one has started.
type Sender = NodeJS.Process & {
  send(message: Message, handle: undefined, options: undefined, sent: () => void): void;
};

/** Settles as `operation` does, or rejects with `Unavailable` after one second. */
export function waitForMetrics<T>(operation: Promise<T>): Promise<T> {
  return withTimeout(operation, 1_000, "The metrics of all processes are not available.");
}

/** The figures as a worker has them: all are with the process that keeps it. Rejects with `Unavailable` where that does not answer within a second. */
export function connectToPrimary(): MetricsHub {
  const asked = new Map<number, (answer: unknown) => void>();
  let last = 0;
  const send = (message: Message) =>
    // Where nobody is there any more, this process is about to end as well.
    new Promise<void>((resolve) => (process as Sender).send(message, undefined, undefined, () => resolve()));
  process.on("message", ({ id, answer }: Answer) => asked.get(id)?.(answer));
  const ask = async (about: keyof AggregatedMetrics): Promise<unknown> => {
    const id = ++last;
    const answer = new Promise((resolve) => asked.set(id, resolve));
    return waitForMetrics(send({ question: { id, about } }).then(() => answer)).finally(() => asked.delete(id));
  };
  return {
    publish: (figures) => send({ figures }),
    metrics: () => ask("metrics") as ReturnType<AggregatedMetrics["metrics"]>,
    overview: () => ask("overview") as ReturnType<AggregatedMetrics["overview"]>,
    close: () => {},
  };
}

/** Lets a worker put its figures, and ask for those of all, until it is gone. What it can't make out, it tells. */
export function serveWorker(worker: Worker, gathering: Aggregator, tell: (error: unknown) => void): void {
  const obey = async ({ figures, question }: Message) => {
    if (figures) gathering.update(worker, figures);
    if (!question) return;
    const answer: Answer = { id: question.id, answer: await gathering[question.about]() };
    worker.send(answer, () => {}); // or it is gone
  };
  // One that is newer than this process may speak otherwise.
  worker.on("message", (message: Message) => obey(message).catch(tell));
  // Not "exit": what it sent last may come after that.
  worker.once("disconnect", () => gathering.remove(worker));
}
