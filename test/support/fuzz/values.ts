// Generates values that programs often handle incorrectly: numbers, strings, names and nesting, as JSON and as
// parameters.
import type { Random } from "../random.ts";

const planes = Array.from({ length: 17 }, (_, plane) => String.fromCodePoint(plane * 0x10000 + 0xabcd));
const numbers =
  "9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 1e400 -1e400 1e-400 1.0 1e2 1E+2 0.1 -0 -0.0 0x10 NaN Infinity 01 +1 1. .5 1e1000000 1e-1000000 1_000 1n ٣".split(
    " ",
  );
const escapes = [
  "\\u0000",
  "\\ud800",
  "\\udc00\\ud800",
  "\\ud83d\\ude00",
  "\\ufeff",
  "\\uFFFF",
  "\\x41",
  "\\u12",
  "\\",
];
const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "name", "id", "", "0", "\u0000"];

/** Generates `size` bytes of JSON whose field names collide in the low bits of the hash that V8 uses for indexes. */
export function createCollidingBody(size: number, step = 2 ** 11): string {
  const fields: string[] = [];
  for (let n = 1, left = size; left > 0; n++) {
    const field = `"${n * step}":0`;
    fields.push(field);
    left -= field.length + 1;
  }
  return `{${fields.join(",")}}`;
}

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
// Rarely used, because each of them costs as much as a hundred others. The limit of a body is 65,536 bytes.
const large: (() => string)[] = [
  () => nested("[", "]", 30_000),
  () => nested("[", "]", 100_000),
  () => nested('{"a":', "}", 10_000),
  () => nested("[", "", 60_000),
  () => "1".repeat(60_000),
  () => `1${"0".repeat(30_000)}1e-30001`,
  () => `"${"x".repeat(64_000)}"`,
  () => `"${"\u{1f600}".repeat(1001)}"`,
  () => `"${"\\ud83d\\ude00".repeat(1000)}"`,
  () => `"${"x".repeat(200_000)}"`,
  () => `{${Array.from({ length: 5_000 }, (_, n) => `"k${n}":${n}`)}}`,
  () => createCollidingBody(60_000),
];

/** Generates JSON of an unusual value, or invalid JSON. */
export function generateJson(random: Random): string {
  if (random.chance(100)) return random.pick(large)();
  return random.pick([
    () => random.pick(numbers),
    () => `"${random.pick(numbers)}"`,
    () => JSON.stringify(random.pick(planes).repeat(1 + random.int(3))),
    () => `"${random.pick(escapes)}"`,
    () => random.pick(["null", "true", "[]", "{}", '""', "", "[1", '{"a"}', "'a'", "undefined", '"a\nb"', "/**/1"]),
    () => `"${"x".repeat(random.pick([999, 1000, 1001]))}"`,
    () => nested("[", "]", random.int(50)),
    () => `{${generateName(random)}:${random.pick(numbers)}}`,
  ])();
}

/** Generates JSON of an unusual field name. */
export function generateName(random: Random): string {
  return random.chance(5) ? `"${random.pick(escapes)}"` : JSON.stringify(random.pick(names));
}

/** Generates an unusual value of a parameter, as in a request target. */
export function generateText(random: Random): string {
  return random.pick([
    () => random.pick(numbers).replace("٣", "%D9%A3"),
    () => encodeURIComponent(random.pick(planes)),
    () =>
      random.pick(["%", "%zz", "%00", "%C0%AF", "%ED%A0%80", "%FF", "%25", "%2F", "%2e%2e", "..", ".", "", "+", "%20"]),
    () => random.pick(names.slice(0, -1)),
    () => "9".repeat(random.pick([19, 20, 21, 300, 10_000])),
    () =>
      random.pick([
        "'",
        "<script>",
        ";",
        "a=b",
        "[]",
        "{}",
        "|",
        "\\",
        "^",
        "`",
        "1,2",
        "*",
        ":",
        "@",
        "&",
        "&&",
        "=",
        "?",
      ]),
  ])();
}

/** Bytes that are invalid UTF-8, or that JSON must not begin with. */
export const invalidBytes = [
  "\xef\xbb\xbf",
  "\xc0\xaf",
  "\xed\xa0\x80",
  "\xf8\x88\x80\x80\x80",
  "\xff",
  "\x00",
  "\xfe\xff",
].map((text) => Buffer.from(text, "latin1"));
