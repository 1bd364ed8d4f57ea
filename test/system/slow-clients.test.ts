// Attacks by thousands of slow clients.
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import t from "tap";
import { createCertificate } from "../support/certificate.ts";
import { petstore } from "../support/command.ts";
import { folder } from "../support/files.ts";
import { startServer } from "../support/processes.ts";
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

// Of 2,000 connections without a key, 500 of an address are kept. Fewer clients that do not read, because each holds
// about 3 MB of the kernel's memory.
const counts: Record<string, { count: number; kept: number }> = {
  "slow headers": { count: 2_000, kept: 500 },
  "slow bodies": { count: 2_000, kept: 2_000 },
  "slow reading": { count: 100, kept: 100 },
};
for (const [name, attack] of Object.entries(attacks))
  t.test(`Responds to other clients during an attack by ${name}`, async (t) => {
    const { count, kept } = counts[name] as (typeof counts)[string];
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
    t.equal(await (await attacked)(), kept, "the other connections were closed");
  });

t.test("Closes a connection after 30 s if the client does not read its response", async (t) => {
  for (const ms of await closed)
    t.ok(ms > 29_000 && ms < 45_000, `the connection was closed after ${Math.round(ms)} ms`);
});
