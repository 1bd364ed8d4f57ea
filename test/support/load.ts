// Clients that read and create, remember what was acknowledged, and repeat what was not.
import { Agent } from "node:http";
import type { Test } from "tap";
import { createPet, get, type StoredPet } from "./http.ts";

export type { StoredPet as Kept } from "./http.ts";
export { send as ask } from "./http.ts";

export interface Load {
  /** How often each status was answered; the name of the error where nothing was. */
  readonly tally: Record<string, number>;
  /** What each answer that was no 2xx said, and how long it took in milliseconds. */
  readonly refusals: { ms: number; status: number; retryAfter: string | undefined; body: string }[];
  /** The pets that were answered 201: name and id. */
  readonly acknowledged: Map<string, string>;
  /** Lets the clients finish what they have sent. */
  stop(): Promise<void>;
}

/** Starts clients, each with a connection that it keeps, that take turns on the services. Every fourth call or so is a create. */
export function startLoad(urls: readonly string[], key: string, clients = 32): Load {
  const load = { tally: {} as Record<string, number>, refusals: [] as Load["refusals"], acknowledged: new Map() };
  const agent = new Agent({ keepAlive: true });
  let going = true;
  const call = async (url: string, name?: string): Promise<{ status?: number; body: string }> => {
    const began = performance.now();
    try {
      const answer = await (name === undefined
        ? get(`${url}/pets?limit=5`, key, agent)
        : createPet(url, key, { name, idempotencyKey: name, agent }));
      const { status, text: body } = answer;
      load.tally[status] = (load.tally[status] ?? 0) + 1;
      const ms = performance.now() - began;
      if (status >= 300) load.refusals.push({ ms, status, retryAfter: answer.headers["retry-after"], body });
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
    for (let n = 0; going; n++) {
      for (let turn = n; going; turn++) {
        const name = `${prefix}-${client}-${n}`;
        const { status, body } = await call(urls[(client + turn) % urls.length] as string, name);
        if (status === 201) {
          load.acknowledged.set(name, /"id":(\d+)/.exec(body)?.[1]);
          break;
        }
      }
      for (let reads = 0; going && reads < 3; reads++) await call(urls[(client + n) % urls.length] as string);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  const stop = async () => {
    going = false;
    await all;
    agent.destroy();
  };
  return { ...load, stop };
}

/** Every pet that was acknowledged is there, under its id, and none is there twice. */
export function holdsAll(t: Test, kept: readonly StoredPet[], acknowledged: ReadonlyMap<string, string>): void {
  const ids = new Map(kept.map(({ name, id }) => [name, id]));
  t.equal(kept.length, ids.size, "none is there twice");
  t.same(
    [...acknowledged].filter(([name, id]) => ids.get(name) !== id),
    [],
    `each of the ${acknowledged.size} that were acknowledged is there`,
  );
}
