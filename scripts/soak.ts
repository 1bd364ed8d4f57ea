// Runs soak tests over all stores, on Linux: `npm run soak -- --minutes=10`. `--stores` selects stores, `--seed`
// repeats a sequence of faults, and `--write` writes the results into docs/performance.md. Exits with 1 if a run finds
// a failure.
import { parseArgs } from "node:util";
import { createCleanup } from "../test/support/cleanup.ts";
import { formatReports, isFaultless } from "../test/support/soak/report.ts";
import { type Report, soak, stores } from "../test/support/soak/run.ts";
import { writeMeasurements } from "./measurements.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" }, // for all stores together
    stores: { type: "string", default: Object.keys(stores).join(",") },
    seed: { type: "string", default: String(Date.now() % 1e6) },
    write: { type: "boolean", default: false },
  },
});
const names = values.stores.split(",") as (keyof typeof stores)[];
const unknown = names.find((name) => !Object.hasOwn(stores, name));
if (unknown !== undefined) throw new Error(`There is no ${unknown}. There are: ${Object.keys(stores).join(", ")}.`);
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error("--minutes and --seed must be numbers.");

const { teardown, cleanUp } = createCleanup();
const reports: Record<string, Report> = {};
try {
  console.log(`seed ${seed}`);
  for (const store of names) {
    const seconds = (minutes * 60) / names.length;
    const report = await soak({ teardown }, { store, seconds, seed, interval: [2_000, 6_000] });
    for (const finding of report.findings) console.error(`${store}, ${finding}`);
    reports[store] = report;
  }
} finally {
  await cleanUp();
}
const table = formatReports(reports);
console.log(table);
if (values.write) writeMeasurements("docs/performance.md", "soak", table, `seed ${seed}`);
process.exitCode = Object.values(reports).every(isFaultless) ? 0 : 1;
