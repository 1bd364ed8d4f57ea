// export: writes records to a file or to standard output.
import { open } from "node:fs/promises";
import { extname } from "node:path";
import type { Command } from "commander";
import { exportRecords, formats, formatsByExtension, type Selection } from "../../data/index.ts";
import { escapeExceptLineBreaks, writeAtomically } from "../../lib/index.ts";
import type { Resource } from "../../resources/index.ts";
import { scopeFilter, toScope } from "../../store/index.ts";
import {
  cancelOnSignal,
  type Io,
  type OutputOptions,
  printFields,
  startProgress,
  write,
} from "../../terminal/index.ts";
import type { FormatName } from "./import.ts";
import { type ResourceOptions, readScope, selectResource, type Target, withTables } from "./target.ts";

export interface ExportOptions extends OutputOptions, ResourceOptions {
  format?: FormatName;
  filter?: string;
  withoutIds?: boolean;
  output?: string;
}

/** Exports the records of a resource in a store. With `--output`, prints a summary. */
export async function exportFile(io: Io, target: Target, options: ExportOptions, command: Command): Promise<void> {
  const { format, output, withoutIds } = options;
  const resource = selectResource(target.document, options, command);
  if (options.filter !== undefined && options.scope !== undefined)
    command.error("error: option '--scope' can't be used with option '--filter'");
  const scope = readScope(resource, options, command);
  const filter = options.filter === undefined ? undefined : readFilter(resource, options.filter, command);
  const match = scope ? { filter: scopeFilter, value: toScope(scope) } : filter;
  if (options.json && !output) command.error("error: option '--json' requires option '--output <file>'");
  const name = format ?? formatsByExtension[extname(`${output}`).toLowerCase()] ?? "ndjson";
  const selection = { format: formats[name], resource, match, withoutIds };
  await withTables(target, "readonly", async (store) => {
    if (output === undefined) {
      const noProgress = () => {};
      // Clients choose the texts. A file or pipe receives them unchanged.
      const toOutput = io.stdout.isTTY ? escapeExceptLineBreaks : (text: string) => text;
      await exportRecords(store, selection, (text) => write(io, toOutput(text)), noProgress);
      return;
    }
    const bar = startProgress(io.stderr);
    const show = (done: number, total?: number) => bar.show("exporting", done, total, resource.name);
    const progress = cancelOnSignal(io, show, "Stopped. No file was written.");
    const { records, sha256 } = await writeAtomically(output, async (partial) => {
      const file = await open(partial, "wx", 0o600); // as the store's own file
      return exportRecords(store, selection, (text) => file.appendFile(text), progress).finally(() => file.close());
    }).finally(bar.clear);
    await printFields(io, { [resource.name]: records, sha256 }, options);
  });
}

// Reads `name=value`, as in the query of the list.
function readFilter(resource: Resource, text: string, command: Command): Selection["match"] {
  const [name = "", value = ""] = text.split(/=(.*)/s);
  const result = resource.readFilter(name, value);
  return "filter" in result ? result : command.error(`error: option '--filter <name=value>': ${result.problem}`);
}
