// A long fuzz run: the service as a process over a store of its own, and requests of all kinds, a
// million where nothing else is said. It ends with 1 where anything did not hold.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createCleanup } from "../test/support/cleanup.ts";
import { startServer } from "../test/support/processes.ts";
import { environment, fuzz } from "./fuzz/run.ts";
import { writeReadme } from "./readme.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    write: { type: "boolean", default: false },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const seed = Number(values.seed);
const wanted = Number(values.requests);
if (!(wanted > 0) || !Number.isSafeInteger(seed)) throw new Error("--requests and --seed must be numbers.");
const folder = mkdtempSync(join(tmpdir(), "petstore-fuzz-"));
const { teardown, cleanUp } = createCleanup();
teardown(() => rmSync(folder, { recursive: true, force: true }));
try {
  const settings = { ...environment, DATABASE_URL: `sqlite:${join(folder, "petstore.db")}` };
  const server = await startServer({ teardown }, settings);
  const tell = (text: string) => process.stderr.write(`${text}\n`);
  const report = await fuzz(server, { seed, requests: wanted, every: 50_000, tell });
  const { requests, connections, seconds, statuses, pets, memory, findings } = report;
  for (const { about, text } of findings) console.log(`FOUND, ${about}: ${text}\n`);
  const count = (one: string) => findings.filter(({ about }) => about === one).length;
  const failures = Object.entries(statuses).filter(([status]) => Number(status) >= 500);
  const table = [
    ["requests", `${requests.toLocaleString("en-US")}, on ${connections.toLocaleString("en-US")} connections`],
    [
      "answers",
      Object.entries(statuses)
        .map(([status, count]) => `${status}: ${count.toLocaleString("en-US")}`)
        .join(", "),
    ],
    ["5xx", `${failures.reduce((sum, [, count]) => sum + count, 0)}`],
    ["answers outside the document, or of hidden requests", `${count("answers")}`],
    ["pets that are half, doubled or missing", `${count("pets")}, of ${pets.toLocaleString("en-US")}`],
    ["the process ended", `${count("process")} times`],
    ["memory", `${memory.map((one) => one.toFixed(0)).join(" → ")} MB`],
    ["time", `${seconds.toFixed(0)} s, ${Math.round(requests / seconds).toLocaleString("en-US")} requests each`],
  ]
    .map(([name, value], index) => `| ${name} | ${value} |${index === 0 ? "\n|---|---|" : ""}`)
    .join("\n");
  console.log(`seed ${seed}\n${table}`);
  if (values.write) writeReadme("fuzz", table, `seed ${seed}`);
  process.exitCode = findings.length > 0 ? 1 : 0;
} finally {
  await cleanUp();
}
