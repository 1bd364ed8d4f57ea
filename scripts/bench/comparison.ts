// Compares the Pet Store with other frameworks: `npm run bench`. `-- --quick` takes less than a minute and writes no
// file. Exits with 1 if a goal is not met.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { writeMeasurements } from "../measurements.ts";
import { type ContenderId, contenders } from "./contenders.ts";
import { checkGoals, formatChart, formatGoals, formatTables, type Measurement, type ProcessStats } from "./report.ts";
import {
  installPackages,
  measureWorkload,
  prepareDatabases,
  readMemory,
  type Server,
  startClient,
  startServer,
} from "./servers.ts";
import { pets, type Workload, type WorkloadId, workloads } from "./workloads.ts";

interface Plan {
  readonly contenders: readonly ContenderId[];
  readonly workloads: readonly WorkloadId[];
  readonly rounds: number;
  readonly seconds: number;
  /** The number of measured starts of each contender. */
  readonly starts: number;
}

const quickPlan: Plan = {
  contenders: ["sqlite", "features", "fastify"],
  workloads: ["get", "list20", "list100", "hotGet", "hotList20", "create64", "unauthorized", "badRequest"],
  rounds: 3,
  seconds: 0.6,
  starts: 3,
};
const fullPlan: Plan = {
  contenders: Object.keys(contenders) as ContenderId[],
  workloads: Object.keys(workloads) as WorkloadId[],
  rounds: 5,
  seconds: 1,
  starts: 10,
};

/**
 * Runs the comparison, and prints its tables. A full run also writes the goals into docs/performance.md and the other
 * tables into docs/benchmark-results.md, and draws the chart of the README.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      contenders: { type: "string" }, // ids, separated by commas
      workloads: { type: "string" },
      rounds: { type: "string" },
    },
  });
  const defaults = values.quick ? quickPlan : fullPlan;
  const plan: Plan = {
    ...defaults,
    contenders: parseList(values.contenders, fullPlan.contenders) ?? defaults.contenders,
    workloads: parseList(values.workloads, fullPlan.workloads) ?? defaults.workloads,
    rounds: Number(values.rounds ?? defaults.rounds),
  };
  installPackages();
  const results = await measure(plan);
  const [goals, tables] = [formatGoals(results), formatTables(results)];
  console.log(`${goals}\n\n${tables}`);
  if (Object.keys(values).length === 1 && !values.quick) {
    writeFileSync("scripts/bench/speed.svg", formatChart(results));
    const conditions = `one core each for server and clients; ${pets.toLocaleString("en-US")} pets`;
    writeMeasurements("docs/performance.md", "goals", goals, conditions);
    writeMeasurements("docs/benchmark-results.md", "comparison", tables, conditions);
  }
  process.exitCode = checkGoals(results).every(({ isMet }) => isMet) ? 0 : 1;
}

function parseList<T extends string>(text: string | undefined, all: readonly T[]): T[] | undefined {
  const names = text?.split(",");
  const unknown = names?.find((name) => !(all as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`There is no ${unknown}. There are: ${all.join(", ")}.`);
  return names as T[] | undefined;
}

const firstRuns = 6; // of the first workload after the start, which are reported separately
// The warm-up of a server repeats all its workloads until this many rounds in a row took at most this much less CPU time
// than the best one before: V8 compiles further functions until then.
const stableRounds = 2;
const stableShare = 0.03;
const maxWarmUp = 8; // rounds

const idleTime = 3_000; // milliseconds without requests, after which the memory of an idle server is read

// Each round measures every workload of every contender in turn, so that other load on the machine affects all
// contenders.
async function measure(plan: Plan) {
  const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const { key, factory, databasesOf, end } = await prepareDatabases(folder, plan.contenders);
  const requests = new Map(plan.workloads.map((id) => [id, workloads[id].createRequests(factory)]));
  const loadGenerator = startClient("scripts/bench/load-generator.ts");
  const servers: Server[] = [];
  try {
    const idleMemory = new Map<Server, number>();
    for (const id of plan.contenders) {
      const server = await startServer(id, databasesOf(id), key, { starts: plan.starts });
      servers.push(server);
    }
    await sleep(idleTime);
    for (const server of servers) idleMemory.set(server, readMemory(server, "VmRSS"));
    const run = async (server: Server, workload: WorkloadId, phase: string) => {
      showProgress(`${phase}: ${workload}, ${server.id}`);
      const attempt = () =>
        measureWorkload(server, workloads[workload], requests.get(workload) ?? [], loadGenerator, plan.seconds);
      return attempt().catch((error: Error) => {
        console.error(`${error.message} Repeats it once.`); // the machine may have stood still
        return attempt();
      });
    };
    const workloadsOf = ({ id }: Server) => plan.workloads.filter((workload) => isMeasured(id, workload));
    const costsOfFirstRuns = new Map<Server, number[]>();
    for (const server of servers) {
      const workload = workloadsOf(server)[0] as WorkloadId;
      const costs: number[] = [];
      while (costs.length < firstRuns) costs.push((await run(server, workload, "first runs")).cpu);
      costsOfFirstRuns.set(server, costs);
    }
    for (const server of servers)
      await warmUp(async () => {
        let cost = 0;
        for (const workload of workloadsOf(server)) cost += (await run(server, workload, "warm-up")).cpu;
        return cost;
      });
    const measurements: Measurement[] = [];
    for (let round = 1; round <= plan.rounds; round++)
      for (const workload of plan.workloads) {
        await sleep((workloads[workload] as Workload).silence ?? 0);
        for (const server of servers.filter(({ id }) => isMeasured(id, workload))) {
          const result = await run(server, workload, `round ${round} of ${plan.rounds}`);
          measurements.push({ contender: server.id, workload, ...result });
        }
      }
    showProgress("");
    const stats = servers.map((server): [ContenderId, ProcessStats] => {
      const [idle, peak] = [idleMemory.get(server) as number, readMemory(server, "VmHWM")];
      const first = costsOfFirstRuns.get(server) as number[];
      return [server.id, { startTimes: server.startTimes, firstRuns: first, idleMemory: idle, peakMemory: peak }];
    });
    return { measurements, processes: Object.fromEntries(stats) };
  } finally {
    loadGenerator.disconnect();
    for (const { child } of servers) child.kill("SIGKILL");
    await end();
  }
}

const isMeasured = (contender: ContenderId, workload: WorkloadId) => contenders[contender].workloads.includes(workload);

// `runRound` returns the cost of a round.
async function warmUp(runRound: () => Promise<number>): Promise<void> {
  let lowest = Number.POSITIVE_INFINITY;
  let stable = 0;
  for (let round = 1; stable < stableRounds && round <= maxWarmUp; round++) {
    const cost = await runRound();
    stable = cost >= (1 - stableShare) * lowest ? stable + 1 : 0;
    lowest = Math.min(lowest, cost);
  }
}

function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
