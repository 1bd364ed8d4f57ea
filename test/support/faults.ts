// Fault injection: a store, the service over it as a process under load, and what must hold afterwards.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { openStore } from "../../src/store/open.ts";
import { bin, folder } from "./files.ts";
import { get, listPets, send } from "./http.ts";
import { holdsAll, type Load, startLoad } from "./load.ts";
import { type Server, startServer } from "./processes.ts";
import { addKey, start } from "./service.ts";
import { until } from "./wait.ts";

/** The command that starts the service, for a shell. */
export const serve = `${process.execPath} ${bin} serve`;

/** A SQLite store in a folder of its own, with an API key. */
export interface SqliteStore {
  path: string;
  file: string;
  settings: Record<string, string>;
  key: string;
}

/** Creates a store with one key and as many pets as `names`. */
export async function createSqliteStore(
  t: Test,
  { expiresAt, names = [] }: { expiresAt?: Date; names?: readonly string[] } = {},
): Promise<SqliteStore> {
  const path = folder(t);
  mkdirSync(join(path, "disk"));
  const file = join(path, "disk/petstore.db");
  const store = await openStore(`sqlite:${file}`);
  const key = await addKey(store, "tester", expiresAt);
  await Promise.all(names.map((name) => store.pets.create({ name, categoryId: 1n })));
  await store.close();
  return { path, file, settings: { DATABASE_URL: `sqlite:${file}`, LOG_LEVEL: "warn" }, key };
}

interface Start {
  /** The line of the shell that starts the service. */
  shell?: string;
  /** A script that each process of the service runs first. */
  script?: string;
  settings?: Record<string, string>;
}

/** Starts the service over a store. */
export function serveStore(
  t: Test,
  { path, settings: own }: SqliteStore,
  { shell = "exec $SERVE", script = "", settings = {} }: Start = {},
): Promise<Server> {
  const first = join(path, "first.cjs");
  writeFileSync(first, script);
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --require ${first}`;
  return startServer(t, { ...own, ...settings, SERVE: serve, NODE_OPTIONS }, ["sh", "-c", shell]);
}

/** The status of /healthz, which uses no store. */
export async function healthOf({ url }: Server): Promise<number> {
  return (await send(new URL("/healthz", url).href)).status;
}

/** Starts clients and waits until creates are acknowledged. They stop with the test at the latest. */
export async function beginLoad(t: Test, { url }: Server, key: string): Promise<Load> {
  const load = startLoad([url], key, 6);
  t.teardown(load.stop);
  await untilAcknowledged(load, 5);
  return load;
}

/** Waits until `count` more creates are acknowledged. */
export async function untilAcknowledged({ acknowledged, tally }: Load, count: number): Promise<void> {
  const before = acknowledged.size;
  await until(
    () => (acknowledged.size >= before + count ? true : undefined),
    () => `nothing is acknowledged: ${JSON.stringify(tally)}`,
  );
}

/** Waits for an error response that matches, and returns its body. */
export function untilRefused({ refusals, tally }: Load, message: RegExp): Promise<string> {
  return until(
    () => refusals.find(({ body }) => message.test(body))?.body,
    () => `nothing is refused as ${message}: ${JSON.stringify(tally)} ${refusals.at(-1)?.body}`,
  );
}

/** Asserts that each call has succeeded, was refused with 503 in the shape of errors, or ended as one of `others`. */
export function onlyDefinedAnswers(t: Test, { tally, refusals }: Load, ...others: string[]): void {
  const odd = Object.keys(tally).filter((status) => !["200", "201", "503", ...others].includes(status));
  t.same(odd, [], `defined answers only: ${JSON.stringify(tally)}`);
  for (const { body, status } of refusals) if (!isError(body, status)) t.fail(`not the shape of an error: ${body}`);
}

/** Whether a body has exactly the fields of an error. */
export function isError(text: string, status: number): boolean {
  const { code, message, status: own, ...others } = JSON.parse(text);
  return [typeof code, typeof message, own].join() === `string,string,${status}` && Object.keys(others).length === 0;
}

/** Opens the store again, and asserts that it has each acknowledged pet once. */
export async function nothingLost(
  t: Test,
  { settings, key }: SqliteStore,
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  const store = await openStore(settings.DATABASE_URL as string);
  const { origin, close } = await start(t, { store });
  holdsAll(t, await listPets(`${origin}/v1`, key), acknowledged);
  t.match(await get(`${origin}/readyz`, key), { status: 200 });
  await close();
  await store.close();
}

/** Why a process can't have mounts of its own on this system; false if it can. */
export const noMounts = (() => {
  const { status, stderr, error } = spawnSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs none /mnt"], {
    encoding: "utf8",
  });
  return status === 0 ? false : `a process can't have mounts of its own: ${error?.message ?? stderr.trim()}`;
})();

/** Why the limits of another process can't be set; false if they can. */
export const noLimits = spawnSync("prlimit", ["--version"]).error ? "there is no prlimit(1)" : false;
