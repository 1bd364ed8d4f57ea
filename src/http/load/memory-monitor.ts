// Monitors the memory of the process: the heap, whose limit V8 enforces by ending the process, and the resident memory,
// whose limit a container enforces in the same way.
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { FastifyInstance } from "fastify";
import type { MaybePromise } from "../../lib/index.ts";
import { collectGarbage } from "./garbage-collection.ts";

const maxHeap = 0.9; // of the limit
const maxResident = 0.95; // of the limit; more than of the heap, because freed memory stays resident for some time
const highResident = 0.85; // of the limit
const defaultCheckInterval = 250; // milliseconds
const maxCollectionTime = 0.1; // of the time, for garbage collections because the memory is full
const minCollectionInterval = 1_000; // milliseconds
const limitLifetime = 10_000; // milliseconds, because the limit of a container can change

// V8 ends the process when the old generation is full. Its limit is that of the heap less the young generation, which is three
// semi-spaces of at most 32 MiB.
const youngGeneration = 96 * 2 ** 20; // bytes

// The memory of the values of a body while they are parsed and converted. Measured: 80 bytes of heap for a byte of [{},{},…],
// of which 22 stay in use.
const maxExpansion = 96;
const sizeOfText = 4; // for each byte of a text
const sizeOfValue = 128; // for each name or value, of which each begins behind one of these characters
const separators = new Uint8Array(256);
for (const character of Buffer.from("{[,:&=")) separators[character] = 1;

/** The memory of the process and its limits, in bytes. */
export interface MemoryUsage {
  readonly heap: number;
  readonly heapLimit: number;
  readonly resident: number;
  readonly residentLimit: number;
}

export interface MemoryMonitorOptions {
  /** The number of processes of the service, which share the memory of the container. */
  readonly processes?: number;
  /** Returns the memory of the process. */
  readonly memory?: (() => MemoryUsage) | undefined;
  /** Returns milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
  /** Milliseconds between two checks. */
  readonly checkInterval?: number | undefined;
}

/** Checks the memory every 250 ms, until `app` closes. */
export function monitorMemory(app: FastifyInstance, options: MemoryMonitorOptions): MemoryMonitor {
  const { processes = 1, clock = () => performance.now(), checkInterval = defaultCheckInterval } = options;
  const { memory = () => readMemory(processes) } = options;
  const monitor = new MemoryMonitor(memory, clock);
  const timer = setInterval(() => monitor.check(), checkInterval).unref();
  app.addHook("onClose", async () => clearInterval(timer));
  return monitor;
}

/** The state of the memory at the last check. */
export class MemoryMonitor {
  readonly #read: () => MemoryUsage;
  readonly #clock: () => number;
  #collection: Promise<void> | undefined; // the one that is running
  #nextCollection = Number.NEGATIVE_INFINITY;
  #isFull = false;
  #isHigh = false;
  #unreserved = 0; // bytes of heap for the values of bodies, at least

  constructor(read: () => MemoryUsage, clock: () => number) {
    this.#read = read;
    this.#clock = clock;
  }

  /** Whether there is no memory for further requests. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether the resident memory approaches its limit, so that memory must be released. */
  get isHigh(): boolean {
    return this.#isHigh;
  }

  /**
   * Returns whether the heap has room for the values of a body, which take up to 96 times its size. Reads the size of the
   * heap only if the room that is left of the last time may not suffice.
   */
  hasRoomFor(body: Buffer): MaybePromise<boolean> {
    return this.#take(body.length * maxExpansion) || this.#makeRoomFor(body);
  }

  async #makeRoomFor(body: Buffer): Promise<boolean> {
    const size = body.length * sizeOfText + countValues(body) * sizeOfValue;
    this.#measure();
    if (this.#take(size)) return true;
    await this.#collectGarbage();
    return this.#take(size);
  }

  #take(size: number): boolean {
    if (size > this.#unreserved) return false;
    this.#unreserved -= size;
    return true;
  }

  #measure(): MemoryUsage {
    const memory = this.#read();
    this.#unreserved = maxHeap * memory.heapLimit - memory.heap;
    return memory;
  }

  // All that wait for memory share one collection, and what it has freed.
  async #collectGarbage(): Promise<void> {
    if (this.#collection === undefined && this.#clock() < this.#nextCollection) return;
    this.#collection ??= this.#startCollection();
    await this.#collection;
  }

  async #startCollection(): Promise<void> {
    const start = this.#clock();
    await collectGarbage();
    const end = this.#clock();
    this.#nextCollection = end + Math.max(minCollectionInterval, (end - start) / maxCollectionTime);
    this.#collection = undefined;
    this.#measure();
  }

  /** Collects garbage before it reports a full memory, because garbage is no load. */
  async check(): Promise<void> {
    if (isFull(this.#read())) await this.#collectGarbage();
    const memory = this.#measure();
    this.#isFull = isFull(memory);
    this.#isHigh = memory.resident > highResident * memory.residentLimit;
  }
}

function countValues(body: Buffer): number {
  let count = 1;
  for (const byte of body) count += separators[byte] as number;
  return count;
}

function isFull({ heap, heapLimit, resident, residentLimit }: MemoryUsage): boolean {
  return heap > maxHeap * heapLimit || resident > maxResident * residentLimit;
}

function readMemory(processes: number): MemoryUsage {
  const residentLimit = readLimit() / processes;
  const { used_heap_size: heap, heap_size_limit: limit } = getHeapStatistics();
  return { heap, heapLimit: limit - youngGeneration, resident: readResident(), residentLimit };
}

let [limit, limitExpiry] = [0, 0];

// The limit of the container, which is 0 if there is none, or the memory of the machine. To read it takes longer than all else.
function readLimit(): number {
  if (performance.now() < limitExpiry) return limit;
  limit = Math.min(...[process.constrainedMemory(), totalmem()].filter(Boolean));
  limitExpiry = performance.now() + limitLifetime;
  return limit;
}

let lastResident = 0;

// Returns the last value while the process is out of file descriptors, because Node opens a file to read it.
function readResident(): number {
  try {
    lastResident = process.memoryUsage.rss();
  } catch {}
  return lastResident;
}
