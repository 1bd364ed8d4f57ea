// Replaces a server by one that listens at its address.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

const maxAttempts = 50;
const retryDelay = 100; // milliseconds

/**
 * Closes a server, and calls `listen` when its port is free. The requests in progress of the previous server can complete, and its
 * streams end: their clients connect to the next one.
 */
export async function takeOver<T>(previous: FastifyInstance, listen: () => Promise<T>): Promise<T> {
  void previous.close();
  while (previous.server.listening) await nextTurn();
  for (let attempt = 1; ; attempt++)
    try {
      return await listen();
    } catch (error) {
      // Another process has taken the port meanwhile.
      const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      if (code !== "EADDRINUSE" || attempt === maxAttempts) throw error;
      await sleep(retryDelay);
    }
}
