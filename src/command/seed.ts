// `openapi-server serve --seed` and `--reset`: the records with which a server starts.
import { readdir } from "node:fs/promises";
import { extname, join, parse } from "node:path";
import { formats, formatsByExtension, importRecords, openInput, validateInput } from "../data/index.ts";
import { collectionsOf, type ResourceStore, readResources, seedRecords } from "../resources/index.ts";
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
  if (!/^\d+$/.test(value)) return { folder: value };
  const count = Number(value);
  if (count === 0 || count > maxCount) throw new Error(`--seed must be a number from 1 to ${maxCount}.`);
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
  io.stdout.write(`Deleted ${deleted} records.\n`);
}

/** Imports the files of a folder into the collections that they are named after, such as `books.ndjson`. Each file is imported once. */
export async function importFolder(target: Target, folder: string, io: Io): Promise<void> {
  if (isInMemory(target.url)) throw new Error("--seed FOLDER needs a store that is not in memory.");
  const files = await readdir(folder).catch((error: Error) => {
    throw new Error(`The folder ${folder} of --seed can't be read: ${error.message}.`);
  });
  const resources = readResources(target.document);
  const inputs = files.filter((file) => formatsByExtension[extname(file).toLowerCase()] !== undefined).sort();
  if (inputs.length === 0) throw new Error(`The folder ${folder} of --seed has no files NAME.ndjson or NAME.csv.`);
  for (const file of inputs) {
    const resource = resources.find(({ name }) => name === parse(file).name);
    if (resource === undefined)
      throw new Error(
        `The file ${file} of --seed must be named after one of: ${resources.map((one) => one.name).join(", ")}.`,
      );
    const format = formats[formatsByExtension[extname(file).toLowerCase()] as keyof typeof formats];
    const input = await openInput(join(folder, file), io.stdin);
    try {
      const problems: string[] = [];
      const report = (problem: string) => void (problems.length < maxProblems && problems.push(problem));
      const source = { input, format, resource };
      const checked = await validateInput({ ...source, report, progress: () => {} });
      if (checked.bad > 0)
        throw new Error(
          `The file ${file} of --seed has ${checked.bad} invalid lines. Nothing of it was imported:\n${problems.join("\n")}`,
        );
      const store = await openTables(target.url, "create", { collections: collectionsOf(target.document) });
      const { records, before } = await importRecords(
        store,
        { ...source, checked },
        { resume: true },
        () => {},
      ).finally(() => store.close());
      io.stdout.write(`${resource.name}: imported ${records - before} records of ${file}.\n`);
    } finally {
      await input.close();
    }
  }
}

/** Creates records in the collections that are empty: those of examples, or a number of them. */
export async function createRecords(
  { document }: Target,
  count: number | undefined,
  resources: ResourceStore,
  io: Io,
): Promise<void> {
  for (const { name, created, reason } of await seedRecords(document, (one) => resources.records(one), count))
    io.stdout.write(`${name}: created ${created} records${reason === undefined ? "" : `: ${reason}`}.\n`);
}
