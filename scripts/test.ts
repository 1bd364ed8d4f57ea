// Runs one level of the tests, with one PostgreSQL server for all test files.
// usage: node scripts/test.ts fast|system|tooling|all [--coverage] [options and files of tap]
//
// --coverage measures the coverage of src, and fails below 100 %: at the level `all`, and at the level `system`, which
// adds to the coverage of the run before it. So `fast --coverage` and then `system --coverage` reach 100 %.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createCleanup } from "../test/support/cleanup.ts";
import { startPostgres } from "../test/support/postgres.ts";

const fast = globSync("test/**/*.test.ts", { exclude: ["test/system/**", "test/tooling/**"] }).sort();
const system = globSync("test/system/**/*.test.ts").sort();
const tooling = globSync("test/tooling/**/*.test.ts").sort();
const levels: Record<string, readonly string[]> = { fast, system, tooling, all: [...tooling, ...system, ...fast] };

const [level = "", ...words] = process.argv.slice(2);
const files = levels[level];
if (files === undefined)
  throw new Error(`usage: node scripts/test.ts ${Object.keys(levels).join("|")} [--coverage] [options] [files]`);
const coverage = words.includes("--coverage");
const options = words.filter((word) => word !== "--coverage");
if (coverage) options.push("--no-disable-coverage");
if (coverage && level !== "all" && level !== "system") options.push("--allow-incomplete-coverage");
if (coverage && level === "system") {
  // tap deletes the coverage of the run before, unless it runs a subset: the files of a list.
  const list = ".tap/system-tests";
  mkdirSync(".tap", { recursive: true });
  writeFileSync(list, system.map((file) => `${file}\n`).join(""));
  options.push(`--save=${list}`);
}

const program = fileURLToPath(new URL("../node_modules/.bin/tap", import.meta.url));
// A run that has to build its plugins first, as after an installation, loses the coverage.
if (coverage) execFileSync(program, ["build"], { stdio: "inherit" });
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
const tap = spawn(program, [...options, ...chosen], { env: environment, stdio: "inherit" });
const exit = once(tap, "exit");
cleanup.teardown(() => tap.kill() && exit);
const [code] = await exit;
await cleanup.cleanUp();
process.exit(code ?? 1);
