// Parses and validates the records of an input. An import validates all of them before it writes the first one.
import { type InputRecord, InvalidValue, readRecords } from "../lib/index.ts";
import { type ImportedRecord, ImportReader, type Resource } from "../resources/index.ts";
import type { Format, ParseRecord } from "./formats/format.ts";
import type { Input } from "./input-file.ts";

const maxKnownIds = 200_000; // whose duplicates are found before the import

const byteOrderMark = Buffer.from("\ufeff"); // some programs write it at the start of a file
const defaultMaxBytes = 4_194_304; // of a record, if the document has no limit for a body
const wholeFactor = 4; // of a whole record, which has more than the body of a request

/** A parsed record: a record, a problem, or neither for an empty line and a header. */
interface ParsedRecord {
  readonly lastLine: number;
  readonly record?: ImportedRecord | undefined;
  readonly problem?: string;
}

/** The result of a validation. */
export interface InputSummary {
  /** The number of valid records. */
  readonly records: number;
  /** The number of invalid records. */
  readonly bad: number;
  /** The number of the last line. */
  readonly lines: number;
  /** The highest integer id of a record, or 0. */
  readonly highestId: bigint;
}

/** The records to import, and their collection. */
export interface ImportSource {
  readonly input: Input;
  readonly format: Format;
  readonly resource: Resource;
  /** The values of the parameters of the resource's path, for records that do not have them. */
  readonly scope?: readonly string[] | undefined;
}

export interface InputValidation extends ImportSource {
  /** Called for each problem. */
  readonly report: (problem: string) => void;
  /** Called with numbers of bytes. */
  readonly progress: (done: number, total: number) => void;
}

/** Validates all records of an input. Rejects if no record can be parsed. */
export async function validateInput(validation: InputValidation): Promise<InputSummary> {
  const { input, format, report, progress } = validation;
  const summary = { records: 0, bad: 0, lines: 0, highestId: 0n };
  const ids = new Set<string>();
  const isRepeated = ({ id, scope }: ImportedRecord): boolean => {
    if (id === undefined || ids.size === maxKnownIds) return false;
    const known = ids.size;
    return ids.add(`${scope}${id}`).size === known;
  };
  let bytesRead = 0;
  const readWithProgress = async function* () {
    for await (const chunk of input.read()) {
      yield chunk;
      bytesRead += chunk.length;
      progress(bytesRead, input.length);
    }
  };
  for await (const records of parseRecords(readWithProgress(), validation))
    for (const { lastLine, record, problem } of records) {
      summary.lines = lastLine;
      const repeated = record && isRepeated(record) && `line ${lastLine}: another line has the same id, ${record.id}`;
      const found = problem || repeated;
      if (found) {
        summary.bad++;
        report(found);
      } else if (record) {
        summary.records++;
        if (typeof record.id === "bigint" && record.id > summary.highestId) summary.highestId = record.id;
      }
    }
  if (summary.lines === 0 && format.hasHeader)
    throw new Error("The file is empty. Its first line must be a header with the names of the columns.");
  return summary;
}

/** Yields the parsed records that end in each chunk. Rejects if no record can be parsed. */
export async function* parseRecords(
  chunks: AsyncIterable<Buffer>,
  { format, resource, scope }: ImportSource,
): AsyncGenerator<ParsedRecord[]> {
  const { maxBytes = defaultMaxBytes } = resource;
  const parse = format.createParser(new ImportReader(resource, scope));
  for await (const records of readRecords(chunks, wholeFactor * maxBytes, format.createDelimiter()))
    yield records.map((record) => parseRecord(record, format, parse, maxBytes));
}

function parseRecord(
  { firstLine, lastLine, bytes }: InputRecord,
  { field }: Format,
  parse: ParseRecord,
  maxBytes: number,
): ParsedRecord {
  const describe = (problem: string) =>
    `${firstLine === lastLine ? `line ${lastLine}` : `lines ${firstLine} to ${lastLine}`}: ${problem}`;
  if (bytes === undefined) return { lastLine, problem: describe(tooLong(maxBytes)) };
  const text = firstLine === 1 ? removeByteOrderMark(bytes) : bytes;
  if (text.length === 0) return { lastLine };
  try {
    const record = parse(text);
    if (record && !record.isWhole && bytes.length > maxBytes) return { lastLine, problem: describe(tooLong(maxBytes)) };
    return { lastLine, record };
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const { path, requirement } = error;
    return { lastLine, problem: describe(`${path === "" ? "it" : `the ${field} '${path}'`} ${requirement}`) };
  }
}

function tooLong(maxBytes: number): string {
  return `it must have at most ${maxBytes} bytes`;
}

function removeByteOrderMark(bytes: Buffer): Buffer {
  const hasMark = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  return hasMark ? bytes.subarray(byteOrderMark.length) : bytes;
}
