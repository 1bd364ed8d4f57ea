// What a fault needs: a service of its own, under load, and a way to do it harm.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { type Agent, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Test } from "tap";
import { folder } from "./files.ts";
import { holdsAll, type Kept, type Load, startLoad } from "./load.ts";
import { petstoreProcess as petstore, type Server, startServer } from "./processes.ts";
import { until } from "./wait.ts";

export const serve = `${process.execPath} ${new URL("../../src/bin.js", import.meta.url).pathname} serve`;

/** A file for a store, with a key to it. */
export interface Place {
  path: string;
  file: string;
  settings: Record<string, string>;
  key: string;
}

/** An empty store in a folder of its own. */
export function newPlace(t: Test, ...expires: string[]): Place {
  const path = folder(t);
  mkdirSync(join(path, "disk"));
  const file = join(path, "disk/petstore.db");
  const settings = { DATABASE_URL: `sqlite:${file}`, LOG_LEVEL: "warn" };
  return { path, file, settings, key: petstore(settings, "keys", "create", "tester", ...expires).stdout.trim() };
}

interface Start {
  /** A line of the shell that starts it. */
  shell?: string;
  /** What each of its processes runs first. */
  script?: string;
  settings?: Record<string, string>;
}

/** Starts the service over it. */
export function startAt(t: Test, place: Place, { shell = "exec $SERVE", script = "", settings = {} }: Start = {}) {
  const first = join(place.path, "first.cjs");
  writeFileSync(first, script);
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --require ${first}`;
  return startServer(t, { ...place.settings, ...settings, SERVE: serve, NODE_OPTIONS }, ["sh", "-c", shell]);
}

export interface Answer {
  status: number | undefined;
  body: string;
  link: string | undefined;
}

/** Asks the service: a create where there is something to send. */
export async function ask(
  url: string,
  key: string,
  { name, once: idempotency, agent }: { name?: string; once?: string; agent?: Agent } = {},
): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(name !== undefined && { "content-type": "application/json" }),
    ...(idempotency !== undefined && { "idempotency-key": idempotency }),
  };
  const outgoing = request(url, { headers, method: name === undefined ? "GET" : "POST", ...(agent && { agent }) });
  outgoing.end(name === undefined ? undefined : JSON.stringify({ name, categoryId: 1 }));
  const [incoming] = await once(outgoing, "response");
  return { status: incoming.statusCode, body: await text(incoming), link: incoming.headers.link };
}

/** All pets, from the first page to the last. */
export async function list(url: string, key: string): Promise<Kept[]> {
  const pets: Kept[] = [];
  for (let next: string | undefined = `${url}/pets?limit=100`; next !== undefined; ) {
    const { status, body, link } = await ask(next, key);
    if (status !== 200) throw new Error(`${status} ${body}`);
    for (const { name, id } of JSON.parse(body)) pets.push({ name, id: String(id) });
    const path = /<([^>]+)>; rel="next"/.exec(link ?? "")?.[1];
    next = path && new URL(path, url).href;
  }
  return pets;
}

/** Every answer that was no success is one that the document knows. */
export function areDefined(t: Test, { tally, refusals }: Load, ...more: string[]): void {
  const odd = Object.keys(tally).filter((status) => !["200", "201", "503", ...more].includes(status));
  t.same(odd, [], `defined answers only: ${JSON.stringify(tally)}`);
  for (const { body, status } of refusals) if (!isError(body, status)) t.fail(`no failure in its shape: ${body}`);
}

/** A failure in the one shape. */
export function isError(text: string, status: number): boolean {
  const { code, message, status: said, ...others } = JSON.parse(text);
  return [typeof code, typeof message, said].join() === `string,string,${status}` && Object.keys(others).length === 0;
}

/** A load that has begun: something was acknowledged. It ends with the test at the latest. */
export async function beginLoad(t: Test, { url }: Server, key: string, clients = 8): Promise<Load> {
  const load = startLoad([url], key, clients);
  t.teardown(load.stop);
  await acknowledges(load, 5);
  return load;
}

/** Waits until so many more creates were acknowledged. */
export async function acknowledges({ acknowledged, tally }: Load, more: number): Promise<void> {
  const before = acknowledged.size;
  await until(
    () => (acknowledged.size >= before + more ? true : undefined),
    () => `nothing is acknowledged: ${JSON.stringify(tally)}`,
  );
}

/** Waits until something was refused that says so, and gives it. */
export function refuses({ refusals, tally }: Load, words: RegExp): Promise<string> {
  return until(
    () => refusals.find(({ body }) => words.test(body))?.body,
    () => `nothing is refused as ${words}: ${JSON.stringify(tally)} ${refusals.at(-1)?.body}`,
  );
}

/** After a new start all is there that was acknowledged, and nothing twice. */
export async function survives(t: Test, place: Place, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const server = await startAt(t, place);
  holdsAll(t, await list(server.url, place.key), acknowledged);
  t.match(await server.end("SIGTERM"), { code: 0 });
}

/** Why this system gives no mounts of one's own; false where it does. */
export const noMounts = (() => {
  const { status, stderr, error } = spawnSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs none /mnt"], {
    encoding: "utf8",
  });
  return status === 0 ? false : `no mounts of one's own here: ${error?.message ?? stderr.trim()}`;
})();

/** Why the limits of another process can't be set; false where they can. */
export const noLimits = spawnSync("prlimit", ["--version"]).error ? "there is no prlimit(1) here" : false;
