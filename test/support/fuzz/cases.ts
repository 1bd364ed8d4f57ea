// Generates the cases of a fuzz run. A case is the content of one connection. The seed and the number of a case
// determine it.
import { createRandom, type Random } from "../random.ts";
import type { Transmission } from "./exchange.ts";
import { corrupt, generateMalformed } from "./malformed.ts";
import { mutate } from "./mutations.ts";
import { generateValid, type Inputs, type Request, readOperations, serialize } from "./requests.ts";
import { generateAmbiguous } from "./smuggling.ts";

/** The content of a connection, and the expectations for its responses. */
export interface Case extends Transmission {
  /** The number of generated requests. */
  readonly size: number;
  /** The requests in order if their framing is valid; otherwise empty. */
  readonly requests: readonly Request[];
}

// After a request with such a header, the connection may be closed.
const closingHeader = /^(connection|upgrade|expect)$/i;

/** Creates the generator of a seed, for a document and the inputs of a service. */
export function createCaseGenerator(document: string, inputs: Inputs, seed: number): (number: number) => Case {
  const operations = readOperations(document);
  const generate = (random: Random) => generateValid(operations, random, inputs);
  const wellFramed = (random: Random) => {
    const generated = Array.from({ length: 1 + random.int(32) }, () => {
      const request = generate(random);
      for (let left = random.pick([0, 0, 1, 1, 2, 3]); left > 0; left--) mutate(request, random);
      return request;
    });
    const last = generated.findIndex(({ headers }) => headers.some(([name]) => closingHeader.test(name)));
    const requests = last < 0 ? generated : generated.slice(0, last + 1);
    return { size: requests.length, requests, bytes: Buffer.concat(requests.map(serialize)) };
  };
  const corrupted = (random: Random) => {
    const size = 1 + random.int(5);
    let bytes: Buffer = Buffer.concat(Array.from({ length: size }, () => serialize(generate(random))));
    for (let left = 1 + random.int(4); left > 0 && bytes.length > 0; left--) bytes = corrupt(bytes, random);
    return { size, requests: [], bytes };
  };
  const malformed = (random: Random) => {
    const bytes = random.chance(2) ? generateAmbiguous(inputs.key, random) : generateMalformed(inputs.key, random);
    if (!random.chance(4)) return { size: 1, requests: [], bytes };
    return { size: 2, requests: [], bytes: Buffer.concat([serialize(generate(random)), bytes]) };
  };
  return (number) => {
    const random = createRandom(seed * 2 ** 20 + number);
    const kind = random.pick([wellFramed, wellFramed, wellFramed, corrupted, corrupted, malformed]);
    const { size, requests, bytes } = kind(random);
    const splits = random.chance(3) ? Array.from({ length: random.int(6) }, () => random.int(bytes.length)) : [];
    return {
      bytes,
      splits: splits.sort((a, b) => a - b),
      // Waiting is possible only if the number of responses is known.
      end: random.chance(12) ? "reset" : requests.length > 0 && random.chance(4) ? "wait" : "close",
      maxResponses: requests.length || countRequestLines(bytes) + 1,
      heads: requests.map(({ method }) => method === "HEAD"),
      size,
      requests,
    };
  };
}

// Counts what may be a request line. The parser also accepts lines without a version. Other bytes get at most one
// response, which is the last.
function countRequestLines(bytes: Buffer): number {
  return bytes.toString("latin1").match(/HTTP\/\d|[A-Z] \S+\r?\n/g)?.length ?? 0;
}
