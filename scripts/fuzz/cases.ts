// What goes over one connection, by the seed of the run and its number: the same each time.

import { createRandom, type Random } from "../../test/support/random.ts";
import { strange, tear } from "./bytes.ts";
import { mutate } from "./changes.ts";
import { ambiguous } from "./hidden.ts";
import { type Known, makeValid, type Request, readOperations, toBytes } from "./requests.ts";
import type { Sending } from "./wire.ts";

/** What is sent on one connection, and what is known of it. */
export interface Case extends Sending {
  /** How many requests it is made of. */
  readonly size: number;
  /** The requests in their order, where their framing is sound; else none. */
  readonly requests: readonly Request[];
}

// What the connection can end with: behind it no request is sure of an answer.
const closing = /^(connection|upgrade|expect)$/i;

/** Makes the cases of a seed, for a document and a service. */
export function buildCases(document: string, known: Known, seed: number): (number: number) => Case {
  const operations = readOperations(document);
  const make = (random: Random) => makeValid(operations, random, known);
  const sound = (random: Random) => {
    const made = Array.from({ length: 1 + random.int(32) }, () => {
      const request = make(random);
      for (let left = random.pick([0, 0, 1, 1, 2, 3]); left > 0; left--) mutate(request, random);
      return request;
    });
    const last = made.findIndex(({ headers }) => headers.some(([name]) => closing.test(name)));
    const requests = last < 0 ? made : made.slice(0, last + 1);
    return { requests, bytes: Buffer.concat(requests.map(toBytes)) };
  };
  const torn = (random: Random) => {
    const size = 1 + random.int(5);
    let bytes: Buffer = Buffer.concat(Array.from({ length: size }, () => toBytes(make(random))));
    for (let left = 1 + random.int(4); left > 0 && bytes.length > 0; left--) bytes = tear(bytes, random);
    return { size, bytes };
  };
  const odd = (random: Random) => {
    const bytes = random.chance(2) ? ambiguous(known.key, random) : strange(known.key, random);
    return random.chance(4) ? { size: 2, bytes: Buffer.concat([toBytes(make(random)), bytes]) } : { size: 1, bytes };
  };
  return (number) => {
    const random = createRandom(seed * 2 ** 20 + number);
    const made = random.pick([sound, sound, sound, torn, torn, odd])(random);
    const { bytes } = made;
    const requests = "requests" in made ? made.requests : [];
    const size = "size" in made ? made.size : requests.length;
    const cuts = random.chance(3) ? Array.from({ length: random.int(6) }, () => random.int(bytes.length)) : [];
    return {
      bytes,
      cuts: cuts.sort((a, b) => a - b),
      // Only who knows how many answers there will be can wait for them.
      end: random.chance(12) ? "reset" : requests.length > 0 && random.chance(4) ? "wait" : "close",
      // What is no request may be answered, once: it is the last. The parser takes a line without a version, too.
      most: requests.length || (bytes.toString("latin1").match(/HTTP\/\d|[A-Z] \S+\r?\n/g)?.length ?? 0) + 1,
      heads: requests.map(({ method }) => method === "HEAD"),
      size,
      requests,
    };
  };
}
