// Content codings of request bodies (RFC 9110, section 8.4.1).
import type { Readable, Transform } from "node:stream";
import zlib from "node:zlib";
import { HttpError } from "../../http/index.ts";
import { shorten } from "../../lib/index.ts";

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};
const supported = "gzip, deflate, br, zstd";
const maxCodings = 2; // of a body

/**
 * Returns a body without its content codings. Throws an HttpError for a coding that is not supported. An empty value or element means none (RFC 9110, sections 5.6.1 and 8.4).
 */
export function decodeContent(body: Readable, contentEncoding = ""): Readable {
  const codings = contentEncoding
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  const unknown = codings.find((name) => !Object.hasOwn(decoders, name));
  if (unknown !== undefined || codings.length > maxCodings)
    throw new HttpError(
      "unsupported_media_type",
      `The Content-Encoding ${shorten(contentEncoding)} is not supported. Send ${supported.replace(/, (\w+)$/, " or $1")}.`,
      { "accept-encoding": supported },
    );
  // The last coding was applied last.
  return codings.reduceRight((stream, coding) => decode(stream, coding), body);
}

function decode(body: Readable, coding: string): Readable {
  const decoder = (decoders[coding] as () => Transform)();
  // Otherwise, a client that disconnects would leave a body that never ends.
  body.once("error", (error) => decoder.destroy(error));
  decoder.on("error", () => {}); // nobody may listen any more; an error without a listener would end the process
  // What is behind the end, or behind the limit, is read and ignored, so that the next request of the connection can be read.
  decoder.once("close", () => body.unpipe(decoder).resume());
  return body.pipe(decoder);
}

/** Returns whether an error tells that a body is not in its content coding. */
export function isCodingError({ code }: NodeJS.ErrnoException): boolean {
  return /^(Z_|ZSTD_|ERR_(_ERROR|BROTLI|ZSTD))/.test(`${code}`);
}
