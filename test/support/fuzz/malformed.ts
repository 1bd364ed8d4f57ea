// Generates bytes that are not valid HTTP: corrupted, truncated, or of another protocol.
import type { Random } from "../random.ts";

const delimiters = [
  "\0",
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  " ",
  "\t",
  ":",
  "\x80",
  "\xff",
  "0",
  "HTTP/1.1",
  "%",
  "\x7f",
  "\v",
  ",",
].map((text) => Buffer.from(text, "latin1"));

/** Corrupts bytes in one place: flips a bit, or inserts, replaces, deletes, duplicates or truncates bytes. */
export function corrupt(bytes: Buffer, random: Random): Buffer {
  const at = random.int(bytes.length);
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(at);
  const span = 1 + random.int(random.pick([2, 8, 64]));
  return random.pick([
    () => Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << random.int(8))]), after.subarray(1)]),
    () => Buffer.concat([before, random.pick(delimiters), after]),
    () => Buffer.concat([before, random.pick(delimiters), after.subarray(1)]),
    () => Buffer.concat([before, after.subarray(span)]),
    () => Buffer.concat([before, after.subarray(0, span), after]),
    () => before,
  ])();
}

const withBareLf = (text: string) => text.replaceAll("\r\n", "\n");

/** Generates bytes without a defined response. They must not harm the service. */
export function generateMalformed(key: string, random: Random): Buffer {
  const host = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
  const get = `GET /v1/pets HTTP/1.1\r\n${host}`;
  const post = `POST /v1/pets HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;
  const text = random.pick([
    () => "GET /v1/pets\r\n",
    () => "GET /v1/pets\r\n\r\n",
    () => `GET /v1/pets HTTP/${random.pick(["0.9", "1.0", "1.2", "2.0", "9.9", "11", "1.1.1", ""])}\r\n${host}\r\n`,
    () => `GET /v1/pets HTTP/1.0\r\n${host}Connection: keep-alive\r\n\r\n`,
    () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
    () => "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\0\x01\x02\x03",
    () => `${get}X: ${"y".repeat(random.pick([16_000, 16_384, 20_000, 100_000]))}\r\n\r\n`,
    () => `${get}${"X: y\r\n".repeat(random.pick([2_000, 2_001, 10_000]))}\r\n`,
    () => `${get}${Array.from({ length: 1_000 }, (_, n) => `X${n}:\r\n`).join("")}\r\n`,
    () => `GET /${"x".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    () => `CONNECT x:80 HTTP/1.1\r\n${host}\r\n`,
    () =>
      `GET ${random.pick(["http://x/v1/pets", "HTTPS://x", "http://", "x:80", "*", "?", "#", "ftp://x/v1/pets", "http://x\\@y/v1/pets"])} HTTP/1.1\r\n${host}\r\n`,
    () =>
      `${get}Connection: Upgrade${random.pick(["", ", HTTP2-Settings"])}\r\nUpgrade: ${random.pick(["h2c", "websocket", "\xff", ""])}\r\nSec-WebSocket-Key: x\r\n\r\n`,
    () =>
      `${post}Expect: ${random.pick(["100-continue", "100-Continue", "200-ok", ""])}\r\nContent-Length: 2\r\n\r\n{}`,
    () => `${post}Content-Length: 9\r\n\r\n{}`,
    () => `${post.replace(key, "x")}Content-Length: 2000000\r\n\r\n{}`,
    () => `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}`,
    () => `${post}Transfer-Encoding: chunked\r\n\r\n2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    () =>
      `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n${random.pick(["Content-Length: 9", "Host: y", "X: y", ":", "\0: x", `X: ${"y".repeat(20_000)}`])}\r\n\r\n`,
    () => "\r\n".repeat(random.int(2_000)),
    () =>
      random.pick(["\0", "\xff\xfe", "{}", "-", "SSH-2.0-x\r\n", "EHLO x\r\n", "<policy-file-request/>\0", "GET", "G"]),
    () => withBareLf(`${get}\r\n`),
    () => `${get}${random.pick(["Connection: close", "Upgrade: h2c", "Expect: 100-continue"])}\r\n\r\n${get}\r\n`,
  ])();
  return Buffer.from(text, "latin1");
}
