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
const minTime = 1; // milliseconds: a shorter time says more about the machine than about the text

/**
 * Returns the worst cases that take more than 20 times as long as `usual`, a text of ordinary characters of the same
 * length, each with its CPU time. Measures a case that seems slow again, in turn with `usual`.
 */
export async function findSlowCases(
  run: (text: string) => unknown,
  usual: string,
  cases: Iterable<string>,
): Promise<string[]> {
  // CPU time, because other processes may use the cores.
  const measure = async (text: string): Promise<number> => {
    const start = process.cpuUsage();
    await run(text);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
  for (let n = 0; n < 20; n++) await run(usual); // until the code is compiled
  const slow: string[] = [];
  for (const text of cases) {
    if ((await measure(text)) <= maxRatio * minTime) continue;
    let [time, usualTime] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let n = 0; n < 5; n++) {
      time = Math.min(time, await measure(text));
      usualTime = Math.min(usualTime, await measure(usual));
    }
    if (time > maxRatio * Math.max(usualTime, minTime))
      slow.push(
        `${JSON.stringify(text.slice(0, 40))}… takes ${Math.round(time)} ms, and usual text ${usualTime.toFixed(1)}`,
      );
  }
  return slow;
}
