// The disk space that is reserved for deletions and for the writes of keys. test/system/disk-faults.test.ts fills a real disk.
import { existsSync, mkdirSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { UnavailableError } from "../../../src/lib/problem.ts";
import { QueryMetrics } from "../../../src/store/query/query-metrics.ts";
import { DiskReserve } from "../../../src/store/sqlite/disk-reserve.ts";
import { openDatabase } from "../../../src/store/sqlite/sqlite-connection.ts";
import { TransactionScheduler } from "../../../src/store/sqlite/transactions.ts";
import { openStore, rex } from "../../support/conformance.ts";
import { folder } from "../../support/files.ts";
import { collections, petsOf } from "../../support/pets.ts";
import { addKey } from "../../support/service.ts";

const size = 1_048_576; // bytes
const outOfSpace = { constructor: UnavailableError, message: "The database is out of disk space." };
const newFile = (t: Test) => join(folder(t), "petstore.db");

t.test("Keeps 1 MB of real blocks beside the file, from the first create on", async (t) => {
  const file = newFile(t);
  const store = await openStore(t, `sqlite:${file}`);
  await addKey(store, "alice");
  t.notOk(existsSync(`${file}-reserve`), "keys need no reserve");
  for (const damage of [() => {}, () => rmSync(`${file}-reserve`), () => writeFileSync(`${file}-reserve`, "partial")]) {
    damage();
    await petsOf(store).create(rex);
    const stats = statSync(`${file}-reserve`);
    t.match(stats, { size, mode: 0o100_600 });
    t.ok(stats.blocks * 512 >= size, `${stats.blocks} blocks`);
  }
});

t.test("Rejects without space for the reserve, and leaves no part of it", async (t) => {
  const file = newFile(t);
  for (const reserve of [new DiskReserve(file, 2 ** 60), new DiskReserve(join(file, "petstore.db"))])
    t.throws(() => reserve.ensure(), outOfSpace);
  t.notOk(existsSync(`${file}-reserve`));
});

t.test("Tries again to create the reserve 1 second after a failure", async (t) => {
  const parent = join(folder(t), "missing");
  const reserve = new DiskReserve(join(parent, "petstore.db"));
  t.throws(() => reserve.ensure(), outOfSpace);
  mkdirSync(parent);
  t.throws(() => reserve.ensure(), outOfSpace);
  await sleep(1_050);
  reserve.ensure();
  t.ok(existsSync(join(parent, "petstore.db-reserve")));
});

t.test("Is beside the file that a symbolic link refers to, and needs no file for a store in memory", async (t) => {
  const [file, link] = [newFile(t), newFile(t)];
  writeFileSync(file, "");
  symlinkSync(file, link);
  for (const database of [link, ":memory:"]) new DiskReserve(database).ensure();
  t.ok(existsSync(`${realpathSync(file)}-reserve`));
  t.notOk(existsSync(`${link}-reserve`));
  t.notOk(existsSync(":memory:-reserve"));
});

for (const method of ["keys_create", "keys_rotate", "keys_revoke", "pets_remove", "pets_removeBelow"] as const)
  t.test(`Writes of keys and deletions use the reserve if there is no other space: ${method}`, async (t) => {
    const file = newFile(t);
    const db = openDatabase(file, "create", collections);
    t.teardown(() => db.close());
    const reserve = new DiskReserve(file);
    const options = { metrics: new QueryMetrics(), busyTimeout: 0, checkFiles: () => {}, reserve };
    const transactions = new TransactionScheduler(db, options);
    const insert = () => db.exec("INSERT INTO pets (record) VALUES ('\"' || hex(zeroblob(10000)) || '\"')");
    const limitPages = (count: number) => db.exec(`PRAGMA max_page_count = ${count}`);
    const hasReserve = () => existsSync(`${file}-reserve`);

    await transactions.write("pets_create", insert);
    limitPages(1); // SQLite takes the current number of pages: the file can't grow
    for (const other of ["pets_create", "keys_touch"] as const)
      await t.rejects(transactions.write(other, insert), outOfSpace);
    await t.rejects(
      transactions.write(method, () => {
        throw new Error("a bug");
      }),
      { message: "a bug" },
    );
    t.ok(hasReserve());
    await transactions.write(method, () => {
      if (!hasReserve()) limitPages(1_000);
      insert();
    });
    t.notOk(hasReserve());
    limitPages(1);
    await t.rejects(transactions.write(method, insert), outOfSpace, "without a reserve");
  });
