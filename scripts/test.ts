// Runs levels of the tests, with one PostgreSQL server for all test files.
// usage: node scripts/test.ts fast|system|tooling... [--coverage] [options and files of tap]
//
// --coverage measures the coverage of src. Without the level `system`, it does not fail below 100 %. Without the level
// `fast`, it adds to the coverage of the previous run: so `fast --coverage` and then `system tooling --coverage` reach 100 %.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createCleanup } from "../test/support/cleanup.ts";
import { startPostgres } from "../test/support/postgres.ts";

const levels: Record<string, readonly string[]> = {
  fast: globSync("test/**/*.test.ts", { exclude: ["test/system/**", "test/tooling/**"] }),
  system: globSync("test/system/**/*.test.ts"),
  tooling: globSync("test/tooling/**/*.test.ts"),
};

const words = process.argv.slice(2);
const chosen = words.filter((word) => Object.hasOwn(levels, word));
const files = chosen.flatMap((level) => levels[level] ?? []);
if (files.length === 0)
  throw new Error(`usage: node scripts/test.ts ${Object.keys(levels).join("|")}... [--coverage] [options] [files]`);
const coverage = words.includes("--coverage");
const options = words.filter((word) => word !== "--coverage" && !chosen.includes(word));
if (coverage) options.push("--no-disable-coverage");
if (coverage && !chosen.includes("system")) options.push("--allow-incomplete-coverage");
if (coverage && !chosen.includes("fast")) {
  // tap deletes the coverage of the run before, unless it runs a subset: the files of a list.
  const list = ".tap/tests";
  mkdirSync(".tap", { recursive: true });
  writeFileSync(list, files.map((file) => `${file}\n`).join(""));
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
const all = options.some((word) => word.endsWith(".test.ts")) ? [] : files;
const tap = spawn(program, [...options, ...all], { env: environment, stdio: "inherit" });
const exit = once(tap, "exit");
cleanup.teardown(() => tap.kill() && exit);
const [code] = await exit;
await cleanup.cleanUp();
process.exit(code ?? 1);
