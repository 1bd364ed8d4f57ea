// Many pets from a file. All of it is checked before the first one is written; then whole batches, each in a
// transaction with the record of how far it is, so that an import that was stopped can go on just there.
import { setTimeout as pause } from "node:timers/promises";
import { formatTime } from "../lib/index.ts";
import type { Document } from "../spec/index.ts";
import { type NewPet, newPetColumns, type TableReader, type Tables, type Values } from "../store/index.ts";
import type { Format } from "./formats.ts";
import type { Input } from "./input.ts";
import { type Checked, findPets } from "./input-check.ts";
import { toText } from "./inventory.ts";

const batch = 2_000; // pets
const between = 20; // milliseconds at least from one batch to the next, in which a service's creates get their turn

/** Told how many pets were written, of how many. Where it throws, the import stops. */
export type Progress = (done: number, total: number) => void;

/** How far an import is. */
interface Mark {
  readonly lines: number;
  readonly pets: number;
  readonly complete: boolean;
  readonly at: Date;
}

/** How to go on with an input whose import was begun before. */
export interface ImportOptions {
  readonly resume?: boolean | undefined;
  readonly fromStart?: boolean | undefined;
}

/**
 * Imports the pets of an input that was checked, but for those that were imported before: how many are there now.
 * Rejects where its import was begun before, and nothing says how to go on; and where it is stopped half-way, with
 * how far it is.
 */
export async function importPets(
  store: Tables,
  { input, format, document, checked }: { input: Input; format: Format; document: Document; checked: Checked },
  { resume, fromStart }: ImportOptions,
  progress: Progress,
): Promise<Mark & { before: number }> {
  const digest = input.digest();
  let record = await store.read((source) => findRecord(source, digest));
  const begun = readMark(record);
  if (record && !resume && !fromStart)
    throw new Error(
      begun.complete
        ? `This input was imported before, ${formatTime(begun.at)}: ${begun.pets} pets. All of them once more are with --from-start.`
        : `An import of this input was begun, and is not finished: ${say(begun)}. Go on with --resume, or import all lines once more with --from-start.`,
    );
  let done = resume ? begun : readMark();
  const { lines: passed, pets: before } = done;
  let trying: { next: Mark; row: Values } | undefined;
  if (done.complete) return { ...done, before };
  const write = async (pets: readonly NewPet[], lines: number, complete: boolean): Promise<void> => {
    const next = { lines, pets: done.pets + pets.length, complete, at: new Date() };
    const row = [digest, ...[lines, next.pets, Number(complete), next.at.getTime()].map(BigInt)];
    trying = { next, row };
    await store.write(async (target) => {
      if (toLine(await findRecord(target, digest)) !== toLine(record))
        throw new Error("Another process imports the same input.");
      const last = await target.lastId("pets");
      const rows = pets.map((pet, index) => [
        last + 1n + BigInt(index),
        ...newPetColumns.map(({ field }) => pet[field] ?? null),
      ]);
      await target.add("pets", rows);
      await target.remove("imports", digest);
      await target.add("imports", [row]);
      await target.setLastId("pets", last + BigInt(rows.length));
    });
    record = row;
    done = next;
    progress(done.pets - before, checked.pets - before);
  };
  try {
    let some: NewPet[] = [];
    let last = 0; // the line of the last of them
    let free = 0; // since when the store is left to others
    for await (const found of findPets(input.read(), format, document))
      for (const { number, pet } of found) {
        if (pet === undefined || number <= passed) continue;
        if (some.length === batch) {
          await pause(Math.max(0, between - (performance.now() - free)));
          await write(some, last, false);
          free = performance.now();
          some = [];
        }
        some.push(pet);
        last = number;
      }
    await write(some, checked.lines, true);
    return { ...done, before };
  } catch (error) {
    // The answer to the last batch may be lost, and the batch there.
    const now = await store.read((source) => findRecord(source, digest)).then(toLine, () => undefined);
    if (trying && now === toLine(trying.row)) done = trying.next;
    if (done.complete) return { ...done, before }; // told to stop, say, when there was nothing left to do
    const why = (error as Error).message.replace(/\.$/, "");
    const far = done.lines > 0 ? `${say(done)}; the same with --resume goes on after them` : "Nothing was imported";
    const lost =
      now === undefined ? "Whether the last batch is there is not known: the same with --resume finds out" : far;
    throw new Error(`${why}. ${lost}.`, { cause: error });
  }
}

function toLine(record: Values | undefined): string {
  return `${record?.map(toText)}`;
}

function say({ lines, pets }: Mark): string {
  return `${pets} pets are there, of the lines up to ${lines}`;
}

async function findRecord(source: TableReader, digest: Uint8Array): Promise<Values | undefined> {
  for await (const rows of source.rows("imports"))
    for (const row of rows) if (Buffer.compare(row[0] as Uint8Array, digest) === 0) return row;
  return undefined;
}

function readMark(record: Values = [null, 0n, 0n, 0n, 0n]): Mark {
  const [, lines, pets, complete, at] = record;
  return { lines: Number(lines), pets: Number(pets), complete: complete === 1n, at: new Date(Number(at)) };
}
