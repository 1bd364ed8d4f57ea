// The workloads of the benchmarks, and the messages between a benchmark and its load generator.

/** A run of the load generator. It sends the requests in turn, over all connections. */
export interface LoadOptions {
  readonly url: string;
  readonly requests: readonly {
    method: "GET" | "POST";
    path: string;
    headers: Record<string, string>;
    body?: string;
  }[];
  readonly connections: number;
  readonly seconds: number;
}

/** The result of a run. Latencies are in milliseconds. */
export interface LoadResult {
  /** The number of responses for each status. */
  readonly statuses: Record<string, number>;
  /** The number of connection errors. */
  readonly errors: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** The CPU utilization of the load generator. Near 1, the load generator is the bottleneck. */
  readonly utilization: number;
}

/** A workload. */
export interface Workload {
  readonly name: string;
  readonly connections: number;
  readonly requests: LoadOptions["requests"];
  /** Any other status fails the benchmark. */
  readonly expected: readonly number[];
}

/** The number of pets at the start. A quarter each has no status, available, pending and sold. */
export const pets = 10_000;

const body = JSON.stringify({ name: "Rex", categoryId: 7, status: "available" });

/** Creates all workloads, with an API key. */
export function createWorkloads(key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const get = (path: string) => ({ method: "GET" as const, path, headers });
  // Spread over all pets, and identical for all contenders.
  const gets = Array.from({ length: 97 }, (_, index) => get(`/v1/pets/${1 + ((index * 1_031) % pets)}`));
  const list = get("/v1/pets?limit=20");
  const create = {
    method: "POST" as const,
    path: "/v1/pets",
    headers: { ...headers, "content-type": "application/json" },
    body,
  };
  const creates = (connections: number): Workload => ({
    name: `create, ${connections} at once`,
    connections,
    requests: [create],
    expected: [201],
  });
  return {
    get: { name: "get", connections: 64, requests: gets, expected: [200] },
    list20: { name: "list 20", connections: 64, requests: [list], expected: [200] },
    list100: {
      name: "list 100 sold",
      connections: 64,
      requests: [get("/v1/pets?limit=100&status=sold")],
      expected: [200],
    },
    lists: {
      name: "list, 156 different",
      connections: 64,
      requests: ["", "&status=available", "&status=pending", "&status=sold"].flatMap((filter) =>
        Array.from({ length: 39 }, (_, limit) => get(`/v1/pets?limit=${1 + ((limit * 7) % 39)}${filter}`)),
      ),
      expected: [200],
    },
    create1: creates(1),
    create32: creates(32),
    create64: creates(64),
    create256: creates(256),
    mix: {
      name: "9 reads, 1 create",
      connections: 64,
      requests: gets.slice(0, 90).flatMap((one, index) => (index % 9 === 8 ? [one, create] : index % 2 ? one : list)),
      expected: [200, 201],
    },
    unauthorized: {
      name: "401",
      connections: 64,
      requests: [{ ...list, headers: { authorization: "Bearer psk_wrong" } }],
      expected: [401],
    },
    badRequest: { name: "400", connections: 64, requests: [get("/v1/pets?limit=1000")], expected: [400] },
  } satisfies Record<string, Workload>;
}

/** The id of a workload, for options of the command line. */
export type WorkloadId = keyof ReturnType<typeof createWorkloads>;
