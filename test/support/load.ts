// A load generator: clients read and create pets, retry creates that fail, and record the acknowledged ones.
import { Agent } from "node:http";
import type { Test } from "tap";
import { createPet, get, type StoredPet } from "./http.ts";

/** Running clients, and the results of their calls. */
export interface Load {
  /** The number of calls by status, or by the code of the error if there was no response. */
  readonly tally: Record<string, number>;
  /** The responses with a status of 300 or more, and their durations in milliseconds. */
  readonly rejections: { ms: number; status: number; retryAfter: string | undefined; body: string }[];
  /** The ids of the pets whose create was acknowledged with 201, by name. */
  readonly acknowledged: Map<string, string>;
  /** Stops the clients after their requests in progress. */
  stop(): Promise<void>;
}

/**
 * Starts clients with keep-alive connections. Each client sends its requests to the services in turn, and about one in
 * four requests is a create. A client retries a create with the same Idempotency-Key until it is acknowledged.
 */
export function startLoad(urls: readonly string[], key: string, clients = 32): Load {
  const load = { tally: {} as Record<string, number>, rejections: [] as Load["rejections"], acknowledged: new Map() };
  const agent = new Agent({ keepAlive: true });
  let isRunning = true;
  const call = async (url: string, name?: string): Promise<{ status?: number; body: string }> => {
    const start = performance.now();
    try {
      const response = await (name === undefined
        ? get(`${url}/pets?limit=5`, key, agent)
        : createPet(url, key, { name, idempotencyKey: name, agent }));
      const { status, text: body } = response;
      load.tally[status] = (load.tally[status] ?? 0) + 1;
      const ms = performance.now() - start;
      if (status >= 300) load.rejections.push({ ms, status, retryAfter: response.headers["retry-after"], body });
      return { status, body };
    } catch (error) {
      const { code = String(error) } = error as { code?: string };
      load.tally[code] = (load.tally[code] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { body: "" };
    }
  };
  const prefix = Math.random().toString(36).slice(2);
  const work = async (client: number) => {
    for (let n = 0; isRunning; n++) {
      for (let attempt = n; isRunning; attempt++) {
        const name = `${prefix}-${client}-${n}`;
        const { status, body } = await call(urls[(client + attempt) % urls.length] as string, name);
        if (status === 201) {
          load.acknowledged.set(name, /"id":(\d+)/.exec(body)?.[1]);
          break;
        }
      }
      for (let reads = 0; isRunning && reads < 3; reads++) await call(urls[(client + n) % urls.length] as string);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  const stop = async () => {
    isRunning = false;
    await all;
    agent.destroy();
  };
  return { ...load, stop };
}

/** Asserts that each acknowledged pet is stored with its id, and that no name is stored twice. */
export function assertAllStored(
  t: Test,
  stored: readonly StoredPet[],
  acknowledged: ReadonlyMap<string, string>,
): void {
  const ids = new Map(stored.map(({ name, id }) => [name, id]));
  t.equal(stored.length, ids.size, "no pet is stored twice");
  t.same(
    [...acknowledged].filter(([name, id]) => ids.get(name) !== id),
    [],
    `each of the ${acknowledged.size} acknowledged pets is stored`,
  );
}
