// petstore copy and check as processes: memory, SIGKILL and SIGINT.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { petstore } from "../support/command.ts";
import { newDatabase, stores } from "../support/databases.ts";
import { bin } from "../support/files.ts";
import { query } from "../support/postgres.ts";
import { startServer } from "../support/processes.ts";
import { countPets, fill, insertPets, toFile } from "../support/stores.ts";
import { until } from "../support/wait.ts";

const pets = 200_000;

const copyStore = (from: string, to: string) => petstore({}, ["copy", "--from", from, "--to", to]);

/** Creates a store with many pets. */
async function createLargeStore(t: Test): Promise<string> {
  const url = await stores.sqlite(t);
  await insertPets(url, pets);
  return url;
}

t.test("Checks 300,000 pets with 64 MB of heap, also while the service uses the store", async (t) => {
  const url = await stores.sqlite(t);
  await fill(url, 300, 100);
  await insertPets(url, 300_000);
  await startServer(t, { DATABASE_URL: url });
  const run = spawnSync(process.execPath, ["--max-old-space-size=64", bin, "check", url], { encoding: "utf8" });
  t.match(run, { status: 0, stdout: /^pets {14}300300$/m });
});

t.test("A copy that is killed leaves the target empty, and a second copy succeeds", async (t) => {
  const [from, to] = [await createLargeStore(t), await newDatabase(t)];
  const child = spawn(process.execPath, [bin, "copy", "--from", from, "--to", to]);
  const exit = once(child, "exit");
  const inserting = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'INSERT INTO "petstore"."pets"%'`;
  await until(
    async () => (await query(to, inserting))[0],
    () => "the copy does not start",
  );
  child.kill("SIGKILL");
  t.same(await exit, [null, "SIGKILL"]);
  t.equal(await countPets(to), 0);
  t.match(await copyStore(from, to), { status: 0, stdout: new RegExp(`^pets {14}${pets}$`, "m") });
});

t.test("SIGINT stops a copy and leaves the target empty, and a second copy succeeds", async (t) => {
  const [from, to] = [await createLargeStore(t), await stores.sqlite(t)];
  await petstore({ DATABASE_URL: to }, ["migrate"]);
  const child = spawn(process.execPath, [bin, "copy", "--from", from, "--to", to]);
  const exit = once(child, "exit");
  const db = new DatabaseSync(toFile(to) as string);
  await until(
    () => {
      try {
        db.exec("BEGIN IMMEDIATE; ROLLBACK");
        return undefined;
      } catch {
        return true; // SQLITE_BUSY: the copy has locked the target
      }
    },
    () => "the copy does not start",
  );
  db.close();
  child.kill("SIGINT");
  t.equal(await text(child.stderr), "petstore: Stopped. Nothing was copied.\n");
  t.same((await exit)[0], 1);
  t.match(await copyStore(from, to), { status: 0 });
});
