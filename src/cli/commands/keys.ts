// petstore keys: make, list and revoke API keys.
import { type Command, InvalidArgumentError } from "commander";
import { generateKey } from "../../auth/index.ts";
import { formatTime } from "../../lib/index.ts";
import type { Key, KeyStore } from "../../store/index.ts";
import { type Io, type Output, print } from "../io.ts";
import { formatTable, toIndentedJson } from "../table.ts";
import { addExamples } from "./help.ts";
import { withStore } from "./stores.ts";

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 }; // milliseconds

interface NewKey {
  expires?: number;
  operator?: boolean;
  json?: boolean;
}

/** Adds `petstore keys`. */
export function addKeys(program: Command, io: Io): void {
  const keys = program.command("keys").description("make, list and revoke API keys");
  const creating = keys
    .command("create")
    .description("make a key and print it; it is shown this once")
    .argument("<name>", "who or what the key is for", readName)
    .option("--expires <period>", "after how long it expires, such as 90d (m, h, d, w, y)", readPeriod)
    .option("--operator", "for who runs the service: it opens /status and /metrics, too")
    .option("--json", "as JSON")
    .action((name: string, options: NewKey) =>
      withStore(io, ({ keys }) => createKey(io, keys, name, options), "create"),
    );
  addExamples(
    creating,
    ["petstore keys create alice --expires 90d", "a key for a client"],
    ["petstore keys create olivia --operator", "one that opens the status page, too"],
  );
  keys
    .command("list")
    .description("list the keys: name, role, created, expires, last used")
    .option("--json", "as JSON")
    .action(({ json }: { json?: boolean }) =>
      withStore(io, async ({ keys }) => {
        const all = await keys.list();
        await print(io, json ? describe(all) : list(all, io.stdout));
      }),
    );
  keys
    .command("revoke")
    .description("revoke a key; it holds at once")
    .argument("<name>", "the name of the key")
    .action((name: string) =>
      withStore(io, async ({ keys }) => {
        if (!(await keys.revoke(name))) throw new Error(`There is no key named ${name}.`);
      }),
    );
}

async function createKey(
  io: Io,
  keys: KeyStore,
  name: string,
  { expires, operator = false, json }: NewKey,
): Promise<void> {
  const { key, hash } = generateKey();
  const expiresAt = expires === undefined ? undefined : new Date(Date.now() + expires);
  if (!(await keys.create(name, hash, { expiresAt, operator })))
    throw new Error(`There is a key named ${name} already: revoke it, or take another name.`);
  await print(io, json ? toIndentedJson({ name, key, operator, expires: expiresAt ?? null }) : key);
}

function describe(keys: Key[]): string {
  return toIndentedJson(
    keys.map(({ name, operator, createdAt, expiresAt, lastUsedAt }) => ({
      name,
      operator,
      created: createdAt,
      expires: expiresAt ?? null,
      lastUsed: lastUsedAt ?? null,
    })),
  );
}

function list(keys: Key[], stream: Output): string {
  const time = (date: Date | undefined) => (date ? formatTime(date) : "never");
  const rows = keys.map(({ name, operator, createdAt, expiresAt, lastUsedAt }) => [
    name,
    operator ? "operator" : "client",
    time(createdAt),
    time(expiresAt),
    time(lastUsedAt),
  ]);
  return formatTable(["NAME", "ROLE", "CREATED", "EXPIRES", "LAST USED"], rows, stream);
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
