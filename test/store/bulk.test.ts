// Bulk access to the tables of a store: readers and writers on several connections wait for each other and lose
// nothing.
import { join } from "node:path";
import t, { type Test } from "tap";
import { restore } from "../../src/data/restore.ts";
import { newDatabase, stores } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { openPetStore, openPetTables, petDocument, petsOf } from "../support/pets.ts";
import { connectTo, query, untilLocked } from "../support/postgres.ts";
import { fill, insertPets, petstoreOn, readAllNames } from "../support/stores.ts";
import { until } from "../support/wait.ts";

const ignore = () => {};

async function makeBackup(t: Test, count: number): Promise<string> {
  const from = await stores.sqlite(t);
  await fill(from, count);
  const file = join(folder(t), "backup.db");
  t.match(await petstoreOn(from, ["backup", file]), { status: 0 });
  return file;
}

for (const [kind, prepare] of Object.entries(stores))
  t.test(`${kind}: a table can be read after an earlier read was stopped halfway`, async (t) => {
    const url = await prepare(t);
    await insertPets(url, 2_500);
    const tables = await openPetTables(url, "readonly");
    await tables.read(async (source) => {
      for (let times = 0; times < 2; times++)
        for await (const rows of source.rows("pets")) {
          t.equal(rows.length, 1_000);
          break;
        }
    });
    await tables.close();
  });

t.test(
  "postgres: a forced restore waits for a backup in progress until its timeout, and creates continue",
  async (t) => {
    const file = await makeBackup(t, 3);
    const url = await newDatabase(t);
    await fill(url, 40);
    const [tables, store] = [await openPetTables(url, "readonly"), await openPetStore(url)];
    await tables.read(async (source) => {
      t.equal(await source.count("pets"), 40);
      let outcome: unknown;
      const restored = restore(file, url, {
        document: petDocument,
        force: true,
        progress: ignore,
        lockTimeout: 1_000,
      }).catch((error) => {
        outcome = error;
      });
      const names: string[] = [];
      while (outcome === undefined) {
        names.push(`meanwhile ${names.length}`);
        await petsOf(store).create({ name: names.at(-1) as string, categoryId: 0n });
      }
      await restored;
      t.match(outcome, { message: /^A backup, export, check or copy is reading the database\. Nothing was changed\./ });
      t.equal(await source.count("idempotency"), 40);
      t.same((await readAllNames(url)).slice(40), names);
    });
    await store.close();
    await tables.close();
  },
);

t.test("postgres: a reader waits for an exclusive writer, and reads its rows", async (t) => {
  const url = await newDatabase(t);
  await fill(url, 3);
  const [tables, other] = [await openPetTables(url, "readonly"), await openPetTables(url, "migrate")];
  let read: Promise<number[]> | undefined;
  await other.write(
    async (target) => {
      read = tables.read(async (source) => [await source.count("idempotency"), await source.count("pets")]);
      await untilLocked(url, 1, "ACCESS SHARE");
      for (const name of ["idempotency", "pets"] as const) await target.remove(name);
      await target.add("pets", [[9n, '{"id":9,"name":"new","categoryId":0}']]);
    },
    { blocks: "all" },
  );
  t.same(await read, [0, 1]);
  for (const each of [tables, other]) await each.close();
});

t.test("postgres: a writer tries again after a deadlock with another program while it locks the tables", async (t) => {
  const url = await newDatabase(t);
  await fill(url, 3);
  const tables = await openPetTables(url, "migrate");
  const other = await connectTo(t, url);
  await other.query("BEGIN; LOCK TABLE petstore.pets IN ACCESS EXCLUSIVE MODE");
  let tries = 0;
  const written = tables.write(
    async (target) => {
      tries += 1;
      await target.remove("pets");
    },
    { blocks: "writes" },
  );
  await untilLocked(url, 1, "SHARE ROW EXCLUSIVE");
  await other.query("LOCK TABLE petstore.idempotency IN ACCESS EXCLUSIVE MODE"); // ends the attempt of the writer
  await other.query("COMMIT");
  await written;
  t.equal(tries, 1, "nothing was done before all tables were locked");
  t.same(await readAllNames(url), []);
  await tables.close();
});

t.test("postgres: an exclusive writer waits for a reader", async (t) => {
  const url = await newDatabase(t);
  await insertPets(url, 3);
  const [tables, other] = [await openPetTables(url, "readonly"), await openPetTables(url, "migrate")];
  let written: Promise<void> | undefined;
  await tables.read(async (source) => {
    written = other.write((target) => target.remove("pets"), { blocks: "all" });
    await untilLocked(url, 1, "ACCESS EXCLUSIVE");
    t.equal(await source.count("pets"), 3);
    // Longer than the lock timeout of PostgreSQL: the writer rolls back, and tries again.
    await until(async () => {
      const aborted = "SELECT 1 FROM pg_stat_activity WHERE query = 'ROLLBACK' AND datname = current_database()";
      return (await query(url, aborted)).length > 0;
    }, "the writer did not roll back");
  });
  await written;
  t.same(await readAllNames(url), []);
  for (const each of [tables, other]) await each.close();
});

t.test("postgres: reports a table that can't be locked", async (t) => {
  const url = await newDatabase(t);
  const tables = await openPetTables(url, "readonly");
  await query(url, "DROP TABLE petstore.imports");
  await t.rejects(tables.read(ignore as () => Promise<void>), { message: /imports.*does not exist/ });
  await tables.close();
});

t.test("postgres: a write to a table without records waits for the end of a forced restore", async (t) => {
  const file = await makeBackup(t, 1_500);
  const url = await newDatabase(t);
  await fill(url, 1);
  const insert = "INSERT INTO petstore.imports VALUES ('x'::bytea, 1, 1, 1, 1)";
  let written: Promise<unknown> | undefined;
  const write = (doing: string) => {
    if (doing === "copying") written ??= query(url, insert);
  };
  t.match(await restore(file, url, { document: petDocument, force: true, progress: write }), {
    counts: { pets: 1_500, imports: 0 },
  });
  await written;
  const tables = await openPetTables(url, "readonly");
  t.equal(await tables.read((source) => source.count("imports")), 1);
  await tables.close();
});

t.test("postgres: rejects a copy of a store to itself", async (t) => {
  const url = await newDatabase(t);
  await fill(url, 1);
  const { status, stderr } = await petstoreOn(url, ["copy", "--from", url, "--to", url]);
  t.match(
    { status, stderr },
    {
      status: 1,
      stderr: "petstore: The target is the source database, or a copy of it. Copy into an empty database.\n",
    },
  );
});
