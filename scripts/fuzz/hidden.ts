// Requests framed so that two readers could take different parts of them for the next request, with
// one hidden where only one of the two would find it.
import type { Random } from "../../test/support/random.ts";

/** The name of a pet that only a request hidden in another one would make. */
export const canary = "smuggled";

/**
 * A request whose end is not certain, with one hidden in it that makes a pet of the canary's name.
 * What may be read in one way only is not among them: leading zeros of a length, spaces around a
 * value, an extension of a chunk.
 */
export function ambiguous(key: string, random: Random): Buffer {
  const host = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
  const json = JSON.stringify({ name: canary, categoryId: 1 });
  const type = "Content-Type: application/json\r\n";
  const hidden = `POST /v1/pets HTTP/1.1\r\n${host}${type}Content-Length: ${json.length}\r\n\r\n${json}`;
  const post = `POST /v1/pets HTTP/1.1\r\n${host}${type}`;
  const size = hidden.length.toString(16);
  // As a reader of chunks has it, the hidden one comes after the end; as a reader of lengths, after the first line.
  const byChunks = (te: string) => `${post}Content-Length: ${hidden.length + 5}\r\n${te}\r\n\r\n0\r\n\r\n${hidden}`;
  const byLength = (te: string) =>
    `${post}Content-Length: ${size.length + 2}\r\n${te}\r\n\r\n${size}\r\n${hidden}\r\n0\r\n\r\n`;
  // Who believes the length finds it after the body; who passes over the header, in its place.
  const believed = (length: (n: number) => string) => `${post}${length(2)}\r\n\r\n{}${hidden}`;
  const ignored = (length: (n: number) => string) => `${post}${length(hidden.length)}\r\n\r\n${hidden}`;
  const text = random.pick([
    () =>
      random.pick([byChunks, byLength])(
        `Transfer-Encoding: ${random.pick(["chunked", "chunked, identity", "identity, chunked", "xchunked", "chunked, chunked", "\x0bchunked", "chunked\x0b", '"chunked"', "chunked;a", "chunke", "identity", "gzip, chunked", "chunked,", ""])}`,
      ),
    () =>
      random.pick([byChunks, byLength])(
        random.pick([
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
        ]),
      ),
    () =>
      random.pick([believed, ignored])(
        (n) =>
          `Content-Length: ${random.pick([`+${n}`, `-${n}`, `0x${n.toString(16)}`, `${n}e0`, `${n}.0`, `${n}, ${n}`, `${n},`, `${n} ${n}`, `${n};`, `"${n}"`, `${n}\0`, `${n}\x0b`, `${2n ** 64n + BigInt(n)}`, `${n}_0`])}`,
      ),
    () =>
      random.pick([believed, ignored])((n) =>
        random.pick([
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
        ]),
      ),
    () =>
      `${post}Transfer-Encoding: chunked\r\n\r\n${random.pick(["0x2", "+2", "-2", "2\n", "2;a\nb", "2g", `${"f".repeat(20)}2`, "", "2\r", "2\0", "2 2", "2,2"])}\r\n{}\r\n0\r\n\r\n${hidden}`,
    () =>
      `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}${random.pick(["", "\n", "x\r\n", "\r", "\0\0"])}0\r\n\r\n${hidden}`,
    () =>
      `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0${random.pick(["\n\n", "\r\r", "\r\nX: y\n\n", "\r\n\n", "\n\r\n", "\r\nX y\r\n\r\n", "\r\n X: y\r\n\r\n"])}${hidden}`,
    () =>
      `GET /v1/pets HTTP/1.1\r\n${host}X: y${random.pick(["\n\n", "\r\r", "\n\r\n", "\r\n\n", "\0\r\n\r\n"])}${hidden}`,
    // Here the end is certain: the hidden one is the body of a request that takes none, or is refused before it is read.
    () =>
      `${random.pick(["GET", "DELETE", "OPTIONS", "QUERY", "FOO"])} ${random.pick(["/v1/pets", "/v1/pets/1", "/nowhere", "/"])} HTTP/1.1\r\n${random.pick([host, "Host: x\r\n"])}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
    () =>
      `${random.pick([post.replace(key, "x"), post.replace(type, ""), post])}${random.pick(["", "Expect: 100-continue\r\n", "Expect: x\r\n"])}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
    () =>
      `${random.pick([post.replace(key, "x"), post.replace(type, ""), post])}Transfer-Encoding: chunked\r\n\r\n${size}\r\n${hidden}\r\n0\r\n\r\n`,
    () => `GET /v1/pets HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n${hidden}`,
    () => `CONNECT x:80 HTTP/1.1\r\n${host}\r\n${hidden}`,
    () => `${post}Content-Length: 70000\r\n\r\n${" ".repeat(70_000 - hidden.length)}${hidden}`,
  ])();
  return Buffer.from(text, "latin1");
}
