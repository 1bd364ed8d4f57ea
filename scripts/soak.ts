// Runs a soak test over each store, on Linux: `npm run soak -- --seconds 600`. `--store` selects one store, `--seed`
// repeats a sequence of operations and faults, `--history` names a file for all calls, as NDJSON, and `--write` writes
// the results into docs/reliability-results.md. Exits with 1 if a run finds a failure.
import { parseArgs } from "node:util";
import { createCleanup } from "../test/support/cleanup.ts";
import { formatReport, isFaultless } from "../test/support/soak/report.ts";
import { soak, stores } from "../test/support/soak/run.ts";
import { writeMeasurements } from "./measurements.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "600" }, // for each store
    store: { type: "string", multiple: true, default: Object.keys(stores) },
    seed: { type: "string", default: String(Date.now() % 1e6) },
    history: { type: "string" }, // the name of the store is added to it
    write: { type: "boolean", default: false },
  },
});
const names = values.store as (keyof typeof stores)[];
const unknown = names.find((name) => !Object.hasOwn(stores, name));
if (unknown !== undefined) throw new Error(`There is no ${unknown}. There are: ${Object.keys(stores).join(", ")}.`);
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (!(seconds > 0) || !Number.isSafeInteger(seed)) throw new Error("--seconds and --seed must be numbers.");

const { teardown, cleanUp } = createCleanup();
try {
  for (const store of names) {
    console.log(`${store}, seed ${seed}`);
    const historyFile = values.history && `${values.history}.${store}`;
    const report = await soak({ teardown }, { store, seconds, seed, historyFile, interval: [1_000, 4_000] });
    for (const finding of report.findings) console.error(finding);
    const table = formatReport(report);
    console.log(table);
    if (values.write) writeMeasurements("docs/reliability-results.md", `soak-${store}`, table, `seed ${seed}`);
    if (!isFaultless(report)) process.exitCode = 1;
  }
} finally {
  await cleanUp();
}
