// The soak of `npm run soak`, for some seconds: nothing is lost by faults; and it would be told.
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { soak } from "../scripts/soak/run.ts";
import { faultless, toTable } from "../scripts/soak/table.ts";
import { query } from "./support/postgres.ts";

for (const [store, seed] of [
  ["sqlite", 3],
  ["postgres", 7],
] as const)
  t.test(`${store}: faults lose nothing, double nothing, and bring no wrong answer`, async (t) => {
    const report = await soak(t, { store, seconds: 8, seed, every: [300, 900], kinds: 4 });
    const { complaints, lost, doubled, outside, wrong, badEnds, acknowledged, faults } = report;
    t.same(
      { complaints, lost, doubled, outside, wrong, badEnds },
      { complaints: [], lost: 0, doubled: 0, outside: 0, wrong: 0, badEnds: 0 },
    );
    t.ok(acknowledged > 100, `${acknowledged} were acknowledged`);
    const kinds = Object.values(faults).filter((count) => count > 0).length;
    t.ok(kinds >= 4, `${kinds} kinds of faults`);
    t.ok(faultless(report));
  });

const sqlite = (text: string) => (url: string) => {
  const db = new DatabaseSync(url.slice("sqlite:".length));
  db.exec(`PRAGMA foreign_keys = OFF; ${text}`);
  db.close();
};
// It was sent without an Idempotency-Key, so that nothing else refers to it.
const removed = "DELETE FROM pets WHERE name = '0 Rex'";
const doubled =
  "INSERT INTO pets (name, category_id, status) SELECT name, category_id, status FROM pets WHERE name = '0 Rex'";
const changed = "UPDATE pets SET category_id = category_id + 1 WHERE name = '0 Rex'";
const tampered = [
  ["lost", removed, { lost: 1, doubled: 0, wrong: 0 }],
  ["doubled", doubled, { lost: 0, doubled: 1, wrong: 1 }],
  ["wrong", changed, { lost: 0, doubled: 0, wrong: 1 }],
] as const;

for (const [name, text, found] of tampered)
  t.test(`what is ${name} behind the service's back is told`, async (t) => {
    const report = await soak(t, { store: "sqlite", seconds: 1, seed: 1, every: [900, 1_000], tamper: sqlite(text) });
    t.match(report, found, report.complaints.join("\n"));
    t.notOk(faultless(report));
    t.match(toTable({ sqlite: report }), /\*\*1\*\*/);
  });

t.test("it is told in PostgreSQL, too", async (t) => {
  const tamper = (url: string) => query(url, "DELETE FROM petstore.pets WHERE name = '0 Rex'");
  const report = await soak(t, { store: "postgres", seconds: 1, seed: 1, every: [900, 1_000], tamper });
  t.match(report, { lost: 1, doubled: 0, wrong: 0 }, report.complaints.join("\n"));
});
