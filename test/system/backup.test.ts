// Backups and restores as processes: under load, killed, stopped by a signal, and on a full disk.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { makeEndless } from "../support/crafted-database.ts";
import { newDatabase, stores } from "../support/databases.ts";
import { untilAcknowledged } from "../support/faults.ts";
import { bin, folder } from "../support/files.ts";
import { send } from "../support/http.ts";
import { assertAllStored, startLoad } from "../support/load.ts";
import { openPetStore, openPetTables } from "../support/pets.ts";
import { startServer } from "../support/processes.ts";
import { startCommand } from "../support/running-command.ts";
import { addKey, start } from "../support/service.ts";
import { countPets, fill, insertPets, petstoreOn, readAllNames, readAllPets, toFile } from "../support/stores.ts";
import { pause, until } from "../support/wait.ts";

// A file descriptor can be closed meanwhile.
function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

for (const [kind, prepare] of Object.entries(stores)) {
  t.test(`${kind}: a backup under load is a snapshot, and its restore has the same content`, async (t) => {
    const url = await prepare(t);
    const server = await startServer(t, { DATABASE_URL: url, LOG_LEVEL: "error" });
    const store = await openPetStore(url);
    const key = await addKey(store, "a");
    const load = startLoad([server.url], key, 16);
    t.teardown(load.stop);
    const place = folder(t);
    for (const name of ["one.db", "two.db"]) {
      await untilAcknowledged(load, 50);
      const before = new Map(load.acknowledged);
      const file = join(place, name);
      t.match(await startCommand(url, ["backup", file]).exit(), { code: 0 });
      const after = new Map(load.acknowledged);
      t.ok(after.size > before.size, `${after.size - before.size} creates were acknowledged during the backup`);

      const parts = () => readdirSync(place).filter((other) => other.startsWith(name));
      t.same(parts(), [name], "one file");
      t.equal(statSync(file).mode & 0o777, 0o600);
      t.match(await petstoreOn(`sqlite:${file}`, ["check"]), { status: 0, stdout: /^no problems found$/m });
      const all = await readAllPets(`sqlite:${file}`);
      const backedUp = new Map(all.map(({ name, id }) => [name, `${id}`]));
      assertAllStored(
        t,
        [...backedUp].map(([name, id]) => ({ name, id })),
        before,
      );
      const last = Number(all.at(-1)?.id);
      const missing = [...after].filter(([name, id]) => Number(id) <= last && backedUp.get(name) !== id);
      t.same(missing, [], `no gap up to ${last}`);
      const db = new DatabaseSync(file, { readOnly: true });
      const rows = "SELECT count(*) AS n FROM pets LEFT JOIN idempotency ON record_id = id WHERE record_id IS NULL";
      t.equal(db.prepare(rows).get()?.n, 0, "each pet has its Idempotency-Key");
      db.close();
      t.same(parts(), [name], "still one file");
    }
    await load.stop();
    t.same(load.rejections, []);
    t.same(Object.keys(load.tally).sort(), ["200", "201"]);
    await store.close();

    const [file, other] = [join(place, "two.db"), await prepare(t)];
    const inventory = (await petstoreOn(`sqlite:${file}`, ["check"])).stdout.replace("no problems found\n", "");
    const { status, stdout } = await petstoreOn(other, ["restore", file]);
    t.same({ status, stdout }, { status: 0, stdout: inventory }, "the counts and the checksum of the backup");
    const restored = await openPetStore(other);
    t.teardown(() => restored.close());
    const { call } = await start(t, { store: restored });
    t.equal((await call("GET", "/v1/pets", { key })).status, 200, "its keys are valid");
    t.equal((await call("POST", "/v1/pets", { key, json: { name: "new", categoryId: 1 } })).status, 201);
    t.match(await petstoreOn(other, ["check"]), { status: 0 });
  });

  t.test(
    `${kind}: restore --force replaces a store that another process serves, and the service uses the new content immediately`,
    async (t) => {
      const [from, url] = [await prepare(t), await prepare(t)];
      await fill(from, 2);
      const file = join(folder(t), "backup.db");
      t.match(await petstoreOn(from, ["backup", file]), { status: 0 });
      const server = await startServer(t, { DATABASE_URL: url, LOG_LEVEL: "error" });
      t.match(await petstoreOn(url, ["restore", file]), { status: 1, stdout: "", stderr: /in use\. Stop the service/ });

      const addNewKey = async (name: string) => {
        const store = await openPetStore(url);
        return addKey(store, name).finally(() => store.close());
      };
      const get = (path: string, key: string) =>
        send(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
      const old = await addNewKey("old");
      await insertPets(url, 3);
      t.match(JSON.parse((await get("/pets?limit=2", old)).text), [{ name: "Rex 1" }, { name: "Rex 2" }]);
      t.equal((await get("/pets/1", old)).status, 200);
      t.match(await petstoreOn(url, ["restore", file, "--force", "--yes"]), { status: 0, stdout: /^pets {14}2$/m });
      t.equal((await get("/pets", old)).status, 401, "the keys of the backup apply immediately");
      const key = await addNewKey("new");
      t.match(JSON.parse((await get("/pets?limit=3", key)).text), [{ name: "Rex 0 🐕" }, { name: "Rex 1 🐕" }]);
      t.match(JSON.parse((await get("/pets/1", key)).text), { name: "Rex 0 🐕" });
    },
  );

  t.test(`${kind}: a backup or export that ends by a signal leaves no file with the final name`, async (t) => {
    const url = await prepare(t);
    await insertPets(url, 60_000);
    const place = folder(t);
    for (const args of [
      ["backup", join(place, "it.db")],
      ["export", "--output", join(place, "it.ndjson")],
    ]) {
      const attempt = async (signal: NodeJS.Signals) => {
        const { child, exit } = startCommand(url, args);
        await until(
          () => readdirSync(place).find((name) => name.includes("partial")),
          () => "no file is created",
        );
        child.kill(signal);
        return exit();
      };
      t.match(await attempt("SIGINT"), { code: 1, stderr: /Stopped\. No file was written\.\n$/ });
      t.same(readdirSync(place), []);
      await attempt("SIGKILL");
      const left = readdirSync(place);
      t.ok(left.length > 0 && left.every((name) => name.startsWith("it.") && name.includes(".partial-")), `${left}`);
      t.match(await petstoreOn(url, args), { status: 0 }, "the next one succeeds");
      for (const name of readdirSync(place)) rmSync(join(place, name));
    }
  });
}

t.test("postgres: restore --force fails after 5 s if a backup reads the store, and changes nothing", async (t) => {
  const [from, url] = [await stores.sqlite(t), await newDatabase(t)];
  const file = join(folder(t), "backup.db");
  await fill(from, 2);
  t.match(await petstoreOn(from, ["backup", file]), { status: 0 });
  await insertPets(url, 3);
  const tables = await openPetTables(url, "readonly");
  await tables.read(async (source) => {
    t.equal(await source.count("pets"), 3);
    const start = performance.now();
    t.match(await startCommand(url, ["restore", file, "--force", "--yes"]).exit(), {
      code: 1,
      stderr: /^petstore: .*A backup, export, check or copy is reading the database\. Nothing was changed\..*\n$/m,
    });
    const ms = performance.now() - start;
    t.ok(ms > 5_000 && ms < 60_000, `it took ${ms} ms`);
  });
  await tables.close();
  t.same(await readAllNames(url), ["Rex 1", "Rex 2", "Rex 3"]);
});

for (const command of ["check", "restore"])
  t.test(`SIGTERM ends petstore ${command} at once, also in an endless query of a crafted file`, async (t) => {
    const [from, url] = [await stores.sqlite(t), await stores.sqlite(t)];
    await fill(from, 1);
    const file = toFile(from) as string;
    makeEndless(file, "sqlite_schema");
    const args = command === "check" ? ["check", from] : ["restore", file];
    // The code that tap adds to a child process by NODE_OPTIONS handles signals, but not during a query.
    const child = spawn("env", ["-u", "NODE_OPTIONS", process.execPath, bin, ...args], {
      env: { ...process.env, DATABASE_URL: url },
      stdio: "ignore",
    });
    const exit = once(child, "exit");
    t.teardown(() => child.kill("SIGKILL"));
    const files = `/proc/${child.pid}/fd`; // which only Linux has
    await until(
      () => readdirSync(files).find((name) => readLink(join(files, name)) === realpathSync(file)),
      () => "the command does not open the file",
    );
    await pause(200); // until the query has begun
    const start = performance.now();
    child.kill("SIGTERM");
    t.same(await exit, [null, "SIGTERM"]);
    const ms = performance.now() - start;
    t.ok(ms < 1_000, `it took ${ms} ms`);
    t.notOk(existsSync(toFile(url) as string), "no store was created");
  });

t.test("Reports which file exceeds the disk space, and leaves no file", async (t) => {
  const from = await stores.sqlite(t);
  await fill(from, 5_000);
  const file = join(folder(t), "backup.db");
  t.match(await petstoreOn(from, ["backup", file]), { status: 0 });
  const place = folder(t);
  const script = 'ulimit -f 100; trap "" XFSZ; unset NODE_OPTIONS; exec "$@"';
  const limited = (url: string, ...args: string[]) =>
    spawnSync("bash", ["-c", script, "bash", process.execPath, bin, ...args], {
      env: { ...process.env, DATABASE_URL: url },
      encoding: "utf8",
    });
  t.match(limited(from, "backup", join(place, "it.db")), {
    status: 1,
    stderr: /^petstore: \S+it\.db\S*: .*(disk|full)/m,
  });
  t.match(limited(from, "export", "--output", join(place, "it.ndjson")), {
    status: 1,
    stderr: /it\.ndjson can't be created: EFBIG/,
  });
  t.same(readdirSync(place), []);
  const to = `sqlite:${join(place, "to.db")}`;
  t.match(limited(to, "restore", file), { status: 1, stderr: /^petstore: \S+to\.db: .*(disk|full)/m });
  t.equal(await countPets(to), 0);
  t.match(await petstoreOn(to, ["restore", file]), { status: 0 });
});
