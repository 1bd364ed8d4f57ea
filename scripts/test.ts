// Runs one level of the tests, with one PostgreSQL server for all of its files.
// usage: node scripts/test.ts [fast|system|tooling|all] [options and files of tap]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildTidy } from "../test/support/cleanup.ts";
import { startPostgres } from "../test/support/postgres.ts";

const [level = "", ...rest] = process.argv.slice(2);
const others = ["test/system/**", "test/tooling/**"];
const levels: Record<string, () => string[]> = {
  fast: () => globSync("test/**/*.test.ts", { exclude: others }),
  system: () => globSync("test/system/**/*.test.ts"),
  tooling: () => globSync("test/tooling/**/*.test.ts"),
  all: () => globSync("test/**/*.test.ts"),
};
const find = levels[level];
if (find === undefined)
  throw new Error(`usage: node scripts/test.ts ${Object.keys(levels).join("|")} [options] [files]`);

const cleanup = buildTidy();
const environment = { ...process.env };
// Compiled code that comes from a cache has no coverage.
if (!rest.includes("--no-disable-coverage"))
  environment.NODE_COMPILE_CACHE = fileURLToPath(new URL("../node_modules/.cache/tests", import.meta.url));
if (!environment.TEST_DATABASE_URL) {
  const { url, end } = await startPostgres();
  cleanup.teardown(end);
  environment.TEST_DATABASE_URL = url("postgres");
}
const files = rest.some((word) => word.endsWith(".test.ts")) ? [] : find().sort();
const tap = spawn("tap", [...rest, ...files], { env: environment, stdio: "inherit" });
const exit = once(tap, "exit");
cleanup.teardown(() => tap.kill() && exit);
const [code] = await exit;
await cleanup.tidy();
process.exit(code ?? 1);
