// Texts for which a parser that backtracks takes quadratic time, and the measurement that finds them.

/** The parts that are repeated: white space, separators, quotes, escapes, digits and letters. */
export const pumps = [
  ...[
    " ",
    "\t",
    ",",
    ";",
    "=",
    '"',
    "'",
    "\\",
    "/",
    "%",
    ":",
    "[",
    "{",
    "<",
    "(",
    "@",
    "0",
    "9",
    "a",
    "-",
    ".",
    "*",
    "&",
  ],
  ...[
    ", ",
    "; ",
    " ,",
    " ;",
    "a,",
    "a;",
    "a=",
    'a="',
    ';a="',
    ";a=b",
    "a ",
    '""',
    '\\"',
    "%25",
    "%5f",
    "1,",
    "1.",
    "::",
  ],
  ...["a/", "a:", "W/", 'W/"', "psk_", "//", "?a", "&a", "&a=1", "a=b&", "..", "-1", "e1"],
];

/** Repeats each pump up to `length` characters, between each prefix and each suffix. */
export function* createWorstCases(length: number, prefixes: readonly string[], suffixes = ["", "x", '"']) {
  for (const prefix of prefixes)
    for (const suffix of suffixes)
      for (const pump of pumps) {
        const room = length - prefix.length - suffix.length;
        yield prefix + pump.repeat(Math.floor(room / pump.length)).padEnd(room, "x") + suffix;
      }
}

const maxRatio = 20;
const minTime = 0.5; // milliseconds: shorter times are not measured exactly

/**
 * Returns the worst cases that take more than 20 times as long as `usual`, a text of ordinary characters of the same
 * length, each with its time. Measures a case that seems slow again, because the machine may be busy.
 */
export async function findSlowCases(
  run: (text: string) => unknown,
  usual: string,
  cases: Iterable<string>,
): Promise<string[]> {
  const measure = async (text: string): Promise<number> => {
    const start = performance.now();
    await run(text);
    return performance.now() - start;
  };
  const minimum = async (text: string, runs: number) => {
    let time = Number.POSITIVE_INFINITY;
    for (let n = 0; n < runs; n++) time = Math.min(time, await measure(text));
    return time;
  };
  await minimum(usual, 20); // until the code is compiled
  const limit = maxRatio * Math.max(await minimum(usual, 20), minTime);
  const slow: string[] = [];
  for (const text of cases) {
    if ((await measure(text)) <= limit) continue;
    const time = await minimum(text, 5);
    if (time > limit) slow.push(`${JSON.stringify(text.slice(0, 40))}… takes ${Math.round(time)} ms`);
  }
  return slow;
}
