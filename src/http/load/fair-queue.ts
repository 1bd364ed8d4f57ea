// Queues requests while the event loop is busy, and divides its time fairly between the clients (deficit round robin,
// as in RFC 8290): a client that sends many or expensive requests waits for its own requests, not for those of others.
// Alternates between clients with a credential and clients without one, however many network addresses the latter have.
//
// Without a queue, Node reads up to 48 times 1,024 requests in one tick of the event loop, before it runs timers. And it
// accepts one connection per tick, so that long ticks delay the clients that connect.

const maxTick = 5; // milliseconds of a tick that requests may take before further ones are queued
// Queued requests may take as many milliseconds of a tick as all else in it, within these bounds: the tick is longer if
// much data arrives.
const minSlice = 1;
const maxSlice = 10;
const maxBatch = 32; // queued requests that are started per millisecond
const quantum = 0.1; // milliseconds that a client may use in each turn: about one get
const maxStep = 50; // milliseconds between two events that count as waiting; a longer time is not caused by the load

interface QueuedRequest {
  readonly since: number; // milliseconds of the clock
  readonly start: (waited: number) => void;
  readonly isRead: boolean;
}

interface Client {
  readonly requests: QueuedRequest[]; // in order of arrival
  debt: number; // milliseconds that it has used, less those of its turns since then
}

/** Clients, in the order of their turns. */
class Clients {
  readonly #clients = new Map<unknown, Client>();
  #size = 0;

  /** The number of requests. */
  get size(): number {
    return this.#size;
  }

  add(id: unknown, request: QueuedRequest): void {
    const client = this.#clients.get(id);
    if (client === undefined) this.#clients.set(id, { requests: [request], debt: 0 });
    else client.requests.push(request);
    this.#size += 1;
  }

  /**
   * Removes the next request; there must be one. Returns it with its client, whose debt the caller increases by the time
   * that it takes.
   */
  removeNext(): [QueuedRequest, Client] {
    for (;;) {
      const [id, client] = this.#clients.entries().next().value as [unknown, Client];
      this.#clients.delete(id);
      client.debt = Math.max(0, client.debt - quantum);
      const request = client.debt === 0 ? client.requests.shift() : undefined;
      if (request !== undefined || client.debt > 0) this.#clients.set(id, client); // last in turn
      if (request === undefined) continue;
      this.#size -= 1;
      if (this.#size === 0) this.#clients.clear();
      return [request, client];
    }
  }
}

/** Queues requests by client. */
export class FairQueue {
  readonly #clock: () => number;
  readonly #known = new Clients();
  readonly #unknown = new Clients();
  #isTurnOfKnown = true;
  #tickStart: number | undefined; // undefined before the first request of a tick
  #sliceStart: number | undefined; // undefined before the first queued request of a tick
  #sliceEnd = 0; // of the last slice
  #slice = minSlice; // milliseconds
  #hasAccepted = false; // whether a connection was accepted since the previous slice
  #isAccepting = false; // the same, at the start of this slice
  #isReading = false; // whether a request has started to read in this slice
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
    return this.#known.size + this.#unknown.size;
  }

  /** Returns whether requests must wait. The first call in a tick starts the time of the tick. */
  isBusy(): boolean {
    const now = this.#now();
    if (this.#tickStart === undefined) {
      this.#tickStart = now;
      setImmediate(this.#endTick);
    }
    return this.size > 0 || now - this.#tickStart >= maxTick;
  }

  /**
   * Queues a request of `client`, which has a credential if `isKnown`. Resolves when the request can start, to the
   * milliseconds that it has waited. With `isRead`, it reads a part of its body, for which Node takes time after the start: no
   * other request starts before that. If the process stands still, as on a machine that is suspended, this counts as
   * 50 ms: all requests would seem to have waited too long, although the load is low.
   */
  enter(client: unknown, isKnown: boolean, isRead = false): Promise<number> {
    const since = this.#now();
    return new Promise((start) => {
      (isKnown ? this.#known : this.#unknown).add(client, { since, start, isRead });
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

  // Starts each request in an immediate of its own. Node settles promises between two immediates, so that a request that needs
  // only the embedded store is complete before the next one starts.
  #schedule(): void {
    const batch = Math.min(this.size, Math.ceil(this.#slice * maxBatch));
    for (; this.#scheduled < batch; this.#scheduled++) setImmediate(this.#step);
  }

  readonly #step = (): void => {
    const now = this.#now();
    if (this.#sliceStart === undefined) {
      this.#sliceStart = now;
      this.#slice = Math.min(Math.max(now - this.#sliceEnd, minSlice), maxSlice);
      this.#isAccepting = this.#hasAccepted;
      this.#hasAccepted = false;
      setImmediate(this.#endSlice); // before the immediates of the next tick
      if (!this.#isAccepting || now >= this.#resume) this.#startNext(now);
    } else if (!this.#isAccepting) {
      if (now - this.#sliceStart < this.#slice && !this.#isReading) this.#startNext(now);
    } else if (this.#resume <= this.#sliceStart) this.#resume = now + (now - this.#sliceStart);
    this.#sliceEnd = now;
    this.#scheduled -= 1;
    this.#schedule();
  };

  readonly #endSlice = (): void => {
    this.#sliceStart = undefined;
    this.#isReading = false;
  };

  #startNext(now: number): void {
    const isKnown = this.#unknown.size === 0 || (this.#known.size > 0 && this.#isTurnOfKnown);
    this.#isTurnOfKnown = !isKnown;
    const [{ since, start, isRead }, client] = (isKnown ? this.#known : this.#unknown).removeNext();
    start(now - since);
    const recordTime = () => {
      client.debt += this.#now() - now;
    };
    if (isRead) {
      this.#isReading = true;
      setImmediate(recordTime); // after Node has read
    } else queueMicrotask(() => process.nextTick(recordTime)); // after the promises of the request are settled
  }
}
