// Soak runs, as by `npm run soak`: short runs with faults, and runs over stores that were changed, which must be
// reported.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { openStore } from "../../src/store/open.ts";
import { newDatabase } from "../support/databases.ts";
import { documentText, folder } from "../support/files.ts";
import { query } from "../support/postgres.ts";
import { start } from "../support/service.ts";
import { CheckedClient } from "../support/soak/checked-client.ts";
import { createPet, Model, type Pet, toJson, verifyList } from "../support/soak/model.ts";
import { formatReports, isFaultless } from "../support/soak/report.ts";
import { type Report, soak } from "../support/soak/run.ts";

t.jobs = 2;
const minFaults = 4;
const seconds = 6; // the first 1.2 s are without faults

for (const [store, seed] of [
  ["sqlite", 3],
  ["postgres", 7],
] as const)
  t.test(
    `Faults over ${store} lose no pet, store none twice, and cause no wrong response`,
    { buffered: true },
    async (t) => {
      const report = await soak(t, { store, seconds, seed, interval: [300, 900], minFaults });
      const { findings, lost, duplicated, violations, contradictions, failedStops, acknowledged, faults } = report;
      t.same(
        { findings, lost, duplicated, violations, contradictions, failedStops },
        { findings: [], lost: 0, duplicated: 0, violations: 0, contradictions: 0, failedStops: 0 },
      );
      t.ok(acknowledged > 100, `${acknowledged} were acknowledged`);
      const different = Object.values(faults).filter((count) => count > 0).length;
      t.ok(different >= minFaults, `${different} different faults`);
      t.ok(isFaultless(report));
    },
  );

t.test("A pet that is removed from the store of a soak run is reported as lost", { buffered: true }, async (t) => {
  const tamper = (url: string) => {
    const db = new DatabaseSync(url.slice("sqlite:".length));
    db.exec("DELETE FROM pets WHERE name = '0 Rex'"); // created without an Idempotency-Key: no row refers to it
    db.close();
  };
  const report = await soak(t, { store: "sqlite", seconds: 1, seed: 1, interval: [900, 1_000], tamper });
  t.match(report, { lost: 1, duplicated: 0, contradictions: 0 }, report.findings.join("\n"));
  t.notOk(isFaultless(report));
});

/** Creates pets, changes the store with `tamper`, and returns the report of the comparison. */
async function reportAfter(t: Test, url: string, tamper: () => unknown): Promise<Report> {
  const store = await openStore(url);
  t.teardown(() => store.close());
  const { origin, key } = await start(t, { store });
  const model = new Model();
  const client = await CheckedClient.create(origin, key, documentText, model);
  t.teardown(() => client.close());
  const headers = { "content-type": "application/json" };
  for (let n = model.take(); n < 10; n = model.take()) {
    const body = toJson(createPet(n));
    const response = await client.call({ method: "POST", path: "/v1/pets", status: 201, headers, body });
    t.equal(model.acknowledge(n, response?.body as Pet), undefined);
  }
  await tamper();
  return {
    ...(await verifyList(model, client.pages("limit=100"))),
    ...client.tally,
    minutes: 0,
    acknowledged: model.acknowledged.length,
    failedStops: 0,
    faults: {},
    memory: { start: 0, end: 0 },
  };
}

const changes = {
  lost: {
    statement: "DELETE FROM pets WHERE name = '0 Rex'",
    expected: { lost: 1, duplicated: 0, contradictions: 0 },
  },
  duplicated: {
    statement:
      "INSERT INTO pets (name, category_id, status) SELECT name, category_id, status FROM pets WHERE name = '0 Rex'",
    expected: { lost: 0, duplicated: 1, contradictions: 1 },
  },
  changed: {
    statement: "UPDATE pets SET category_id = category_id + 1 WHERE name = '0 Rex'",
    expected: { lost: 0, duplicated: 0, contradictions: 1 },
  },
};

for (const [name, { statement, expected }] of Object.entries(changes)) {
  t.test(`Reports a pet that is ${name} in SQLite`, { buffered: true }, async (t) => {
    const file = join(folder(t), "petstore.db");
    const report = await reportAfter(t, `sqlite:${file}`, () => {
      const db = new DatabaseSync(file);
      db.exec(`PRAGMA foreign_keys = OFF; ${statement}`);
      db.close();
    });
    t.match(report, expected, report.findings.join("\n"));
    t.notOk(isFaultless(report));
    t.match(formatReports({ sqlite: report }), /\*\*1\*\*/);
  });

  t.test(`Reports a pet that is ${name} in PostgreSQL`, { buffered: true }, async (t) => {
    const url = await newDatabase(t);
    const tamper = () => query(url, statement.replaceAll(/\b(FROM|INTO|UPDATE) pets/g, "$1 petstore.pets"));
    const report = await reportAfter(t, url, tamper);
    t.match(report, expected, report.findings.join("\n"));
  });
}

t.test("Reports nothing if the store is unchanged", { buffered: true }, async (t) => {
  const report = await reportAfter(t, "sqlite::memory:", () => {});
  t.ok(isFaultless(report), report.findings.join("\n"));
});
