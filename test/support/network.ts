// A TCP proxy between a store and its database that loses data and cuts connections on request.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Test } from "tap";

/** A proxy to a database. Its faults can change at any time. */
export interface Network {
  /** The URL of the database through this proxy. */
  readonly url: string;
  /** The URL of the database that new connections go to. */
  target: string;
  /** Cuts a connection that carries this text: before the database gets it, or before the client gets the response. */
  cut: { readonly text: string; readonly when: "before" | "after" } | undefined;
  /** Discards all data in both directions, without closing a connection. */
  losesData: boolean;
}

/** Starts a proxy to the database of the URL `target`, and stops it when the test ends. */
export async function startNetwork(t: Pick<Test, "teardown">, target: string): Promise<Network> {
  const sockets = new Set<Socket>();
  const network: Network = { url: "", target, cut: undefined, losesData: false };
  const server = createServer((near) => {
    const { hostname, port } = new URL(network.target);
    const far = connect(Number(port), hostname);
    let isCut = false;
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    near.on("data", (bytes) => {
      if (network.cut && bytes.includes(network.cut.text)) {
        if (network.cut.when === "before") return end();
        isCut = true;
      }
      if (!network.losesData) far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (isCut) end();
      else if (!network.losesData) near.write(bytes);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return Object.assign(network, { url: url.href });
}
