// export: writes records to a file or to standard output.
import type { Command } from "commander";
import {
  exportFolder,
  exportRecords,
  formatOf,
  formats,
  isFolder,
  type Selection,
  writeExport,
} from "../../data/index.ts";
import { escapeExceptLineBreaks } from "../../lib/index.ts";
import { type Resource, readResources } from "../../resources/index.ts";
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
  const hasSeveral = readResources(target.document).length > 1;
  if (hasSeveral && options.resource === undefined && output !== undefined && (await isFolder(output)))
    return exportAll(io, target, output, options, command);
  const resource = selectResource(target.document, options, command);
  if (options.filter !== undefined && options.scope !== undefined)
    command.error("error: option '--scope' can't be used with option '--filter'");
  const scope = readScope(resource, options, command);
  const filter = options.filter === undefined ? undefined : readFilter(resource, options.filter, command);
  const match = scope ? { filter: scopeFilter, value: toScope(scope) } : filter;
  if (options.json && !output) command.error("error: option '--json' requires option '--output <file>'");
  const name = format ?? formatOf(`${output}`) ?? "ndjson";
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
    const { records, sha256 } = await writeExport(output, (write) =>
      exportRecords(store, selection, write, progress),
    ).finally(bar.clear);
    await printFields(io, { [resource.name]: records, sha256 }, options);
  });
}

// All collections, to a folder.
async function exportAll(io: Io, target: Target, folder: string, options: ExportOptions, command: Command) {
  const { format = "ndjson", withoutIds } = options;
  for (const name of ["filter", "scope"] as const)
    if (options[name] !== undefined) command.error(`error: option '--${name}' requires option '--resource <name>'`);
  await withTables(target, "readonly", async (store) => {
    const summaries = await exportFolder(store, target.document, folder, { format, withoutIds });
    const counts = summaries.map(([name, { records }]) => [name, records] as const);
    await printFields(io, Object.fromEntries(counts), options);
  });
}

// Reads `name=value`, as in the query of the list.
function readFilter(resource: Resource, text: string, command: Command): Selection["match"] {
  const [name = "", value = ""] = text.split(/=(.*)/s);
  const result = resource.readFilter(name, value);
  return "filter" in result ? result : command.error(`error: option '--filter <name=value>': ${result.problem}`);
}
