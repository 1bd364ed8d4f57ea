// Bytes become lines, in bounded memory whatever comes. Not by node:readline: it also ends a line at U+2028
// and at a lone CR, which JSON's strings may hold, and keeps a line however long it is.

const [lf, cr, quote, comma] = Buffer.from('\n\r",') as unknown as [number, number, number, number];

/** A line: its number, from 1, that of the last one it takes, and its bytes without the line break, or none where there are too many. */
export interface Line {
  readonly number: number;
  readonly last: number;
  readonly bytes: Buffer | undefined;
}

/** Finds where lines end. It is asked in the order of the bytes. */
export interface Ends {
  /** The line break that ends a line, from `at` on; -1 where it is not in this chunk. */
  find(chunk: Buffer, at: number): number;
  /** Whether what was seen last stands in quotes. */
  inQuotes(): boolean;
}

/** Lines of text end at LF or CRLF. */
export const lineEnds: Ends = { find: (chunk, at) => chunk.indexOf(lf, at), inQuotes: () => false };

/** Makes what finds the ends of records of CSV (RFC 4180), which may hold line breaks in quotes. */
export function buildRecordEnds(): Ends {
  let quoted = false;
  let opens = true; // whether a quote here opens: where a field begins, or after another quote
  const find = (chunk: Buffer, at: number): number => {
    for (let index = at; index < chunk.length; index++) {
      const byte = chunk[index];
      if (quoted) {
        quoted = byte !== quote;
        opens = !quoted;
      } else if (byte === lf) {
        opens = true;
        return index;
      } else {
        quoted = opens && byte === quote;
        opens = byte === comma;
      }
    }
    return -1;
  };
  return { find, inQuotes: () => quoted };
}

/**
 * The lines that end in each chunk. One of more than `most` bytes is passed over, and told of without its bytes. Rejects
 * where quotes are not closed: all that follows would pass for a part of them.
 */
export async function* toLines(chunks: AsyncIterable<Buffer>, most: number, ends: Ends): AsyncGenerator<Line[]> {
  let number = 1;
  let parts: Buffer[] = []; // of a line whose end has not come
  let length = 0;
  let breaks = 0;
  const take = (part: Buffer): void => {
    length += part.length;
    breaks += countBreaks(part);
    parts = length > most + 1 ? [] : [...parts, part]; // one more: it may be the CR of the line break
  };
  const finish = (): Line => {
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const bytes = whole.at(-1) === cr ? whole.subarray(0, -1) : whole;
    const last = number + breaks;
    const line = { number, last, bytes: length > most + 1 || bytes.length > most ? undefined : bytes };
    number = last + 1;
    parts = [];
    length = breaks = 0;
    return line;
  };
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let at = 0;
    for (let end = ends.find(chunk, at); end >= 0; end = ends.find(chunk, at)) {
      take(chunk.subarray(at, end));
      lines.push(finish());
      at = end + 1;
    }
    take(chunk.subarray(at));
    yield lines;
  }
  if (ends.inQuotes()) throw new Error(`The quotes that open in line ${number}, or after it, are never closed.`);
  if (length > 0) yield [finish()];
}

function countBreaks(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf(lf); at >= 0; at = part.indexOf(lf, at + 1)) count++;
  return count;
}
