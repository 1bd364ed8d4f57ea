// Applies backpressure to request bodies: merges small chunks, and yields to other requests between them.
//
// Node bounds the bytes that wait (64 KiB), but a chunk of one byte takes a hundred times its size, and a body in chunks of
// one byte takes the time of 10,000 calls for each 64 KiB that Node reads. Node has no option for it.
import type { IncomingMessage } from "node:http";
import fp from "fastify-plugin";
import { ByteBuffer } from "../../lib/index.ts";
import { type BodyStream, interceptBody } from "../../patches/body-chunks.ts";

const smallChunk = 1_024; // bytes; smaller chunks are merged
const maxMerged = 16_384; // bytes
const maxSmallChunks = 256; // of a client's turn; they take about a millisecond

const flows = new WeakMap<IncomingMessage, BodyFlow>();

/** Applies backpressure to the bodies of all requests. */
export const bodyFlow = fp(
  async ({ server }) => {
    for (const event of ["request", "checkContinue", "checkExpectation"]) server.prependListener(event, controlFlow);
  },
  { name: "body-flow" },
);

function controlFlow(request: IncomingMessage): void {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  if (coding !== undefined || Number(length) > smallChunk) flows.set(request, new BodyFlow(request));
}

/**
 * Calls `waitForTurn` whenever the small chunks of a body have taken so much time that others must have their turn, before it
 * is read on. Does nothing without the plugin `bodyFlow`.
 */
export function yieldBetweenChunks(request: IncomingMessage, waitForTurn: () => Promise<unknown>): void {
  flows.get(request)?.yieldBetweenChunks(waitForTurn);
}

class BodyFlow {
  readonly #request: IncomingMessage;
  readonly #stream: BodyStream;
  #merged = new ByteBuffer();
  #smallChunks = 0; // of this turn
  #isScheduled = false;
  #hasDemand = true; // whether the stream has asked for more since the last chunk
  #isStopped = false; // until its next turn
  #waitForTurn: (() => Promise<unknown>) | undefined; // undefined until the body is read

  constructor(request: IncomingMessage) {
    this.#request = request;
    this.#stream = interceptBody(request, {
      push: (chunk) => this.#add(chunk),
      read: (size) => this.#continue(size),
    });
  }

  yieldBetweenChunks(waitForTurn: () => Promise<unknown>): void {
    this.#waitForTurn = waitForTurn;
    if (this.#isStopped) this.#startTurn();
  }

  // Returns whether Node's parser may read more. It passes on the rest of what it has read in any case.
  #add(chunk: Buffer | null): boolean {
    if (chunk === null || chunk.length >= smallChunk) {
      this.#flush();
      return this.#pass(chunk) && !this.#isStopped;
    }
    this.#merged.append(chunk);
    if (this.#merged.length >= maxMerged) this.#flush();
    else this.#schedule();
    this.#smallChunks += 1;
    if (this.#smallChunks > maxSmallChunks && !this.#isStopped) {
      this.#isStopped = true;
      this.#startTurn();
    }
    const { readableLength, readableHighWaterMark } = this.#request;
    return readableLength + this.#merged.length < readableHighWaterMark && !this.#isStopped;
  }

  #flush(): void {
    if (this.#merged.length > 0) this.#pass(this.#merged.take());
  }

  #pass(chunk: Buffer | null): boolean {
    this.#hasDemand = false;
    return this.#stream.push(chunk);
  }

  // When Node has parsed what it has read. Not process.nextTick, which runs after each chunk. If the stream has not asked for
  // more since the previous chunk, later ones are merged until it does.
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#hasDemand) this.#flush();
    });
  }

  #startTurn(): void {
    this.#waitForTurn?.().then(() => {
      this.#smallChunks = 0;
      this.#isStopped = false;
      this.#stream.read(0);
    });
  }

  #continue(size: number): void {
    this.#hasDemand = true;
    this.#flush();
    if (!this.#isStopped || this.#stream.isDiscarded) this.#stream.read(size);
  }
}
