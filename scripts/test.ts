// Runs levels of the tests, with one PostgreSQL server for all test files, if one needs it.
// usage: node scripts/test.ts fast|system|tooling... [--coverage] [options and files of tap]
//
// --coverage reports which parts of src the tests run.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Cleanup, createCleanup } from "../test/support/cleanup.ts";
import { type Postgres, startPostgres } from "../test/support/postgres.ts";
import { groupedTests } from "../test/support/test-groups.ts";

const resolve = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const tap = resolve("node_modules/.bin/tap");

// Processes, databases and measurements of time.
const system = ["system", "store", "data", "linear-time"].map((name) => `test/${name}{.test.ts,/**/*.test.ts}`);

const levels: Record<string, readonly string[]> = {
  // The files in test/groups run the others, several in one process.
  fast: globSync("test/**/*.test.ts", { exclude: [...system, ...groupedTests, "test/tooling/**"] }).sort(),
  system: globSync(system),
  tooling: globSync("test/tooling/**/*.test.ts"),
};

const words = process.argv.slice(2);
const chosen = words.filter((word) => Object.hasOwn(levels, word));
const options = words.filter((word) => !chosen.includes(word) && word !== "--coverage");
const coverage = words.includes("--coverage");
const files = chosen.flatMap((level) => levels[level] ?? []);
if (files.length === 0)
  throw new Error(`usage: node scripts/test.ts ${Object.keys(levels).join("|")}... [--coverage] [options] [files]`);
const selected = options.some((option) => option.endsWith(".test.ts")) ? [] : files;

buildPlugins();
const cleanup = createCleanup();
const env = await createEnvironment(cleanup);
const coverageOptions = coverage ? ["--no-disable-coverage", "--allow-incomplete-coverage"] : [];
const child = spawn(tap, [...options, ...coverageOptions, ...selected], { env, stdio: "inherit" });
const exit = once(child, "exit");
cleanup.teardown(() => child.kill() && exit);
const [code] = await exit;
await cleanup.cleanUp();
process.exit(code ?? 1);

// Builds the plugins of .taprc, once after each installation. Otherwise, tap does it during the first run: each file of that
// run starts with all plugins of tap, which takes 3 s longer, and its coverage is lost.
function buildPlugins(): void {
  const stamp = resolve("node_modules/.cache/tap-plugins");
  const read = (path: string) => readFileSync(path, "utf8");
  const fingerprint = read(resolve("node_modules/tap/package.json")) + read(resolve(".taprc"));
  if (existsSync(stamp) && read(stamp) === fingerprint) return;
  execFileSync(tap, ["build"], { cwd: resolve("."), stdio: ["ignore", "ignore", "inherit"] });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, fingerprint);
}

async function createEnvironment(cleanup: Cleanup): Promise<NodeJS.ProcessEnv> {
  // On a busy machine, a connection to PostgreSQL can take seconds.
  const environment: NodeJS.ProcessEnv = { PGCONNECT_TIMEOUT: "30", ...process.env };
  // Code from the compile cache has no coverage.
  if (!coverage) environment.NODE_COMPILE_CACHE = resolve("node_modules/.cache/tests");
  if (!environment.TEST_DATABASE_URL) environment.TEST_DATABASE_PORT = String(await offerPostgres(cleanup));
  return environment;
}

// Starts PostgreSQL when a test connects to the port, and responds with the URL of the server.
async function offerPostgres({ teardown }: Cleanup): Promise<number> {
  let postgres: Promise<Postgres> | undefined;
  const offer = createServer(async (socket) => {
    socket.on("error", () => {}); // the test has ended
    postgres ??= startPostgres();
    socket.end((await postgres).url("postgres"));
  });
  teardown(async () => {
    offer.close();
    await (await postgres)?.end();
  });
  await once(offer.listen(0, "127.0.0.1"), "listening");
  return (offer.address() as AddressInfo).port;
}
