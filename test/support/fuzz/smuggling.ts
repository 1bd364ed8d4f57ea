// Generates requests with ambiguous framing (request smuggling): two parsers could disagree where a request ends, and
// only one of them would find a second request.
import type { Random } from "../random.ts";

/** The name of a pet that only a smuggled request creates. */
export const canary = "smuggled";

// Headers that only some parsers read as Transfer-Encoding.
const transferEncodings = [
  "Transfer-Encoding : chunked",
  "Transfer-Encoding\t: chunked",
  "Transfer-Encoding:\r\n chunked",
  "X: y\nTransfer-Encoding: chunked",
  "X: y\rTransfer-Encoding: chunked",
  "X: y\0\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
  "Transfer_Encoding: chunked\r\nTransfer-Encoding: chunked",
  "\0Transfer-Encoding: chunked",
  " Transfer-Encoding: chunked",
];

// Headers that only some parsers read as Content-Length.
const contentLengths = (n: number) => [
  `Content-Length : ${n}`,
  `Content-Length\t: ${n}`,
  `Content-Length:\r\n ${n}`,
  `X: y\nContent-Length: ${n}`,
  `X: y\rContent-Length: ${n}`,
  `X: y\0\r\nContent-Length: ${n}`,
  ` Content-Length: ${n}`,
  `Content-Length: ${n}\r\nContent-Length: ${n}`,
  `Content-Length: ${n}\r\nContent-Length: 7`,
  `Content-Length: 7\r\nContent-Length: ${n}`,
  `Content\0-Length: ${n}`,
  `X\r\nContent-Length: ${n}`,
];

/**
 * Generates a request with an ambiguous end. It contains another request, which creates a pet named `canary`. Framing
 * that has only one interpretation is excluded: leading zeros of a length, spaces around a value, chunk extensions.
 */
export function generateAmbiguous(key: string, random: Random): Buffer {
  const host = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
  const json = JSON.stringify({ name: canary, categoryId: 1 });
  const type = "Content-Type: application/json\r\n";
  const smuggled = `POST /v1/pets HTTP/1.1\r\n${host}${type}Content-Length: ${json.length}\r\n\r\n${json}`;
  const post = `POST /v1/pets HTTP/1.1\r\n${host}${type}`;
  const size = smuggled.length.toString(16);
  // To a parser that prefers Transfer-Encoding, the first one ends before the smuggled request.
  // To a parser that prefers Content-Length, the second one ends before the smuggled request.
  const clTe = (te: string) => `${post}Content-Length: ${smuggled.length + 5}\r\n${te}\r\n\r\n0\r\n\r\n${smuggled}`;
  const teCl = (te: string) =>
    `${post}Content-Length: ${size.length + 2}\r\n${te}\r\n\r\n${size}\r\n${smuggled}\r\n0\r\n\r\n`;
  // A parser that accepts the length finds the smuggled request after the body. A parser that ignores it finds it as
  // the next request.
  const acceptedLength = (length: (n: number) => string) => `${post}${length(2)}\r\n\r\n{}${smuggled}`;
  const ignoredLength = (length: (n: number) => string) => `${post}${length(smuggled.length)}\r\n\r\n${smuggled}`;
  const text = random.pick([
    () =>
      random.pick([clTe, teCl])(
        `Transfer-Encoding: ${random.pick(["chunked", "chunked, identity", "identity, chunked", "xchunked", "chunked, chunked", "\x0bchunked", "chunked\x0b", '"chunked"', "chunked;a", "chunke", "identity", "gzip, chunked", "chunked,", ""])}`,
      ),
    () => random.pick([clTe, teCl])(random.pick(transferEncodings)),
    () =>
      random.pick([acceptedLength, ignoredLength])(
        (n) =>
          `Content-Length: ${random.pick([`+${n}`, `-${n}`, `0x${n.toString(16)}`, `${n}e0`, `${n}.0`, `${n}, ${n}`, `${n},`, `${n} ${n}`, `${n};`, `"${n}"`, `${n}\0`, `${n}\x0b`, `${2n ** 64n + BigInt(n)}`, `${n}_0`])}`,
      ),
    () => random.pick([acceptedLength, ignoredLength])((n) => random.pick(contentLengths(n))),
    () =>
      `${post}Transfer-Encoding: chunked\r\n\r\n${random.pick(["0x2", "+2", "-2", "2\n", "2;a\nb", "2g", `${"f".repeat(20)}2`, "", "2\r", "2\0", "2 2", "2,2"])}\r\n{}\r\n0\r\n\r\n${smuggled}`,
    () =>
      `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}${random.pick(["", "\n", "x\r\n", "\r", "\0\0"])}0\r\n\r\n${smuggled}`,
    () =>
      `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0${random.pick(["\n\n", "\r\r", "\r\nX: y\n\n", "\r\n\n", "\n\r\n", "\r\nX y\r\n\r\n", "\r\n X: y\r\n\r\n"])}${smuggled}`,
    () =>
      `GET /v1/pets HTTP/1.1\r\n${host}X: y${random.pick(["\n\n", "\r\r", "\n\r\n", "\r\n\n", "\0\r\n\r\n"])}${smuggled}`,
    // The end is unambiguous: the smuggled request is a body that the operation does not accept, or that is rejected
    // unread.
    () =>
      `${random.pick(["GET", "DELETE", "OPTIONS", "QUERY", "FOO"])} ${random.pick(["/v1/pets", "/v1/pets/1", "/nowhere", "/"])} HTTP/1.1\r\n${random.pick([host, "Host: x\r\n"])}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    () =>
      `${random.pick([post.replace(key, "x"), post.replace(type, ""), post])}${random.pick(["", "Expect: 100-continue\r\n", "Expect: x\r\n"])}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    () =>
      `${random.pick([post.replace(key, "x"), post.replace(type, ""), post])}Transfer-Encoding: chunked\r\n\r\n${size}\r\n${smuggled}\r\n0\r\n\r\n`,
    () => `GET /v1/pets HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n${smuggled}`,
    () => `CONNECT x:80 HTTP/1.1\r\n${host}\r\n${smuggled}`,
    () => `${post}Content-Length: 70000\r\n\r\n${" ".repeat(70_000 - smuggled.length)}${smuggled}`,
  ])();
  return Buffer.from(text, "latin1");
}
