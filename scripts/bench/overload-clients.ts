// The clients of the overload benchmark, a separate process. It sends requests for each message, and sends the result
// back. Unlike autocannon, it can send at a fixed rate, and measures latency from the time at which a request was due
// (without coordinated omission).
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createHistogram } from "node:perf_hooks";

/** A run of the clients. */
export interface OverloadOptions {
  readonly port: number;
  /** Requests with their bodies, sent in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Requests per second. Without a rate, each connection sends its next request after a response. */
  readonly rate?: number;
  /** Whether a connection waits for the time in Retry-After after a 503. */
  readonly obeyRetryAfter?: boolean;
  readonly seconds: number;
}

/** The result of a run, without the first second. Latencies are in milliseconds. */
export interface OverloadResult {
  /** The number of requests without a response. */
  readonly unanswered: number;
  /** The number of responses for each status. */
  readonly statuses: Record<string, number>;
  readonly p99: number;
  /** The 99th percentile of responses with 503. */
  readonly rejectedP99: number;
}

const warmUp = 1_000; // milliseconds; the service accepts a first burst
const drainTime = 500; // milliseconds for the last responses

class OverloadClients {
  readonly #options: OverloadOptions;
  readonly #accepted = createHistogram();
  readonly #rejected = createHistogram();
  readonly #statuses: Record<string, number> = {};
  readonly #overdue: number[] = []; // due times of requests for which no connection is idle
  readonly #idle: ((due: number) => void)[] = []; // functions that send on an idle connection
  readonly #start = performance.now();
  readonly #end: number;
  #pending = 0; // requests without a response
  #sent = 0;
  #scheduled = 0; // requests that were due, with a rate

  constructor(options: OverloadOptions) {
    this.#options = options;
    this.#end = this.#start + warmUp + options.seconds * 1_000;
  }

  async run(): Promise<OverloadResult> {
    const { port, connections } = this.#options;
    const sockets = Array.from({ length: connections }, () => connect(port, "127.0.0.1").setNoDelay());
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    for (const socket of sockets) this.#use(socket);
    await this.#schedule();
    for (const socket of sockets) socket.destroy();
    return {
      unanswered: this.#overdue.length + this.#pending,
      statuses: this.#statuses,
      p99: this.#accepted.percentile(99) / 1_000,
      rejectedP99: this.#rejected.count ? this.#rejected.percentile(99) / 1_000 : 0,
    };
  }

  #use(socket: Socket): void {
    const { requests, rate, obeyRetryAfter } = this.#options;
    let requestDue = 0;
    let text = "";
    const send = (due: number) => {
      requestDue = due;
      this.#pending += 1;
      socket.write(requests[this.#sent++ % requests.length] as string);
    };
    const sendNext = (now: number) => {
      if (rate === undefined) return send(now);
      const due = this.#overdue.shift();
      if (due === undefined) this.#idle.push(send);
      else send(due);
    };
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
      const head = text.indexOf("\r\n\r\n");
      if (head < 0 || text.length < head + 4 + Number(/content-length: (\d+)/.exec(text)?.[1] ?? 0)) return;
      const status = text.slice(9, 12);
      const retryAfter = Number(/retry-after: (\d+)/.exec(text)?.[1]) * 1_000;
      text = "";
      const now = performance.now();
      this.#pending -= 1;
      this.#record(status, requestDue, now);
      if (now >= this.#end) return;
      if (obeyRetryAfter && status === "503") setTimeout(() => send(performance.now()), retryAfter);
      else sendNext(now);
    });
    if (rate === undefined) send(performance.now());
    else this.#idle.push(send);
  }

  #record(status: string, due: number, now: number): void {
    if (due <= this.#start + warmUp) return;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    const histogram = status === "503" ? this.#rejected : this.#accepted;
    histogram.record(Math.max(1, Math.round((now - due) * 1_000)));
  }

  // Sends requests when they are due, until the end of the run.
  #schedule(): Promise<void> {
    return new Promise((resolve) => {
      const tick = () => {
        const now = Math.min(performance.now(), this.#end);
        this.#sendDue(now);
        if (now < this.#end) setTimeout(tick, 1);
        else setTimeout(resolve, drainTime);
      };
      tick();
    });
  }

  #sendDue(now: number): void {
    const { rate } = this.#options;
    if (rate === undefined) return;
    for (; this.#scheduled < ((now - this.#start) * rate) / 1_000; this.#scheduled++) {
      const due = this.#start + (this.#scheduled / rate) * 1_000;
      const send = this.#idle.shift();
      if (send) send(due);
      else this.#overdue.push(due);
    }
  }
}

process.on("message", (options: OverloadOptions) =>
  new OverloadClients(options).run().then((result) => process.send?.(result)),
);
