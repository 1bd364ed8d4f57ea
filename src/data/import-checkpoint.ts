// The checkpoint of an import: a row of the table `imports` for each input, which is written in the same transaction
// as each batch. A stopped import resumes after the last line of its checkpoint.
import type { TableReader, Values } from "../store/index.ts";
import { valueToText } from "./checksum.ts";

/** The progress of the import of one input. */
export interface Checkpoint {
  /** The number of the last line that was imported. */
  readonly lines: number;
  /** The number of records that were imported. */
  readonly records: number;
  readonly complete: boolean;
  readonly writtenAt: Date;
}

/** The checkpoint before the first line. */
export const initialCheckpoint: Checkpoint = { lines: 0, records: 0, complete: false, writtenAt: new Date(0) };

/** Returns the row of the input with this SHA-256 digest, or undefined if its import never wrote a batch. */
export async function findCheckpointRow(source: TableReader, digest: Uint8Array): Promise<Values | undefined> {
  const rows = (await Array.fromAsync(source.rows("imports"))).flat();
  return rows.find(([known]) => Buffer.compare(known as Uint8Array, digest) === 0);
}

/** Converts a row to a checkpoint. */
export function toCheckpoint([, lines, records, complete, writtenAt]: Values): Checkpoint {
  return {
    lines: Number(lines),
    records: Number(records),
    complete: complete === 1n,
    writtenAt: new Date(Number(writtenAt)),
  };
}

/** Converts a checkpoint to a row. */
export function toCheckpointRow(digest: Uint8Array, { lines, records, complete, writtenAt }: Checkpoint): Values {
  return [digest, ...[lines, records, Number(complete), writtenAt.getTime()].map(BigInt)];
}

/** Returns whether two rows have the same values, or whether both are undefined. */
export function isSameRow(one: Values | undefined, other: Values | undefined): boolean {
  return one?.map(valueToText).join() === other?.map(valueToText).join();
}
