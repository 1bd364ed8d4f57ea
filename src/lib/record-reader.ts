// Splits a stream of bytes into records, in bounded memory. A record is a line of NDJSON or a record of CSV.
//
// node:readline was ruled out: it also ends a line at U+2028 and at a lone CR, which JSON strings may contain, and it
// buffers lines of any length.

import { ByteBuffer } from "./byte-buffer.ts";

const [lf, cr] = Buffer.from("\n\r") as unknown as [number, number];

/** A record of an input. */
export interface InputRecord {
  /** The number of its first line, from 1. */
  readonly firstLine: number;
  /** The number of its last line. A quoted field of CSV can have line breaks. */
  readonly lastLine: number;
  /** The bytes without the line break; undefined if there are more than the limit. */
  readonly bytes: Buffer | undefined;
}

/** Finds the ends of records. It is stateful: it must be called with all bytes of an input, in order. */
export interface RecordDelimiter {
  /** Returns the index of the next LF that ends a record, from `start` on, or -1 if the chunk has none. */
  indexOf(chunk: Buffer, start: number): number;
  /** Returns whether the bytes so far end inside quotes. */
  isInQuotes(): boolean;
}

/** The delimiter of JSON lines, whose records have no line breaks. */
export const lineDelimiter: RecordDelimiter = {
  indexOf: (chunk, start) => chunk.indexOf(lf, start),
  isInQuotes: () => false,
};

/**
 * Yields the records that end in each chunk. Discards the bytes of records of more than `maxBytes`. Rejects if the
 * input ends inside quotes, because the open quote makes all following records part of its field.
 */
export async function* readRecords(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  delimiter: RecordDelimiter,
): AsyncGenerator<InputRecord[]> {
  const pending = new PendingRecord(maxBytes);
  for await (const chunk of chunks) {
    const records: InputRecord[] = [];
    let start = 0;
    for (let end = delimiter.indexOf(chunk, start); end >= 0; end = delimiter.indexOf(chunk, start)) {
      pending.append(chunk.subarray(start, end));
      records.push(pending.take());
      start = end + 1;
    }
    pending.append(chunk.subarray(start));
    yield records;
  }
  if (delimiter.isInQuotes())
    throw new Error(`The quotes of a field that begins in line ${pending.firstLine} or later are never closed.`);
  if (pending.length > 0) yield [pending.take()];
}

/** The record whose end has not been read yet. */
class PendingRecord {
  firstLine = 1;
  length = 0; // in bytes, including those that were discarded
  readonly #maxBytes: number;
  #first: Buffer | undefined; // not copied, because most records are in one chunk
  readonly #parts = new ByteBuffer();
  #lineBreaks = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  append(part: Buffer): void {
    this.length += part.length;
    this.#lineBreaks += countLineBreaks(part);
    if (this.#isTooLong()) this.#takeBytes();
    else if (!this.#first?.length) this.#first = part;
    else {
      if (this.#parts.length === 0) this.#parts.append(this.#first);
      this.#parts.append(part);
    }
  }

  /** Returns the record, and continues with the next one. */
  take(): InputRecord {
    const joined = this.#takeBytes();
    const bytes = joined.at(-1) === cr ? joined.subarray(0, -1) : joined;
    const isTooLong = this.#isTooLong() || bytes.length > this.#maxBytes;
    const { firstLine } = this;
    const lastLine = firstLine + this.#lineBreaks;
    this.firstLine = lastLine + 1;
    this.length = this.#lineBreaks = 0;
    return { firstLine, lastLine, bytes: isTooLong ? undefined : bytes };
  }

  #takeBytes(): Buffer {
    const [first, others] = [this.#first ?? Buffer.alloc(0), this.#parts.take()];
    this.#first = undefined;
    return others.length > 0 ? others : first;
  }

  // One byte more than the limit may be the CR of the line break.
  #isTooLong(): boolean {
    return this.length > this.#maxBytes + 1;
  }
}

function countLineBreaks(part: Buffer): number {
  let count = 0;
  for (let index = part.indexOf(lf); index >= 0; index = part.indexOf(lf, index + 1)) count++;
  return count;
}
