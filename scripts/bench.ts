// What requests cost, beside what they cost others: `npm run bench`, or `-- --quick` for less than a
// minute, which writes nothing. On Linux, with two cores.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ContenderId, contenders } from "./bench/contenders.ts";
import { type Minute, watchMemory } from "./bench/memory.ts";
import { judge, toChart, toTables } from "./bench/report.ts";
import { type Plan, run } from "./bench/run.ts";
import { buildWork, pets, type WorkId } from "./bench/work.ts";
import { writeReadme } from "./readme.ts";

process.chdir(join(import.meta.dirname, ".."));
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    memory: { type: "string" }, // minutes
    contenders: { type: "string" },
    works: { type: "string" },
    rounds: { type: "string" },
  },
});

const quick: Plan = {
  contenders: ["sqlite", "ready", "fastify"],
  works: ["get", "list20", "create1", "create64", "refused401", "refused400"],
  rounds: 3,
  seconds: 0.6,
};
const whole: Plan = {
  contenders: Object.keys(contenders) as ContenderId[],
  works: Object.keys(buildWork("")) as WorkId[],
  rounds: 5,
  seconds: 1,
};
const usual = values.quick ? quick : whole;
const plan: Plan = {
  ...usual,
  contenders: pick(values.contenders, whole.contenders) ?? usual.contenders,
  works: pick(values.works, whole.works) ?? usual.works,
  rounds: Number(values.rounds ?? usual.rounds),
};

// The contenders have packages of their own, which the service does not carry.
const installed = "scripts/bench/node_modules/.package-lock.json";
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync("scripts/bench/package-lock.json").mtimeMs)
  npm("ci", "--no-audit", "--no-fund");
npm("run", "build");

const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const tell = (text: string) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`);
const met = values.memory ? await watch(Number(values.memory)) : await compare();
process.exitCode = met ? 0 : 1;

// What is asked for by name, separated by commas.
function pick<T extends string>(text: string | undefined, all: readonly T[]): T[] | undefined {
  const names = text?.split(",");
  const wrong = names?.find((name) => !(all as readonly string[]).includes(name));
  if (wrong !== undefined) throw new Error(`There is no ${wrong}. There are: ${all.join(", ")}.`);
  return names as T[] | undefined;
}

async function compare(): Promise<boolean> {
  const measured = await run(plan, folder, tell);
  tell("");
  const tables = toTables(measured);
  console.log(tables);
  const isWhole = !values.quick && !values.contenders && !values.works && !values.rounds;
  if (isWhole) write(tables, toChart(measured));
  return judge(measured).every(({ met }) => met);
}

// The heap must be within 5 % of what it was when all was warm.
async function watch(minutes: number): Promise<boolean> {
  const all = await watchMemory(minutes, folder, tell);
  tell("");
  for (const { minute, requests, heap, resident } of all)
    console.log(
      `minute ${minute}: ${Math.round(requests).toLocaleString("en-US")} requests, heap ${heap.toFixed(1)} MB, resident ${resident.toFixed(0)} MB`,
    );
  const [first, last] = [all[0], all.at(-1)] as [Minute, Minute];
  console.log(`heap: ${(last.heap / first.heap).toFixed(3)} times the first`);
  return last.heap <= first.heap * 1.05;
}

function npm(...args: string[]): void {
  const { status } = spawnSync("npm", args, { cwd: "scripts/bench", stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed in scripts/bench.`);
}

function write(tables: string, chart: string): void {
  writeFileSync("scripts/bench/speed.svg", chart);
  const how = `one core for the server and one for its clients; ${pets.toLocaleString("en-US")} pets`;
  writeReadme("bench", tables, how);
}
