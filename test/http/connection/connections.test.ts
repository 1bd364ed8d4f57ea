// Limits of the number of connections, over real sockets.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import t, { type Test } from "tap";
import { createCertificate } from "../../support/certificate.ts";
import { readMetric } from "../../support/metrics.ts";
import { addKey, connectionsOf, type Options, start } from "../../support/service.ts";
import { pause, until } from "../../support/wait.ts";

/** Starts a service, and returns it with functions that open connections and observe whether they are open. */
async function startLimited(t: Test, options: Options) {
  const service = await start(t, options);
  const sockets: Socket[] = [];
  t.teardown(() => sockets.map((socket) => socket.destroy()));
  /** Opens a connection and sends a request, with a key or without. Resolves when the response arrives. */
  const open = async (key?: string) => {
    const address = { port: service.port, host: "127.0.0.1" };
    const socket = options.tls ? connectTls({ ...address, rejectUnauthorized: false }) : connect(address);
    sockets.push(socket.on("error", () => {}));
    await send(socket, key);
    return socket;
  };
  const send = async (socket: Socket, key?: string) => {
    const credential = key ? `Authorization: Bearer ${key}\r\n` : "";
    socket.write(`GET ${key ? "/v1/pets" : "/healthz"} HTTP/1.1\r\nHost: x\r\n${credential}\r\n`);
    await once(socket, "data");
  };
  const openMany = async (count: number, key?: string) => {
    const opened: Socket[] = [];
    for (let n = 0; n < count; n++) opened.push(await open(key)); // one after the other: the order is the age
    return opened;
  };
  /** Asserts which of the connections are closed, by their index. */
  const assertClosed = async (opened: readonly Socket[], closed: readonly number[]) => {
    const toClosed = () => opened.flatMap((socket, index) => (socket.destroyed ? [index] : []));
    await until(
      () => JSON.stringify(toClosed()) === JSON.stringify(closed),
      () => `closed: ${toClosed()}`,
    );
  };
  return { ...service, open, openMany, send, assertClosed };
}

t.test("Closes the oldest connection without a valid key if there are more than MAX_CONNECTIONS", async (t) => {
  const { key, openMany, assertClosed, logs, call } = await startLimited(t, {
    settings: { MAX_CONNECTIONS: "6", METRICS_FROM: "127.0.0.1" },
  });
  const [keyed, anonymous, later] = [await openMany(2, key), await openMany(4), await openMany(2)];
  await assertClosed(keyed, []);
  await assertClosed(anonymous, [0, 1]);
  await assertClosed(later, []);
  await until(
    () => logs.find(({ msg, closed }) => msg === "connections closed" && (closed as { total: number }).total === 2),
    () => JSON.stringify(logs),
  );
  const { text } = await call("GET", "/metrics");
  t.match(text, /\npetstore_connections_closed_total\{reason="total"\} [34]\n/, "a call may need a connection, too");
});

t.test("Keeps connections with a valid key if others present invalid keys", async (t) => {
  const { key, open, openMany, assertClosed } = await startLimited(t, { settings: { MAX_CONNECTIONS: "4" } });
  const keyed = await openMany(2, key);
  await openMany(10, `psk_${"A".repeat(43)}`);
  await assertClosed(keyed, []);
  await open(key);
});

t.test("Makes all connections of a key anonymous again when the key is rejected", async (t) => {
  const { store, openMany, send, assertClosed } = await startLimited(t, { settings: { MAX_CONNECTIONS: "6" } });
  const [other, revoked] = [await addKey(store, "other"), await addKey(store, "revoked")];
  const [keyed, demoted] = [await openMany(2, other), await openMany(3, revoked)];
  await store.keys.revoke("revoked");
  await pause(20); // the key is cached for 5 ms
  await send(demoted[1] as Socket, revoked);
  const anonymous = await openMany(4);
  await assertClosed(demoted, [0, 1, 2]);
  await assertClosed([...keyed, ...anonymous], []);
});

t.test("Closes the oldest connection of a network address without a valid key that has 5 % of all", async (t) => {
  const { key, openMany, assertClosed } = await startLimited(t, { settings: { MAX_CONNECTIONS: "120" } });
  const [keyed, anonymous] = [await openMany(5, key), await openMany(103)];
  await assertClosed(anonymous, [0, 1, 2]);
  await assertClosed(keyed, []);
});

t.test("Does not limit the connections of a trusted proxy, which are those of many clients", async (t) => {
  const settings = { MAX_CONNECTIONS: "120", TRUST_PROXY: "127.0.0.1" };
  const { key, openMany, assertClosed } = await startLimited(t, { settings });
  await assertClosed(await openMany(30), []);
  await assertClosed(await openMany(85, key), []);
});

t.test("Closes the oldest connection of a key that has half of all", async (t) => {
  const { key, store, openMany, send, assertClosed } = await startLimited(t, { settings: { MAX_CONNECTIONS: "6" } });
  const other = await addKey(store, "other");
  const [first, second] = [await openMany(3, other), await openMany(2, key)];
  const third = await openMany(1, key);
  await assertClosed(first, []);
  await assertClosed(second, []);
  const [anonymous] = await openMany(1);
  await assertClosed(first, [0]);
  await send(anonymous as Socket, key);
  await assertClosed(second, [0]);
  await assertClosed(third, []);
});

t.test("Closes connections over TLS in the same order", async (t) => {
  const { tls } = await createCertificate(t, 1);
  const { key, app, openMany, assertClosed } = await startLimited(t, { tls, settings: { MAX_CONNECTIONS: "4" } });
  const [keyed, anonymous] = [await openMany(2, key), await openMany(3)];
  await assertClosed(keyed, []);
  await assertClosed(anonymous, [0]);
  for (const socket of [...keyed, ...anonymous]) socket.destroy();
  await until(
    () => connectionsOf(app).sockets.size === 0,
    () => `${connectionsOf(app).sockets.size} sockets are open`,
  );
});

t.test("Closes a tenth of the connections without a valid key at a time while the memory is almost full", async (t) => {
  const usage = { heap: 0, heapLimit: 100, resident: 80, residentLimit: 100 };
  const { key, app, openMany, assertClosed } = await startLimited(t, {
    overrides: { memory: () => usage, checkInterval: 20 },
  });
  const [keyed, anonymous] = [await openMany(3, key), await openMany(130)];
  usage.resident = 86;
  await until(() => anonymous[0]?.destroyed, "no connection is closed");
  t.equal(anonymous.at(-1)?.destroyed, false);
  await assertClosed(
    anonymous,
    anonymous.slice(0, 30).map((_, index) => index),
  );
  await assertClosed(keyed, []);
  t.equal(
    readMetric(app.edge, "petstore_connections_closed_total", { reason: "memory" }),
    30,
    "keeps 100, which do not take much memory",
  );
});

t.test("Counts a connection once that two rules close", async (t) => {
  const { app, open } = await startLimited(t, {});
  await open();
  const [socket] = connectionsOf(app).sockets as Iterable<Socket> as [Socket];
  connectionsOf(app).close(socket, "slow");
  connectionsOf(app).close(socket, "memory");
  t.equal(readMetric(app.edge, "petstore_connections_closed_total", { reason: "slow" }), 1);
  t.equal(readMetric(app.edge, "petstore_connections_closed_total"), 1);
});
