// Faults of the disk and of the SQLite file while the service runs as a process. Each leads to a defined response or a
// clean exit, and no acknowledged pet is lost or stored twice.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import t, { type Test } from "tap";
import {
  assertDefinedResponses,
  assertNothingLost,
  createSqliteStore,
  getHealthStatus,
  mountSkipReason,
  prlimitSkipReason,
  type SqliteStore,
  serve,
  serveStore,
  startAcknowledgedLoad,
  untilAcknowledged,
  untilRejected,
} from "../support/faults.ts";
import { bin, folder, root } from "../support/files.ts";
import { createPet, get, listPets } from "../support/http.ts";
import { assertAllStored } from "../support/load.ts";
import { petstoreProcess, type Server } from "../support/processes.ts";

t.jobs = 3;
const fault = (title: string, work: (t: Test) => Promise<void>, skip: string | false = false) =>
  t.test(title, { buffered: true, skip }, work);

const unavailable = (message: RegExp) => ({
  status: 503,
  text: new RegExp(`"code":"unavailable",.*${message.source}`),
});

fault("Responds with 503 if another process locks the file for more than 5 seconds, then recovers", async (t) => {
  const store = await createSqliteStore(t);
  const server = await serveStore(t, store);
  const load = await startAcknowledgedLoad(t, server, store.key);
  const blocker = new DatabaseSync(store.file, { timeout: 20_000 });
  blocker.exec("BEGIN IMMEDIATE");
  await untilRejected(load, /"code":"unavailable".*The database is locked by another process\./);
  t.equal(await getHealthStatus(server), 200);
  blocker.exec("COMMIT");
  blocker.close();
  await untilAcknowledged(load, 20);
  await load.stop();
  assertDefinedResponses(t, load);
  await server.end("SIGTERM");
  await assertNothingLost(t, store, load.acknowledged);
});

fault(
  "Rejects creates while the file has reached its size limit, and recovers as soon as there is space",
  async (t) => {
    const store = await createSqliteStore(t);
    // Without NODE_OPTIONS, because the coverage hooks end a process at SIGXFSZ.
    const server = await serveStore(t, store, { shell: "NODE_OPTIONS= exec $SERVE" });
    const load = await startAcknowledgedLoad(t, server, store.key);
    const limit = (bytes: number | "unlimited") =>
      spawnSync("prlimit", ["--pid", `${server.child.pid}`, `--fsize=${bytes}:`]);
    limit(statSync(`${store.file}-wal`).size + 100_000);
    await untilRejected(load, /The database is (not readable or writable|out of disk space)/);
    t.equal(await getHealthStatus(server), 200);
    t.match(await get(`${server.url}/pets?limit=1`, store.key), { status: 200 }, "reads are served");
    limit("unlimited");
    await untilAcknowledged(load, 20);
    await load.stop();
    assertDefinedResponses(t, load);
    t.match(await server.end("SIGTERM"), { code: 0 });
    await assertNothingLost(t, store, load.acknowledged);
  },
  prlimitSkipReason,
);

fault(
  "Serves requests while the disk of the log is full",
  async (t) => {
    const store = await createSqliteStore(t);
    const settings = { LOG_LEVEL: "info" };
    const server = await serveStore(t, store, { shell: "exec $SERVE > /dev/full", settings });
    const load = await startAcknowledgedLoad(t, server, store.key);
    await untilAcknowledged(load, 20);
    await load.stop();
    t.same(Object.keys(load.tally), ["200", "201"]);
    t.match(await server.end("SIGTERM"), { code: 0 });
    await assertNothingLost(t, store, load.acknowledged);
  },
  existsSync("/dev/full") ? false : "there is no /dev/full",
);

fault(
  "Continues the log as soon as the disk has space again, also after lines were lost",
  async (t) => {
    const [path, logger] = [folder(t), pathToFileURL(join(root, "src/operate/telemetry/logger.ts")).href];
    // Fills the buffer of 1 MiB, then waits for the limit to be raised.
    const code = `const { createLogger } = await import("${logger}");
      const log = await createLogger("info");
      for (let n = 0; n < 30; n++) log.info("x".repeat(100_000));
      for (let n = 0; n < 1_000; n++) log.info("y");
      process.stdin.once("data", () => { for (let n = 0; n < 3; n++) log.info("after " + n); });
      console.error("full");`;
    const shell = `ulimit -S -f 4; trap "" XFSZ; NODE_OPTIONS= exec "$0" --input-type=module -e "$1" > ${join(path, "log")}`;
    const child = spawn("bash", ["-c", shell, process.execPath, code], { stdio: ["pipe", "ignore", "pipe"] });
    t.teardown(() => child.kill("SIGKILL"));
    await once(child.stderr, "data");
    spawnSync("prlimit", ["--pid", `${child.pid}`, "--fsize=unlimited:"]);
    child.stdin.end("go");
    t.same(await once(child, "exit"), [0, null]);
    const log = readFileSync(join(path, "log"), "utf8");
    t.match(log, /^\{.*"after 2"\}\n$/m, "only the first line after the limit can be lost");
    t.ok(log.split("\n").length < 1_000, "lines were lost");
  },
  prlimitSkipReason,
);

// Mounts a disk in the service's own namespace, which the test accesses through /proc/<pid>/root.
const mount = ({ path }: SqliteStore) => `mount -t tmpfs -o size=4m none ${path}/disk && `;

/** Runs a command in the namespace of the service. */
const petstoreIn = ({ child: { pid } }: Server, { settings }: SqliteStore, ...args: string[]) =>
  spawnSync(
    "nsenter",
    ["--user", "--mount", "--preserve-credentials", `--target=${pid}`, process.execPath, bin, ...args],
    { encoding: "utf8", env: { ...process.env, ...settings } },
  );

fault(
  "Rejects creates while the disk is full, replaces and revokes keys, and recovers as soon as there is space",
  async (t) => {
    const store = await createSqliteStore(t);
    const { file, path, key, settings } = store;
    const names = Array.from({ length: 10 }, (_, n) => `key-${n}`);
    const keys = names.map((name) => petstoreProcess(settings, "keys", "create", name).stdout.trim());
    copyFileSync(file, join(path, "petstore.db"));
    const shell = `${mount(store)} cp ${path}/petstore.db ${file} && exec $SERVE`;
    const server = await serveStore(t, store, { shell: `exec unshare -rm sh -c '${shell}'` });
    const disk = `/proc/${server.child.pid}/root${path}/disk`;
    const load = await startAcknowledgedLoad(t, server, key);
    const filler = openSync(`${disk}/filler`, "w");
    t.throws(
      () => {
        for (;;) writeSync(filler, Buffer.alloc(4_096));
      },
      { code: "ENOSPC" },
    );
    t.match(JSON.parse(await untilRejected(load, /out of disk space/)), { code: "unavailable", status: 503 });
    t.equal(await getHealthStatus(server), 200);
    t.match(await get(`${server.url}/pets?limit=1`, keys[0] as string), { status: 200 });
    // Meanwhile, the load tries to create pets.
    const [rotated = "", ...revoked] = names;
    const rotation = petstoreIn(server, store, "keys", "rotate", rotated, "--grace", "0");
    t.match(rotation, { status: 0 });
    for (const name of revoked) t.match(petstoreIn(server, store, "keys", "revoke", name), { status: 0, stderr: "" });
    for (const key of keys) t.match(await get(`${server.url}/pets?limit=1`, key), { status: 401 });
    t.match(await get(`${server.url}/pets?limit=1`, rotation.stdout.trim()), { status: 200 });
    truncateSync(`${disk}/filler`, 0);
    await untilAcknowledged(load, 20);
    await load.stop();
    assertDefinedResponses(t, load);
    assertAllStored(t, await listPets(server.url, key), load.acknowledged);
    for (const end of ["", "-wal"]) copyFileSync(`${disk}/petstore.db${end}`, file + end);
    t.match(await server.end("SIGTERM"), { code: 0 });
    await assertNothingLost(t, store, load.acknowledged);
  },
  mountSkipReason,
);

fault(
  "Exits with one line if the disk is read-only at the start",
  async (t) => {
    const { path, settings } = await createSqliteStore(t);
    const shell = `mount --bind ${path}/disk ${path}/disk && mount -o remount,bind,ro ${path}/disk && exec ${serve}`;
    const { status, stderr } = spawnSync("unshare", ["-rm", "sh", "-c", shell], {
      encoding: "utf8",
      env: { ...process.env, ...settings, PORT: "0" },
    });
    t.match({ status, stderr }, { status: 1, stderr: /^petstore: The database .* can't be opened: EROFS: .*\n$/ });
  },
  mountSkipReason,
);

const losses = {
  removed: (file: string) => rmSync(file),
  replaced: (file: string) => {
    copyFileSync(file, `${file}.backup`);
    renameSync(`${file}.backup`, file);
  },
};
for (const [how, lose] of Object.entries(losses))
  fault(`Acknowledges nothing that is not stored after the file was ${how}`, async (t) => {
    const store = await createSqliteStore(t);
    const { file, key } = store;
    const server = await serveStore(t, store);
    const load = await startAcknowledgedLoad(t, server, key);
    const checkpoint = new DatabaseSync(file, { timeout: 20_000 });
    checkpoint.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    await load.stop();
    lose(file);
    const message = /The database file was removed or replaced\./;
    t.match(await createPet(server.url, key, { name: "lost" }), unavailable(message));
    t.match(await get(new URL("/readyz", server.url).href, key), unavailable(message));
    t.match(await get(`${server.url}/pets?limit=1`, key), { status: 200 }, "the open file can be read");
    t.equal(await getHealthStatus(server), 200);
    t.match(await server.end("SIGTERM"), { code: 0 });
    t.match(server.out.stdout, /put it back, or restart the service/);
    if (how === "replaced") await assertNothingLost(t, store, load.acknowledged);
  });

const page = 4_096; // bytes
function overwrite(file: string, from: number, to: number): void {
  const bytes = Buffer.alloc(Math.ceil((to - from) / page) * page, 0xa5);
  writeSync(openSync(file, "r+"), bytes, 0, bytes.length, from);
}

fault(
  "Responds with 503 to a file damaged at runtime, and exits with one line if it is damaged at the start",
  async (t) => {
    const names = Array.from({ length: 3_000 }, (_, n) => `${n}`.padEnd(300));
    const store = await createSqliteStore(t, { names });
    const { file, key, settings } = store;
    copyFileSync(file, `${file}.whole`);
    const { size } = statSync(file);

    const server = await serveStore(t, store);
    overwrite(file, 20 * page, size);
    t.match(await get(`${server.url}/pets/2500`, key), unavailable(/The database is corrupt\./));
    t.match(await createPet(server.url, key, { name: "new" }), unavailable(/The database is corrupt\./));
    t.equal(await getHealthStatus(server), 200);
    t.match(await server.end("SIGTERM"), { code: 0 });
    t.match(petstoreProcess(settings, "check"), { status: 1, stderr: /^petstore: SQLite: / });

    const starts = (message: RegExp) =>
      t.match(petstoreProcess(settings, "serve"), { status: 1, stdout: "", stderr: message });
    writeFileSync(file, Buffer.alloc(size, 0xa5));
    starts(/^petstore: The database .* can't be opened: file is not a database\.\n$/);
    copyFileSync(`${file}.whole`, file);
    truncateSync(file, 3 * page);
    starts(/^petstore: .*malformed.*\n$/);
  },
);
