// Streams of items (OpenAPI 3.2, section 4.14): server-sent events, and sequences of JSON texts.
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { toJson } from "../lib/index.ts";
import { essenceOf } from "./media-types.ts";

type Serialize = (item: unknown) => string;

const toLine: Serialize = (item) => `${toJson(item)}\n`;

const serializers: Readonly<Record<string, Serialize>> = {
  "text/event-stream": toEvent,
  "application/jsonl": toLine,
  "application/x-ndjson": toLine,
  "application/json-seq": (item) => `\u001e${toJson(item)}\n`, // RFC 7464
};

/** Returns whether a body is an iterable of the items of a media type that is a stream. */
export function isItemStream(mediaType: string, body: unknown): body is AsyncIterable<unknown> | Iterable<unknown> {
  if (!Object.hasOwn(serializers, essenceOf(mediaType)) || typeof body !== "object" || body === null) return false;
  return (
    !(body instanceof Readable || body instanceof ReadableStream || body instanceof Uint8Array) &&
    (Symbol.asyncIterator in body || Symbol.iterator in body)
  );
}

/** Closes a stream that is not sent. */
export function discardStream(body: unknown): void {
  const ignore = () => {};
  if (body instanceof Readable) body.on("error", ignore).destroy();
  else if (body instanceof ReadableStream) body.cancel().catch(ignore);
}

/** Returns the payload of a response to HEAD. A stream is not read, because it can be endless. */
export function withoutContent(payload: unknown): unknown {
  if (!(payload instanceof Readable)) return payload;
  discardStream(payload);
  return Readable.from([]);
}

/** Serializes items as they arrive. `check` throws an Error if an item is invalid, which ends the response. */
export function serializeItems(
  mediaType: string,
  items: AsyncIterable<unknown> | Iterable<unknown>,
  check: (item: unknown) => void,
): Readable {
  const serialize = serializers[essenceOf(mediaType)] as Serialize;
  async function* write(): AsyncGenerator<string> {
    for await (const item of items) {
      check(item);
      yield serialize(item);
    }
  }
  return Readable.from(write(), { objectMode: false });
}

/**
 * Closes the response of a stream of items when the client closes its side of the connection: the server would notice it at
 * the next item, for which it can wait forever. Other responses are sent to their end.
 */
export function closeWithClient(response: ServerResponse): void {
  const { socket } = response.req;
  const close = () => void response.destroy();
  socket.once("end", close);
  response.once("close", () => socket.off("end", close));
}

// An event of the HTML standard, section 9.2.5. A line break in a value would end the field. An item with other members is
// the data of an event.
function toEvent(item: unknown): string {
  const { event, id, retry, data } = (isEvent(item) ? item : { data: item }) as Readonly<Record<string, unknown>>;
  const text = typeof data === "string" ? data : data === undefined ? undefined : toJson(data);
  const fields = Object.entries({ event, id, retry }).filter(([, value]) => value !== undefined);
  const lines = fields.map(([name, value]) => `${name}: ${String(value).replace(/[\r\n]+/g, " ")}`);
  if (text !== undefined) lines.push(...text.split(/\r\n|\r|\n/).map((line) => `data: ${line}`));
  return `${lines.join("\n")}\n\n`;
}

function isEvent(item: unknown): boolean {
  return (
    typeof item === "object" &&
    item !== null &&
    !Array.isArray(item) &&
    Object.keys(item).every((name) => /^(event|id|retry|data)$/.test(name))
  );
}
