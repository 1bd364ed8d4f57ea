// Finds a free port.
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns a port of loopback on which no process listens. It is below the ephemeral ports. Otherwise, a client that
 * connects while the service is down could get the same port as its local port, and connect to itself.
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
