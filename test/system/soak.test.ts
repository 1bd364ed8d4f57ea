// A short run of `npm run soak`: the injected faults lose no pet, and the run detects a lost pet.
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { soak } from "../../scripts/soak/run.ts";
import { faultless } from "../../scripts/soak/table.ts";

t.jobs = 2;
const kinds = 4; // minimum number of kinds of faults
const seconds = 6; // of which the first 1.2 s are without faults

for (const [store, seed] of [
  ["sqlite", 3],
  ["postgres", 7],
] as const)
  t.test(
    `Faults over ${store} lose no pet, store none twice, and cause no wrong response`,
    { buffered: true },
    async (t) => {
      const report = await soak(t, { store, seconds, seed, every: [300, 900], kinds });
      const { complaints, lost, doubled, outside, wrong, badEnds, acknowledged, faults } = report;
      t.same(
        { complaints, lost, doubled, outside, wrong, badEnds },
        { complaints: [], lost: 0, doubled: 0, outside: 0, wrong: 0, badEnds: 0 },
      );
      t.ok(acknowledged > 100, `${acknowledged} were acknowledged`);
      const happened = Object.values(faults).filter((count) => count > 0).length;
      t.ok(happened >= kinds, `${happened} kinds of faults`);
      t.ok(faultless(report));
    },
  );

t.test("A pet that is removed from the store of a soak run is reported as lost", { buffered: true }, async (t) => {
  const tamper = (url: string) => {
    const db = new DatabaseSync(url.slice("sqlite:".length));
    db.exec("DELETE FROM pets WHERE name = '0 Rex'"); // created without an Idempotency-Key: no row refers to it
    db.close();
  };
  const report = await soak(t, { store: "sqlite", seconds: 1, seed: 1, every: [900, 1_000], tamper });
  t.match(report, { lost: 1, doubled: 0, wrong: 0 }, report.complaints.join("\n"));
  t.notOk(faultless(report));
});
