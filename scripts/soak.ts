// Minutes or hours of mixed load with faults, held to a model of what must be there: `npm run soak -- --minutes=10`,
// `--stores=sqlite,postgres`, `--seed=N` for the same faults again, `--write` for the README. On Linux.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCleanup } from "../test/support/cleanup.ts";
import { writeReadme } from "./readme.ts";
import { type Report, soak, stores } from "./soak/run.ts";
import { faultless, toTable } from "./soak/table.ts";

process.chdir(join(import.meta.dirname, ".."));
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" }, // for all stores together
    stores: { type: "string", default: Object.keys(stores).join(",") },
    seed: { type: "string", default: String(Date.now() % 1e6) },
    write: { type: "boolean", default: false },
  },
});
const names = values.stores.split(",") as (keyof typeof stores)[];
const wrong = names.find((name) => !Object.hasOwn(stores, name));
if (wrong !== undefined) throw new Error(`There is no ${wrong}. There are: ${Object.keys(stores).join(", ")}.`);
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error("--minutes and --seed must be numbers.");

const { teardown, cleanUp } = createCleanup();
const reports: Record<string, Report> = {};
try {
  console.log(`seed ${seed}`);
  for (const store of names) {
    const seconds = (minutes * 60) / names.length;
    const report = await soak({ teardown }, { store, seconds, seed, every: [2_000, 6_000] });
    for (const complaint of report.complaints) console.error(`${store}, ${complaint}`);
    reports[store] = report;
  }
} finally {
  await cleanUp();
}
const table = toTable(reports);
console.log(table);
process.exitCode = Object.values(reports).every(faultless) ? 0 : 1;

if (values.write) writeReadme("soak", table, `seed ${seed}`);
