// Calls the operations of the service, and adds each call to the history.
import type { CheckedClient } from "./client.ts";
import type { Call, Entry, Outcome, SeenPet } from "./history.ts";
import type { HistoryChecker } from "./history-checker.ts";
import { createPet, numberOf, type Pet, type Status, toJson } from "./numbered-pets.ts";

const pageTimeout = 60_000; // milliseconds in which a page is requested again
const maxId = 100_000_000; // the checker stores pets in arrays, by id

/** A request for a page. */
export interface PageRequest {
  readonly path: string;
  /** The id after which the page begins. */
  readonly after: number;
  readonly status?: Status | undefined;
}

/** A page, and the request for the next one. */
export interface Page {
  readonly pets: readonly SeenPet[];
  readonly next?: PageRequest | undefined;
}

/** Returns the request for the first page of a list. */
export function firstPage(limit: number, status?: Status): PageRequest {
  return { path: `/v1/pets?limit=${limit}${status ? `&status=${status}` : ""}`, after: 0, status };
}

/** The clients of a run share one recorder. */
export class Recorder {
  /** The numbers of acknowledged pets, in the order of their responses. */
  readonly acknowledged: number[] = [];
  readonly client: CheckedClient;
  readonly checker: HistoryChecker;
  readonly #log: (entry: Entry) => void;
  #sent = 0;

  /** `log` receives each entry of the history. */
  constructor(client: CheckedClient, checker: HistoryChecker, log: (entry: Entry) => void = () => {}) {
    this.client = client;
    this.checker = checker;
    this.#log = log;
  }

  /** Returns the number of a new pet, which the caller sends. */
  take(): number {
    return this.#sent++;
  }

  /** The number of pets that were sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Creates pet `n`. With `conflicting`, sends another body with its key. */
  async create(n: number, { key, conflicting = false }: { key?: string | undefined; conflicting?: boolean } = {}) {
    const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) };
    const body = toJson({ ...createPet(n), ...(conflicting && { name: `not ${n}` }) });
    const start = performance.now();
    const statuses = key === undefined ? [201] : [201, 422];
    const response = await this.client.call({ method: "POST", path: "/v1/pets", statuses, headers, body });
    const isCreated = response?.status === 201;
    const id = isCreated && !conflicting ? this.#identify("POST /v1/pets", response.body as Pet)?.id : undefined;
    if (id !== undefined && this.checker.idOf(n) === undefined) this.acknowledged.push(n);
    const outcome = response === undefined ? "unknown" : isCreated ? "ok" : "rejected";
    this.#record(start, outcome, { operation: "create", pet: n, conflicting, ...(id !== undefined && { id }) });
    return outcome;
  }

  /** Reads the pet with an id. */
  async find(id: number): Promise<void> {
    const start = performance.now();
    const path = `/v1/pets/${id}`;
    const response = await this.client.call({ method: "GET", path, statuses: [200, 404] });
    if (response === undefined) return this.#record(start, "unknown", { operation: "find", id });
    if (response.status === 404) return this.#record(start, "rejected", { operation: "find", id });
    const seen = this.#identify(path, response.body as Pet);
    if (seen && seen.id !== id) this.client.report("contradictions", `${path}: the response has the id ${seen.id}`);
    else if (seen) this.#record(start, "ok", { operation: "find", ...seen });
  }

  /** Reads a page. Returns undefined if there is no valid response. */
  async list({ path, after, status }: PageRequest): Promise<Page | undefined> {
    const start = performance.now();
    const response = await this.client.call({ method: "GET", path, statuses: [200] });
    const link = /<([^>]+)>; rel="next"/.exec(response?.headers.link ?? "")?.[1];
    const body = (response?.body ?? []) as Pet[];
    const pets = body.map((pet) => this.#identify(path, pet)).filter((seen) => seen !== undefined);
    const outcome = response === undefined ? "unknown" : "ok";
    this.#record(start, outcome, { operation: "list", after, status, pets, isLast: link === undefined });
    if (response === undefined) return undefined;
    for (const pet of body)
      if (status && pet.status !== status) this.client.report("contradictions", `${path}: ${pet.name} is in the list`);
    return {
      pets,
      next: link === undefined ? undefined : { path: link, after: Number(body.at(-1)?.id ?? after), status },
    };
  }

  /** Iterates over the pages of a list. Requests a page again if there is no valid response. */
  async *pages(first: PageRequest): AsyncGenerator<Page> {
    let lastResponse = performance.now();
    for (let request: PageRequest | undefined = first; request !== undefined; ) {
      const page: Page | undefined = await this.list(request);
      if (page) {
        lastResponse = performance.now();
        yield page;
        request = page.next;
      } else if (performance.now() - lastResponse > pageTimeout)
        throw new Error(`GET ${request.path} has no response.`);
    }
  }

  /** Sends a request with an API key. */
  async useKey(name: string, key: string): Promise<void> {
    const start = performance.now();
    const response = await this.client.call({ method: "GET", path: "/v1/pets?limit=1", statuses: [200, 401], key });
    const outcome = response === undefined ? "unknown" : response.status === 200 ? "ok" : "rejected";
    this.#record(start, outcome, { operation: "useKey", name });
  }

  /** Creates or revokes an API key with `change`, which returns undefined if it failed, and returns its result. */
  async changeKey<T>(operation: "createKey" | "revokeKey", name: string, change: () => Promise<T | undefined>) {
    const start = performance.now();
    const result = await change();
    this.#record(start, result === undefined ? "unknown" : "ok", { operation, name });
    return result;
  }

  #record(start: number, outcome: Outcome, call: Call): void {
    const entry = { ...call, start, end: performance.now(), outcome };
    this.#log(entry);
    this.checker.add(entry);
  }

  // Reports a pet that was never sent, or is not as it was sent.
  #identify(path: string, pet: Pet): SeenPet | undefined {
    const n = numberOf(pet);
    const id = Number(pet.id);
    if (n !== undefined && n < this.#sent && id > 0 && id <= maxId) return { id, pet: n };
    this.client.report("contradictions", `${path}: this pet was never sent: ${pet.id} ${toJson(pet)}`);
    return undefined;
  }
}
