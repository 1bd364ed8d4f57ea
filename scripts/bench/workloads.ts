// The workloads of the benchmarks, and the messages between a benchmark and its load generator.
import { RawJson } from "../../src/lib/index.ts";
import { type ListQuery, linkPages } from "../../src/resources/index.ts";
import type { Pet } from "../../test/support/pets.ts";

/** A request of a workload. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A run of the load generator. Each connection sends its own part of the requests, in turn. */
export interface LoadOptions {
  readonly url: string;
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
}

/** The result of a run. Latencies are in milliseconds. */
export interface LoadResult {
  /** The number of responses for each status. */
  readonly statuses: Record<string, number>;
  /** The number of connection errors and timeouts. */
  readonly errors: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** The CPU utilization of the load generator. Near 1, the load generator is the bottleneck. */
  readonly utilization: number;
}

/** The number of pets at the start. A quarter each has no status, available, pending and sold. */
export const pets = 100_000;

const randomRequests = 20_000; // for each workload, identical for all contenders

/** Returns the path of the page that begins after the pet with the id `after`. */
export function pathOfPage(query: ListQuery, after: number): string {
  const last = BigInt(after);
  const none = { first: undefined, start: undefined };
  const page = { ...none, records: new RawJson<Pet[]>("[]"), last, end: last, more: true, isShort: false };
  const link = linkPages("/v1/pets", query, undefined, page) ?? "";
  return link.slice(1, link.indexOf(">"));
}

/** Creates requests with an API key, for a store of 100,000 pets. */
export class RequestFactory {
  readonly #headers: Readonly<Record<string, string>>;

  constructor(key: string) {
    this.#headers = { authorization: `Bearer ${key}` };
  }

  /** Creates a GET request. */
  get(path: string, headers = this.#headers): LoadRequest {
    return { method: "GET", path, headers };
  }

  /** Creates a request for a random pet. */
  getRandomPet(): LoadRequest {
    return this.get(`/v1/pets/${1 + randomInteger(pets)}`);
  }

  /** Creates a request for a random page. Enough pets follow for a full page, also with a filter by status. */
  getRandomPage(query: ListQuery & { readonly status?: string }): LoadRequest {
    return this.get(pathOfPage(query, 1 + randomInteger(pets - 4 * query.limit)));
  }

  /** Creates a request that creates a pet. */
  createPet(): LoadRequest {
    const headers = { ...this.#headers, "content-type": "application/json" };
    const body = JSON.stringify({ name: "Rex", categoryId: 7, status: "available" });
    return { method: "POST", path: "/v1/pets", headers, body };
  }
}

function randomInteger(end: number): number {
  return Math.floor(Math.random() * end);
}

function repeat<T>(create: (index: number) => T): T[] {
  return Array.from({ length: randomRequests }, (_, index) => create(index));
}

/** A workload. */
export interface Workload {
  readonly name: string;
  readonly connections: number;
  /** Creates the requests. Each call returns other random requests. */
  createRequests(factory: RequestFactory): LoadRequest[];
  /** Milliseconds without requests before it. */
  readonly silence?: number;
  /** Any other status fails the benchmark. */
  readonly expected: readonly number[];
}

const read = (name: string, createRequests: Workload["createRequests"], connections = 64): Workload => ({
  name,
  connections,
  createRequests,
  expected: [200],
});

const create = (connections: number): Workload => ({
  name: `create, ${connections} connections`,
  connections,
  createRequests: (factory) => [factory.createPet()],
  expected: [201],
});

/** All workloads. Reads are random, except the hot ones. */
export const workloads = {
  get: read("get", (factory) => repeat(() => factory.getRandomPet())),
  list20: read("list 20", (factory) => repeat(() => factory.getRandomPage({ limit: 20 }))),
  list100: read("list 100 sold", (factory) => repeat(() => factory.getRandomPage({ limit: 100, status: "sold" }))),
  hotGet: read("get, the same pet (hot)", (factory) => [factory.get("/v1/pets/1")]),
  hotList20: read("list 20, the first page (hot)", (factory) => [factory.get("/v1/pets?limit=20")]),
  getAfterSilence: {
    ...read("get, the first second after 12 s of silence", (factory) => repeat(() => factory.getRandomPet())),
    silence: 12_000,
  },
  get1: read("get, 1 connection", (factory) => repeat(() => factory.getRandomPet()), 1),
  create1: { ...create(1), name: "create, 1 connection" },
  create32: create(32),
  create64: create(64),
  create256: create(256),
  mix: {
    name: "9 reads, 1 create",
    connections: 64,
    createRequests: (factory) =>
      repeat((index) => {
        if (index % 10 === 9) return factory.createPet();
        return index % 2 === 0 ? factory.getRandomPet() : factory.getRandomPage({ limit: 20 });
      }),
    expected: [200, 201],
  },
  unauthorized: {
    name: "401",
    connections: 64,
    createRequests: (factory) => [factory.get("/v1/pets?limit=20", { authorization: "Bearer psk_wrong" })],
    expected: [401],
  },
  badRequest: {
    name: "400",
    connections: 64,
    createRequests: (factory) => [factory.get("/v1/pets?limit=1000")],
    expected: [400],
  },
} satisfies Record<string, Workload>;

/** The id of a workload, for options of the command line. */
export type WorkloadId = keyof typeof workloads;
