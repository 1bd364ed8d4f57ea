// A long fuzz run: the service as a process over a store of its own, and requests of all kinds, a
// million where nothing else is said. It ends with 1 where anything did not hold.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startServer } from "./drive/processes.ts";
import { buildTidy } from "./drive/tidy.ts";
import { environment, fuzz } from "./fuzz/run.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const seed = Number(values.seed);
const folder = mkdtempSync(join(tmpdir(), "petstore-fuzz-"));
const { teardown, tidy } = buildTidy();
teardown(() => rmSync(folder, { recursive: true, force: true }));
try {
  const settings = { ...environment, DATABASE_URL: `sqlite:${join(folder, "petstore.db")}` };
  const server = await startServer({ teardown }, settings);
  const tell = (text: string) => process.stderr.write(`${text}\n`);
  const report = await fuzz(server, { seed, requests: Number(values.requests), every: 50_000, tell });
  const { requests, connections, seconds, statuses, pets, memory, findings } = report;
  for (const { about, text } of findings) console.log(`FOUND, ${about}: ${text}\n`);
  const count = (one: string) => findings.filter(({ about }) => about === one).length;
  const failures = Object.entries(statuses).filter(([status]) => Number(status) >= 500);
  console.log(`seed          ${seed}
requests      ${requests}, on ${connections} connections
seconds       ${seconds.toFixed(0)}, ${(requests / seconds).toFixed(0)} requests each
answers       ${Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(", ")}
5xx           ${failures.reduce((sum, [, count]) => sum + count, 0)}
pets          ${pets}, each whole and as it was answered
memory        ${memory.join(" MB, then ")} MB
not as they must be: answers ${count("answers")}, pets ${count("pets")}, the process ${count("process")}`);
  process.exitCode = findings.length > 0 ? 1 : 0;
} finally {
  await tidy();
}
