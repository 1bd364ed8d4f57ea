// petstore backup, restore: a whole store in and out of a file.
import type { Command } from "commander";
import { backup, restore } from "../../data/index.ts";
import { readDocument } from "../../pets/index.ts";
import type { Io } from "../io.ts";
import { startProgress } from "../progress.ts";
import { addExamples } from "./help.ts";
import { cancelOnSignal, type OutputOptions, printSummary, readDatabaseUrl, withTables } from "./stores.ts";

/** Adds `petstore backup` and `restore`. */
export function addBackups(program: Command, io: Io): void {
  const backingUp = program
    .command("backup")
    .description("make a file of all that the store of DATABASE_URL has; the service may run")
    .argument("<file>", "a file that is not there yet: a SQLite database, whatever the store is")
    .option("--json", "as JSON")
    .action((file: string, shown: OutputOptions) => backUp(io, file, shown));
  addExamples(backingUp, ["petstore backup pets.backup", "all that the store has, in one file"]);
  const restoring = program
    .command("restore")
    .description("fill the store of DATABASE_URL, which must be empty, with all that a backup has")
    .argument("<file>", "what petstore backup made, or any SQLite file that is a store")
    .option("--force", "replace what the store has, also while it is in use")
    .option("--json", "as JSON")
    .action((file: string, options: OutputOptions & { force?: boolean }) => restoreFrom(io, file, options));
  addExamples(
    restoring,
    ["DATABASE_URL=sqlite:other.db petstore restore pets.backup", "into another store"],
    ["petstore restore pets.backup --force", "in place of what the store has"],
  );
}

async function backUp(io: Io, file: string, { json }: OutputOptions): Promise<void> {
  const document = await readDocument();
  await withTables(io, "look", async (store) => {
    const bar = startProgress(io.stderr);
    const show = cancelOnSignal(io, bar.show, "Stopped. Nothing was kept.");
    await printSummary(io, await backup(store, file, document, show).finally(bar.clear), json);
  });
}

async function restoreFrom(
  io: Io,
  file: string,
  { force = false, json }: OutputOptions & { force?: boolean },
): Promise<void> {
  const [url, document] = [readDatabaseUrl(io), await readDocument()];
  const bar = startProgress(io.stderr);
  const show = cancelOnSignal(io, bar.show, "Stopped. Nothing was changed.");
  await printSummary(io, await restore(file, url, document, force, show).finally(bar.clear), json);
}
