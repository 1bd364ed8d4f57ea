// Runs one level of the tests, with one PostgreSQL server for all test files.
// usage: node scripts/test.ts fast|system|tooling|slow|all [--coverage] [options and files of tap]
//
// --coverage measures the coverage of src. Only `all`, and `slow` after `fast`, can reach 100 %, and fail below it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createCleanup } from "../test/support/cleanup.ts";
import { startPostgres } from "../test/support/postgres.ts";

const fast = globSync("test/**/*.test.ts", { exclude: ["test/system/**", "test/tooling/**"] }).sort();
const system = globSync("test/system/**/*.test.ts").sort();
const tooling = globSync("test/tooling/**/*.test.ts").sort();
// Long files first, so that both cores have work until the end.
const slow = [...tooling, ...system];
const levels: Record<string, readonly string[]> = { fast, system, tooling, slow, all: [...slow, ...fast] };

const [level = "", ...words] = process.argv.slice(2);
const files = levels[level];
if (files === undefined)
  throw new Error(`usage: node scripts/test.ts ${Object.keys(levels).join("|")} [--coverage] [options] [files]`);
const coverage = words.includes("--coverage");
const options = words.filter((word) => word !== "--coverage");
if (coverage) options.push("--no-disable-coverage");
if (coverage && level !== "all" && level !== "slow") options.push("--allow-incomplete-coverage");
if (coverage && level === "slow") {
  // tap deletes the coverage of the last run, unless it runs a subset: the files of a list.
  const list = ".tap/slow-tests";
  mkdirSync(".tap", { recursive: true });
  writeFileSync(list, slow.map((file) => `${file}\n`).join(""));
  options.push(`--save=${list}`);
}

const cleanup = createCleanup();
const environment = { ...process.env };
// Compiled code that comes from a cache has no coverage.
if (!coverage) environment.NODE_COMPILE_CACHE = fileURLToPath(new URL("../node_modules/.cache/tests", import.meta.url));
if (!environment.TEST_DATABASE_URL) {
  const { url, end } = await startPostgres();
  cleanup.teardown(end);
  environment.TEST_DATABASE_URL = url("postgres");
}
const chosen = options.some((word) => word.endsWith(".test.ts")) ? [] : files;
const program = fileURLToPath(new URL("../node_modules/.bin/tap", import.meta.url));
const tap = spawn(program, [...options, ...chosen], { env: environment, stdio: "inherit" });
const exit = once(tap, "exit");
cleanup.teardown(() => tap.kill() && exit);
const [code] = await exit;
await cleanup.cleanUp();
process.exit(code ?? 1);
