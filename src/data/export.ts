// Exports the pets of one snapshot as text, in order of id.
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Tables } from "../store/index.ts";
import type { Format } from "./format.ts";
import { petFields } from "./pet-schema.ts";

/** The pets to export, and their format. */
export interface Selection {
  readonly format: Format;
  /** Exports only the pets with this status. */
  readonly status?: string | undefined;
  /** Omits the ids, as an import requires it. */
  readonly withoutIds?: boolean | undefined;
}

/** The result of an export. */
export interface ExportSummary {
  /** The number of pets. */
  readonly pets: number;
  /** The SHA-256 of all bytes, in hexadecimal. */
  readonly sha256: string;
}

/**
 * Exports pets in batches. Awaits `write` for each batch before it reads the next one. `progress` receives numbers of
 * pets, without a total if a status is selected.
 */
export function exportPets(
  store: Tables,
  { format, status, withoutIds }: Selection,
  write: (text: string) => Promise<unknown>,
  progress: (done: number, total?: number) => void,
): Promise<ExportSummary> {
  const firstColumn = withoutIds ? 1 : 0;
  const fields = petFields.slice(firstColumn);
  const hash = createHash("sha256");
  const writeAndHash = async (text: string) => {
    hash.update(text);
    await write(text);
  };
  return store.read(async (source) => {
    const total = status === undefined ? await source.count("pets") : undefined;
    let pets = 0;
    await writeAndHash(format.header(fields));
    for await (const rows of status === undefined ? source.rows("pets") : source.petsWith(status)) {
      await writeAndHash(rows.map((row) => format.serialize(fields, row.slice(firstColumn))).join(""));
      pets += rows.length;
      progress(pets, total);
      await setImmediate(); // SQLite reads synchronously: without a pause, no signal would be handled
    }
    return { pets, sha256: hash.digest("hex") };
  });
}
