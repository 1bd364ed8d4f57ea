// Sends requests of examples/booking to processes that may be killed.
import type { Random } from "../random.ts";
import type { Serving } from "../serving.ts";
import { pause } from "../wait.ts";
import type { StoredRecord } from "./checker.ts";

const timeout = 10_000; // milliseconds of a request

/** A process that serves the example. `url` is undefined while it does not run. */
export interface Server {
  readonly serving: Serving;
  url: string | undefined;
}

/** A request. */
export interface Sent {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: object | undefined;
  readonly key?: string | undefined;
}

/** Its response. */
export interface Received {
  readonly status: number;
  readonly body: StoredRecord & readonly StoredRecord[];
}

/** Sends requests, and counts their responses. */
export class Sender {
  /** What was wrong with a response. */
  readonly problems: string[] = [];
  /** The number of responses by operation and status, such as `POST /appointments 409`. */
  readonly outcomes = new Map<string, number>();
  requests = 0;
  readonly #servers: readonly Server[];
  readonly #random: Random;

  constructor(servers: readonly Server[], random: Random) {
    this.#servers = servers;
    this.#random = random;
  }

  /** Returns the response of a process that runs; undefined without one that says whether the request had an effect. */
  async send({ method, path, body, key }: Sent): Promise<Received | undefined> {
    const url = await this.#findServer();
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    this.requests++;
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...(body && { "Content-Type": type }), ...(key && { "Idempotency-Key": `"${key}"` }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeout),
      });
      const text = await response.text();
      const { status } = response;
      this.#count(method, path, status);
      if (status === 500 || status === 400) this.problems.push(`${method} ${path} was a ${status}: ${text}`);
      return status >= 500 ? undefined : { status, body: text === "" ? {} : JSON.parse(text) };
    } catch {
      this.#count(method, path, "none");
      return undefined;
    }
  }

  #count(method: string, path: string, status: number | "none"): void {
    const [, collection, , action] = path.replace(/\?.*/, "").split("/");
    const name = `${[method, collection, action].filter(Boolean).join(" ")} ${status}`;
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
  }

  async #findServer(): Promise<string> {
    for (;;) {
      const urls = this.#servers.flatMap(({ url }) => url ?? []);
      if (urls.length > 0) return this.#random.pick(urls);
      await pause(10);
    }
  }
}
