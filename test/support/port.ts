import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port of loopback that nobody listens on. It is none of those that systems give to connections: while
 * its service is away, a client that tries to reach it would get that very port one day, and talk to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const probe = createServer().listen(port, "127.0.0.1");
    const free = await once(probe, "listening").catch(() => undefined);
    probe.close();
    if (free) return port;
  }
}
