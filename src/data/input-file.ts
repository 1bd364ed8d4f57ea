// Opens the input of an import. An import reads its input twice, to validate it and to write it. The second pass
// rejects if the input has changed since the first one.
import { createHash, hash } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

const chunkSize = 64 * 1024; // bytes

/** The bytes to import. */
export interface Input {
  /** The number of bytes. */
  readonly length: number;
  /** Reads all bytes in chunks. Rejects before the first chunk that differs from the first pass. */
  read(): AsyncGenerator<Buffer>;
  /** Returns the SHA-256 of all bytes. Available when the first pass is complete. */
  digest(): Uint8Array;
  close(): Promise<void>;
}

/** Opens a file, or `stdin` if the name is `-`. Rejects with an Error that describes the problem. */
export async function openInput(name: string, stdin: Readable): Promise<Input> {
  try {
    const file = name === "-" ? await spool(stdin) : await openFile(name);
    return new FileInput(file, (await file.stat()).size);
  } catch (error) {
    throw new Error(`${name === "-" ? "Standard input" : name} can't be read: ${(error as Error).message}.`);
  }
}

async function openFile(name: string): Promise<FileHandle> {
  const file = await open(name);
  return (await file.stat()).isFile() ? file : spool(file.createReadStream()); // a pipe can be read only once
}

// Copies a stream to an unlinked temporary file, which the system removes when this process ends, also by SIGKILL.
async function spool(stream: AsyncIterable<Buffer>): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "openapi-server-import-"));
  try {
    const file = await open(join(folder, "input"), "wx+", 0o600);
    await rm(folder, { recursive: true });
    await file.writeFile(stream).catch(async (error) => {
      await file.close();
      throw error;
    });
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class FileInput implements Input {
  readonly length: number;
  readonly #file: FileHandle;
  readonly #chunkHashes: string[] = []; // of the first pass
  readonly #hash = createHash("sha256");
  #digest: Uint8Array | undefined;

  constructor(file: FileHandle, length: number) {
    this.#file = file;
    this.length = length;
  }

  async *read(): AsyncGenerator<Buffer> {
    for (let index = 0, isLast = false; !isLast; index++) {
      const chunk = await this.#readChunk(index * chunkSize);
      isLast = chunk.length < chunkSize;
      const chunkHash = hash("sha256", chunk);
      if (this.#digest === undefined) {
        this.#hash.update(chunk);
        this.#chunkHashes.push(chunkHash);
      }
      if (chunkHash !== this.#chunkHashes[index]) throw new Error("The file changed during the import.");
      if (chunk.length > 0) yield chunk;
    }
    this.#digest ??= this.#hash.digest();
  }

  digest(): Uint8Array {
    return this.#digest as Uint8Array;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Reads a whole chunk; only the last one is shorter. */
  async #readChunk(position: number): Promise<Buffer> {
    const chunk = Buffer.allocUnsafeSlow(chunkSize);
    let length = 0;
    for (let bytesRead = -1; bytesRead !== 0 && length < chunkSize; length += bytesRead)
      ({ bytesRead } = await this.#file.read(chunk, length, chunkSize - length, position + length));
    return chunk.subarray(0, length);
  }
}
