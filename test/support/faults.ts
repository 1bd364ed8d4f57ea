// Fault injection: starts the service as a process under load, and asserts that no acknowledged pet is lost.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { bin, folder } from "./files.ts";
import { get, listPets, send } from "./http.ts";
import { assertAllStored, type Load, startLoad } from "./load.ts";
import { openPetStore, petsOf } from "./pets.ts";
import { type Server, startServer } from "./processes.ts";
import { addKey, start } from "./service.ts";
import type { Settings } from "./settings.ts";
import { until } from "./wait.ts";

/** The shell command that starts the service. */
export const serve = `${process.execPath} ${bin} serve`;

/** A SQLite store in a separate folder, with an API key. */
export interface SqliteStore {
  path: string;
  file: string;
  settings: Record<string, string>;
  key: string;
}

/** Creates a store with one key and a pet for each of `names`. */
export async function createSqliteStore(
  t: Test,
  { expiresAt, names = [] }: { expiresAt?: Date; names?: readonly string[] } = {},
): Promise<SqliteStore> {
  const path = folder(t);
  mkdirSync(join(path, "disk"));
  const file = join(path, "disk/petstore.db");
  const store = await openPetStore(`sqlite:${file}`);
  const key = await addKey(store, "tester", expiresAt);
  await Promise.all(names.map((name) => petsOf(store).create({ name, categoryId: 1n })));
  await store.close();
  return { path, file, settings: { DATABASE_URL: `sqlite:${file}`, LOG_LEVEL: "warn" }, key };
}

interface StartOptions {
  /** The shell command that starts the service. */
  shell?: string;
  /** A script that each process of the service preloads. */
  script?: string;
  settings?: Settings;
}

/** Starts the service on a store. The environment variable SERVE of the shell command contains `serve`. */
export function serveStore(
  t: Test,
  { path, settings: storeSettings }: SqliteStore,
  { shell = "exec $SERVE", script = "", settings = {} }: StartOptions = {},
): Promise<Server> {
  const preload = join(path, "preload.cjs");
  writeFileSync(preload, script);
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --require ${preload}`;
  return startServer(t, { ...storeSettings, ...settings, SERVE: serve, NODE_OPTIONS }, ["sh", "-c", shell]);
}

/** Returns the status of /healthz, which does not use the store. */
export async function getHealthStatus({ url }: Server): Promise<number> {
  return (await send(new URL("/healthz", url).href)).status;
}

/** Starts clients, and waits until five creates are acknowledged. Stops the clients when the test ends. */
export async function startAcknowledgedLoad(t: Test, { url }: Server, key: string): Promise<Load> {
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
    () => `fewer than ${count} more creates were acknowledged: ${JSON.stringify(tally)}`,
  );
}

/** Waits for an error response whose body matches, and returns the body. */
export function untilRejected({ rejections, tally }: Load, message: RegExp): Promise<string> {
  return until(
    () => rejections.find(({ body }) => message.test(body))?.body,
    () => `no error response matches ${message}: ${JSON.stringify(tally)} ${rejections.at(-1)?.body}`,
  );
}

/** Asserts that each call succeeded, was rejected with 503 and an Error body, or ended with a status of `others`. */
export function assertDefinedResponses(t: Test, { tally, rejections }: Load, ...others: string[]): void {
  const undefinedResponses = Object.keys(tally).filter((status) => !["200", "201", "503", ...others].includes(status));
  t.same(undefinedResponses, [], `only defined responses: ${JSON.stringify(tally)}`);
  for (const { body, status } of rejections) if (!isError(body, status)) t.fail(`not an Error body: ${body}`);
}

/** Returns whether a body has exactly the fields of an Error with the status. */
export function isError(text: string, status: number): boolean {
  const { code, message, status: bodyStatus, ...others } = JSON.parse(text);
  return (
    [typeof code, typeof message, bodyStatus].join() === `string,string,${status}` && Object.keys(others).length === 0
  );
}

/** Opens the store again, and asserts that it has each acknowledged pet exactly once. */
export async function assertNothingLost(
  t: Test,
  { settings, key }: SqliteStore,
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  const store = await openPetStore(settings.DATABASE_URL as string);
  const { origin, close } = await start(t, { store });
  assertAllStored(t, await listPets(`${origin}/v1`, key), acknowledged);
  t.match(await get(`${origin}/readyz`, key), { status: 200 });
  await close();
  await store.close();
}

/** The reason to skip tests that need a private mount namespace; false if the system allows one. */
export const mountSkipReason = (() => {
  const { status, stderr, error } = spawnSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs none /mnt"], {
    encoding: "utf8",
  });
  return status === 0 ? false : `a process can't have a mount namespace: ${error?.message ?? stderr.trim()}`;
})();

/** The reason to skip tests that set the limits of another process; false if the system has prlimit(1). */
export const prlimitSkipReason = spawnSync("prlimit", ["--version"]).error ? "there is no prlimit(1)" : false;
