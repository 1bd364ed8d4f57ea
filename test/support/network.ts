// A network between a store and its database, in the test's own process: it can lose data and cut connections.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Test } from "tap";

export interface Network {
  /** The URL of the database through this network. */
  readonly url: string;
  /** Cuts a connection when it carries this text: before the text arrives, or before the response does. */
  cut: { readonly text: string; readonly when: "before" | "after" } | undefined;
  /** Whether it loses all data in both directions, without closing a connection. */
  losesData: boolean;
}

/** Starts a network to the database that `target` names. It ends with the test. */
export async function startNetwork(t: Pick<Test, "teardown">, target: string): Promise<Network> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const network: Network = { url: "", cut: undefined, losesData: false };
  const server = createServer((near) => {
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
