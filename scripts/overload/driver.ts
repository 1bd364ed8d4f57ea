// Sends requests, as fast as answers come or at a rate of their own: from a process of its own, asked by a
// message.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createHistogram } from "node:perf_hooks";

/** What to send, over how many connections, for how long. Without a rate: as fast as answers come. */
export interface Order {
  readonly port: number;
  readonly requests: readonly string[];
  readonly connections: number;
  readonly rate?: number; // a second
  /** Whether who is refused waits as long as Retry-After says. */
  readonly obedient?: boolean;
  readonly seconds: number;
}

/** What came of it: requests that have no answer, answers by status, and how long those took, in milliseconds. */
export interface Outcome {
  readonly missing: number;
  readonly statuses: Record<string, number>;
  /** Of accepted requests, since they were due. */
  readonly p50: number;
  readonly p99: number;
  /** Of refused ones. */
  readonly refusedP99: number;
}

const ramp = 1_000; // milliseconds before what counts: the first burst is let in

async function drive({ port, requests, connections, rate, obedient, seconds }: Order): Promise<Outcome> {
  const accepted = createHistogram();
  const refused = createHistogram();
  const statuses: Record<string, number> = {};
  const waiting: number[] = []; // since when each request is due that has no connection yet
  const free: ((due: number) => void)[] = [];
  const began = performance.now();
  const begins = began + ramp;
  const ends = begins + seconds * 1_000;
  let due = 0;
  let open = 0; // requests that were sent and not answered
  let next = 0;

  const join = (socket: Socket) => {
    let since = 0;
    let text = "";
    const send = (at: number) => {
      since = at;
      open += 1;
      socket.write(requests[next++ % requests.length] as string);
    };
    socket.setEncoding("latin1").on("data", (chunk: string): unknown => {
      text += chunk;
      const head = text.indexOf("\r\n\r\n");
      if (head < 0 || text.length < head + 4 + Number(/content-length: (\d+)/.exec(text)?.[1] ?? 0)) return;
      const status = text.slice(9, 12);
      const wait = Number(/retry-after: (\d+)/.exec(text)?.[1]) * 1_000;
      text = "";
      const now = performance.now();
      open -= 1;
      if (since > begins) {
        statuses[status] = (statuses[status] ?? 0) + 1;
        (status === "503" ? refused : accepted).record(Math.max(1, Math.round((now - since) * 1_000)));
      }
      if (now >= ends) return;
      if (obedient && status === "503") return setTimeout(() => send(performance.now()), wait);
      if (rate === undefined) return send(now);
      const first = waiting.shift();
      if (first === undefined) free.push(send);
      else send(first);
    });
    if (rate === undefined) send(performance.now());
    else free.push(send);
  };
  const sockets = Array.from({ length: connections }, () => connect(port, "127.0.0.1").setNoDelay());
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) join(socket);

  await new Promise<void>((resolve) => {
    const tick = () => {
      const now = Math.min(performance.now(), ends);
      if (rate !== undefined)
        for (; due < ((now - began) * rate) / 1_000; due++) {
          const at = began + (due / rate) * 1_000;
          const send = free.shift();
          if (send) send(at);
          else waiting.push(at);
        }
      if (now < ends) setTimeout(tick, 1);
      else setTimeout(resolve, 500);
    };
    tick();
  });
  for (const socket of sockets) socket.destroy();
  const [p50, p99, refusedP99] = [accepted.percentile(50), accepted.percentile(99), refused.percentile(99)];
  return {
    missing: waiting.length + open,
    statuses,
    p50: p50 / 1_000,
    p99: p99 / 1_000,
    refusedP99: refused.count ? refusedP99 / 1_000 : 0,
  };
}

process.on("message", (order: Order) => drive(order).then((outcome) => process.send?.(outcome)));
