// All pets as text, in order of id, as they are at one moment.
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Tables } from "../store/index.ts";
import { type Format, fields } from "./formats.ts";

/** Which pets to give out, and how. */
export interface Selection {
  readonly format: Format;
  /** Only the pets of this status. */
  readonly status?: string | undefined;
  /** Without their ids, as an import takes them. */
  readonly withoutIds?: boolean | undefined;
}

/** What was given out. */
export interface Exported {
  readonly pets: number;
  /** SHA-256 of all bytes, in hexadecimal. */
  readonly sha256: string;
}

/** Hands the text of all pets to `write`, a batch at a time; the next one is made when that has resolved. */
export function exportPets(
  store: Tables,
  { format, status, withoutIds }: Selection,
  write: (text: string) => Promise<unknown>,
  progress: (done: number, total?: number) => void,
): Promise<Exported> {
  const first = withoutIds ? 1 : 0;
  const names = fields.slice(first);
  const hash = createHash("sha256");
  const put = async (text: string) => {
    hash.update(text);
    await write(text);
  };
  return store.read(async (source) => {
    // How many there are of a status is not known before.
    const total = status === undefined ? await source.count("pets") : undefined;
    let pets = 0;
    await put(format.head(names));
    for await (const rows of source.rows("pets", status)) {
      await put(rows.map((row) => format.toLine(names, row.slice(first))).join(""));
      pets += rows.length;
      progress(pets, total);
      await setImmediate(); // the embedded store never waits for anything: signals would not be heard
    }
    return { pets, sha256: hash.digest("hex") };
  });
}
