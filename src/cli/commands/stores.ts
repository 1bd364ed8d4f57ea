// petstore migrate, copy, check: see to a store as a whole. And how commands reach one.
import type { Command } from "commander";
import { readConfig, settings } from "../../config.ts";
import { check, copy, type Inventory, toLines } from "../../data/index.ts";
import { readDocument } from "../../pets/index.ts";
import { type OpenMode, openStore, openTables, type Store, type Tables } from "../../store/index.ts";
import { CommandFailure, type Io, print } from "../io.ts";
import { startProgress } from "../progress.ts";
import { toIndentedJson } from "../table.ts";
import { addExamples } from "./help.ts";

const mostProblems = 20; // that are shown

/** The options of a command that says what a store has. */
export interface OutputOptions {
  json?: boolean;
}

/** Adds `petstore migrate`, `copy` and `check`. */
export function addStores(program: Command, io: Io): void {
  program
    .command("migrate")
    .description("make the store of DATABASE_URL, or bring it to this version, and no more; serve does it, too")
    .action(async () => (await openStore(readConfig(io.env).DATABASE_URL)).close());
  const copying = program
    .command("copy")
    .description("copy all that a store has into another one, which must be empty; stop the service before")
    .requiredOption("--from <url>", "the store to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE")
    .requiredOption("--to <url>", "the store to copy to, likewise")
    .option("--json", "as JSON")
    .action(({ from, to, ...shown }: { from: string; to: string } & OutputOptions) => copyStore(io, from, to, shown));
  addExamples(
    copying,
    ["petstore copy --from sqlite:data/petstore.db --to postgres://me@db/pets", "with the password from PGPASSWORD"],
    ["petstore copy --from postgres://me@db/pets --to sqlite:pets.db", "and back"],
  );
  const checking = program
    .command("check")
    .description("read all that a store has, and say what is wrong with it; changes nothing, and the service may run")
    .argument("[url]", "the store: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE (DATABASE_URL)")
    .option("--json", "as JSON")
    .action((url: string | undefined, shown: OutputOptions) =>
      checkStore(io, url ?? readConfig(io.env).DATABASE_URL, shown),
    );
  addExamples(
    checking,
    ["petstore check", "the store of DATABASE_URL"],
    ["petstore check sqlite:pets.backup", "a backup"],
  );
}

/**
 * Lets `work` have the store of DATABASE_URL. Only what adds to it makes one where there is none: to list or
 * revoke in a mistyped place is a mistake. Throws an Error where it is in the memory of another process.
 */
export async function withStore(
  io: Io,
  work: (store: Store) => Promise<void>,
  access: OpenMode = "update",
): Promise<void> {
  const { DATABASE_URL: url } = readConfig(io.env);
  if (url === "sqlite::memory:") throw new Error("DATABASE_URL names a store in memory, which ends with this command.");
  const store = await openStore(url, { access });
  await work(store).finally(() => store.close());
}

/** Lets `work` have the tables of the store of DATABASE_URL. Throws an Error as `withStore` does. */
export async function withTables(io: Io, access: OpenMode, work: (store: Tables) => Promise<void>): Promise<void> {
  await useTables(readDatabaseUrl(io), access, work);
}

// Closes the tables also if `work` fails: an open connection to PostgreSQL would keep the process alive.
async function useTables<T>(url: string, access: OpenMode, work: (store: Tables) => Promise<T>): Promise<T> {
  const store = await openTables(url, access);
  return work(store).finally(() => store.close());
}

/** DATABASE_URL, where it names a store that outlives this command. Throws an Error where not. */
export function readDatabaseUrl({ env }: Io): string {
  const { DATABASE_URL: url } = readConfig(env);
  demandPlace("DATABASE_URL", url);
  return url;
}

async function copyStore(io: Io, fromUrl: string, toUrl: string, { json }: OutputOptions): Promise<void> {
  demandPlace("--from", fromUrl);
  demandPlace("--to", toUrl);
  const bar = startProgress(io.stderr);
  const work = (from: Tables, to: Tables) =>
    copy(from, to, cancelOnSignal(io, bar.show, "Stopped. Nothing was kept.")).finally(bar.clear);
  const inventory = await useTables(fromUrl, "update", (from) => useTables(toUrl, "make", (to) => work(from, to)));
  await printInventory(io, inventory, json);
}

async function checkStore(io: Io, url: string, { json }: OutputOptions): Promise<void> {
  demandPlace("The store to check", url);
  const problems: string[] = [];
  let more = 0;
  const tell = (problem: string) => (problems.length < mostProblems ? problems.push(problem) : more++);
  const document = await readDocument();
  const bar = startProgress(io.stderr);
  const show = (done: number, total: number) => bar.show("checking", done, total);
  const inventory = await useTables(url, "look", (store) => check(store, document, tell, show)).finally(bar.clear);
  if (more > 0) problems.push(`and ${more} more`);
  const sound = problems.length === 0;
  if (json) await print(io, toIndentedJson({ sound, problems, ...(inventory && describe(inventory)) }));
  else if (sound) await print(io, `${toLines(inventory as Inventory)}\nsound`);
  if (!sound) throw new CommandFailure(json ? [] : problems);
}

/** Prints an inventory as lines, or as JSON. */
export function printInventory(io: Io, inventory: Inventory, json: boolean | undefined): Promise<void> {
  return print(io, json ? toIndentedJson(describe(inventory)) : toLines(inventory));
}

function describe({ counts, checksum }: Inventory): object {
  return { ...counts, sha256: checksum };
}

/** `show`, but it throws `words` once the command is told to stop. It is called between two batches, where nothing is half done. */
export function cancelOnSignal<A extends unknown[]>(
  io: Io,
  show: (...progress: A) => void,
  words: string,
): (...progress: A) => void {
  let stopped = false;
  io.onStop(() => {
    stopped = true;
  });
  return (...progress) => {
    if (stopped) throw new Error(words);
    show(...progress);
  };
}

// Not by the command line's own means: they show what was given, and with it a password.
function demandPlace(what: string, url: string): void {
  if (!settings.DATABASE_URL.parse(url) || url === "sqlite::memory:")
    throw new Error(`${what} must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.`);
}
