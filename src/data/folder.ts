// Folders of exported files, one for each collection, named after it: `books.ndjson`.
import { mkdir, readdir, stat } from "node:fs/promises";
import { join, parse } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { Document } from "../openapi/index.ts";
import { collectionsOf, readResources } from "../resources/index.ts";
import { isInMemory, openTables, type Tables } from "../store/index.ts";
import { type ExportSummary, exportSnapshot, type Selection, writeExport } from "./export.ts";
import { formatOf, formats } from "./formats/file-formats.ts";
import {
  ConcurrentImport,
  type ImportOptions,
  type ImportResult,
  importRecords,
  type ValidatedInput,
} from "./import.ts";
import { type Input, openInput } from "./input-file.ts";
import { validateInput } from "./validate-input.ts";

/** A store, and its document. */
export interface DocumentStore {
  readonly url: string;
  /** The name of the service. */
  readonly service: string;
  readonly document: Document;
}

const maxProblems = 5; // of a file that are reported

/** A file of records of a collection, which is valid. Its input must be closed. */
export type FolderFile = ValidatedInput & { readonly name: string };

/** Returns whether a path is an existing folder, or ends with a slash. */
export async function isFolder(path: string): Promise<boolean> {
  return path.endsWith("/") || ((await stat(path).catch(() => undefined))?.isDirectory() ?? false);
}

/** Reads and validates the files of a folder. Rejects with an Error that names what is wrong. The inputs must be closed. */
export async function readFolder({ url, document }: DocumentStore, folder: string): Promise<readonly FolderFile[]> {
  if (isInMemory(url)) throw new Error(`Files such as those of ${folder} need a store that is not in memory.`);
  const files = await readdir(folder).catch((error: Error) => {
    throw new Error(`The folder ${folder} can't be read: ${error.message}.`);
  });
  const names = files.filter((file) => formatOf(file) !== undefined).sort();
  if (names.length === 0) throw new Error(`The folder ${folder} has no files NAME.ndjson or NAME.csv.`);
  const [twice] = names.filter((name, index) => names.findIndex((one) => parse(one).name === parse(name).name) < index);
  if (twice !== undefined) throw new Error(`The folder ${folder} has two files of ${parse(twice).name}: remove one.`);
  const found: FolderFile[] = [];
  const opened: Input[] = [];
  try {
    for (const name of names) found.push(await readFile(document, folder, name, opened));
  } catch (error) {
    for (const input of opened) await input.close();
    throw error;
  }
  return found;
}

// Adds the input of the file to those that are opened.
async function readFile(document: Document, folder: string, name: string, opened: Input[]): Promise<FolderFile> {
  const resources = readResources(document);
  const resource = resources.find((one) => one.name === parse(name).name);
  const file = join(folder, name);
  if (resource === undefined)
    throw new Error(`The file ${file} must be named after one of: ${resources.map((one) => one.name).join(", ")}.`);
  const format = formats[formatOf(name) as keyof typeof formats];
  const input = await openInput(file, Readable.from([]));
  opened.push(input);
  const problems: string[] = [];
  const report = (problem: string) => void (problems.length < maxProblems && problems.push(problem));
  const source = { input, format, resource };
  const checked = await validateInput({ ...source, report, progress: () => {} });
  if (checked.bad === 0) return { ...source, checked, name };
  throw new Error(`The file ${file} has ${checked.bad} invalid lines. Nothing was changed:\n${problems.join("\n")}`);
}

/** Imports files into their collections, and closes them. Rejects with an Error that names the file that can't be imported. */
export async function importFiles(
  { url, service, document }: DocumentStore,
  files: readonly FolderFile[],
  options: ImportOptions,
): Promise<readonly (readonly [FolderFile, ImportResult])[]> {
  const results: (readonly [FolderFile, ImportResult])[] = [];
  let store: Tables | undefined;
  try {
    store = await openTables(url, "create", { service, collections: collectionsOf(document) });
    for (const file of files) {
      results.push([file, await importFile(store, file, options)]);
    }
  } finally {
    await store?.close();
    for (const { input } of files) await input.close();
  }
  return results;
}

const retryInterval = 1_000; // milliseconds

// With `resume`, retries while another process imports the same file, and continues after its last checkpoint.
async function importFile(store: Tables, file: FolderFile, options: ImportOptions): Promise<ImportResult> {
  for (;;)
    try {
      return await importRecords(store, file, options, () => {});
    } catch (error) {
      const { cause, message } = error as Error;
      if (!options.resume || !(cause instanceof ConcurrentImport))
        throw new Error(`${file.name}: ${message}`, { cause: error });
      await pause(retryInterval);
    }
}

/** Exports all collections of one snapshot to files of a folder, which is created if it does not exist. */
export async function exportFolder(
  store: Tables,
  document: Document,
  folder: string,
  { format, withoutIds }: Pick<Selection, "withoutIds"> & { readonly format: keyof typeof formats },
): Promise<readonly (readonly [string, ExportSummary])[]> {
  await mkdir(folder, { recursive: true });
  return store.read(async (source) => {
    const summaries: (readonly [string, ExportSummary])[] = [];
    for (const resource of readResources(document)) {
      const selection = { format: formats[format], resource, withoutIds };
      const file = join(folder, `${resource.name}.${format}`);
      const summary = await writeExport(file, (write) => exportSnapshot(source, selection, write, () => {}));
      summaries.push([resource.name, summary]);
    }
    return summaries;
  });
}
