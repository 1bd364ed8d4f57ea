// `openapi-server serve --seed` and `--reset`: the records with which a server starts.
import { readdir } from "node:fs/promises";
import { extname, join, parse } from "node:path";
import { formats, formatsByExtension, importRecords, openInput, validateInput } from "../data/index.ts";
import type { Document } from "../openapi/application.ts";
import { collectionsOf, type ResourceStore, readResources } from "../resources/index.ts";
import { isInMemory, isMissingStore, openTables } from "../store/index.ts";
import type { Io } from "../terminal/index.ts";
import type { Target } from "./data/index.ts";

const maxCount = 1_000_000;
const maxProblems = 5; // of a file that are reported

/** Where the records of a server come from: a folder of files, a number of made ones, or else the examples of its document. */
export interface Seed {
  readonly folder?: string;
  readonly count?: number;
}

/** Reads the value of `--seed`: none for the examples, a number, or a folder. Throws an Error for a number that is too large. */
export function readSeed(value: string | true): Seed {
  if (value === true) return {};
  if (!/^-?\d+(\.\d+)?$/.test(value)) return { folder: value };
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1 || count > maxCount)
    throw new Error(`--seed must be a number from 1 to ${maxCount}.`);
  return { count };
}

/** Deletes all records of a store, its Idempotency-Keys, and what it knows of imported files. Ids that were generated are not generated again. */
export async function resetStore({ url, document }: Target, io: Io): Promise<void> {
  if (isInMemory(url)) return;
  const collections = collectionsOf(document);
  const store = await openTables(url, "migrate", { collections }).catch((error) => {
    if (isMissingStore(error)) return undefined;
    throw error;
  });
  if (store === undefined) return;
  const deleted = await store
    .write(async (target) => {
      let records = 0;
      for (const { name } of collections) {
        records += await target.count(name);
        await target.remove(name);
      }
      for (const name of ["idempotency", "imports"]) await target.remove(name);
      return records;
    })
    .finally(() => store.close());
  io.stdout.write(`Deleted ${countOf(deleted)}.\n`);
}

/** A file of records of a collection, which is valid. */
type SeedFile = Parameters<typeof importRecords>[1] & { readonly name: string };

/**
 * Reads and validates the files of a folder, which are named after collections, such as `books.ndjson`. Rejects with an Error that names
 * what is wrong. The inputs must be closed.
 */
export async function readFolder({ url, document }: Target, folder: string, io: Io): Promise<readonly SeedFile[]> {
  if (isInMemory(url)) throw new Error("--seed FOLDER needs a store that is not in memory.");
  const files = await readdir(folder).catch((error: Error) => {
    throw new Error(`The folder ${folder} of --seed can't be read: ${error.message}.`);
  });
  const names = files.filter((file) => formatsByExtension[extname(file).toLowerCase()] !== undefined).sort();
  if (names.length === 0) throw new Error(`The folder ${folder} of --seed has no files NAME.ndjson or NAME.csv.`);
  const found: SeedFile[] = [];
  try {
    for (const name of names) found.push(await readSeedFile(document, folder, name, io));
  } catch (error) {
    for (const { input } of found) await input.close();
    throw error;
  }
  return found;
}

async function readSeedFile(document: Document, folder: string, name: string, io: Io): Promise<SeedFile> {
  const resources = readResources(document);
  const resource = resources.find((one) => one.name === parse(name).name);
  if (resource === undefined)
    throw new Error(
      `The file ${name} of --seed must be named after one of: ${resources.map((one) => one.name).join(", ")}.`,
    );
  const format = formats[formatsByExtension[extname(name).toLowerCase()] as keyof typeof formats];
  const input = await openInput(join(folder, name), io.stdin);
  const problems: string[] = [];
  const report = (problem: string) => void (problems.length < maxProblems && problems.push(problem));
  const source = { input, format, resource };
  const checked = await validateInput({ ...source, report, progress: () => {} });
  if (checked.bad === 0) return { ...source, checked, name };
  await input.close();
  throw new Error(
    `The file ${name} of --seed has ${checked.bad} invalid lines. Nothing was changed:\n${problems.join("\n")}`,
  );
}

/** Imports files into their collections, each once, and closes them. */
export async function importFiles({ url, document }: Target, files: readonly SeedFile[], io: Io): Promise<void> {
  const store = await openTables(url, "create", { collections: collectionsOf(document) });
  try {
    for (const file of files) {
      const { records, before } = await importRecords(store, file, { resume: true }, () => {}).catch((error: Error) => {
        throw new Error(`${file.name}: ${error.message}`, { cause: error });
      });
      const state = records > 0 && before === records ? "was imported before" : `imported ${countOf(records - before)}`;
      io.stdout.write(`${file.resource.name}: ${file.name} ${state}.\n`);
    }
  } finally {
    await store.close();
    for (const { input } of files) await input.close();
  }
}

function countOf(records: number): string {
  return records === 1 ? "1 record" : `${records} records`;
}

/** Creates records in the collections that are empty: those of examples, or a number of them. */
export async function createRecords(count: number | undefined, resources: ResourceStore, io: Io): Promise<void> {
  for (const { name, created, reason } of await resources.seed(count))
    io.stdout.write(`${name}: created ${countOf(created)}${reason === undefined ? "" : `: ${reason}`}.\n`);
}
