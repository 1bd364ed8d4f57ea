// Attacks by thousands of slow clients.
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import t from "tap";
import { createCertificate } from "../support/certificate.ts";
import { petstore } from "../support/command.ts";
import { folder } from "../support/files.ts";
import { startServer } from "../support/processes.ts";
import { start } from "../support/service.ts";
import { attacks, bundleRequest } from "../support/slow-clients.ts";
import { pause, until } from "../support/wait.ts";

const inMemory = { DATABASE_URL: "sqlite::memory:" };
const toPort = ({ url }: { url: string }) => Number(new URL(url).port);

// A client that does not read learns that its connection is closed only when it writes.
const probe = (socket: Socket) => socket.writable && socket.write("G");

// Starts here, because it takes half a minute and can run during the other tests.
const closed = (async () => {
  const plain = await startServer(t, inMemory);
  const { files, cert } = await createCertificate(t, 1);
  const secure = await startServer(t, { ...inMemory, ...files });
  const untilClosed = async (socket: Socket) => {
    const began = performance.now();
    socket.on("error", () => {}).write(bundleRequest.repeat(8));
    socket.pause();
    await until(
      () => (probe(socket) ? undefined : true),
      () => "the connection is still open after 60 s",
    );
    return performance.now() - began;
  };
  return Promise.all([
    untilClosed(connect(toPort(plain), "127.0.0.1")),
    untilClosed(connectTls({ port: toPort(secure), host: "127.0.0.1", ca: cert, servername: "localhost" })),
  ]);
})();

// Fewer clients that do not read, because each holds about 3 MB of the kernel's memory.
for (const [name, attack] of Object.entries(attacks))
  t.test(`Responds to other clients during an attack by ${name}`, async (t) => {
    const count = name === "slow reading" ? 100 : 2_000;
    const env = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`, LOG_LEVEL: "error" };
    const key = (await petstore(env, ["keys", "create", "good"])).stdout.trim();
    const { url } = await startServer(t, env);
    const attacked = attack(url, key, count);
    const times: number[] = [];
    for (let n = 0; n < 60; n++) {
      const began = performance.now();
      const response = await fetch(`${url}/pets`, { headers: { authorization: `Bearer ${key}` } });
      t.equal(response.status, 200);
      await response.text();
      times.push(performance.now() - began);
      await pause(50);
    }
    t.ok(Math.max(...times) < 2_000, `the slowest took ${Math.round(Math.max(...times))} ms`);
    t.equal(await (await attacked)(), count, "all slow clients stayed connected");
  });

t.test("Closes the connections that have waited longest if more than 200 do not read", async (t) => {
  let sweeps = 0; // the service checks its connections once a second
  const clock = () => {
    sweeps += 1;
    return performance.now();
  };
  const { port } = await start(t, { overrides: { clock } });
  const sockets = Array.from({ length: 250 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  t.teardown(() => sockets.map((socket) => socket.destroy()));
  for (const socket of sockets) {
    socket.pause().write(bundleRequest.repeat(8));
    await pause(5);
  }
  const closedOnes = () => sockets.flatMap((socket, index) => (socket.writable ? [] : index));
  await until(
    () => {
      sockets.forEach(probe);
      return closedOnes().length >= 50 || undefined;
    },
    () => `${closedOnes().length} are closed`,
  );
  t.ok(Math.max(...closedOnes()) < 120, `the last of them was number ${Math.max(...closedOnes())}`);
  const before = sweeps;
  await until(
    () => sweeps > before + 2 || undefined,
    () => "the service does not check its connections",
  );
  sockets.forEach(probe);
  await pause(100);
  t.ok(closedOnes().length < 100, `${closedOnes().length} are closed`);
});

t.test("Closes a connection after 30 s if the client does not read its response", async (t) => {
  for (const ms of await closed)
    t.ok(ms > 29_000 && ms < 45_000, `the connection was closed after ${Math.round(ms)} ms`);
});
