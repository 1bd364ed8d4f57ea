// Records that were written for another version of the document. A store knows for which schemas all of its records are valid. For
// another one, they are validated, and changed by a function if there is one, before a service uses them.
import { isObject, parseJson, toJson } from "../../../lib/index.ts";
import type { Document } from "../../../openapi/index.ts";
import {
  type RecordId,
  type TableReader,
  type Tables,
  type TableWriter,
  type Values,
  writeLimited,
  writeRecord,
} from "../../../store/index.ts";
import { readResources } from "../../recognition/collections/find-collections.ts";
import type { Resource } from "../../record/resource.ts";
import { createRecordCheck } from "./record-check.ts";

/** Changes the records of a collection, so that they match the document. */
export interface Upgrade {
  /** The hash of the schema of the record in the document for which the function was written. */
  readonly to: string;
  /** Returns the record as the document describes it. Its id stays as it is. Throws an Error for one that it can't change. */
  readonly upgrade: (record: Readonly<Record<string, unknown>>) => object;
}

/** By the name of the collection. */
export type Upgrades = Readonly<Record<string, Upgrade>>;

export interface UpgradeOptions {
  /** Applies these functions. Without, the records are only validated, and a function that is pending is an Error. */
  readonly apply: boolean;
  readonly upgrades: Upgrades;
  /** What to do about invalid records: a sentence of the Error. By default, it names the option of `openStore`. */
  readonly advice?: string | undefined;
  /** Receives the number of records that are done, and of all. */
  readonly progress?: (label: string, done: number, total: number) => void;
}

const maxShown = 10;

// What `upgraded_to` is while the records are validated. A record that is written for another schema meanwhile removes the row.
const validating = -1n;

/**
 * Makes sure that all records of a store match the document. Validates those of a collection if records were written for another schema
 * since the last time, or changes them by the function for it, in one transaction for each batch; a function that was interrupted
 * continues. Rejects with an Error whose first line has the number of invalid records, and the others the first ten; nothing is changed
 * then.
 */
export async function upgradeRecords(store: Tables, document: Document, options: UpgradeOptions): Promise<void> {
  const known = await store.read(readSchemas);
  const outdated = readResources(document).flatMap((resource) => {
    const own = known.filter(({ collection }) => collection === resource.name);
    const isValid = own.some(({ schema, upgradedTo }) => schema === resource.record.hash && upgradedTo === null);
    return isValid ? [] : [{ resource, upgrade: findUpgrade(resource, own, options) }];
  });
  if (outdated.length === 0) return;
  const validated = outdated.filter(({ upgrade }) => upgrade?.isInterrupted !== true).map(({ resource }) => resource);
  await setSchemas(store, validated, (state) => state ?? validating);
  for (const { resource, upgrade } of outdated) {
    if (upgrade?.isInterrupted !== true) await validateRecords(store, resource, upgrade?.run, options);
    if (upgrade) await changeRecords(store, resource, upgrade.run, options);
  }
  // Records that another process has written since are validated at the next start.
  const unchanged = outdated.filter(({ upgrade }) => upgrade === undefined).map(({ resource }) => resource);
  await setSchemas(store, unchanged, (state) => (state === validating ? null : state));
}

interface SchemaState {
  readonly collection: string;
  readonly schema: string;
  readonly upgradedTo: bigint | null;
}

async function readSchemas(source: TableReader): Promise<SchemaState[]> {
  const rows = (await Array.fromAsync(source.rows("record_schemas"))).flat();
  return rows.map(([collection, schema, upgradedTo]) => ({ collection, schema, upgradedTo }) as SchemaState);
}

// Returns the function that is to change the records of a collection, and whether it has changed some. Throws an Error if it can't run.
function findUpgrade(resource: Resource, known: readonly SchemaState[], options: UpgradeOptions) {
  const { name, record } = resource;
  const own = options.upgrades[name];
  const run = own?.to === record.hash ? own.upgrade : undefined;
  if (run && !options.apply)
    throw new Error(`The records of ${name} must be changed by a function first. ${adviceFor(resource, options)}`);
  const interrupted = known.find(({ upgradedTo }) => upgradedTo !== null && upgradedTo !== validating);
  if (interrupted && interrupted.schema !== record.hash)
    throw new Error(
      `A function has changed some records of ${name} for another version of the document. Run that version again, to complete it.`,
    );
  if (interrupted && !run)
    throw new Error(
      `The change of the records of ${name} by a function was interrupted. Pass the same function again, to complete it.`,
    );
  return run && { run, isInterrupted: interrupted !== undefined };
}

// Sets the state of the schemas of collections, from what it was; undefined is that of a schema that is not known. No process writes
// meanwhile, so that each record is either found by what follows, or removes the row.
async function setSchemas(
  store: Tables,
  resources: readonly Resource[],
  change: (state: bigint | null | undefined) => bigint | null | undefined,
): Promise<void> {
  const set = async (target: TableWriter) => {
    const known = await readSchemas(target);
    for (const { name, record } of resources) {
      const own = known.filter(({ collection }) => collection === name);
      const state = own.find(({ schema }) => schema === record.hash)?.upgradedTo;
      const next = change(state);
      if (next === undefined || next === state) continue;
      const others = own.filter(({ schema }) => schema !== record.hash);
      const rows = others.map(({ schema, upgradedTo }): Values => [name, schema, upgradedTo]);
      await target.remove("record_schemas", name);
      await target.add("record_schemas", [...rows, [name, record.hash, next]]);
    }
  };
  if (resources.length > 0) await store.write(set, { blocks: "writes" });
}

/** Rejects with an Error if records are invalid, as they are or after the function. */
async function validateRecords(
  store: Tables,
  resource: Resource,
  upgrade: Upgrade["upgrade"] | undefined,
  options: UpgradeOptions,
): Promise<void> {
  const { name } = resource;
  const findProblem = createRecordCheck(resource);
  const first: string[] = [];
  let invalid = 0;
  await store.read(async (source) => {
    const total = await source.count(name);
    let done = 0;
    for await (const rows of source.rows(name)) {
      for (const row of rows) {
        const problem = describeProblem(() => findProblem(upgrade ? changeRow(resource, row, upgrade) : row));
        if (problem === undefined) continue;
        invalid += 1;
        if (first.length < maxShown) first.push(`- ${name} ${row[2] ?? row[0]}${problem}.`);
      }
      done += rows.length;
      options.progress?.(`Validating ${name}`, done, total);
    }
  });
  if (invalid === 0) return;
  const records = invalid === 1 ? `1 record of ${name} does` : `${invalid} records of ${name} do`;
  const after = upgrade ? ", also after the function" : "";
  const more = invalid > first.length ? [`- and ${invalid - first.length} more`] : [];
  const lines = [
    `${records} not match the document${after}. Nothing was changed. ${adviceFor(resource, options)}`,
    ...first,
    ...more,
  ];
  throw new Error(lines.join("\n"));
}

function adviceFor({ name, record }: Resource, { advice }: UpgradeOptions): string {
  const option = `{ upgrades: { ${/^\w+$/.test(name) ? name : toJson(name)}: { to: "${record.hash}", upgrade } } }`;
  return advice ?? `Pass a function that changes them to openStore: ${option}.`;
}

function describeProblem(find: () => string | undefined): string | undefined {
  try {
    return find();
  } catch (error) {
    return `: the function has failed: ${error instanceof Error ? error.message.replace(/\.$/, "") : "it threw no Error"}`;
  }
}

async function changeRecords(
  store: Tables,
  resource: Resource,
  upgrade: Upgrade["upgrade"],
  { progress }: UpgradeOptions,
): Promise<void> {
  const { name, record } = resource;
  const findProblem = createRecordCheck(resource);
  const total = await store.read((source) => source.count(name));
  let done = 0;
  const changeBatch = () =>
    store.write(
      async (target) => {
        const known = await readSchemas(target);
        const state = known.find((one) => one.collection === name && one.schema === record.hash)?.upgradedTo;
        if (state === null) return false; // another process has completed it
        const batch = await firstOf(target.rows(name, state === undefined || state === validating ? 0n : state));
        const changed = batch.map((row) => changeRow(resource, row, upgrade));
        for (const row of changed) {
          const problem = findProblem(row); // of a record that was created after the validation
          if (problem !== undefined) throw new Error(`The record ${name} ${row[2] ?? row[0]}${problem}.`);
        }
        if (changed.length > 0) await target.change(name, changed);
        await target.remove("record_schemas", name);
        await target.add("record_schemas", [[name, record.hash, (batch.at(-1)?.[0] as bigint | undefined) ?? null]]);
        done += batch.length;
        return batch.length > 0;
      },
      { blocks: "writes" },
    );
  while (await changeBatch()) progress?.(`Changing ${name}`, done, total);
}

async function firstOf(batches: AsyncIterable<readonly Values[]>): Promise<readonly Values[]> {
  for await (const batch of batches) return batch;
  return [];
}

function changeRow({ collection }: Resource, [number, text, ...key]: Values, upgrade: Upgrade["upgrade"]): Values {
  const changed: unknown = upgrade(parseJson(text as string) as Readonly<Record<string, unknown>>);
  if (!isObject(changed) || "then" in changed)
    throw new Error("The function must return an object with the members of a record, and no Promise.");
  const id = (key[0] ?? number) as RecordId;
  return [
    number as bigint,
    writeRecord(collection, id, writeLimited(collection, changed, text as string)).text,
    ...key,
  ];
}
