// Finds clients that read their responses too slowly: each holds the memory of what it has not read.
import type { Socket } from "node:net";

const responseTimeout = 30_000; // milliseconds for a client to read a response, or `minProgress` bytes of it
const minProgress = 65_536; // bytes
const maxUnread = 67_108_864; // bytes of all clients

interface Progress {
  readonly since: number; // milliseconds
  readonly read: number; // bytes that the client had read by then
}

/** The connections that had unread bytes at the last check. */
export class SlowClients {
  readonly #progress = new Map<Socket, Progress>(); // the slowest client is the first one

  /** The number of bytes that clients had not read at the last check. */
  unread = 0;

  delete(socket: Socket): void {
    this.#progress.delete(socket);
  }

  /**
   * Returns the connections that must be closed: those without progress for 30 s and, if the clients have not read more
   * than 64 MiB in total, the slowest ones. `now` is in milliseconds.
   */
  check(sockets: Iterable<Socket>, now: number): Socket[] {
    for (const [socket, { read }] of this.#progress)
      if (socket.writableLength === 0 || countRead(socket) - read > minProgress) this.#progress.delete(socket);
    this.unread = 0;
    for (const socket of sockets) {
      if (socket.writableLength === 0) continue;
      this.unread += socket.writableLength;
      if (!this.#progress.has(socket)) this.#progress.set(socket, { since: now, read: countRead(socket) });
    }
    const slow: Socket[] = [];
    let excess = this.unread - maxUnread;
    for (const [socket, { since }] of this.#progress) {
      if (excess <= 0 && now - since <= responseTimeout) break;
      slow.push(socket);
      excess -= socket.writableLength;
    }
    return slow;
  }
}

// Counts the bytes that the kernel has accepted. Those in the socket buffers may not have reached the client yet.
function countRead({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}
