// Figures between the workers and the process that keeps them: each sends its own, and asks for those of all.
import type { Worker } from "node:cluster";
import { Unavailable } from "./errors.ts";
import type { Figures, Gathering, Known } from "./gathering.ts";
import type { Snapshot } from "./metrics.ts";

const patience = 1_000; // milliseconds

interface Message {
  readonly figures?: Snapshot;
  readonly question?: { readonly id: number; readonly about: keyof Known };
}

interface Answer {
  readonly id: number;
  readonly answer: unknown;
}

// A process that another one has started.
type Sender = NodeJS.Process & {
  send(message: Message, handle: undefined, options: undefined, sent: () => void): void;
};

/** What `work` gives, if it does so within a second; else it rejects with `Unavailable`. */
export async function soon<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(new Unavailable("The figures of all processes are not there.")), patience);
  return Promise.race([work, promise]).finally(() => clearTimeout(late));
}

/** The figures as a worker has them: all are with the process that keeps it. Rejects with `Unavailable` where that does not answer within a second. */
export function askKeeper(): Figures {
  const asked = new Map<number, (answer: unknown) => void>();
  let last = 0;
  const send = (message: Message) =>
    // Where nobody is there any more, this process is about to end as well.
    new Promise<void>((resolve) => (process as Sender).send(message, undefined, undefined, () => resolve()));
  process.on("message", ({ id, answer }: Answer) => asked.get(id)?.(answer));
  const ask = async (about: keyof Known): Promise<unknown> => {
    const id = ++last;
    const answer = new Promise((resolve) => asked.set(id, resolve));
    return soon(send({ question: { id, about } }).then(() => answer)).finally(() => asked.delete(id));
  };
  return {
    put: (figures) => send({ figures }),
    metrics: () => ask("metrics") as ReturnType<Known["metrics"]>,
    overview: () => ask("overview") as ReturnType<Known["overview"]>,
    end: () => {},
  };
}

/** Lets a worker put its figures, and ask for those of all, until it is gone. What it can't make out, it tells. */
export function listen(worker: Worker, gathering: Gathering, tell: (error: unknown) => void): void {
  const obey = async ({ figures, question }: Message) => {
    if (figures) gathering.put(worker, figures);
    if (!question) return;
    const answer: Answer = { id: question.id, answer: await gathering[question.about]() };
    worker.send(answer, () => {}); // or it is gone
  };
  // One that is newer than this process may speak otherwise.
  worker.on("message", (message: Message) => obey(message).catch(tell));
  // Not "exit": what it sent last may come after that.
  worker.once("disconnect", () => gathering.leave(worker));
}
