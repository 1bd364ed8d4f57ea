// The report of a soak run has pets that are lost, stored twice, or changed, in both stores.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { buildCaller } from "../../scripts/soak/caller.ts";
import { buildModel, judge, type Pet, petOf, toJson } from "../../scripts/soak/model.ts";
import type { Report } from "../../scripts/soak/run.ts";
import { faultless, toTable } from "../../scripts/soak/table.ts";
import { openStore } from "../../src/store/open.ts";
import { newDatabase } from "../support/databases.ts";
import { documentText, folder } from "../support/files.ts";
import { query } from "../support/postgres.ts";
import { start } from "../support/service.ts";

const pets = 10;

/** Creates pets, changes the store by a statement behind the service's back, and returns the report. */
async function judgeAfter(t: Test, url: string, tamper: () => unknown): Promise<Report> {
  const store = await openStore(url);
  t.teardown(() => store.close());
  const { origin, key } = await start(t, { store });
  const model = buildModel();
  const caller = await buildCaller(origin, key, documentText, model);
  t.teardown(caller.close);
  const headers = { "content-type": "application/json" };
  for (let n = model.take(); n < pets; n = model.take()) {
    const answer = await caller.call({
      method: "POST",
      path: "/v1/pets",
      status: 201,
      headers,
      body: toJson(petOf(n)),
    });
    t.equal(model.acknowledge(n, answer?.body as Pet), undefined);
  }
  await tamper();
  const verdict = await judge(model, caller.pages("limit=100"));
  const run = {
    minutes: 0,
    acknowledged: model.acknowledged.length,
    badEnds: 0,
    faults: {},
    memory: { start: 0, end: 0 },
  };
  return { ...caller.tally, ...verdict, ...run };
}

const statements = {
  lost: "DELETE FROM pets WHERE name = '0 Rex'",
  doubled:
    "INSERT INTO pets (name, category_id, status) SELECT name, category_id, status FROM pets WHERE name = '0 Rex'",
  wrong: "UPDATE pets SET category_id = category_id + 1 WHERE name = '0 Rex'",
};
const found = {
  lost: { lost: 1, doubled: 0, wrong: 0 },
  doubled: { lost: 0, doubled: 1, wrong: 1 },
  wrong: { lost: 0, doubled: 0, wrong: 1 },
};
for (const [name, statement] of Object.entries(statements)) {
  const reported = found[name as keyof typeof found];

  t.test(`Reports a pet that is ${name} in SQLite`, async (t) => {
    const file = join(folder(t), "petstore.db");
    const report = await judgeAfter(t, `sqlite:${file}`, () => {
      const db = new DatabaseSync(file);
      db.exec(`PRAGMA foreign_keys = OFF; ${statement}`);
      db.close();
    });
    t.match(report, reported, report.complaints.join("\n"));
    t.notOk(faultless(report));
    t.match(toTable({ sqlite: report }), /\*\*1\*\*/);
  });

  t.test(`Reports a pet that is ${name} in PostgreSQL`, async (t) => {
    const url = await newDatabase(t);
    const tamper = () => query(url, statement.replaceAll(/\b(FROM|INTO|UPDATE) pets/g, "$1 petstore.pets"));
    const report = await judgeAfter(t, url, tamper);
    t.match(report, reported, report.complaints.join("\n"));
  });
}

t.test("Reports nothing if the store is unchanged", async (t) => {
  const report = await judgeAfter(t, "sqlite::memory:", () => {});
  t.ok(faultless(report), report.complaints.join("\n"));
});
