// The command `petstore`: run the service, and see to its keys.
import { Command, InvalidArgumentError } from "commander";
import { makeKey } from "./auth.ts";
import { readConfig, settings } from "./config.ts";
import { serve } from "./server.ts";
import { openStore } from "./store/open.ts";
import type { Key, KeyStore } from "./store/store.ts";

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, y: 31_536_000_000 } as const; // milliseconds

/** Runs the command line. Rejects with an Error that says what went wrong; wrong usage ends with exit code 2. */
export async function run(argv: readonly string[]): Promise<void> {
  const program = new Command("petstore")
    .description("The Pet Store service.")
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .addHelpText("after", `\nSettings, from the environment:\n${describeSettings()}`);
  program.command("serve").description("run the service").action(serve);

  const keys = program.command("keys").description("make, list and revoke API keys");
  keys
    .command("create")
    .description("make a key and print it; it is shown this once")
    .argument("<name>", "who or what the key is for", readName)
    .option("--expires <period>", "after how long it expires, such as 90d (m, h, d, y)", readPeriod)
    .action((name: string, { expires }: { expires?: number }) => withKeys((keys) => createKey(keys, name, expires)));
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
  await program.parseAsync(argv);
}

async function withKeys(work: (keys: KeyStore) => Promise<void>): Promise<void> {
  const store = await openStore(readConfig().DATABASE_URL);
  await work(store.keys).finally(() => store.close());
}

async function createKey(keys: KeyStore, name: string, period: number | undefined): Promise<void> {
  const { key, hash } = makeKey();
  const expiresAt = period === undefined ? undefined : new Date(Date.now() + period);
  if (!(await keys.create(name, hash, expiresAt)))
    throw new Error(`There is a key named ${name} already: revoke it, or take another name.`);
  console.log(key);
}

async function revokeKey(keys: KeyStore, name: string): Promise<void> {
  if (!(await keys.revoke(name))) throw new Error(`There is no key named ${name}.`);
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
  const time = (date: Date | undefined) => date?.toISOString().slice(0, 16).replace("T", " ") ?? "never";
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
  if (!/^[\w.@-]{1,64}$/.test(text)) throw new InvalidArgumentError("A name has 1 to 64 letters, digits, or . _ - @");
  return text;
}

function readPeriod(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([mhdy])$/.exec(text) ?? [];
  if (unit === undefined) throw new InvalidArgumentError("A period is a number and a unit: 30m, 12h, 90d or 1y.");
  return Number(count) * units[unit as keyof typeof units];
}

function describeSettings(): string {
  return Object.entries(settings)
    .map(([name, { meaning, default: value }]) => `  ${name.padEnd(17)}${meaning}${value && ` (${value})`}`)
    .join("\n");
}
