// `openapi-server serve --seed` and `--reset`: the records with which a server starts.
import { type FolderFile, importFiles } from "../data/index.ts";
import { UsageError } from "../lib/index.ts";
import { collectionsOf, type ResourceStore } from "../resources/index.ts";
import { isInMemory, isMissingStore, openTables } from "../store/index.ts";
import type { Io } from "../terminal/index.ts";
import type { Target } from "./data/target.ts";

const maxCount = 1_000_000;

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
    throw new UsageError(`--seed must be a number from 1 to ${maxCount}.`);
  return { count };
}

/** Deletes all records of a store, its Idempotency-Keys, and what it knows of imported files. Ids that were generated are not generated again. */
export async function resetStore({ url, service, document }: Target, io: Io): Promise<void> {
  if (isInMemory(url)) return;
  const collections = collectionsOf(document);
  const store = await openTables(url, "migrate", { service, collections }).catch((error) => {
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

/** Imports files into their collections, each once, and closes them. */
export async function seedFiles(target: Target, files: readonly FolderFile[], io: Io): Promise<void> {
  for (const [{ name, resource }, { records, before }] of await importFiles(target, files, { resume: true })) {
    const state = records > 0 && before === records ? "was imported before" : `imported ${countOf(records - before)}`;
    io.stdout.write(`${resource.name}: ${name} ${state}.\n`);
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
