// Clients at work: they read and create, remember what was acknowledged, and repeat what was not.
import { once } from "node:events";
import { Agent, type RequestOptions, request } from "node:http";
import { text } from "node:stream/consumers";
import type { Test } from "tap";
import { type Answer, toAnswer } from "./answers.ts";

const patience = 20_000; // milliseconds

/** Sends a request, and reads its answer. Rejects where there is none: with a `code` where the connection broke. */
export async function ask(url: string, options: RequestOptions, body?: string): Promise<Answer> {
  const outgoing = request(url, { timeout: patience, ...options });
  outgoing.on("error", () => {}); // also after the answer has begun
  outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${patience} ms`)));
  outgoing.end(body);
  const [incoming] = await once(outgoing, "response");
  return toAnswer(incoming.statusCode, incoming.headers, await text(incoming));
}

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

export interface Kept {
  name: string;
  id: string;
}

/** Starts clients, each with a connection that it keeps, that take turns on the services. Every fourth call or so is a create. */
export function startLoad(urls: readonly string[], key: string, clients = 32): Load {
  const load = { tally: {} as Record<string, number>, refusals: [] as Load["refusals"], acknowledged: new Map() };
  const agent = new Agent({ keepAlive: true });
  let going = true;
  const call = async (url: string, name?: string): Promise<{ status?: number; body: string }> => {
    const began = performance.now();
    const headers = {
      authorization: `Bearer ${key}`,
      ...(name !== undefined && { "content-type": "application/json", "idempotency-key": name }),
    };
    try {
      const create = name !== undefined;
      const options = { agent, method: create ? "POST" : "GET", headers };
      const path = `${url}/pets${create ? "" : "?limit=5"}`;
      const answer = await ask(path, options, create ? JSON.stringify({ name, categoryId: 1 }) : undefined);
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
export function holdsAll(t: Test, kept: readonly Kept[], acknowledged: ReadonlyMap<string, string>): void {
  const ids = new Map(kept.map(({ name, id }) => [name, id]));
  t.equal(kept.length, ids.size, "none is there twice");
  t.same(
    [...acknowledged].filter(([name, id]) => ids.get(name) !== id),
    [],
    `each of the ${acknowledged.size} that were acknowledged is there`,
  );
}
