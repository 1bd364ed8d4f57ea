// Limits how many transactions of a process run at once, so that its other calls have connections while they wait for each other.
import { UnavailableError } from "../lib/index.ts";
import { busyMessage } from "./batcher.ts";

const maxWaiting = 2_000; // transactions
const maxWait = 5_000; // milliseconds

/** The transactions that run, and those that wait for them in their order. */
export class TransactionSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs `work` as soon as a slot is free. Rejects with `UnavailableError` if 2,000 others wait, or after 5 s. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait();
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.size >= maxWaiting) throw new UnavailableError(busyMessage);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(begin);
      };
      const begin = () => {
        leave();
        resolve();
      };
      const timer = setTimeout(() => {
        leave();
        reject(new UnavailableError(busyMessage));
      }, maxWait);
      this.#waiting.add(begin);
    });
  }
}
