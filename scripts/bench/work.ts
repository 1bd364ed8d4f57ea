// What the contenders are asked to do.

/** What to ask, where, how many at once, and for how long. */
export interface Order {
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

/** What came of it: how often each status was answered, and how long answers took, in milliseconds. */
export interface Load {
  readonly statuses: Record<string, number>;
  readonly failed: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** Which part of the time the driver itself was at work: near 1 it is the limit, and not the server. */
  readonly driving: number;
}

/** One kind of work. */
export interface Work {
  readonly name: string;
  readonly connections: number;
  readonly requests: Order["requests"];
  /** The only statuses that count as done. */
  readonly expected: readonly number[];
}

/** How many pets there are before the work begins, a quarter each without a status, available, pending and sold. */
export const pets = 10_000;

const body = JSON.stringify({ name: "Rex", categoryId: 7, status: "available" });

/** All kinds of work, for callers with that key. */
export function buildWork(key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const get = (path: string) => ({ method: "GET" as const, path, headers });
  // Spread over all pets, and the same for each contender.
  const some = Array.from({ length: 97 }, (_, index) => get(`/v1/pets/${1 + ((index * 1_031) % pets)}`));
  const list = get("/v1/pets?limit=20");
  const create = {
    method: "POST" as const,
    path: "/v1/pets",
    headers: { ...headers, "content-type": "application/json" },
    body,
  };
  const creates = (connections: number): Work => ({
    name: `create, ${connections} at once`,
    connections,
    requests: [create],
    expected: [201],
  });
  return {
    get: { name: "get", connections: 64, requests: some, expected: [200] },
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
      requests: some.slice(0, 90).flatMap((one, index) => (index % 9 === 8 ? [one, create] : index % 2 ? one : list)),
      expected: [200, 201],
    },
    refused401: {
      name: "401",
      connections: 64,
      requests: [{ ...list, headers: { authorization: "Bearer psk_wrong" } }],
      expected: [401],
    },
    refused400: { name: "400", connections: 64, requests: [get("/v1/pets?limit=1000")], expected: [400] },
  } satisfies Record<string, Work>;
}

/** The name of a kind of work in the code. */
export type WorkId = keyof ReturnType<typeof buildWork>;
