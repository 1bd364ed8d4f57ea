// A buffer that grows: the bytes of many small chunks take about as much memory as those of one.

const minCapacity = 1_024; // bytes

/** Bytes that are appended one after another. Takes at most twice their size, and 1 KiB. */
export class ByteBuffer {
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** The number of bytes. */
  get length(): number {
    return this.#length;
  }

  /** Copies a chunk behind the others. */
  append(chunk: Uint8Array): void {
    const end = this.#length + chunk.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * this.#bytes.length, minCapacity));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    if (chunk.length === 1)
      this.#bytes[this.#length] = chunk[0] as number; // without a call into C++
    else this.#bytes.set(chunk, this.#length);
    this.#length = end;
  }

  /** Returns and removes all bytes. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }
}
