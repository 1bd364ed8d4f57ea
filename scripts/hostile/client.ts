// The legitimate client: 50 calls per second, alternately on a keep-alive connection and on a new one. It also probes
// /healthz, as an orchestrator does.
import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { createHistogram, monitorEventLoopDelay, type RecordableHistogram } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { createPet, send } from "../../test/support/http.ts";

const interval = 20; // milliseconds between two calls
const probeInterval = 100; // milliseconds
const timeout = 5_000; // milliseconds without data, after which a call has failed

/** The result of the calls of some seconds. Durations are in milliseconds. */
export interface ClientReport {
  readonly calls: number;
  readonly answered: number;
  /** The longer p99 of both kinds of connections, for answered calls. */
  readonly p99: number;
  readonly p99OfKeepAlive: number;
  readonly p99OfNewConnections: number;
  /** The failures by status or by the code of the error. */
  readonly failures: Readonly<Record<string, number>>;
  readonly slowestProbe: number;
  readonly failedProbes: number;
  /** The 99th percentile of the client's own event loop delay, which is part of each measured latency. */
  readonly ownDelay: number;
}

/** The legitimate client. */
export class LegitimateClient {
  readonly #url: string;
  readonly #key: string;
  readonly #keepAlive: Agent;
  readonly #newConnection: Agent;

  /** `url` is the base URL of the service, with its version segment. */
  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
    const tls = { rejectUnauthorized: false, maxCachedSessions: 0 }; // complete handshakes
    const create = (keepAlive: boolean) =>
      url.startsWith("https:") ? new TlsAgent({ keepAlive, ...tls }) : new Agent({ keepAlive });
    this.#keepAlive = create(true);
    this.#newConnection = create(false);
  }

  /** Closes the connections. */
  close(): void {
    this.#keepAlive.destroy();
  }

  /** Calls the service for some seconds. */
  async run(seconds: number): Promise<ClientReport> {
    const latencies = [createHistogram(), createHistogram()] as const; // keep-alive, new connections
    const failures: Record<string, number> = {};
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const start = performance.now();
    const end = start + seconds * 1_000;
    const probes = this.#probe(end);
    const calls: Promise<void>[] = [];
    for (let due = start; due < end; due += interval) {
      await pause(Math.max(0, due - performance.now()));
      const began = performance.now();
      const n = calls.length;
      const call = this.#call(n).then((outcome) => {
        const latency = Math.max(1, Math.round((performance.now() - began) * 1_000));
        if (/^20[01]$/.test(outcome)) latencies[n % 2 === 0 ? 0 : 1].record(latency);
        else failures[outcome] = (failures[outcome] ?? 0) + 1;
      });
      calls.push(call);
    }
    await Promise.all(calls);
    const probed = await probes;
    delay.disable();
    const [p99OfKeepAlive, p99OfNewConnections] = [toP99(latencies[0]), toP99(latencies[1])];
    return {
      calls: calls.length,
      answered: latencies[0].count + latencies[1].count,
      p99: Math.max(p99OfKeepAlive, p99OfNewConnections),
      p99OfKeepAlive,
      p99OfNewConnections,
      failures,
      ...probed,
      ownDelay: delay.percentile(99) / 1e6,
    };
  }

  /** Returns the status of a request without a body, or the code of the error. */
  async get(path: string, key = this.#key, agent = this.#keepAlive): Promise<string> {
    const headers = { authorization: `Bearer ${key}` };
    return toOutcome(send(`${this.#url}${path}`, { agent, headers, timeout }));
  }

  #call(n: number): Promise<string> {
    const agent = n % 2 === 0 ? this.#keepAlive : this.#newConnection;
    switch (Math.floor(n / 2) % 3) {
      case 0:
        return this.get(`/pets/${1_000 + (n % 10_000)}`, this.#key, agent);
      case 1:
        return this.get("/pets?status=available&limit=20", this.#key, agent);
      default:
        return toOutcome(createPet(this.#url, this.#key, { name: `Rex ${n}`, agent }));
    }
  }

  async #probe(end: number): Promise<Pick<ClientReport, "slowestProbe" | "failedProbes">> {
    let [slowestProbe, failedProbes] = [0, 0];
    for (; performance.now() < end; await pause(probeInterval)) {
      const start = performance.now();
      const url = new URL("/healthz", this.#url).href;
      if ((await toOutcome(send(url, { agent: this.#newConnection, timeout }))) !== "200") failedProbes += 1;
      slowestProbe = Math.max(slowestProbe, performance.now() - start);
    }
    return { slowestProbe, failedProbes };
  }
}

function toP99(latencies: RecordableHistogram): number {
  return latencies.count === 0 ? 0 : latencies.percentile(99) / 1_000;
}

function toOutcome(response: Promise<{ status: number }>): Promise<string> {
  return response.then(
    ({ status }) => String(status),
    ({ code }: { code?: string }) => code ?? "timeout",
  );
}
