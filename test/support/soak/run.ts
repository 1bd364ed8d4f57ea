// A soak run: load with injected faults over one store, and a check of the history of all calls.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { petstore } from "../command.ts";
import { documentText, folder } from "../files.ts";
import { startPostgres } from "../postgres.ts";
import { pause } from "../wait.ts";
import { CheckedClient, type Tally } from "./client.ts";
import { type FaultContext, type Faults, planFaults, postgresFaults, sqliteFaults } from "./faults.ts";
import type { Entry } from "./history.ts";
import { HistoryChecker } from "./history-checker.ts";
import { Load } from "./load.ts";
import { firstPage, Recorder } from "./recorder.ts";
import { SoakService } from "./service.ts";

const maxWarmUp = 3_000; // milliseconds before the first measurement of memory

/** The options of a soak run. */
export interface SoakOptions {
  store: keyof typeof stores;
  seconds: number;
  seed: number;
  /** The minimum and the maximum time between two faults, in milliseconds. */
  interval: readonly [min: number, max: number];
  /** The minimum number of different faults, which can extend the run. */
  minFaults?: number;
  /** The file to which all entries of the history are written, as NDJSON. */
  historyFile?: string | undefined;
}

/** The results of a soak run. */
export interface Report extends Tally {
  minutes: number;
  acknowledged: number;
  /** The violations of each property of the history. */
  history: HistoryChecker["violations"];
  /** The number of times that SIGTERM did not end the service with the exit code 0. */
  failedStops: number;
  /** The number of injected faults, by name. */
  faults: Record<string, number>;
  /** The resident memory of all processes, in MB. */
  memory: { start: number; end: number };
}

/** A database, and the faults that a run injects into it and into the service. */
export interface Database {
  url: string;
  faults: Faults;
}

/**
 * Creates a database for each kind of store. A failover between two PostgreSQL servers would be one more kind, whose
 * faults are those of `postgresFaults` and the failover.
 */
export const stores = {
  async sqlite(t: Pick<Test, "teardown">): Promise<Database> {
    const file = join(folder(t), "petstore.db");
    return { url: `sqlite:${file}`, faults: sqliteFaults(file) };
  },
  async postgres(t: Pick<Test, "teardown">): Promise<Database> {
    const server = await startPostgres();
    t.teardown(server.end);
    return { url: server.url("postgres"), faults: postgresFaults(server) };
  },
};

/** Runs a soak test. All processes end with `t`. */
export async function soak(t: Pick<Test, "teardown">, options: SoakOptions): Promise<Report> {
  const { store, seconds, seed, historyFile } = options;
  const { url, faults } = await stores[store](t);
  const key = (await petstore({ DATABASE_URL: url }, ["keys", "create", "main"])).stdout.trim();
  const service = await SoakService.start(t, url);
  const start = performance.now();
  const progress = () => (performance.now() - start) / (seconds * 1_000);
  const file = historyFile === undefined ? undefined : createWriteStream(historyFile);
  const recorder = await openRecorder(service.origin, key, (entry) => file?.write(`${JSON.stringify(entry)}\n`));
  const load = startLoad(t, recorder, { url, seed, progress });
  await pause(Math.min(maxWarmUp, seconds * 200));
  const memoryAtStart = service.memory();

  const background: Promise<unknown>[] = [];
  const runInBackground = (fault: Promise<unknown>) => void background.push(fault);
  const context = { t, service, key, recorder, runInBackground };
  const injected = await injectFaults(context, faults, options, progress);
  await Promise.all(background);
  await load.stop();
  const memory = { start: memoryAtStart, end: service.memory() };

  const results = await finish(recorder);
  file?.end();
  if (file) await once(file, "close");
  await service.stop();
  const minutes = (performance.now() - start) / 60_000;
  return { ...results, minutes, failedStops: service.failedStops, faults: injected, memory };
}

/** Creates the recorder of a service. `log` receives each entry of the history. */
export async function openRecorder(origin: string, key: string, log?: (entry: Entry) => void): Promise<Recorder> {
  return new Recorder(await CheckedClient.create(origin, key, documentText), new HistoryChecker(), log);
}

/** Starts the load. Commands run in this process, which is a further process that uses the store. */
export function startLoad(
  t: Pick<Test, "teardown">,
  recorder: Recorder,
  { url, seed, progress }: { url: string; seed: number; progress: () => number },
): Load {
  let lastCommand: Promise<unknown> | undefined;
  const command = async (...args: string[]) => {
    const result = petstore({ DATABASE_URL: url }, args);
    lastCommand = result;
    const { status, stdout } = await result;
    return status === 0 ? stdout : undefined;
  };
  const load = new Load({ recorder, seed, command, progress });
  t.teardown(() => {
    load.stop().catch(() => {}); // does not wait for clients without a service
    return lastCommand; // a later command would create the database file again
  });
  return load;
}

/** Reads the list to its end, after which the history must have each pet, and returns the results. */
export async function finish(recorder: Recorder) {
  const { client, checker, acknowledged } = recorder;
  for await (const _ of recorder.pages(firstPage(100)));
  checker.finish();
  client.close();
  const findings = [...checker.findings, ...client.tally.findings];
  return { ...client.tally, findings, history: checker.violations, acknowledged: acknowledged.length };
}

// Injects the planned faults. Returns the number of injected faults, by name.
async function injectFaults(
  context: Omit<FaultContext, "random">,
  faults: Faults,
  { seed, interval, minFaults = 0 }: SoakOptions,
  progress: () => number,
): Promise<Record<string, number>> {
  const counts = Object.fromEntries(Object.keys(faults).map((name) => [name, 0]));
  const countDifferent = () => Object.values(counts).filter((count) => count > 0).length;
  for (const { name, wait, random } of planFaults(Object.keys(faults), seed, interval)) {
    if (progress() >= 1 && countDifferent() >= minFaults) break;
    await pause(wait);
    await faults[name]?.({ ...context, random });
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
