// Faults of the process: exceptions, signals, file descriptors, the clock. Each fault leads to a defined response or a
// clean exit, and no acknowledged pet is lost or stored twice.
import { once } from "node:events";
import { Agent } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import {
  assertDefinedResponses,
  assertNothingLost,
  createSqliteStore,
  getHealthStatus,
  isError,
  serveStore,
  startAcknowledgedLoad,
  untilAcknowledged,
} from "../support/faults.ts";
import { createPet, createRequest, get, listPets, nextPage } from "../support/http.ts";
import { lastLines, petstoreProcess } from "../support/processes.ts";
import { pause, until } from "../support/wait.ts";

t.jobs = 3;
const fault = (title: string, work: (t: Test) => Promise<void>) => t.test(title, { buffered: true }, work);

fault("Serves its open connections while it is out of file descriptors, and new ones afterwards", async (t) => {
  const { key, ...store } = await createSqliteStore(t);
  const server = await serveStore(t, { key, ...store }, { shell: "ulimit -n 64; exec $SERVE" });
  const { url } = server;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  t.match(await createPet(url, key, { name: "before", agent }), { status: 201 });
  const port = Number(new URL(url).port);
  const sockets = Array.from({ length: 200 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  await until(
    () => (sockets.filter(({ closed }) => closed).length > 100 ? true : undefined),
    () => "all connections are open",
  );
  t.match(await createPet(url, key, { name: "meanwhile", agent }), { status: 201 });
  t.match(await get(new URL("/readyz", url).href, key, agent), { status: 200 });
  for (const path of ["/docs", "/docs/static/swagger-ui.css"]) {
    const { status, text } = await get(new URL(path, url).href, key, agent);
    t.ok(status === 200 || isError(text, status), `${path}: ${status}`);
  }
  await pause(600); // the memory is checked every 250 ms, which needs a file descriptor
  t.match(await get(new URL("/readyz", url).href, key, agent), { status: 200 });
  for (const socket of sockets) socket.destroy();
  await until(
    async () => ((await getHealthStatus(server).catch(() => undefined)) === 200 ? true : undefined),
    () => "new connections are not served",
  );
  t.match(await createPet(url, key, { name: "after" }), { status: 201 });
  t.equal((await listPets(url, key)).length, 3);
  t.match(await server.end("SIGTERM"), { code: 0 });
});

fault("Keeps working after the clock was set back an hour", async (t) => {
  const store = await createSqliteStore(t, { expiresAt: new Date(Date.now() + 1_800_000) });
  const { key } = store;
  const script = `const Real = Date; let shift = 0;
    globalThis.Date = class extends Real {
      constructor(...given) { given.length > 0 ? super(...given) : super(Date.now()); }
      static now() { return Real.now() + shift; }
    };
    process.on("SIGUSR2", () => { shift = -3_600_000; console.error("set back"); });`;
  const server = await serveStore(t, store, { script });
  const { url } = server;
  const first = { name: "once", idempotencyKey: "key-1" };
  const before = await createPet(url, key, first);
  t.match(before, { status: 201 });
  for (const name of ["2", "3"]) await createPet(url, key, { name });
  const next = nextPage(await get(`${url}/pets?limit=1`, key), url) as string;
  const load = await startAcknowledgedLoad(t, server, key);
  server.child.kill("SIGUSR2");
  await until(
    () => /set back/.exec(server.out.stderr)?.[0],
    () => lastLines(server.out),
  );
  await untilAcknowledged(load, 20);
  await load.stop();
  assertDefinedResponses(t, load);
  t.same(Object.keys(load.tally), ["200", "201"], "nothing was rejected");
  t.equal((await createPet(url, key, first)).text, before.text, "an Idempotency-Key from before");
  t.match(await get(next, key), { status: 200, text: /"name":"2"/ }, "a cursor from before");
  const later = { name: "later", idempotencyKey: "key-2" };
  const created = await createPet(url, key, later);
  t.equal((await createPet(url, key, later)).text, created.text, "an Idempotency-Key from now");
  const { code, ms } = await server.end("SIGTERM");
  t.ok(code === 0 && ms < 7_500, `it exits with ${code} after ${ms} ms, before connections are closed after 8 s`);
  await assertNothingLost(t, store, load.acknowledged);
});

const injections = {
  "an exception outside of any request": "setImmediate(() => { throw new Error('injected'); });",
  "an unhandled rejection": "Promise.reject(new Error('injected'));",
};
for (const [what, code] of Object.entries(injections))
  fault(`Finishes the requests in progress and exits with 1 after ${what}`, async (t) => {
    const store = await createSqliteStore(t);
    const script = `process.on("SIGUSR2", () => { console.error("injecting"); ${code} });`;
    const server = await serveStore(t, store, { script });
    const load = await startAcknowledgedLoad(t, server, store.key);
    const { head, body } = createRequest(store.key, "slow", "Expect: 100-continue");
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(head);
    t.match(String(await once(socket, "data")), /^HTTP\/1\.1 100 /, "the request is in progress");
    const exit = once(server.child, "exit");
    for (const times of [1, 2]) {
      server.child.kill("SIGUSR2");
      await until(
        () =>
          server.out.stderr.split("injecting").length > times ? /"level":60/.exec(server.out.stdout)?.[0] : undefined,
        () => lastLines(server.out),
      );
    }
    socket.write(body);
    const response = await text(socket);
    t.match(response, /^HTTP\/1\.1 201 Created\r\n/);
    t.same(await exit, [1, null]);
    await load.stop();
    assertDefinedResponses(t, load, "ECONNREFUSED", "ECONNRESET");
    t.equal(server.out.stdout.match(/"level":60.*"message":"injected"/g)?.length, 1, "the exception is logged once");
    await assertNothingLost(t, store, load.acknowledged.set("slow", /"id":(\d+)/.exec(response)?.[1] as string));
  });

fault("Replaces a worker that exits after an exception", async (t) => {
  const store = await createSqliteStore(t);
  const script = `if (require("node:cluster").isWorker) {
      console.error("worker", process.pid);
      process.on("SIGUSR2", () => { ${injections["an exception outside of any request"]} });
    }`;
  const server = await serveStore(t, store, { script, settings: { WORKERS: "2", LOG_LEVEL: "info" } });
  const load = await startAcknowledgedLoad(t, server, store.key);
  process.kill(Number(/worker (\d+)/.exec(server.out.stderr)?.[1]), "SIGUSR2");
  await until(
    () => /worker started/.exec(server.out.stdout)?.[0],
    () => lastLines(server.out),
  );
  await untilAcknowledged(load, 20);
  await load.stop();
  assertDefinedResponses(t, load, "ECONNRESET");
  t.match(await server.end("SIGTERM"), { code: 0 });
  await assertNothingLost(t, store, load.acknowledged);
});

fault("Exits with 0 after two SIGTERM", async (t) => {
  const store = await createSqliteStore(t);
  const server = await serveStore(t, store);
  const load = await startAcknowledgedLoad(t, server, store.key);
  const end = server.end("SIGTERM");
  server.child.kill("SIGTERM");
  t.match(await end, { code: 0 });
  await load.stop();
  assertDefinedResponses(t, load, "ECONNREFUSED", "ECONNRESET");
  await assertNothingLost(t, store, load.acknowledged);
});

fault("Loses nothing by three SIGKILL under load", async (t) => {
  const store = await createSqliteStore(t);
  const acknowledged = new Map<string, string>();
  for (let round = 0; round < 3; round++) {
    const server = await serveStore(t, store);
    const load = await startAcknowledgedLoad(t, server, store.key);
    await untilAcknowledged(load, 20);
    await server.end("SIGKILL");
    await load.stop();
    assertDefinedResponses(t, load, "ECONNREFUSED", "ECONNRESET");
    for (const [name, id] of load.acknowledged) acknowledged.set(name, id);
  }
  await assertNothingLost(t, store, acknowledged);
  t.match(petstoreProcess(store.settings, "check"), { status: 0, stdout: /\nno problems found\n$/ });
});
