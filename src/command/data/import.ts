// import: imports records from a file or from standard input.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import {
  formatOf,
  formats,
  type ImportSource,
  importFiles,
  importRecords,
  isFolder,
  openInput,
  readFolder,
  validateInput,
} from "../../data/index.ts";
import { parseDatabaseUrl } from "../../lib/index.ts";
import { readResources } from "../../resources/index.ts";
import {
  cancelOnSignal,
  type Io,
  type OutputOptions,
  type ProgressBar,
  print,
  printFields,
  startProgress,
  toIndentedJson,
  warn,
} from "../../terminal/index.ts";
import { type ResourceOptions, readScope, selectResource, type Target, withTables } from "./target.ts";

const maxProblems = 20; // in the JSON output; without --skip-bad, also on standard error

export type FormatName = keyof typeof formats;

export interface ImportOptions extends OutputOptions, ResourceOptions {
  format?: FormatName;
  skipBad?: boolean;
  resume?: boolean;
  fromStart?: boolean;
}

/** Imports the records of `file` into a store, and prints a summary. `-` is standard input. */
export async function importFile(
  io: Io,
  target: Target,
  file: string,
  options: ImportOptions,
  command: Command,
): Promise<void> {
  const hasSeveral = readResources(target.document).length > 1;
  if (hasSeveral && file !== "-" && (await isFolder(file))) return importFolder(io, target, file, options, command);
  const name = options.format ?? formatOf(file);
  if (name === undefined)
    return command.error(`error: the format of ${file} is unknown: use --format ${Object.keys(formats).join(" or ")}`);
  const resource = selectResource(target.document, options, command);
  const scope = readScope(resource, options, command);
  const input = await openInput(file, io.stdin);
  const source = { input, format: formats[name], resource, scope };
  await importInput(io, target, source, options).finally(() => input.close());
}

// All files of a folder, which an export has written.
async function importFolder(io: Io, target: Target, folder: string, options: ImportOptions, command: Command) {
  for (const name of ["format", "resource", "scope"] as const)
    if (options[name] !== undefined)
      command.error(
        `error: option '--${name}' can't be used with a folder: the names of its files have the format and the resource`,
      );
  if (options.skipBad) command.error("error: option '--skip-bad' can't be used with a folder");
  const files = await readFolder(target, folder);
  warnIfNew(io, target.url);
  const results = await importFiles(target, files, options);
  const counts = results.map(([{ resource }, { records, before }]) => [resource.name, records - before] as const);
  await printFields(io, Object.fromEntries(counts), options);
}

async function importInput(io: Io, target: Target, source: ImportSource, options: ImportOptions): Promise<void> {
  const { name } = source.resource;
  const bar = startProgress(io.stderr);
  // Checks the whole input before the store is opened.
  const { checked, problems } = await checkSource(io, bar, source, options);
  const { bad, lines } = checked;
  const sha256 = Buffer.from(source.input.digest()).toString("hex");
  if (bad > 0 && !options.skipBad) {
    if (options.json) await print(io, toIndentedJson({ lines, [name]: 0, before: 0, bad, sha256, problems }));
    throw new Error(
      `Nothing was imported: ${bad} invalid ${bad === 1 ? "line" : "lines"}. Use --skip-bad to import the valid lines.`,
    );
  }
  warnIfNew(io, target.url);
  await withTables(target, "create", async (store) => {
    const show = (done: number, total: number) => bar.show("importing", done, total, name);
    const progress = cancelOnSignal(io, show, "Stopped");
    const { records, before } = await importRecords(store, { ...source, checked }, options, progress).finally(
      bar.clear,
    );
    if (before > 0 && before === records) warn(io, "The file was already imported. Nothing was imported.");
    else if (options.resume && before === 0) warn(io, "There was no import to resume. Imported the whole file.");
    const result = { lines, [name]: records, before, bad, sha256 };
    await printFields(io, options.json ? { ...result, problems } : result, options);
  });
}

// Reports the problems of bad lines on standard error, and returns those for the JSON output.
async function checkSource(io: Io, bar: ProgressBar, source: ImportSource, { skipBad }: ImportOptions) {
  const problems: string[] = [];
  const report = (problem: string) => {
    const listed = problems.length < maxProblems;
    if (listed) problems.push(problem);
    if (!listed && !skipBad) return;
    bar.clear();
    warn(io, problem);
  };
  const show = (done: number, total?: number) => bar.show("checking", done, total, "bytes");
  const progress = cancelOnSignal(io, show, "Stopped. Nothing was imported.");
  const checked = await validateInput({ ...source, report, progress }).finally(bar.clear);
  if (checked.bad > maxProblems) {
    const more = `and ${checked.bad - maxProblems} more`;
    problems.push(more);
    if (!skipBad) warn(io, more);
  }
  return { checked, problems };
}

// A mistyped path creates a new database, so the user must see it.
function warnIfNew(io: Io, url: string): void {
  const database = parseDatabaseUrl(url);
  if (database?.kind !== "sqlite") return;
  const file = resolve(database.file as string);
  if (!existsSync(file)) warn(io, `The database ${file} does not exist. Creating it.`);
}
