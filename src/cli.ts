// The command `petstore`: run the service, and see to its keys.
import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import { makeKey } from "./auth.ts";
import { check } from "./check.ts";
import { readConfig, settings } from "./config.ts";
import { copy } from "./copy.ts";
import { readDocument } from "./document.ts";
import { toLines } from "./inventory.ts";
import { mask } from "./logger.ts";
import { startProgress } from "./progress.ts";
import { serve } from "./server.ts";
import { openStore, openTables } from "./store/open.ts";
import type { Key, KeyStore } from "./store/store.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const mostProblems = 20; // that are shown
const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 }; // milliseconds

/** Runs the command line. Rejects with an Error that says what went wrong; wrong usage ends with exit code 2. */
export async function run(argv: readonly string[]): Promise<void> {
  const program = new Command("petstore")
    .description("The Pet Store service.")
    .version(version)
    .configureOutput({
      outputError: (text, write) => write(mask(text.replace(/^error: /, "petstore: "))),
    })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .addHelpText("after", `\nSettings, from the environment:\n${describeSettings()}`);
  program.command("serve").description("run the service").action(serve);

  const keys = program.command("keys").description("make, list and revoke API keys");
  keys
    .command("create")
    .description("make a key and print it; it is shown this once")
    .argument("<name>", "who or what the key is for", readName)
    .option("--expires <period>", "after how long it expires, such as 90d (m, h, d, w, y)", readPeriod)
    .action((name: string, { expires }: { expires?: number }) =>
      withKeys((keys) => createKey(keys, name, expires), true),
    );
  keys
    .command("list")
    .description("list the keys: name, created, expires, last used")
    .option("--json", "as JSON")
    .action(({ json }: { json?: boolean }) =>
      withKeys(async (keys) => console.log((json ? toJson : toTable)(await keys.list()))),
    );
  keys
    .command("revoke")
    .description("revoke a key; it holds at once")
    .argument("<name>", "the name of the key")
    .action((name: string) => withKeys((keys) => revokeKey(keys, name)));
  program
    .command("migrate")
    .description("make the store of DATABASE_URL, or bring it to this version, and no more; serve does it, too")
    .action(async () => (await openStore(readConfig().DATABASE_URL)).close());
  program
    .command("copy")
    .description("copy all that a store has into another one, which must be empty; stop the service before")
    .requiredOption("--from <url>", "the store to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE")
    .requiredOption("--to <url>", "the store to copy to, likewise")
    .action(({ from, to }: { from: string; to: string }) => copyStore(from, to));
  program
    .command("check")
    .description("read all that a store has, and say what is wrong with it; changes nothing, and the service may run")
    .argument("[url]", "the store: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE (DATABASE_URL)")
    .action((url: string | undefined) => checkStore(url ?? readConfig().DATABASE_URL));
  await program.parseAsync(argv);
}

// Only a new key makes a store where there is none: to list or revoke in a mistyped place is a mistake.
async function withKeys(work: (keys: KeyStore) => Promise<void>, create = false): Promise<void> {
  const { DATABASE_URL: url } = readConfig();
  if (url === "sqlite::memory:") throw new Error("DATABASE_URL names a store in memory, which ends with this command.");
  const store = await openStore(url, { access: create ? "make" : "update" });
  await work(store.keys).finally(() => store.close());
}

async function createKey(keys: KeyStore, name: string, period: number | undefined): Promise<void> {
  const { key, hash } = makeKey();
  const expiresAt = period === undefined ? undefined : new Date(Date.now() + period);
  if (!(await keys.create(name, hash, { expiresAt })))
    throw new Error(`There is a key named ${name} already: revoke it, or take another name.`);
  console.log(key);
}

async function revokeKey(keys: KeyStore, name: string): Promise<void> {
  if (!(await keys.revoke(name))) throw new Error(`There is no key named ${name}.`);
}

async function copyStore(fromUrl: string, toUrl: string): Promise<void> {
  demandPlace("--from", fromUrl);
  demandPlace("--to", toUrl);
  const from = await openTables(fromUrl, "update");
  const to = await openTables(toUrl, "make");
  const bar = startProgress();
  // Between two batches, where nothing is kept yet: once all is through, what is kept is decided elsewhere.
  let stopped = false;
  const stop = () => {
    stopped = true;
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const show: typeof bar.show = (...progress) => {
    if (stopped) throw new Error("Stopped. Nothing was kept.");
    bar.show(...progress);
  };
  console.log(toLines(await copy(from, to, show).finally(bar.clear)));
  await from.close();
  await to.close();
}

async function checkStore(url: string): Promise<void> {
  demandPlace("The store to check", url);
  const store = await openTables(url, "look");
  const problems: string[] = [];
  let more = 0;
  const tell = (problem: string) => (problems.length < mostProblems ? problems.push(problem) : more++);
  const bar = startProgress();
  const inventory = await check(store, await readDocument(), tell, (...progress) => bar.show("checking", ...progress));
  bar.clear();
  await store.close();
  if (more > 0) problems.push(`and ${more} more`);
  for (const problem of problems) console.error(`petstore: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else if (inventory) console.log(`${toLines(inventory)}\nsound`);
}

// Not by the command line's own means: they show what was given, and with it a password.
function demandPlace(what: string, url: string): void {
  if (!settings.DATABASE_URL.read(url) || url === "sqlite::memory:")
    throw new Error(`${what} must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.`);
}

function toJson(keys: Key[]): string {
  const rows = keys.map(({ name, createdAt, expiresAt, lastUsedAt }) => ({
    name,
    created: createdAt,
    expires: expiresAt ?? null,
    lastUsed: lastUsedAt ?? null,
  }));
  return JSON.stringify(rows, null, 2);
}

function toTable(keys: Key[]): string {
  const time = (date: Date | undefined) => (date ? `${date.toISOString().slice(0, 16).replace("T", " ")}Z` : "never");
  const rows = keys.map((key) => [key.name, time(key.createdAt), time(key.expiresAt), time(key.lastUsedAt)] as const);
  const table = [["NAME", "CREATED", "EXPIRES", "LAST USED"] as const, ...rows];
  const columns = ([0, 1, 2, 3] as const).map((column) => {
    const width = Math.max(...table.map((row) => row[column].length));
    return (row: (typeof table)[number]) => row[column].padEnd(width);
  });
  return table
    .map((row) =>
      columns
        .map((pad) => pad(row))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function readName(text: string): string {
  if (!/^\w[\w.@-]{0,63}$/.test(text))
    throw new InvalidArgumentError("A name has 1 to 64 letters, digits or . _ - @, and begins with none of . - @");
  return text;
}

function readPeriod(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,7})([mhdwy])$/.exec(text) ?? [];
  const period = Number(count) * units[unit as keyof typeof units];
  if (period <= 100 * units.y) return period;
  throw new InvalidArgumentError("A period is a number and a unit, 30m, 12h, 90d, 2w or 1y, and 100 years at most.");
}

function describeSettings(): string {
  return Object.entries(settings)
    .map(([name, { meaning, default: value }]) => `  ${name.padEnd(19)}${meaning}${value && ` (${value})`}`)
    .join("\n");
}
