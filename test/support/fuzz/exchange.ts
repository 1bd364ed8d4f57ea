// Sends bytes on a connection of its own and reads the responses. The parser is strict, because a tolerant one would
// hide response splitting.

import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { type HttpResponse, toHttpResponse } from "../responses.ts";
import { pause } from "../wait.ts";

/** The bytes of a connection. */
export interface Transmission {
  readonly bytes: Buffer;
  /** Offsets at which the bytes are split into several writes. */
  readonly splits: readonly number[];
  /** Whether the client closes its side after its bytes or after the last response, or resets the connection. */
  readonly end: "close" | "wait" | "reset";
  /** The maximum number of responses. */
  readonly maxResponses: number;
  /** Whether each request is a HEAD. */
  readonly heads: readonly boolean[];
}

/** The responses of a connection. */
export interface Reception {
  readonly responses: HttpResponse[];
  /** The bytes of an incomplete response. */
  readonly rest: Buffer;
  /** The code of a connection error. */
  readonly error?: string | undefined;
}

const timeout = 12_000; // milliseconds: less than the 15 s after which the service closes such a connection
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Sends bytes and waits until the connection is closed. Rejects if it stays open, or if a response is not HTTP. */
export async function exchange(port: number, transmission: Transmission): Promise<Reception> {
  const { bytes, splits, end, maxResponses, heads } = transmission;
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  let error: string | undefined;
  let isTimedOut = false;
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  const timer = setTimeout(() => {
    isTimedOut = true;
    socket.destroy();
  }, timeout);
  socket.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    error = code ?? message;
  });
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (end !== "wait" || socket.writableEnded) return;
    try {
      if (isComplete(parse(Buffer.concat(chunks), heads), maxResponses)) socket.end();
    } catch {
      socket.end(); // the last call of `parse` throws the error again
    }
  });
  socket.on("end", () => socket.end());
  let from = 0;
  for (const to of [...splits, bytes.length]) {
    if (from > 0) await pause(0);
    if (!socket.writable) break;
    socket.write(bytes.subarray(from, to));
    from = to;
  }
  if (end === "close") socket.end();
  if (end === "reset") {
    await pause(bytes.length % 3);
    socket.resetAndDestroy();
  }
  await closed;
  clearTimeout(timer);
  if (isTimedOut)
    throw new Error(`the connection stays open: ${JSON.stringify(Buffer.concat(chunks).toString("latin1"))}`);
  return { ...parse(Buffer.concat(chunks), heads), error };
}

function isComplete({ responses, rest }: Reception, maxResponses: number): boolean {
  return rest.length === 0 && (responses.length >= maxResponses || responses.at(-1)?.headers.connection === "close");
}

// Parses pipelined responses. Throws an Error if the bytes are not HTTP.
function parse(bytes: Buffer, heads: readonly boolean[]): Reception {
  const responses: HttpResponse[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd < 0) break;
    const { status, headers } = parseHead(rest.toString("latin1", 0, headEnd));
    const bodyStart = headEnd + 4;
    if (status < 200) {
      rest = rest.subarray(bodyStart);
      continue;
    }
    if (status === 304) headers["content-length"] = "0"; // it has no content (RFC 9110, section 15.4.5)
    if (!/^\d+$/.test(headers["content-length"] ?? ""))
      throw new Error(`a response without Content-Length: ${JSON.stringify(headers)}`);
    const contentLength = Number(headers["content-length"]);
    // If the HTTP parser rejects a HEAD, the response has a body, because the method is unknown. It is the last
    // response.
    const isRejected = headers.connection === "close" && rest.length === bodyStart + contentLength;
    const length = heads[responses.length] && !isRejected ? 0 : contentLength;
    if (rest.length < bodyStart + length) break;
    const content = decompress(rest.subarray(bodyStart, bodyStart + length), headers["content-encoding"]);
    responses.push(toHttpResponse(status, headers, utf8.decode(content)));
    rest = rest.subarray(bodyStart + length);
  }
  return { responses, rest };
}

// The response to a HEAD has a coding, and no content.
function decompress(content: Buffer, coding: string | undefined): Buffer {
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
  const decode = decoders[coding as keyof typeof decoders];
  return decode === undefined || content.length === 0 ? content : decode(content);
}

function parseHead(head: string): { status: number; headers: Record<string, string> } {
  const [statusLine = "", ...lines] = head.split("\r\n");
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [ -~]+$/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`an invalid status line: ${JSON.stringify(statusLine)}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = "", value] = /^([\w!#$%&'*+.^`|~-]+): ([\t -~\x80-\xff]*)$/.exec(line) ?? [];
    if (value === undefined || name.toLowerCase() in headers)
      throw new Error(`an invalid header: ${JSON.stringify(line)}`);
    headers[name.toLowerCase()] = value;
  }
  return { status, headers };
}
