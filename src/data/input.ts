// What is imported is read twice: to check it, and to write it. The second time it is what it was, or that is said.
import { createHash, hash } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

const size = 64 * 1024; // bytes of a chunk

/** The bytes to import. */
export interface Input {
  /** How many bytes there are. */
  readonly length: number;
  /** Reads all, a chunk at a time. Rejects before a chunk that is not what it was when it was read first. */
  read(): AsyncGenerator<Buffer>;
  /** SHA-256 of all, once it was read to its end. */
  digest(): Uint8Array;
  close(): Promise<void>;
}

/** Opens a file, or `stdin` if the name is `-`. Rejects with an Error that says what is wrong. */
export async function openInput(name: string, stdin: Readable): Promise<Input> {
  try {
    const file = name === "-" ? await spool(stdin) : await openFile(name);
    return over(file, (await file.stat()).size);
  } catch (error) {
    throw new Error(`${name === "-" ? "Standard input" : name} can't be read: ${(error as Error).message}.`);
  }
}

async function openFile(name: string): Promise<FileHandle> {
  const file = await open(name);
  return (await file.stat()).isFile() ? file : spool(file.createReadStream()); // a pipe can be read only once
}

// In a file that has no name any more: it is gone with this process, however that ends.
async function spool(from: AsyncIterable<Buffer>): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "petstore-import-"));
  try {
    const file = await open(join(folder, "input"), "wx+", 0o600);
    await rm(folder, { recursive: true });
    const close = async (error: unknown) => {
      await file.close();
      throw error;
    };
    await file.writeFile(from).catch(close);
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function over(file: FileHandle, length: number): Input {
  const known: string[] = []; // the digest of each chunk
  const whole = createHash("sha256");
  let digest: Uint8Array | undefined;
  return {
    length,
    async *read() {
      let index = 0;
      for (;;) {
        const chunk = await readChunk(file, index * size);
        const now = hash("sha256", chunk);
        if (digest === undefined) {
          whole.update(chunk);
          known.push(now);
        }
        if (now !== known[index++]) throw new Error("The input was changed while it was read.");
        if (chunk.length > 0) yield chunk;
        if (chunk.length < size) break;
      }
      digest ??= whole.digest();
    },
    digest: () => digest as Uint8Array,
    close: () => file.close(),
  };
}

async function readChunk(file: FileHandle, at: number): Promise<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read)
    read = (await file.read(chunk, length, size - length, at + length)).bytesRead;
  return chunk.subarray(0, length);
}
