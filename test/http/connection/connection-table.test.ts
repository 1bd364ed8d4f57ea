// The choice of the connection that is closed for another one.
import { Socket } from "node:net";
import t from "tap";
import { ConnectionTable } from "../../../src/http/connection/connection-table.ts";

t.test("Closes the oldest connection of the client with the most connections if all have a credential", async (t) => {
  const table = new ConnectionTable(3, () => false);
  const [first, second, third, fourth] = Array.from({ length: 4 }, () => new Socket()) as [
    Socket,
    Socket,
    Socket,
    Socket,
  ];
  for (const socket of [first, second, third]) t.equal(table.add(socket), undefined);
  table.identify(first, "alice");
  for (const socket of [second, third]) t.equal(table.identify(socket, "bob"), undefined);
  t.same(table.add(fourth), { socket: second, reason: "total" });
  t.equal(table.clientOf(second), undefined);
  t.equal(table.clientOf(third), "bob");
});

t.test("Closes the excess of a network address if connections of a rejected key are added to it", async (t) => {
  const table = new ConnectionTable(400, () => false);
  const sockets = Array.from({ length: 150 }, () => new Socket());
  for (const socket of sockets) {
    t.equal(table.add(socket), undefined);
    table.identify(socket, "alice");
  }
  t.same(
    table.anonymize("alice"),
    sockets.slice(0, 50).map((socket) => ({ socket, reason: "client" })),
    "an address can have 100 anonymous connections",
  );
  t.same(table.anonymize("alice"), []);
});

t.test("Ignores the TLS handshake of a connection that has been closed", async (t) => {
  const table = new ConnectionTable(3, () => false);
  const socket = new Socket();
  table.replace(socket);
  t.equal(table.clientOf(socket), undefined);
});
