// Content codings of request bodies (RFC 9110, section 8.4.1).
import { type Readable, Transform } from "node:stream";
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
 * Returns a body without its content codings, which ends when the body does. It fails with `createError()` if the body has more than
 * `maxBytes` in its codings. Throws an HttpError for a coding that is not supported. An empty value or element means none (RFC
 * 9110, sections 5.6.1 and 8.4).
 */
export function decodeContent(
  body: Readable,
  contentEncoding = "",
  maxBytes: number,
  createError: () => Error,
): Readable {
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
  if (codings.length === 0) return body;
  // The last coding was applied last.
  const decode = (coded: Readable, coding: string) => connect(coded, (decoders[coding] as () => Transform)());
  const decoded = codings.reduceRight(decode, limitBytes(body, maxBytes, createError));
  return untilEnd(decoded, body);
}

// A decoder ends with its content. What is behind it, or an error of the message, is part of the body, too.
function untilEnd(decoded: Readable, body: Readable): Readable {
  return connect(
    decoded,
    new Transform({
      transform: (chunk, _, done) => done(null, chunk),
      flush(done) {
        if (body.readableEnded) done();
        else body.once("end", () => done()).once("error", done);
      },
    }),
  );
}

/**
 * Returns a body that fails with `createError()` if it has more than `maxBytes`. `toBodyError` converts the errors of the body.
 */
export function limitBytes(
  body: Readable,
  maxBytes: number,
  createError: () => Error,
  toBodyError: (error: Error) => Error = (error) => error,
): Readable {
  let bytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      done(bytes > maxBytes ? createError() : null, chunk);
    },
  });
  return connect(body, limit, toBodyError);
}

// Pipes a body into a transformation. If that ends early, so do the transformations before it, and the rest of the request is read
// and ignored, so that the next one of the connection can be read.
function connect(body: Readable, transform: Transform, toBodyError = (error: Error) => error): Readable {
  // Otherwise, a client that disconnects would leave a body that never ends.
  body.once("error", (error) => transform.destroy(toBodyError(error)));
  transform.on("error", () => {}); // nobody may listen any more; an error without a listener would end the process
  transform.once("close", () => {
    body.unpipe(transform);
    if (body instanceof Transform) body.destroy();
    else body.resume();
  });
  return body.pipe(transform);
}

/** Returns whether an error tells that a body is not in its content coding. */
export function isCodingError({ code }: NodeJS.ErrnoException): boolean {
  return /^(Z_|ZSTD_|ERR_(_ERROR|BROTLI|ZSTD))/.test(`${code}`);
}
