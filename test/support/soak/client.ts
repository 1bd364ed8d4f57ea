// An HTTP client that checks each response against the document, and classifies the outcome of each call.
import { Agent } from "node:http";
import { send } from "../http.ts";
import { createResponseCheck, type HttpResponse, type ResponseCheck } from "../responses.ts";
import { pause } from "../wait.ts";
import type { Outcome } from "./history.ts";

const retryDelay = 20; // milliseconds
const maxFindings = 20;

/** The number of calls by outcome, and the first findings. */
export interface Tally {
  readonly outcomes: Record<Outcome, number>;
  /** Responses that violate the document, and calls that failed for another reason than a broken connection. */
  violations: number;
  /** Responses that contradict the request. */
  contradictions: number;
  readonly findings: string[];
}

/** A call of the service. */
export interface HttpCall {
  method: string;
  path: string;
  /** The expected statuses. */
  statuses: readonly number[];
  headers?: Record<string, string>;
  body?: string;
  /** Another API key than the client's; false for none. */
  key?: string | false;
}

/** A client with persistent connections. */
export class CheckedClient {
  readonly tally: Tally = {
    outcomes: { ok: 0, rejected: 0, unknown: 0 },
    violations: 0,
    contradictions: 0,
    findings: [],
  };
  readonly #agent = new Agent({ keepAlive: true });
  readonly #origin: string;
  readonly #key: string;
  readonly #check: ResponseCheck;

  private constructor(origin: string, key: string, check: ResponseCheck) {
    this.#origin = origin;
    this.#key = key;
    this.#check = check;
  }

  /** Creates a client of the service at `origin`. `document` is the text of the document. */
  static async create(origin: string, key: string, document: string): Promise<CheckedClient> {
    return new CheckedClient(origin, key, await createResponseCheck(document));
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }

  /** Adds a finding to the tally. */
  report(kind: "violations" | "contradictions", text: string): void {
    this.tally[kind] += 1;
    if (this.tally.findings.length < maxFindings) this.tally.findings.push(`${kind}: ${text}`);
  }

  /**
   * Sends a request. Returns the response; undefined if the outcome is unknown, or if the response is wrong, which the
   * tally counts.
   */
  async call(call: HttpCall): Promise<HttpResponse | undefined> {
    const response = await this.#send(call);
    this.tally.outcomes[response === undefined ? "unknown" : response.status < 400 ? "ok" : "rejected"] += 1;
    if (response === undefined) await pause(retryDelay);
    return response;
  }

  async #send({ method, path, statuses, headers, body, key = this.#key }: HttpCall): Promise<HttpResponse | undefined> {
    const authorization = key === false ? {} : { authorization: `Bearer ${key}` };
    let response: HttpResponse;
    try {
      const options = { agent: this.#agent, method, headers: { ...authorization, ...headers } };
      response = await send(`${this.#origin}${path}`, options, body);
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (!["ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(code))
        this.report("violations", `${method} ${path}: ${error}`);
      return undefined;
    }
    try {
      this.#check(method, path, response);
    } catch (error) {
      this.report("violations", (error as Error).message);
      return undefined;
    }
    if (statuses.includes(response.status)) return response;
    const { code } = (response.body ?? {}) as { code?: string };
    if (response.status === 503 && code === "unavailable") return undefined;
    const kind = response.status >= 500 ? "violations" : "contradictions";
    const actual = `${response.status} ${response.text.slice(0, 200)}`;
    this.report(kind, `${method} ${path}: expected ${statuses.join(" or ")}, but the response is ${actual}`);
    return undefined;
  }
}
