// Attacks the service, and measures whether a legitimate client is served: `npm run hostile`, on Linux with two cores.
// `--only NAME` runs one attack and can be repeated. `--seconds` sets the duration of each attack. `--attempts` limits how
// often an attack is repeated that succeeds while other processes use the core of the service. `--write` writes the
// results into docs/reliability-results.md. Exits with 1 if an attack succeeds.
//
// The service has a core, and the attackers and the client share another one. The attackers have a low priority, see
// hostile/attacker.ts.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { createCleanup } from "../test/support/cleanup.ts";
import { attacks } from "./hostile/attacks.ts";
import { formatResults, isInconclusive, listFailures } from "./hostile/report.ts";
import { type AttackResult, runAttack } from "./hostile/run.ts";
import { clientCore, createTemplate, type Template } from "./hostile/service.ts";
import { writeMeasurements } from "./measurements.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: Object.keys(attacks) },
    seconds: { type: "string", default: "8" },
    attempts: { type: "string", default: "3" },
    write: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new Error("--seconds must be a number.");
spawnSync("taskset", ["-a", "-c", "-p", clientCore, String(process.pid)]);

const cleanup = createCleanup();

async function run(name: string, template: Template): Promise<AttackResult> {
  await using stack = new AsyncDisposableStack();
  const resources = { teardown: (release: () => unknown) => stack.defer(async () => void (await release())) };
  cleanup.teardown(() => stack.disposeAsync()); // if a signal ends the script
  return await runAttack(resources, name, template, { attack: seconds, rest: 3, recovery: 5 });
}

const results: AttackResult[] = [];
try {
  const template = await createTemplate(cleanup);
  for (const name of values.only) {
    let result = await run(name, template);
    for (let attempt = 1; attempt < Number(values.attempts) && isInconclusive(result); attempt++)
      result = await run(name, template);
    results.push(result);
    process.stderr.write(`${name}: ${listFailures(result).join("; ") || "passed"}\n`);
  }
} finally {
  await cleanup.cleanUp();
}
const table = formatResults(results);
console.log(table);
if (values.write) writeMeasurements("docs/reliability-results.md", "hostile", table, `${seconds} s for each attack`);
process.exitCode = results.every((result) => listFailures(result).length === 0) ? 0 : 1;
