// The lines of an input as pets, or why they are none: what an import checks before it writes, and then writes.

import { HttpError } from "../http/index.ts";
import type { Document } from "../spec/index.ts";
import type { NewPet } from "../store/index.ts";
import type { Format } from "./formats.ts";
import type { Input } from "./input.ts";
import { toLines } from "./lines.ts";

const mark = Buffer.from("\ufeff"); // before the first line: what some programs write there, it says nothing
const mostBytes = 65_536; // of a line, where the document does not say how long a body may be

/** What was found in a line: the pet, or why it can't be imported. Neither, where there is none in it. */
interface Found {
  /** The number of the line, of the last one where it takes several. */
  readonly number: number;
  readonly pet?: NewPet | undefined;
  readonly problem?: string;
}

/** What an input has. */
export interface Checked {
  readonly pets: number;
  readonly bad: number;
  /** The number of the last line. */
  readonly lines: number;
}

/** Reads an input to its end, and tells of each bad line. Rejects where no line can be read. */
export async function checkInput(
  input: Input,
  format: Format,
  document: Document,
  tell: (problem: string) => void,
  progress: (done: number, total: number) => void,
): Promise<Checked> {
  const checked = { pets: 0, bad: 0, lines: 0 };
  let read = 0;
  const counted = async function* () {
    for await (const chunk of input.read()) {
      yield chunk;
      read += chunk.length;
      progress(read, input.length);
    }
  };
  for await (const found of findPets(counted(), format, document))
    for (const { number, pet, problem } of found) {
      checked.lines = number;
      if (pet) checked.pets++;
      if (problem === undefined) continue;
      checked.bad++;
      tell(problem);
    }
  if (checked.lines === 0 && format.head([]) !== "")
    throw new Error("The input is empty: its first line must name the columns.");
  return checked;
}

/** What is in each line, as many as end in a chunk. Rejects where no line can be read. */
export async function* findPets(
  chunks: AsyncIterable<Buffer>,
  format: Format,
  document: Document,
): AsyncGenerator<Found[]> {
  const { maxBytes = mostBytes } = { ...document.operations.find(({ id }) => id === "createPet")?.body };
  const read = format.buildRead(document);
  for await (const lines of toLines(chunks, maxBytes, format.buildEnds()))
    yield lines.map(({ number: first, last: number, bytes }) => {
      const place = first === number ? `line ${number}` : `lines ${first} to ${number}`;
      if (bytes === undefined) return { number, problem: `${place}: it must have at most ${maxBytes} bytes` };
      const text = first === 1 && bytes.subarray(0, mark.length).equals(mark) ? bytes.subarray(mark.length) : bytes;
      if (text.length === 0) return { number };
      try {
        return { number, pet: read(text) };
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        // Said of a body as a rule.
        const why = error.message.replace(/^The ((body|line) )?/, (_, it) => (it ? "it " : "the "));
        return { number, problem: `${place}: ${why.replace(/\.$/, "")}` };
      }
    });
}
