// Bytes on a socket of their own, and what comes back: as strict as a client can read it, since what
// a tolerant one passes over is where one answer could get into another.
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type HttpResponse, toHttpResponse } from "../../test/support/responses.ts";

/** What is sent on a connection, and how. */
export interface Sending {
  readonly bytes: Buffer;
  /** Where one write ends and the next begins. */
  readonly cuts: readonly number[];
  /** The client closes its side after its bytes, or after the last answer, or resets the connection. */
  readonly end: "close" | "wait" | "reset";
  /** The answers that may come at most. */
  readonly most: number;
  /** Whether each answer is to a HEAD. */
  readonly heads: readonly boolean[];
}

/** What came back. */
export interface Received {
  readonly answers: HttpResponse[];
  /** The bytes of an answer that is not whole. */
  readonly rest: Buffer;
  /** The system's word for an error of the connection. */
  readonly error?: string | undefined;
}

const patience = 12_000; // milliseconds: below the 15 s after which the service itself closes such a connection
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Sends it, and waits until the connection is over. Throws where it stays, or where what comes is no HTTP. */
export async function exchange(port: number, { bytes, cuts, end, most, heads }: Sending): Promise<Received> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  let error: string | undefined;
  let late = false;
  const over = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  const timer = setTimeout(() => {
    late = true;
    socket.destroy();
  }, patience);
  socket.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    error = code ?? message;
  });
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (end !== "wait" || socket.writableEnded) return;
    try {
      if (isLast(split(Buffer.concat(chunks), heads), most)) socket.end();
    } catch {
      socket.end(); // and below it is said why
    }
  });
  socket.on("end", () => socket.end());
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
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
  await over;
  clearTimeout(timer);
  if (late) throw new Error(`the connection stays: ${JSON.stringify(Buffer.concat(chunks).toString("latin1"))}`);
  return { ...split(Buffer.concat(chunks), heads), error };
}

function isLast({ answers, rest }: Received, most: number): boolean {
  return rest.length === 0 && (answers.length >= most || answers.at(-1)?.headers.connection === "close");
}

/** Answers one after the other. Throws where what comes is none. */
function split(bytes: Buffer, heads: readonly boolean[]): Received {
  const answers: HttpResponse[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    const [first = "", ...lines] = rest.toString("latin1", 0, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [ -~]+$/.exec(first)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no answer begins so: ${JSON.stringify(first)}`);
    const headers: HttpResponse["headers"] = {};
    for (const line of lines) {
      const [, name = "", value] = /^([\w!#$%&'*+.^`|~-]+): ([\t -~\x80-\xff]*)$/.exec(line) ?? [];
      if (value === undefined || name.toLowerCase() in headers)
        throw new Error(`a bad header: ${JSON.stringify(line)}`);
      headers[name.toLowerCase()] = value;
    }
    const body = end + 4;
    if (status < 200) {
      rest = rest.subarray(body);
      continue;
    }
    if (!/^\d+$/.test(headers["content-length"] ?? "")) throw new Error(`an answer without a length: ${lines}`);
    const declared = Number(headers["content-length"]);
    // What the parser refuses, and then it is the last, has a body also for HEAD: there is no method yet.
    const isRefused = headers.connection === "close" && rest.length === body + declared;
    const length = heads[answers.length] && !isRefused ? 0 : declared;
    if (rest.length < body + length) break;
    answers.push(toHttpResponse(status, headers, utf8.decode(rest.subarray(body, body + length))));
    rest = rest.subarray(body + length);
  }
  return { answers, rest };
}
