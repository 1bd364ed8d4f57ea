// Streams of items (OpenAPI 3.2, section 4.14): server-sent events, and sequences of JSON texts.
import type { ServerResponse } from "node:http";
import { pipeline, Readable, Transform } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { setImmediate } from "node:timers/promises";
import { toError } from "../../http/index.ts";
import { ignoreFailure, isPromise, parseJson, toJson } from "../../lib/index.ts";
import { isBinary } from "./body-formats.ts";
import { essenceOf } from "./media-types.ts";
import { isJsonValue, toSentValue } from "./sent-value.ts";

const maxSlice = 2; // milliseconds

type Serialize = (item: unknown) => string;

const toLine: Serialize = (item) => `${toJson(item)}\n`;

const serializers: ReadonlyMap<string, Serialize> = new Map([
  ["text/event-stream", toEvent],
  ["application/jsonl", toLine],
  ["application/x-ndjson", toLine],
  ["application/json-seq", (item) => `\u001e${toJson(item)}\n`], // RFC 7464
]);

function findSerializer(mediaType: string): Serialize | undefined {
  const type = essenceOf(mediaType);
  const isSequence = type.startsWith("application/") && type.endsWith("+json-seq"); // the suffix of RFC 8091
  return serializers.get(isSequence ? "application/json-seq" : type);
}

/** Returns whether a media type is a stream of items, which a handler returns as an iterable. */
export function hasItems(mediaType: string): boolean {
  return findSerializer(mediaType) !== undefined;
}

/** Returns what reads a sequence of JSON texts; undefined for another media type. It throws an InvalidValue if one is not JSON. */
export function itemReaderOf(mediaType: string): ((text: string) => unknown[]) | undefined {
  const name = essenceOf(mediaType);
  if (!hasItems(mediaType) || name === "text/event-stream") return undefined;
  const separator = name.endsWith("json-seq") ? "\u001e" : "\n";
  return (text) => text.split(separator).flatMap((one) => (one.trim() === "" ? [] : [parseJson(one)]));
}

/** Returns whether a body is an iterable of the items of a media type that is a stream. */
export function isItemStream(mediaType: string, body: unknown): body is AsyncIterable<unknown> | Iterable<unknown> {
  if (!hasItems(mediaType) || typeof body !== "object" || body === null || isBinary(body)) return false;
  return Symbol.asyncIterator in body || Symbol.iterator in body;
}

/** Closes a stream or generator that is not sent, and ignores the failure of a promise. */
export function discardStream(body: unknown): void {
  const ignore = () => {};
  if (isPromise(body)) ignoreFailure(body);
  else if (isIterator(body)) returnIterator(body);
  else if (body instanceof Readable) body.on("error", ignore).destroy();
  else if (body instanceof ReadableStream) body.cancel().catch(ignore);
}

/** Returns the payload of a response to HEAD. A stream is not read, because it can be endless. */
export function withoutContent(payload: unknown): unknown {
  if (!(payload instanceof Readable)) return payload;
  discardStream(payload);
  return Readable.from([]);
}

/**
 * Returns a payload whose chunks are texts or bytes. A stream fails at any other chunk: Fastify would not catch the error of
 * a web stream, and not log that of another one.
 */
export function withByteChunks(payload: unknown): unknown {
  const stream =
    payload instanceof ReadableStream ? Readable.fromWeb(payload as WebStream, { objectMode: true }) : payload;
  if (!(stream instanceof Readable && stream.readableObjectMode)) return payload;
  const check = new Transform({
    writableObjectMode: true,
    transform(chunk: unknown, _, done) {
      if (typeof chunk === "string" || chunk instanceof Uint8Array) done(null, chunk);
      else done(new Error("The handler returned a stream with a chunk that is neither text nor bytes."));
    },
  });
  return pipeline(stream, check, () => {}); // the response reports the error
}

/**
 * Returns a stream that fails unless it has this number of bytes: its client would wait for more, or read the rest as the next
 * response. Fastify corrects the length of other payloads.
 */
export function withLength(payload: Readable, length: number): Readable {
  let left = length;
  const fail = () => new Error(`The handler returned the Content-Length ${length}, which its stream does not have.`);
  const check = new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length;
      done(left < 0 ? fail() : null, chunk);
    },
    flush: (done) => done(left > 0 ? fail() : null),
  });
  return pipeline(payload, check, () => {}); // the response reports the error
}

/**
 * The text of the items of an iterable, as they arrive. Yields to the event loop after 2 ms of work, because an iterable that
 * has all items at once would block it. `check` throws an Error if an item is invalid, which ends the response.
 */
export class ItemStream extends Readable {
  readonly #items: AsyncIterable<unknown> | Iterable<unknown>;
  #iterator: AnyIterator | undefined; // undefined until the first item is read
  readonly #write: Serialize;
  #isReading = false;
  #sentAt = performance.now();
  #hasRetry = false; // whether an event has set the time after which the client connects again
  #hasRoom = true;
  #isEnded = false;
  #isReleased = false; // whether the iterable has ended, or was returned

  constructor(mediaType: string, items: AsyncIterable<unknown> | Iterable<unknown>, check: (item: unknown) => unknown) {
    super();
    const serialize = findSerializer(mediaType) as Serialize;
    this.#write = (item) => {
      if (!isJsonValue(item) || item === undefined)
        throw new Error("The handler returned an item that is not a JSON value.");
      const checked = check(toSentValue(item));
      this.#hasRetry ||= isEvent(checked) && checked.retry !== undefined;
      return serialize(checked);
    };
    this.#items = items;
  }

  /** Sends a comment if nothing was sent for this number of milliseconds. Only of server-sent events. */
  beat(idleTime: number): void {
    if (this.#isOver || !this.readableFlowing || this.readableLength > 0) return;
    if (performance.now() - this.#sentAt >= idleTime) this.#send(comment);
  }

  /** Ends server-sent events after those that were sent. Their clients connect again, at random times. */
  close(): void {
    if (!this.#isOver && !this.#hasRetry) this.push(randomRetry());
    this.end();
  }

  /** Ends the stream after the items that were sent, and the iterable. */
  end(): void {
    if (this.#isOver) return;
    this.#isEnded = true;
    this.push(null);
    this.#release();
  }

  override async _read(): Promise<void> {
    this.#hasRoom = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#hasRoom && !this.#isOver) await this.#readSlice();
    } catch (thrown) {
      this.destroy(toError(thrown));
    }
    this.#isReading = false;
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#release();
    done(error);
  }

  // Items that are available at once are one chunk, also those before a failure.
  async #readSlice(): Promise<void> {
    let text = "";
    const send = () => {
      if (text !== "" && !this.#isOver) this.#hasRoom = this.#send(text);
      text = "";
    };
    const end = performance.now() + maxSlice;
    try {
      do {
        const next = this.#next();
        if (isPromise(next)) send(); // the next item can take any time
        const { done, value } = toResult(isPromise(next) ? await next : next);
        if (this.#isOver) return;
        if (done) {
          this.#isReleased = true;
          send();
          return this.end();
        }
        if (isPromise(value)) send(); // so does a promise of an item
        text += this.#write(isPromise(value) ? await value : value);
      } while (this.#hasRoom && text.length < this.readableHighWaterMark && performance.now() < end);
    } finally {
      send();
      await setImmediate();
    }
  }

  #send(text: string): boolean {
    this.#sentAt = performance.now();
    return this.push(text);
  }

  // An iterable whose `next` throws has ended.
  #next(): ReturnType<AnyIterator["next"]> {
    try {
      this.#iterator ??= iterate(this.#items);
      return this.#iterator.next();
    } catch (error) {
      this.#isReleased = true;
      throw error;
    }
  }

  get #isOver(): boolean {
    return this.#isEnded || this.destroyed;
  }

  // An asynchronous generator that waits can't be stopped: it ends after its next item.
  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    if (this.#iterator) returnIterator(this.#iterator);
    else discardStream(this.#items);
  }
}

type AnyIterator = AsyncIterator<unknown> | Iterator<unknown>;

function iterate(items: AsyncIterable<unknown> | Iterable<unknown>): AnyIterator {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}

// Such as a generator, which is its own iterator.
function isIterator(body: unknown): body is AnyIterator {
  return typeof (body as Partial<AnyIterator> | null | undefined)?.next === "function";
}

function returnIterator(iterator: AnyIterator): void {
  try {
    const result = iterator.return?.();
    if (isPromise(result)) ignoreFailure(result);
  } catch {} // no one waits for the iterable
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

const comment = ":\n\n";

// Without it, all clients would connect to the next server at the same time.
function randomRetry(): string {
  return `retry: ${1_000 + Math.floor(Math.random() * 2_000)}\n\n`;
}

// An event of the HTML standard, section 9.2.5. A line break in a value would end the field. An item with other members is
// the data of an event.
function toEvent(item: unknown): string {
  const { event, id, retry, data } = isEvent(item) ? item : ({ data: item } as Readonly<Record<string, unknown>>);
  const text = typeof data === "string" ? data : data === undefined ? undefined : toJson(data);
  const fields = Object.entries({ event, id, retry }).filter(([, value]) => value !== undefined);
  const lines = fields.map(([name, value]) => `${name}: ${String(value).replace(/[\r\n]+/g, " ")}`);
  if (text !== undefined) lines.push(...text.split(/\r\n|\r|\n/).map((line) => `data: ${line}`));
  return `${lines.join("\n")}\n\n`;
}

function toResult(result: IteratorResult<unknown>): IteratorResult<unknown> {
  if (typeof result === "object" && result !== null) return result;
  throw new TypeError("The handler returned an iterable whose next() does not return an object.");
}

function isEvent(item: unknown): item is Readonly<Record<string, unknown>> {
  return (
    typeof item === "object" &&
    item !== null &&
    !Array.isArray(item) &&
    Object.keys(item).every((name) => /^(event|id|retry|data)$/.test(name))
  );
}
