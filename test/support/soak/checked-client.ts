// An HTTP client that checks each response against the document and against the model of the store.
import { Agent } from "node:http";
import { send } from "../http.ts";
import { createResponseCheck, type HttpResponse } from "../responses.ts";
import { pause } from "../wait.ts";
import type { Model, Pet } from "./model.ts";

const pageTimeout = 60_000; // milliseconds in which a page is requested again
const retryDelay = 20; // milliseconds
const maxFindings = 20;

/** The number of calls by outcome, and the first findings. */
export interface Tally {
  requests: number;
  /** Calls that can be retried: the response was 503, or there was no connection. */
  rejected: number;
  /** Responses that violate the document, and calls without a response. */
  violations: number;
  /** Responses that contradict the model. */
  contradictions: number;
  findings: string[];
}

/** A call of the service. */
export interface Call {
  method: string;
  path: string;
  /** The expected status. */
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** Another API key than the client's; false for none. */
  key?: string | false;
}

/** A client with persistent connections. */
export class CheckedClient {
  readonly tally: Tally = { requests: 0, rejected: 0, violations: 0, contradictions: 0, findings: [] };
  readonly #agent = new Agent({ keepAlive: true });
  readonly #origin: string;
  readonly #key: string;
  readonly #model: Model;
  readonly #check: Awaited<ReturnType<typeof createResponseCheck>>;

  private constructor(
    origin: string,
    key: string,
    model: Model,
    check: Awaited<ReturnType<typeof createResponseCheck>>,
  ) {
    this.#origin = origin;
    this.#key = key;
    this.#model = model;
    this.#check = check;
  }

  /** Creates a client of the service at `origin`. `document` is the text of the document. */
  static async create(origin: string, key: string, document: string, model: Model): Promise<CheckedClient> {
    return new CheckedClient(origin, key, model, await createResponseCheck(document));
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }

  /** Adds a finding to the tally. */
  report(kind: "violations" | "contradictions", text: string): undefined {
    this.tally[kind] += 1;
    if (this.tally.findings.length < maxFindings) this.tally.findings.push(`${kind}: ${text}`);
  }

  /** Sends a request. Returns the response, or undefined if it is rejected or wrong, which the tally counts. */
  async call({ method, path, status, headers, body, key = this.#key }: Call): Promise<HttpResponse | undefined> {
    this.tally.requests += 1;
    const authorization = key === false ? {} : { authorization: `Bearer ${key}` };
    let response: HttpResponse;
    try {
      const options = { agent: this.#agent, method, headers: { ...authorization, ...headers } };
      response = await send(`${this.#origin}${path}`, options, body);
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (["ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(code)) return this.#reject();
      return this.report("violations", `${method} ${path}: ${error}`);
    }
    try {
      this.#check(method, path, response);
    } catch (error) {
      return this.report("violations", (error as Error).message);
    }
    const { code } = (response.body ?? {}) as { code?: string };
    if (response.status === 503 && code === "unavailable") return this.#reject();
    if (response.status === status) return response;
    const kind = response.status >= 500 ? "violations" : "contradictions";
    const actual = `${response.status} ${response.text.slice(0, 200)}`;
    return this.report(kind, `${method} ${path}: expected ${status}, but the response is ${actual}`);
  }

  async #reject(): Promise<undefined> {
    this.tally.rejected += 1;
    await pause(retryDelay);
  }

  /** Reports a pet that contradicts the model. */
  checkPet(pet: Pet): void {
    const contradiction = this.#model.check(pet);
    if (contradiction) this.report("contradictions", contradiction);
  }

  /** Iterates over the pages of a list. Retries rejected pages. */
  async *pages(query: string): AsyncGenerator<Pet[]> {
    let lastId = 0;
    let lastResponse = performance.now();
    for (let path: string | undefined = `/v1/pets?${query}`; path !== undefined; ) {
      const response = await this.call({ method: "GET", path, status: 200 });
      if (!response && performance.now() - lastResponse > pageTimeout) throw new Error(`GET ${path} has no response.`);
      if (!response) continue;
      lastResponse = performance.now();
      const pets = response.body as Pet[];
      for (const pet of pets) {
        if (!(Number(pet.id) > lastId)) this.report("contradictions", `${path}: the id ${pet.id} follows ${lastId}`);
        lastId = Number(pet.id);
        this.checkPet(pet);
      }
      yield pets;
      path = /<([^>]+)>; rel="next"/.exec(response.headers.link ?? "")?.[1];
    }
  }
}
