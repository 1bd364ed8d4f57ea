// A soak run: load with injected faults over one store, and a final comparison of the store with the model.
import { join } from "node:path";
import type { Test } from "tap";
import { petstore } from "../command.ts";
import { documentText, folder } from "../files.ts";
import { startPostgres } from "../postgres.ts";
import { createRandom } from "../random.ts";
import { pause } from "../wait.ts";
import { CheckedClient, type Tally } from "./checked-client.ts";
import { type FaultContext, type Faults, postgresFaults, sqliteFaults } from "./faults.ts";
import { Load } from "./load.ts";
import { Model, type Verdict, verifyList } from "./model.ts";
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
  /** Changes the store before the final comparison, for tests of the run itself. */
  tamper?(databaseUrl: string): unknown;
}

/** The results of a soak run. */
export interface Report extends Tally, Verdict {
  minutes: number;
  acknowledged: number;
  /** The number of times that SIGTERM did not end the service with the exit code 0. */
  failedStops: number;
  /** The number of injected faults, by name. */
  faults: Record<string, number>;
  /** The resident memory of all processes, in MB. */
  memory: { start: number; end: number };
}

/** Creates a database for each kind of store. */
export const stores = {
  async sqlite(t: Pick<Test, "teardown">): Promise<{ url: string; faults: Faults }> {
    const file = join(folder(t), "petstore.db");
    return { url: `sqlite:${file}`, faults: sqliteFaults(file) };
  },
  async postgres(t: Pick<Test, "teardown">): Promise<{ url: string; faults: Faults }> {
    const server = await startPostgres();
    t.teardown(server.end);
    return { url: server.url("postgres"), faults: postgresFaults(server) };
  },
};

/** Runs a soak test. All processes end with `t`. */
export async function soak(t: Pick<Test, "teardown">, options: SoakOptions): Promise<Report> {
  const { store, seconds, seed } = options;
  const { url, faults } = await stores[store](t);
  const environment = { DATABASE_URL: url };
  const key = (await petstore(environment, ["keys", "create", "main"])).stdout.trim();
  const service = await SoakService.start(t, environment);
  const model = new Model();
  const client = await CheckedClient.create(service.origin, key, documentText, model);

  const start = performance.now();
  const progress = () => (performance.now() - start) / (seconds * 1_000);
  let lastCommand: Promise<unknown> | undefined;
  // Runs in this process, which is a second process that uses the store.
  const command = async (...args: string[]) => {
    const result = petstore(environment, args);
    lastCommand = result;
    const { status, stdout } = await result;
    return status === 0 ? stdout : undefined;
  };
  const load = new Load({ client, model, seed, command, progress });
  t.teardown(() => {
    load.stop().catch(() => {}); // does not wait for clients without a service
    return lastCommand; // a later command would create the database file again
  });
  await pause(Math.min(maxWarmUp, seconds * 200));
  const memoryAtStart = service.memory();

  const background: Promise<unknown>[] = [];
  const runInBackground = (fault: Promise<unknown>) => void background.push(fault);
  const context = { t, service, key, model, random: createRandom(seed), runInBackground };
  const injected = await injectFaults(context, faults, options, progress);
  await Promise.all(background);
  await load.stop();
  const memory = { start: memoryAtStart, end: service.memory() };

  await options.tamper?.(url);
  const verdict = await verifyList(model, client.pages("limit=100"));
  client.close();
  await service.stop();
  return {
    ...client.tally,
    ...verdict,
    minutes: (performance.now() - start) / 60_000,
    acknowledged: model.acknowledged.length,
    failedStops: service.failedStops,
    faults: injected,
    memory,
  };
}

// Injects each fault once, in random order, before it injects one again. Returns the number of injected faults, by
// name.
async function injectFaults(
  context: FaultContext,
  faults: Faults,
  { interval: [min, max], minFaults = 0 }: SoakOptions,
  progress: () => number,
): Promise<Record<string, number>> {
  const counts = Object.fromEntries(Object.keys(faults).map((name) => [name, 0]));
  const countDifferent = () => Object.values(counts).filter((count) => count > 0).length;
  for (let remaining: string[] = []; progress() < 1 || countDifferent() < minFaults; ) {
    await pause(min + context.random.int(max - min));
    if (remaining.length === 0) remaining = Object.keys(faults);
    const [name = ""] = remaining.splice(context.random.int(remaining.length), 1);
    await faults[name]?.(context);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
