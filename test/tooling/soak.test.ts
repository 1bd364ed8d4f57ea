// Soak runs, as by `npm run soak`: short runs with faults, and runs over stores that are broken on purpose, which must
// be reported.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { newDatabase } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { openPetStore } from "../support/pets.ts";
import { createRandom, type Random } from "../support/random.ts";
import { start } from "../support/service.ts";
import { type BrokenStoreOptions, defects } from "../support/soak/broken-store.ts";
import { planFaults } from "../support/soak/faults.ts";
import type { Property } from "../support/soak/history.ts";
import { HistoryChecker } from "../support/soak/history-checker.ts";
import { planOperations } from "../support/soak/load.ts";
import { formatReport, isFaultless } from "../support/soak/report.ts";
import { finish, openRecorder, type Report, soak, startLoad } from "../support/soak/run.ts";
import { petInSql, replaceInPets, tamper } from "../support/stores.ts";
import { pause, until } from "../support/wait.ts";

t.jobs = 2;
const minFaults = 4;
const seconds = 4;
const seed = 5;

for (const [store, seed] of [
  ["sqlite", 27],
  ["postgres", 14],
] as const)
  t.test(`A soak run with faults over ${store} finds no failure`, { buffered: true }, async (t) => {
    const historyFile = join(folder(t), "history");
    const report = await soak(t, { store, seconds, seed, interval: [200, 600], minFaults, historyFile });
    t.same(report.findings, []);
    t.ok(isFaultless(report));
    t.ok(report.acknowledged > 10, `${report.acknowledged} were acknowledged`);
    const different = Object.values(report.faults).filter((count) => count > 0).length;
    t.ok(different >= minFaults, `${different} different faults`);

    const again = new HistoryChecker();
    for (const line of readFileSync(historyFile, "utf8").trimEnd().split("\n")) again.add(JSON.parse(line));
    again.finish();
    t.same(again.violations, report.history, "the written history has the same violations");
  });

interface Step {
  name: string;
  wait: number;
  random: Random;
}
const take = (plan: Iterator<Step, never>) =>
  Array.from({ length: 5 }, () => {
    const { name, wait, random } = plan.next().value;
    return { name, wait, next: random.int(1_000) };
  });

t.test("The same seed plans the same faults, each once before one is repeated", async (t) => {
  const names = ["a", "b", "c", "d", "e"];
  const plan = (seed: number) => take(planFaults(names, seed, [100, 900]));
  t.same(plan(1), plan(1));
  t.notSame(plan(1), plan(2));
  t.same(new Set(plan(1).map(({ name }) => name)), new Set(names));
});

t.test("The same seed plans the same operations of each client", async (t) => {
  t.same(take(planOperations(1, 0)), take(planOperations(1, 0)));
  t.notSame(take(planOperations(1, 0)), take(planOperations(1, 1)));
  t.notSame(take(planOperations(1, 0)), take(planOperations(2, 0)));
});

// Runs load over a store that `change` wraps, until there is a violation of the property, or for two seconds.
async function run(
  t: Test,
  change: (options: BrokenStoreOptions) => BrokenStoreOptions["store"],
  property?: Property,
): Promise<Report> {
  const url = `sqlite:${join(folder(t), "petstore.db")}`;
  const store = await openPetStore(url);
  t.teardown(() => store.close());
  const broken = change({ store, url, random: createRandom(seed) });
  const { origin, key, close } = await start(t, { store: broken, settings: { RATE_LIMIT_FAILED: "1000000/1s" } });
  const recorder = await openRecorder(origin, key);
  const load = startLoad(t, recorder, { url, seed, progress: () => 1 });
  const { violations } = recorder.checker;
  if (property === undefined) await pause(2_000);
  else
    await until(
      () => violations[property] || undefined,
      () => `no violation: ${JSON.stringify(violations)}`,
    );
  await load.stop();
  const results = await finish(recorder);
  await close();
  return { ...results, minutes: 1, failedStops: 0, faults: {}, memory: { start: 0, end: 0 } };
}

t.test("A soak run over a store without a defect finds no failure", { buffered: true }, async (t) => {
  const report = await run(t, ({ store }) => store);
  t.same(report.findings, []);
  t.ok(isFaultless(report));
});

for (const [property, stores] of Object.entries(defects))
  for (const [defect, change] of Object.entries(stores))
    t.test(`A soak run reports a store that ${defect}`, { buffered: true }, async (t) => {
      const report = await run(t, change, property as Property);
      t.ok(report.history[property as Property] > 0, JSON.stringify(report.history));
      t.notOk(isFaultless(report));
      t.match(formatReport(report), /\*\*[1-9]/);
    });

const isFirst = "record ->> 'name' = '0 Rex'";
const copyOfFirst = {
  id: "(id + 1000)",
  name: "(record ->> 'name')",
  categoryId: "(record ->> 'categoryId')",
  status: "(record ->> 'status')",
};

const changes = {
  lost: {
    statement: () => `DELETE FROM pets WHERE ${isFirst}`,
    expected: { history: { missing: 1, duplicated: 0 }, contradictions: 0 },
  },
  duplicated: {
    statement: (url: string) =>
      `INSERT INTO pets (id, record) SELECT id + 1000, ${petInSql(url, copyOfFirst)} FROM pets WHERE ${isFirst}`,
    expected: { history: { missing: 0, duplicated: 1 }, contradictions: 0 },
  },
  changed: {
    statement: (url: string) => replaceInPets(url, '"categoryId":', '"categoryId":1', isFirst),
    expected: { history: { missing: 1, duplicated: 0 }, contradictions: 1 },
  },
};

for (const [name, { statement, expected }] of Object.entries(changes))
  t.test(`Reports a pet that is ${name} in SQLite and in PostgreSQL`, { buffered: true }, async (t) => {
    for (const url of [`sqlite:${join(folder(t), "petstore.db")}`, await newDatabase(t)]) {
      const store = await openPetStore(url);
      const { origin, key, close } = await start(t, { store });
      const recorder = await openRecorder(origin, key);
      for (let n = recorder.take(); n < 10; n = recorder.take()) await recorder.create(n);
      t.equal(recorder.acknowledged.length, 10);
      await tamper(url, statement(url));
      t.match(await finish(recorder), expected);
      await close();
      await store.close();
    }
  });
