// From one store to another, all or nothing: what is there in the end was compared with what was read.
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import {
  type Numbered,
  numbered,
  type Source,
  type Table,
  type Tables,
  type Target,
  tables,
  type Values,
} from "./store/tables.ts";

const names = Object.keys(tables) as Table[];

/** What was copied: the rows of each table, and a SHA-256 over all of them. */
export interface Copied {
  readonly counts: Readonly<Record<Table, number>>;
  readonly checksum: string;
}

/** Told after each batch how far the work is: rows that are done, of how many. */
export type Progress = (doing: "copying" | "comparing", done: number, total: number) => void;

/**
 * Copies all that `from` has into `to`, which must be empty: the pets, keys and records of
 * Idempotency-Keys, the secret that signs cursors, and which id comes next. Rejects with an Error
 * that says what is wrong, and leaves `to` as it was; also where `from` was written to meanwhile.
 */
export function copy(from: Tables, to: Tables, progress: Progress): Promise<Copied> {
  return to.write(async (target) => {
    const { lastIds, ...copied } = await from.read((source) => fill(target, source, progress));
    const now = await from.read(async (source) => ({
      counts: await count(source),
      lastIds: await readLastIds(source),
    }));
    const more = now.counts.pets - copied.counts.pets;
    if (more > 0 || now.counts.keys !== copied.counts.keys || now.lastIds.keys !== lastIds.keys)
      throw new Error(
        `The store to copy was written to meanwhile (${more} more pets): stop its service, and copy again. Nothing was kept.`,
      );
    for (const name of numbered) await target.setLastId(name, lastIds[name]);
    return copied;
  });
}

async function fill(target: Target, source: Source, progress: Progress) {
  const secret = await source.secret();
  if (Buffer.compare(secret, await target.secret()) === 0) throw new Error("The two stores are the same.");
  const found = await count(target);
  if (names.some((name) => found[name] > 0))
    throw new Error(
      `The store to copy to is not empty: it has ${names.map((name) => `${found[name]} rows in ${name}`).join(", ")}.`,
    );

  const counts = await count(source);
  const total = names.reduce((sum, name) => sum + counts[name], 0);
  const lastIds = await readLastIds(source);
  const read = await walk(source, (done) => progress("copying", done, total), target);
  await target.setSecret(secret);
  const checksum = await walk(target, (done) => progress("comparing", done, total));
  const kept = await count(target);
  if (checksum !== read || names.some((name) => kept[name] !== counts[name]))
    throw new Error("The copy is not the same as what was to be copied. Nothing was kept.");
  return { counts, checksum, lastIds };
}

// One after the other: a connection answers one question at a time.
async function count(source: Source): Promise<Record<Table, number>> {
  const counts: Partial<Record<Table, number>> = {};
  for (const name of names) counts[name] = await source.count(name);
  return counts as Record<Table, number>;
}

async function readLastIds(source: Source): Promise<Record<Numbered, bigint>> {
  const ids: Partial<Record<Numbered, bigint>> = {};
  for (const name of numbered) ids[name] = await source.lastId(name);
  return ids as Record<Numbered, bigint>;
}

// Reads all rows, into `target` if there is one, and gives their checksum.
async function walk(source: Source, progress: (done: number) => void, target?: Target): Promise<string> {
  const hash = createHash("sha256");
  let done = 0;
  for (const name of names) {
    hash.update(`${name}\n`);
    for await (const rows of source.rows(name)) {
      hash.update(`${rows.map(toLine).join("\n")}\n`);
      await target?.add(name, rows);
      done += rows.length;
      progress(done);
      await setImmediate(); // two embedded stores never wait for anything: signals would not be heard
    }
  }
  return hash.digest("hex");
}

function toLine(row: Values): string {
  const parts = row.map((value) => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
    return typeof value === "bigint" ? String(value) : JSON.stringify(value);
  });
  return parts.join();
}
