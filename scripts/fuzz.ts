// Runs a fuzz test of a million requests: `npm run fuzz`. `--requests` sets their number, `--seed` repeats a run, and
// `--write` writes the results into docs/reliability-results.md. Exits with 1 if there is a finding.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCleanup } from "../test/support/cleanup.ts";
import { folder } from "../test/support/files.ts";
import { formatReport } from "../test/support/fuzz/report.ts";
import { fuzz, fuzzSettings } from "../test/support/fuzz/run.ts";
import { startServer } from "../test/support/processes.ts";
import { writeMeasurements } from "./measurements.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    write: { type: "boolean", default: false },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];
if (!(requests > 0) || !Number.isSafeInteger(seed)) throw new Error("--requests and --seed must be numbers.");

const cleanup = createCleanup();
try {
  const settings = { ...fuzzSettings, DATABASE_URL: `sqlite:${join(folder(cleanup), "petstore.db")}` };
  const server = await startServer(cleanup, settings);
  const showProgress = (text: string) => process.stderr.write(`${text}\n`);
  const report = await fuzz(server, { seed, requests, auditInterval: 50_000, showProgress });
  for (const { kind, text } of report.findings) console.log(`FOUND, ${kind}: ${text}\n`);
  const table = formatReport(report);
  console.log(`seed ${seed}\n${table}`);
  if (values.write) writeMeasurements("docs/reliability-results.md", "fuzz", table, `seed ${seed}`);
  process.exitCode = report.findings.length > 0 ? 1 : 0;
} finally {
  await cleanup.cleanUp();
}
