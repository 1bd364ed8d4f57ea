// Bytes become lines, in bounded memory whatever comes. Not by node:readline: it also ends a line at U+2028
// and at a lone CR, which JSON's strings may hold, and keeps a line however long it is.

const [lf, cr, quote, comma] = Buffer.from('\n\r",') as unknown as [number, number, number, number];

/** A line: its number, from 1, and its bytes without the line break, or none where there are too many. */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer | undefined;
}

/** Finds the line break that ends a line, from `at` on; -1 where it is not in this chunk. It is asked in the order of the bytes. */
export type FindEnd = (chunk: Buffer, at: number) => number;

/** Lines of text end at LF or CRLF. */
export const findLineEnd: FindEnd = (chunk, at) => chunk.indexOf(lf, at);

/** Makes what finds the ends of records of CSV (RFC 4180), which may hold line breaks in quotes. */
export function buildFindRecordEnd(): FindEnd {
  let quoted = false;
  let opens = true; // whether a quote here opens: where a field begins, or after another quote
  return (chunk, at) => {
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
}

/** The lines that end in each chunk. One of more than `most` bytes is passed over, and told of without its bytes. */
export async function* toLines(chunks: AsyncIterable<Buffer>, most: number, find: FindEnd): AsyncGenerator<Line[]> {
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
    const line = { number, bytes: length > most + 1 || bytes.length > most ? undefined : bytes };
    number += breaks + 1;
    parts = [];
    length = breaks = 0;
    return line;
  };
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let at = 0;
    for (let end = find(chunk, at); end >= 0; end = find(chunk, at)) {
      take(chunk.subarray(at, end));
      lines.push(finish());
      at = end + 1;
    }
    take(chunk.subarray(at));
    yield lines;
  }
  if (length > 0) yield [finish()];
}

function countBreaks(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf(lf); at >= 0; at = part.indexOf(lf, at + 1)) count++;
  return count;
}
