// petstore export: writes pets to a file or to standard output.
import { open } from "node:fs/promises";
import { extname } from "node:path";
import type { Command } from "commander";
import { exportPets, formats, formatsByExtension, readStatuses } from "../../data/index.ts";
import { escapeExceptLineBreaks, writeAtomically } from "../../lib/index.ts";
import { readDocument } from "../../pets/index.ts";
import { type Io, write } from "../io.ts";
import { type OutputOptions, printFields } from "../output.ts";
import { cancelOnSignal, startProgress } from "../progress.ts";
import { readDatabaseUrl, withTables } from "../stores.ts";
import type { FormatName } from "./import.ts";

export interface ExportOptions extends OutputOptions {
  format?: FormatName;
  status?: string;
  withoutIds?: boolean;
  output?: string;
}

/** Exports the pets of the store of DATABASE_URL. With `--output`, prints a summary. */
export async function exportFile(io: Io, options: ExportOptions, command: Command): Promise<void> {
  const { format, output, status, withoutIds } = options;
  const statuses = readStatuses(await readDocument());
  if (status !== undefined && !statuses.includes(status))
    command.error(`error: option '--status <status>' must be one of: ${statuses.join(", ")}`);
  if (options.json && !output) command.error("error: option '--json' requires option '--output <file>'");
  const name = format ?? formatsByExtension[extname(`${output}`).toLowerCase()] ?? "ndjson";
  const selection = { format: formats[name], status, withoutIds };
  await withTables(readDatabaseUrl(io), "readonly", async (store) => {
    if (output === undefined) {
      const noProgress = () => {};
      // Clients choose the names. A file or pipe receives them unchanged.
      const toOutput = io.stdout.isTTY ? escapeExceptLineBreaks : (text: string) => text;
      await exportPets(store, selection, (text) => write(io, toOutput(text)), noProgress);
      return;
    }
    const bar = startProgress(io.stderr);
    const show = (done: number, total?: number) => bar.show("exporting", done, total, "pets");
    const progress = cancelOnSignal(io, show, "Stopped. No file was written.");
    const exported = await writeAtomically(output, async (partial) => {
      const file = await open(partial, "wx", 0o600); // as the store's own file
      return exportPets(store, selection, (text) => file.appendFile(text), progress).finally(() => file.close());
    }).finally(bar.clear);
    await printFields(io, exported, options);
  });
}
