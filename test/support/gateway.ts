// A gateway in front of the service, which changes or loses its responses.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Test } from "tap";

/**
 * Starts a gateway in front of the service and returns its URL. `intercept` returns true if it has handled the
 * response.
 */
export async function startGateway(
  t: Test,
  port: number,
  intercept: (response: ServerResponse, upstream: IncomingMessage) => unknown,
): Promise<string> {
  const gateway = createServer(async (incoming, response) => {
    const { method, url, headers } = incoming;
    const outgoing = request({ host: "127.0.0.1", port, method, path: url, headers });
    outgoing.end(await buffer(incoming));
    const [upstream] = (await once(outgoing, "response")) as [IncomingMessage];
    if (intercept(response, upstream)) return upstream.destroy();
    response.writeHead(upstream.statusCode as number, upstream.headers);
    upstream.pipe(response);
  });
  gateway.listen(0, "127.0.0.1");
  await once(gateway, "listening");
  t.teardown(() => {
    gateway.closeAllConnections();
    gateway.close();
  });
  return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`;
}
