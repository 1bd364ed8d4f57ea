// Imports records in batches. Each transaction adds a batch and its checkpoint, so that an import that was stopped resumes
// without missing or repeating a line.
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { formatTime } from "../lib/index.ts";
import { type ImportedRecord, type Resource, readResources } from "../resources/index.ts";
import {
  addressOf,
  idColumn,
  maxNumber,
  newAddress,
  type RecordId,
  type Tables,
  toAddress,
  toScope,
  type Values,
  writeMembers,
  writeRecord,
} from "../store/index.ts";
import {
  type Checkpoint,
  findCheckpointRow,
  initialCheckpoint,
  isSameRow,
  toCheckpoint,
  toCheckpointRow,
} from "./import-checkpoint.ts";
import { type ImportSource, type InputSummary, parseRecords } from "./validate-input.ts";

const batchSize = 2_000; // records
const minPause = 20; // milliseconds between two transactions, in which a running service can write

/** Called after each batch with the number of records that were written. Stops the import if it throws. */
export type ImportProgress = (done: number, total: number) => void;

/** An input, and the result of its validation. */
export interface ValidatedInput extends ImportSource {
  readonly checked: InputSummary;
}

/** The handling of an existing checkpoint of the same input. Without an option, the import is rejected. */
export interface ImportOptions {
  /** Continue after the checkpoint. */
  readonly resume?: boolean | undefined;
  /** Import all lines again. */
  readonly fromStart?: boolean | undefined;
}

/** The last checkpoint, and the number of records that earlier imports had written. */
export type ImportResult = Checkpoint & { readonly before: number };

/**
 * Imports the records of an input, except those before the checkpoint from which it resumes. Skips invalid records.
 * Rejects with an Error that reports the last checkpoint if the import is stopped or fails.
 */
export async function importRecords(
  store: Tables,
  source: ValidatedInput,
  { resume, fromStart }: ImportOptions,
  progress: ImportProgress,
): Promise<ImportResult> {
  const row = await store.read((tables) => findCheckpointRow(tables, digestOf(source)));
  const previous = row ? toCheckpoint(row) : initialCheckpoint;
  if (row && !resume && !fromStart)
    throw new Error(
      previous.complete
        ? `The file was already imported (${previous.records} ${source.resource.name}, ${formatTime(previous.writtenAt)}). Use --resume to skip it, or --from-start to import it again.`
        : `An import of the file has not finished: ${describe(previous, source.resource)}. Use --resume to continue, or --from-start to import all lines again.`,
    );
  const start = resume ? previous : initialCheckpoint;
  const before = start.records;
  if (start.complete) return { ...start, before };
  const writer = new BatchWriter(store, source, row, start);
  try {
    let lastCommit = 0;
    for await (const { records, lines, complete } of readBatches(source, start.lines)) {
      if (!complete) await pause(Math.max(0, minPause - (performance.now() - lastCommit)));
      await writer.write(records, lines, complete);
      progress(writer.checkpoint.records - before, source.checked.records - before);
      lastCommit = performance.now();
    }
  } catch (error) {
    const isCheckpointRead = await writer.recover();
    // If the last batch was committed, a late stop or a lost response is no failure.
    if (!writer.checkpoint.complete)
      throw describeFailure(error as Error, writer.checkpoint, source.resource, isCheckpointRead);
  }
  return { ...writer.checkpoint, before };
}

interface Batch {
  readonly records: readonly ImportedRecord[];
  /** The number of the last line of the batch, or of the input if the batch is the last one. */
  readonly lines: number;
  /** Whether the batch is the last one. */
  readonly complete: boolean;
}

async function* readBatches(source: ValidatedInput, skippedLines: number): AsyncGenerator<Batch> {
  let records: ImportedRecord[] = [];
  let lines = 0;
  for await (const parsed of parseRecords(source.input.read(), source))
    for (const { lastLine, record } of parsed) {
      if (record === undefined || lastLine <= skippedLines) continue;
      if (records.length === batchSize) {
        yield { records, lines, complete: false };
        records = [];
      }
      records.push(record);
      lines = lastLine;
    }
  yield { records, lines: source.checked.lines, complete: true };
}

/** The cause of the failure of an import during which another process has imported a part of the same input. */
export class ConcurrentImport extends Error {}

/** Writes the batches of one input, and tracks its checkpoint. */
class BatchWriter {
  checkpoint: Checkpoint;
  readonly #store: Tables;
  readonly #source: ValidatedInput;
  readonly #digest: Uint8Array;
  /** The row of the checkpoint in the store. */
  #row: Values | undefined;
  /** The row of the last transaction, whether it was committed or not. */
  #attemptedRow: Values | undefined;

  /** `row` is that of a checkpoint in the store, `checkpoint` the one after which it continues. */
  constructor(store: Tables, source: ValidatedInput, row: Values | undefined, checkpoint: Checkpoint) {
    this.#store = store;
    this.#source = source;
    this.#digest = digestOf(source);
    this.#row = row;
    this.checkpoint = checkpoint;
  }

  /** Writes a batch and its checkpoint in one transaction. Rejects if another import has changed the checkpoint. */
  async write(records: readonly ImportedRecord[], lines: number, complete: boolean): Promise<void> {
    const next = { lines, records: this.checkpoint.records + records.length, complete, writtenAt: new Date() };
    const row = toCheckpointRow(this.#digest, next);
    this.#attemptedRow = row;
    const { collection } = this.#source.resource;
    await this.#store.write(async (target) => {
      if (!isSameRow(await findCheckpointRow(target, this.#digest), this.#row))
        throw new ConcurrentImport("Another process is importing the same file.");
      const { rows, lastId } = this.#toRows(records, await target.lastId(collection.name));
      await target.add(collection.name, rows);
      await target.remove("imports", this.#digest);
      await target.add("imports", [row]);
      await target.setLastId(collection.name, lastId);
    });
    this.#row = row;
    this.checkpoint = next;
  }

  // Generated numbers are higher than the last one of the store, and than all integer ids of the file.
  #toRows(records: readonly ImportedRecord[], lastId: bigint): { rows: Values[]; lastId: bigint } {
    const { checked, resource } = this.#source;
    const { collection } = resource;
    let last = lastId > checked.highestId ? lastId : checked.highestId;
    const rows = records.map((imported): Values => {
      const isNumbered = typeof imported.id === "bigint" && idColumn(collection) === "id";
      const number = isNumbered ? (imported.id as bigint) : ++last;
      if (number > maxNumber) throw new Error(`No number for a record of ${collection.name} is left`);
      const address = this.#addressOf(imported, number);
      const { text } = writeRecord(collection, address, writeMembers(collection, imported.record));
      return idColumn(collection) === "id" ? [number, text] : [number, text, `${address}`];
    });
    return { rows, lastId: last };
  }

  #addressOf({ scope, id }: ImportedRecord, number: bigint): RecordId {
    const { collection } = this.#source.resource;
    if (id === undefined) return addressOf(collection, { key: newAddress(collection, { scope }), scope }, number);
    return collection.isScoped ? toAddress(scope, id) : id;
  }

  /**
   * Reads the checkpoint again after an error, because a transaction can be committed although its response was lost.
   * Returns false if the store can't be read.
   */
  async recover(): Promise<boolean> {
    const read = () => this.#store.read((source) => findCheckpointRow(source, this.#digest));
    const [row, isRead] = await read().then(
      (row) => [row, true] as const,
      () => [undefined, false] as const,
    );
    if (row && this.#attemptedRow && isSameRow(row, this.#attemptedRow)) this.checkpoint = toCheckpoint(row);
    return isRead;
  }
}

// The same file can be imported into several collections and scopes.
function digestOf({ input, resource, scope = [] }: ImportSource): Uint8Array {
  const digest = input.digest();
  const isOnly = readResources(resource.record.document).length === 1 && scope.length === 0;
  const place = JSON.stringify([resource.name, toScope(scope)]);
  return isOnly ? digest : createHash("sha256").update(digest).update(place).digest();
}

function describeFailure(error: Error, checkpoint: Checkpoint, resource: Resource, isCheckpointRead: boolean): Error {
  const reason = error.message.replace(/\.$/, "");
  const progress =
    checkpoint.lines > 0 ? `${describe(checkpoint, resource)}. Use --resume to continue` : "Nothing was imported";
  const state = isCheckpointRead
    ? progress
    : "It is unknown whether the last batch was imported. Use --resume to continue";
  return new Error(`${reason}. ${state}.`, { cause: error });
}

function describe({ lines, records }: Checkpoint, { name }: Resource): string {
  return `${records} ${name} were imported, up to line ${lines}`;
}
