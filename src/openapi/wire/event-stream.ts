// Server-sent events as a stream that can be ended before it is complete.
import { finished, PassThrough, type Readable } from "node:stream";
import { ItemStream } from "./item-streams.ts";

// The text of server-sent events that a handler writes itself.
class EventStream extends PassThrough {
  readonly #source: Readable;
  #sentAt = performance.now();
  #isLineComplete = true;

  constructor(source: Readable) {
    super();
    this.#source = source;
    finished(source, (error) => error && this.destroy(error)); // also if it was destroyed without an error
    source.on("data", (chunk: Buffer | string) => {
      this.#sentAt = performance.now();
      this.#isLineComplete = /[\r\n]$/.test(typeof chunk === "string" ? chunk : chunk.subarray(-1).toString());
    });
    source.pipe(this);
    this.once("close", () => source.destroy());
  }

  /** Sends a comment if nothing was sent for this number of milliseconds. Inside an event, the comment is a line of it. */
  beat(idleTime: number): void {
    if (!this.#isLineComplete || this.writableEnded || this.readableLength > 0) return;
    if (performance.now() - this.#sentAt < idleTime) return;
    this.#sentAt = performance.now();
    this.write(":\n");
  }

  /** Ends the stream after the bytes that have been read. Clients ignore an event that is not complete, and connect again. */
  close(): void {
    this.end();
  }

  override end(): this {
    this.#source.unpipe(this);
    return super.end();
  }
}

/** Returns a stream of server-sent events that can be ended before it is complete. */
export function toEventStream(stream: Readable): ItemStream | EventStream {
  return stream instanceof ItemStream ? stream : new EventStream(stream);
}
