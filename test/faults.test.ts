// Faults, done for real to the service as a process of its own: each ends in a defined answer or a clean
// end, nothing that was acknowledged is lost, and nothing is there twice.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { Agent } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import t, { type Test } from "tap";
import {
  acknowledges,
  areDefined,
  ask,
  beginLoad,
  isError,
  list,
  newPlace,
  noLimits,
  noMounts,
  type Place,
  refuses,
  serve,
  startAt,
  survives,
} from "./support/faults.ts";
import { holdsAll } from "./support/load.ts";
import { petstoreProcess as petstore, type Server } from "./support/processes.ts";
import { until } from "./support/wait.ts";

t.jobs = 3;
const fault = (title: string, work: (t: Test) => Promise<void>, skip: string | false = false) =>
  t.test(title, { buffered: true, skip }, work);

const health = async ({ url }: Server) => (await fetch(new URL("/healthz", url))).status;
const unavailable = (message: RegExp) => ({
  status: 503,
  body: new RegExp(`"code":"unavailable",.*${message.source}`),
});

fault(
  "no room, by a limit to the size of files: creates are refused, and go on as soon as there is room",
  async (t) => {
    const place = newPlace(t);
    // Without what measures the coverage, which ends a process at SIGXFSZ.
    const server = await startAt(t, place, { shell: "NODE_OPTIONS= exec $SERVE" });
    const load = await beginLoad(t, server, place.key);
    const limit = (bytes: number | "unlimited") =>
      spawnSync("prlimit", ["--pid", `${server.child.pid}`, `--fsize=${bytes}:`]);
    limit(statSync(`${place.file}-wal`).size + 100_000);
    await refuses(load, /The store is (not readable or writable|out of space)/);
    t.equal(await health(server), 200);
    t.match(await ask(`${server.url}/pets?limit=1`, place.key), { status: 200 }, "reads go on");
    limit("unlimited");
    await acknowledges(load, 20);
    await load.stop();
    areDefined(t, load);
    t.match(await server.end("SIGTERM"), { code: 0 });
    await survives(t, place, load.acknowledged);
  },
  noLimits,
);

fault(
  "no room for the log: requests are answered all the same",
  async (t) => {
    const place = newPlace(t);
    const settings = { LOG_LEVEL: "info" };
    const server = await startAt(t, place, { shell: "exec $SERVE > /dev/full", settings });
    const load = await beginLoad(t, server, place.key);
    await acknowledges(load, 20);
    await load.stop();
    t.same(Object.keys(load.tally), ["200", "201"]);
    t.match(await server.end("SIGTERM"), { code: 0 });
    await survives(t, place, load.acknowledged);
  },
  existsSync("/dev/full") ? false : "there is no /dev/full here",
);

// A disk of the service's own: this process gets at it by way of that one.
const mount = (place: Place) => `mount -t tmpfs -o size=2m none ${place.path}/disk && `;

fault(
  "no room on the disk: creates are refused, and go on as soon as there is room",
  async (t) => {
    const place = newPlace(t);
    copyFileSync(place.file, join(place.path, "petstore.db"));
    const shell = `${mount(place)} cp ${place.path}/petstore.db ${place.file} && exec $SERVE`;
    const server = await startAt(t, place, { shell: `exec unshare -rm sh -c '${shell}'` });
    const disk = `/proc/${server.child.pid}/root${place.path}/disk`;
    const load = await beginLoad(t, server, place.key);
    const filler = openSync(`${disk}/filler`, "w");
    t.throws(
      () => {
        for (;;) writeSync(filler, Buffer.alloc(4_096));
      },
      { code: "ENOSPC" },
    );
    t.match(JSON.parse(await refuses(load, /out of space/)), { code: "unavailable", status: 503 });
    t.equal(await health(server), 200);
    truncateSync(`${disk}/filler`, 0);
    await acknowledges(load, 20);
    await load.stop();
    areDefined(t, load);
    holdsAll(t, await list(server.url, place.key), load.acknowledged);
    for (const end of ["", "-wal"]) copyFileSync(`${disk}/petstore.db${end}`, place.file + end);
    t.match(await server.end("SIGTERM"), { code: 0 });
    await survives(t, place, load.acknowledged);
  },
  noMounts,
);

fault(
  "a disk that can only be read ends the start with one line",
  async (t) => {
    const { path, settings } = newPlace(t);
    const shell = `mount --bind ${path}/disk ${path}/disk && mount -o remount,bind,ro ${path}/disk && exec ${serve}`;
    const { status, stderr } = spawnSync("unshare", ["-rm", "sh", "-c", shell], {
      encoding: "utf8",
      env: { ...process.env, ...settings, PORT: "0" },
    });
    t.match({ status, stderr }, { status: 1, stderr: /^petstore: The database .* can't be opened: EROFS: .*\n$/ });
  },
  noMounts,
);

for (const [how, harm] of Object.entries({
  removed: (file: string) => rmSync(file),
  replaced: (file: string) => {
    copyFileSync(file, `${file}.backup`);
    renameSync(`${file}.backup`, file);
  },
}))
  fault(`a file that is ${how} while the service runs: nothing is acknowledged that is not kept`, async (t) => {
    const place = newPlace(t);
    const server = await startAt(t, place);
    const load = await beginLoad(t, server, place.key);
    new DatabaseSync(place.file).exec("PRAGMA wal_checkpoint(TRUNCATE)");
    await load.stop();
    harm(place.file);
    const message = /The store's file was removed or replaced\./;
    t.match(await ask(`${server.url}/pets`, place.key, { name: "lost" }), unavailable(message));
    t.match(await ask(new URL("/readyz", server.url).href, place.key), unavailable(message));
    t.match(await ask(`${server.url}/pets?limit=1`, place.key), { status: 200 }, "what is there can be read");
    t.equal(await health(server), 200);
    t.match(await server.end("SIGTERM"), { code: 0 });
    t.match(server.out.stdout, /put that back, or start the service anew/);
    if (how === "replaced") await survives(t, place, load.acknowledged);
  });

const garbage = (file: string, from: number, to: number) => {
  const bytes = Buffer.alloc(Math.ceil((to - from) / 4_096) * 4_096, 0xa5);
  writeSync(openSync(file, "r+"), bytes, 0, bytes.length, from);
};

fault("garbage in the file, while the service runs and at its start, is a 503 or one line", async (t) => {
  const place = newPlace(t);
  const first = await startAt(t, place);
  await Promise.all(
    Array.from({ length: 3_000 }, (_, n) => ask(`${first.url}/pets`, place.key, { name: `${n}`.padEnd(300) })),
  );
  await first.end("SIGTERM");
  copyFileSync(place.file, `${place.file}.whole`);
  const { size } = statSync(place.file);

  const server = await startAt(t, place);
  garbage(place.file, 20 * 4_096, size);
  t.match(await ask(`${server.url}/pets/2500`, place.key), unavailable(/The store is damaged\./));
  t.match(await ask(`${server.url}/pets`, place.key, { name: "new" }), unavailable(/The store is damaged\./));
  t.equal(await health(server), 200);
  t.match(await server.end("SIGTERM"), { code: 0 });
  t.match(petstore(place.settings, "check"), { status: 1, stderr: /^petstore: SQLite: / });

  const starts = (message: RegExp) =>
    t.match(petstore(place.settings, "serve"), { status: 1, stdout: "", stderr: message });
  writeFileSync(place.file, Buffer.alloc(size, 0xa5));
  starts(/^petstore: The database .* can't be opened: file is not a database\.\n$/);
  copyFileSync(`${place.file}.whole`, place.file);
  truncateSync(place.file, 3 * 4_096);
  starts(/^petstore: .*malformed.*\n$/);
});

fault("a lock of another process for longer than 5 seconds is a 503, and then it goes on", async (t) => {
  const place = newPlace(t);
  const server = await startAt(t, place);
  const load = await beginLoad(t, server, place.key);
  const blocker = new DatabaseSync(place.file, { timeout: 5_000 });
  blocker.exec("BEGIN IMMEDIATE");
  await refuses(load, /"code":"unavailable".*The store is locked by another process\./);
  t.equal(await health(server), 200);
  blocker.exec("COMMIT");
  await acknowledges(load, 20);
  await load.stop();
  areDefined(t, load);
  await server.end("SIGTERM");
  await survives(t, place, load.acknowledged);
});

fault("more connections than file descriptors: those that are there are served, and then new ones", async (t) => {
  const place = newPlace(t);
  const server = await startAt(t, place, { shell: "ulimit -n 64; exec $SERVE" });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const pets = `${server.url}/pets`;
  t.match(await ask(pets, place.key, { name: "before", agent }), { status: 201 });
  const port = Number(new URL(pets).port);
  const sockets = Array.from({ length: 200 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  await until(
    () => (sockets.filter(({ closed }) => closed).length > 100 ? true : undefined),
    () => "there is room for all",
  );
  t.match(await ask(pets, place.key, { name: "meanwhile", agent }), { status: 201 });
  t.match(await ask(new URL("/readyz", pets).href, place.key, { agent }), { status: 200 });
  for (const path of ["/docs", "/docs/static/swagger-ui.css"]) {
    const { status = 0, body } = await ask(new URL(path, pets).href, place.key, { agent });
    t.ok(status === 200 || isError(body, status), `${path}: ${status}`);
  }
  for (const socket of sockets) socket.destroy();
  await pause(200);
  t.equal(await health(server), 200);
  t.match(await ask(pets, place.key, { name: "after" }), { status: 201 });
  t.equal((await list(server.url, place.key)).length, 3);
  t.match(await server.end("SIGTERM"), { code: 0 });
});

fault("a clock that is set back an hour changes nothing", async (t) => {
  const place = newPlace(t, "--expires", "30m");
  const script = `const Real = Date; let shift = 0;
    globalThis.Date = class extends Real {
      constructor(...given) { given.length > 0 ? super(...given) : super(Date.now()); }
      static now() { return Real.now() + shift; }
    };
    process.on("SIGUSR2", () => { shift = -3_600_000; console.error("set back"); });`;
  const server = await startAt(t, place, { script });
  const pets = `${server.url}/pets`;
  const named = { name: "once", once: "key-1" };
  const before = await ask(pets, place.key, named);
  t.match(before, { status: 201 });
  for (const name of ["2", "3"]) await ask(pets, place.key, { name });
  const { link = "" } = await ask(`${pets}?limit=1`, place.key);
  const load = await beginLoad(t, server, place.key);
  server.child.kill("SIGUSR2");
  await until(
    () => /set back/.exec(server.out.stderr)?.[0],
    () => server.out.stderr,
  );
  await acknowledges(load, 20);
  await load.stop();
  areDefined(t, load);
  t.same(Object.keys(load.tally), ["200", "201"], "nothing was refused");
  t.equal((await ask(pets, place.key, named)).body, before.body, "an Idempotency-Key of before");
  const next = new URL(/<([^>]+)>; rel="next"/.exec(link)?.[1] as string, pets).href;
  t.match(await ask(next, place.key), { status: 200, body: /"name":"2"/ }, "a cursor of before");
  const later = { name: "later", once: "key-2" };
  const made = await ask(pets, place.key, later);
  t.equal((await ask(pets, place.key, later)).body, made.body, "an Idempotency-Key of now");
  const { code, ms } = await server.end("SIGTERM");
  t.ok(code === 0 && ms < 5_000, `it ended with ${code} after ${ms} ms`);
  await survives(t, place, load.acknowledged);
});

fault("an exception in a handler is a 500, the log has it, and the next request is served", async (t) => {
  const place = newPlace(t);
  const module = new URL("../src/handlers.ts", import.meta.url);
  const script = `import(${JSON.stringify(module)}).then(({ handlers }) => {
      handlers.getPet = async () => { throw new Error("injected"); };
      handlers.listPets = () => { throw new TypeError("injected, too"); };
    });`;
  const server = await startAt(t, place, { script });
  for (const path of ["/pets/1", "/pets"]) {
    const { status, body } = await ask(server.url + path, place.key);
    t.match({ status, body }, { status: 500, body: /"code":"internal_error"/ });
    t.ok(isError(body, 500) && !/injected/.test(body), "in the one shape, without what went wrong");
  }
  t.match(await ask(`${server.url}/pets`, place.key, { name: "next" }), { status: 201 });
  await server.end("SIGTERM");
  t.match(server.out.stdout, /"level":50.*"message":"injected"/);
  t.match(server.out.stdout, /"level":50.*"type":"TypeError","message":"injected, too"/);
});

const outside = {
  "an exception outside of any request": "setImmediate(() => { throw new Error('injected'); });",
  "a rejected promise that nobody awaits": "Promise.reject(new Error('injected'));",
};
for (const [what, code] of Object.entries(outside))
  fault(`${what}: what is under way is answered, and the service ends with 1`, async (t) => {
    const place = newPlace(t);
    const server = await startAt(t, place, { script: `process.on("SIGUSR2", () => { ${code} });` });
    const load = await beginLoad(t, server, place.key);
    const body = '{"name":"slow","categoryId":7}';
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${place.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
    );
    await pause(200);
    const exit = once(server.child, "exit");
    server.child.kill("SIGUSR2");
    await until(
      () => /"level":60/.exec(server.out.stdout)?.[0],
      () => server.out.stdout,
    );
    server.child.kill("SIGUSR2");
    await pause(100);
    socket.write(body.slice(9));
    const answer = await text(socket);
    t.match(answer, /^HTTP\/1\.1 201 Created\r\n/);
    t.same(await exit, [1, null]);
    await load.stop();
    areDefined(t, load, "ECONNREFUSED", "ECONNRESET");
    t.equal(server.out.stdout.match(/"level":60.*"message":"injected"/g)?.length, 1, "it is logged once");
    await survives(t, place, load.acknowledged.set("slow", /"id":(\d+)/.exec(answer)?.[1] as string));
  });

fault("a worker that ends by such an exception is replaced", async (t) => {
  const place = newPlace(t);
  const script = `if (require("node:cluster").isWorker) {
      console.error("worker", process.pid);
      process.on("SIGUSR2", () => { ${outside["an exception outside of any request"]} });
    }`;
  const server = await startAt(t, place, { script, settings: { WORKERS: "2", LOG_LEVEL: "info" } });
  const load = await beginLoad(t, server, place.key);
  process.kill(Number(/worker (\d+)/.exec(server.out.stderr)?.[1]), "SIGUSR2");
  await until(
    () => /a new worker serves/.exec(server.out.stdout)?.[0],
    () => server.out.stdout,
  );
  await acknowledges(load, 20);
  await load.stop();
  areDefined(t, load, "ECONNRESET");
  t.match(await server.end("SIGTERM"), { code: 0 });
  await survives(t, place, load.acknowledged);
});

fault("SIGTERM twice ends it once, with 0", async (t) => {
  const place = newPlace(t);
  const server = await startAt(t, place);
  const load = await beginLoad(t, server, place.key);
  const end = server.end("SIGTERM");
  server.child.kill("SIGTERM");
  t.match(await end, { code: 0 });
  await load.stop();
  areDefined(t, load, "ECONNREFUSED", "ECONNRESET");
  await survives(t, place, load.acknowledged);
});

fault("SIGKILL under load, three times", async (t) => {
  const place = newPlace(t);
  const acknowledged = new Map<string, string>();
  for (let round = 0; round < 3; round++) {
    const server = await startAt(t, place);
    const load = await beginLoad(t, server, place.key);
    await acknowledges(load, 20);
    await server.end("SIGKILL");
    await load.stop();
    areDefined(t, load, "ECONNREFUSED", "ECONNRESET");
    for (const [name, id] of load.acknowledged) acknowledged.set(name, id);
  }
  await survives(t, place, acknowledged);
  t.match(petstore(place.settings, "check"), { status: 0, stdout: /\nsound\n$/ });
});
