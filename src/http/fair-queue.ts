// Queues requests while the event loop is busy, and starts those of all clients in turn (fair queueing, RFC 8290): a
// client that sends many requests waits for its own requests, not for those of others, and delays others by one each.
// Every other request is one of a client with a credential, however many network addresses send requests without one.
//
// Without a queue, Node reads up to 48 times 1,024 requests in one tick of the event loop, before it runs timers. And it
// accepts one connection per tick, so that long ticks delay the clients that connect.

const maxTick = 5; // milliseconds of a tick that requests may take before further ones are queued
const maxSlice = 1; // milliseconds of a tick that queued requests may take
const maxBatch = 32; // queued requests that are started in one tick, if they take less than `maxSlice`
const maxStep = 50; // milliseconds between two events that count as waiting; a longer time is not caused by the load

interface QueuedRequest {
  readonly since: number; // milliseconds of the clock
  readonly start: (waited: number) => void;
}

/** Queues requests by client. */
export class FairQueue {
  readonly #clock: () => number;
  // The requests of each client, in order of arrival. The clients are in the order of their turns.
  readonly #clients = { known: new Map<unknown, QueuedRequest[]>(), unknown: new Map<unknown, QueuedRequest[]>() };
  #isTurnOfKnown = true;
  #size = 0;
  #tickStart: number | undefined; // undefined before the first request of a tick
  #sliceStart: number | undefined; // undefined before the first queued request of a tick
  #hasAccepted = false; // whether a connection was accepted since the previous slice
  #isAccepting = false; // the same, at the start of this slice
  #resume = 0; // the time until which connections have priority
  #scheduled = 0; // immediates
  #clockTime: number; // at the last event
  #time = 0; // milliseconds that count as waiting

  /** `clock` returns milliseconds of a monotonic clock. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#clockTime = clock();
  }

  /** The number of requests in the queue. */
  get size(): number {
    return this.#size;
  }

  /** Returns whether requests must wait. The first call in a tick starts the time of the tick. */
  isBusy(): boolean {
    const now = this.#now();
    if (this.#tickStart === undefined) {
      this.#tickStart = now;
      setImmediate(this.#endTick);
    }
    return this.#size > 0 || now - this.#tickStart >= maxTick;
  }

  /**
   * Queues a request of `client`, which has a credential if `isKnown`. Resolves when the request can start, to the
   * milliseconds that it has waited. If the process stands still, as on a machine that is suspended, this counts as
   * 50 ms: all requests would seem to have waited too long, although the load is low.
   */
  enter(client: unknown, isKnown: boolean): Promise<number> {
    const clients = isKnown ? this.#clients.known : this.#clients.unknown;
    const since = this.#now();
    return new Promise((start) => {
      const requests = clients.get(client);
      if (requests === undefined) clients.set(client, [{ since, start }]);
      else requests.push({ since, start });
      this.#size += 1;
      this.#schedule();
    });
  }

  /**
   * Records that a connection was accepted. Further ones may wait, and each needs a tick of its own: the next ticks start
   * only one queued request, and then none for the time that it took. So connections and requests share the time.
   */
  recordConnection(): void {
    this.#hasAccepted = true;
  }

  // Advances the time by at most `maxStep`. Under load, events follow each other within some milliseconds.
  #now(): number {
    const clockTime = this.#clock();
    this.#time += Math.min(clockTime - this.#clockTime, maxStep);
    this.#clockTime = clockTime;
    return this.#time;
  }

  readonly #endTick = (): void => {
    this.#tickStart = undefined;
  };

  // An immediate for each request, because promises are settled between two immediates: a request that needs only the
  // embedded store is complete before the next one starts.
  #schedule(): void {
    for (; this.#scheduled < Math.min(this.#size, maxBatch); this.#scheduled++) setImmediate(this.#step);
  }

  readonly #step = (): void => {
    const now = this.#now();
    if (this.#sliceStart === undefined) {
      this.#sliceStart = now;
      this.#isAccepting = this.#hasAccepted;
      this.#hasAccepted = false;
      setImmediate(this.#endSlice); // before the immediates of the next tick
      if (!this.#isAccepting || now >= this.#resume) this.#startNext(now);
    } else if (!this.#isAccepting) {
      if (now - this.#sliceStart < maxSlice) this.#startNext(now);
    } else if (this.#resume <= this.#sliceStart) this.#resume = now + (now - this.#sliceStart);
    this.#scheduled -= 1;
    this.#schedule();
  };

  readonly #endSlice = (): void => {
    this.#sliceStart = undefined;
  };

  #startNext(now: number): void {
    const { known, unknown } = this.#clients;
    const clients = unknown.size === 0 || (known.size > 0 && this.#isTurnOfKnown) ? known : unknown;
    this.#isTurnOfKnown = clients !== known;
    const [client, requests] = clients.entries().next().value as [unknown, QueuedRequest[]];
    const { since, start } = requests.shift() as QueuedRequest;
    clients.delete(client);
    if (requests.length > 0) clients.set(client, requests); // last in turn
    this.#size -= 1;
    start(now - since);
  }
}
