// One store, soaked: load, faults meanwhile, and the judgement of what is there when all is quiet again.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Test } from "tap";
import { petstore } from "../../test/support/command.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { createRandom } from "../../test/support/random.ts";
import { buildCaller, type Tally } from "./caller.ts";
import { startClients } from "./clients.ts";
import { type Faults, type Field, postgresFaults, sqliteFaults } from "./faults.ts";
import { buildModel, judge, type Verdict } from "./model.ts";
import { startService } from "./service.ts";

const warm = 3_000; // milliseconds until memory is looked at for the first time

export interface Plan {
  store: keyof typeof stores;
  seconds: number;
  seed: number;
  /** Milliseconds between two faults: at least, at most. */
  every: readonly [number, number];
  /** How many kinds of faults there are at least, however long that takes. */
  kinds?: number;
  /** Done behind the service's back before the judgement, to see that there is one. */
  tamper?(databaseUrl: string): unknown;
}

export interface Report extends Tally, Verdict {
  minutes: number;
  acknowledged: number;
  /** How often SIGTERM did not end the service with 0. */
  badEnds: number;
  /** How many faults of each kind. */
  faults: Record<string, number>;
  /** Of the serving processes, in MB. */
  memory: { start: number; end: number };
}

type Place = { url: string; faults: Faults };

/** The stores. */
export const stores = {
  async sqlite(t: Pick<Test, "teardown">): Promise<Place> {
    const folder = mkdtempSync(join(tmpdir(), "petstore-soak-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "petstore.db");
    return { url: `sqlite:${file}`, faults: sqliteFaults(file) };
  },
  async postgres(t: Pick<Test, "teardown">): Promise<Place> {
    const database = await startPostgres();
    t.teardown(database.end);
    return { url: database.url("postgres"), faults: postgresFaults(database) };
  },
};

/** Soaks a store. What it started ends with `t`. */
export async function soak(t: Pick<Test, "teardown">, plan: Plan): Promise<Report> {
  const place = await stores[plan.store](t);
  const environment = { DATABASE_URL: place.url };
  const { stdout } = await petstore(environment, ["keys", "create", "main"]);
  const key = stdout.trim();
  const service = await startService(t, environment);
  const model = buildModel();
  const document = readFileSync(new URL("../../openapi/petstore.yaml", import.meta.url), "utf8");
  const caller = await buildCaller(service.origin, key, document, model);

  const began = performance.now();
  const share = () => (performance.now() - began) / (plan.seconds * 1_000);
  let commanded: Promise<unknown> | undefined;
  // Runs in this process. The service runs in another one, so the store has two users all the same.
  const command = async (...args: string[]) => {
    const result = petstore(environment, args);
    commanded = result;
    const { status, stdout } = await result;
    return status === 0 ? stdout : undefined;
  };
  const stop = startClients({ caller, model, seed: plan.seed, command, share });
  t.teardown(() => {
    stop().catch(() => {}); // clients of a service that is gone: nobody waits for them
    return commanded; // else it would make the folder anew
  });
  await pause(Math.min(warm, plan.seconds * 200));
  const start = service.memory();

  const random = createRandom(plan.seed);
  const lasting: Promise<unknown>[] = [];
  const aside = (fault: Promise<unknown>) => void lasting.push(fault);
  const faults = await inject({ t, service, key, model, random, aside }, place.faults, plan, share);
  await Promise.all(lasting);
  await stop();
  const memory = { start, end: service.memory() };

  await plan.tamper?.(place.url);
  const verdict = await judge(model, caller.pages("limit=100"));
  caller.close();
  await service.end();
  const minutes = (performance.now() - began) / 60_000;
  const acknowledged = model.acknowledged.length;
  return { ...caller.tally, ...verdict, minutes, acknowledged, badEnds: service.badEnds(), faults, memory };
}

// Each kind comes once before one comes again.
async function inject(field: Field, faults: Faults, { every, kinds = 0 }: Plan, share: () => number) {
  const [least, most] = every;
  const injected = Object.fromEntries(Object.keys(faults).map((name) => [name, 0]));
  const seen = () => Object.values(injected).filter((count) => count > 0).length;
  for (let left: string[] = []; share() < 1 || seen() < kinds; ) {
    await pause(least + field.random.int(most - least));
    if (left.length === 0) left = Object.keys(faults);
    const [name = ""] = left.splice(field.random.int(left.length), 1);
    await faults[name]?.(field);
    injected[name] = (injected[name] ?? 0) + 1;
  }
  return injected;
}
