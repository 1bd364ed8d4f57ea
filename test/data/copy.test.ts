// petstore copy: copies a store into another one, of the same or the other kind, all or nothing.
import t, { type Test } from "tap";
import { copy } from "../../src/data/copy.ts";
import { generateKey } from "../../src/operate/keys/api-keys.ts";
import type { IdempotencyKey } from "../../src/store/port.ts";
import { petstore } from "../support/command.ts";
import { emptyDatabase, newDatabase, stores } from "../support/databases.ts";
import { createPet, openPetStore, openPetTables, petsOf } from "../support/pets.ts";
import { query } from "../support/postgres.ts";
import { addKey, start } from "../support/service.ts";
import { injectFault, insertPets, petInSql, tamper } from "../support/stores.ts";

const copyStore = (from: string, to: string) => petstore({}, ["copy", "--from", from, "--to", to]);

/** Returns the URLs of two stores without rows: of SQLite, and of PostgreSQL. */
async function createTargets(t: Test): Promise<string[]> {
  const file = await stores.sqlite(t);
  await petstore({ DATABASE_URL: file }, ["migrate"]);
  return [file, await newDatabase(t)];
}

/** Reads the number of pets and of keys, and the last id of the pets. */
async function readCounts(url: string) {
  const store = await openPetTables(url, "readonly");
  const counts = await store.read(async (source) => ({
    pets: await source.count("pets"),
    keys: await source.count("keys"),
    lastId: await source.lastId("pets"),
  }));
  await store.close();
  return counts;
}

t.test("Copies all rows from SQLite to PostgreSQL and back", async (t) => {
  const from = await stores.sqlite(t);
  const store = await openPetStore(from);
  const key = await addKey(store, "a", new Date("2131-01-02T03:04:05.678Z"));
  const idempotencyKey: IdempotencyKey = { caller: 1n, key: "k", digest: new Uint8Array([0, 1, 255]) };
  const edgeCaseNames = ["", "🐕\u0001", 'a "quoted" \\ {name}, NULL', "\n\r\t", "x".repeat(1_000)];
  for (const name of edgeCaseNames) await petsOf(store).create({ name, categoryId: -(2n ** 63n) });
  const create = (n: number) => petsOf(store).create({ name: `${n}`, categoryId: 2n ** 63n - 1n, status: "sold" });
  for (let n = 0; n < 2_500; n += 500) await Promise.all(Array.from({ length: 500 }, (_, i) => create(n + i)));
  const first = await petsOf(store).create({ name: "last", categoryId: 0n }, idempotencyKey);
  const { records: pets } = await petsOf(store).list({ limit: 100 });
  const service = await start(t, { store });
  const { headers } = await service.call("GET", "/v1/pets?limit=3", { key });
  const next = /<([^>]+)>/.exec(headers.link ?? "")?.[1] as string;
  const page = (await service.call("GET", next, { key })).text;
  await service.app.close();
  await store.close();
  // An id is never generated twice, even if its pet is deleted.
  await tamper(
    from,
    `INSERT INTO pets (id, record) VALUES (5000, ${petInSql(from, { id: 5000 })})`,
    "DELETE FROM pets WHERE id = 5000",
    // The rows are sorted by bytes, whatever the locale of the database is.
    `INSERT INTO record_schemas VALUES ('b', 'x', NULL), ('a', 'x', NULL), ('B', 'x', NULL), ('ä', 'x', NULL), ('_', 'x', NULL)`,
  );

  const [middle, back] = [await emptyDatabase(t), await stores.sqlite(t)];
  const copied = await copyStore(from, middle);
  t.match(copied, {
    status: 0,
    stdout:
      /^keys {14}2\npets {14}2506\nidempotency {7}1\nimports {11}0\nrecord_schemas {4}5\nsha256 {12}[0-9a-f]{64}\n$/,
  });
  t.match(copied.stderr, /^copying: 2,514 of 2,514 rows, [\d,]+\/s, 0 s left\ncomparing: 2,514 of 2,514 rows/m);
  t.match(await copyStore(middle, back), { status: 0, stdout: copied.stdout }, "the same checksum");

  for (const url of [middle, back]) {
    const store = await openPetStore(url);
    t.same((await petsOf(store).list({ limit: 100 })).records, pets);
    const repeated = await petsOf(store).create({ name: "last", categoryId: 0n }, idempotencyKey);
    t.same(repeated, { ...first, outcome: "repeated" });
    t.match(await createPet(store, { name: "new", categoryId: 0n }), { id: 5001n }, "the next id");
    const service = await start(t, { store });
    t.equal((await service.call("GET", next, { key })).text, page, "keys and cursors remain valid");
    const [copiedKey] = await store.keys.list();
    t.same([copiedKey?.name, copiedKey?.expiresAt], ["a", new Date("2131-01-02T03:04:05.678Z")]);
    await service.app.close();
    await store.close();
  }
});

t.test("Copies an empty store, whose first id is 1", async (t) => {
  const targets = [await emptyDatabase(t), await stores.sqlite(t)];
  for (const [index, from] of (await createTargets(t)).entries()) {
    const to = targets[index] as string;
    t.match(await copyStore(from, to), { status: 0, stdout: /^pets {14}0$/m });
    const store = await openPetStore(to);
    t.match(await createPet(store, { name: "x", categoryId: 0n }), { id: 1n });
    await store.close();
  }
});

t.test("A copy to a store whose pets were deleted does not generate their ids again", async (t) => {
  const from = await stores.sqlite(t);
  await insertPets(from, 3);
  for (const to of await createTargets(t)) {
    await insertPets(to, 9);
    await tamper(to, "DELETE FROM pets");
    t.match(await copyStore(from, to), { status: 0, stdout: /^pets {14}3$/m });
    const store = await openPetStore(to);
    t.ok((await createPet(store, { name: "x", categoryId: 0n })).id > 9n);
    await store.close();
  }
});

t.test("Rejects invalid sources and targets with one line of output", async (t) => {
  const [from, full] = [await stores.sqlite(t), await stores.sqlite(t)];
  await insertPets(from, 3);
  await insertPets(full, 2);
  t.match(await copyStore(from, full), {
    status: 1,
    stdout: "",
    stderr: "petstore: The target database is not empty. It has rows in: pets (2).\n",
  });
  t.match(await copyStore(from, from.replace(":", ":/.")), {
    status: 1,
    stderr: "petstore: The target is the source database, or a copy of it. Copy into an empty database.\n",
  });
  t.match(await copyStore(`${from}.not`, full), { status: 1, stderr: /can't be opened: ENOENT/ });
  for (const wrong of ["sqlite::memory:", "postgress://shop:hunter2@h/x", "postgres://shop:hunter2@h:99999/x"])
    t.match(await copyStore(full, wrong), {
      status: 1,
      stderr: "petstore: --to must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.\n",
    });
  t.match(await copyStore(await emptyDatabase(t), full), { status: 1, stderr: /it has not been migrated/ });
  t.match(await petstore({}, ["copy", "--from", from]), { status: 2 });
  const misspelled = await petstore({}, ["copy", "--form", "postgres://shop:hunter2@h/x"]);
  t.match(misspelled, { status: 2 });
  const positional = await petstore({}, ["copy", "postgres://shop:hunter2@h/x"]);
  t.notMatch(positional.stderr + misspelled.stderr, /hunter2/, "no output has the password");
});

t.test("A copy that fails leaves the target empty, and a second copy succeeds", async (t) => {
  const from = await stores.sqlite(t);
  await insertPets(from, 3_000);
  for (const to of await createTargets(t)) {
    await injectFault(to, 2_500);
    t.match(await copyStore(from, to), { status: 1, stdout: "", stderr: /^petstore: .*injected/m });
    t.match(await readCounts(to), { pets: 0, lastId: 0n });
    await injectFault(to);
    t.match(await copyStore(from, to), { status: 0, stdout: /^pets {14}3000$/m });
  }
});

t.test("A copy that is stopped leaves the target empty, and a second copy succeeds", async (t) => {
  const from = await stores.sqlite(t);
  await insertPets(from, 3_000);
  for (const to of await createTargets(t)) {
    const stopped = await petstore({}, ["copy", "--from", from, "--to", to], { onStop: (stop) => stop() });
    t.match(stopped, { status: 1, stdout: "", stderr: "petstore: Stopped. Nothing was copied.\n" });
    t.match(await readCounts(to), { pets: 0, lastId: 0n });
    t.match(await copyStore(from, to), { status: 0, stdout: /^pets {14}3000$/m });
  }
});

t.test("Discards a copy that differs from its source", async (t) => {
  const from = await stores.sqlite(t);
  await insertPets(from, 10);
  const to = await newDatabase(t);
  await query(
    to,
    `CREATE FUNCTION alter_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.record = lower(new.record::text); RETURN new; END $$;
     CREATE TRIGGER other BEFORE INSERT ON petstore.pets FOR EACH ROW EXECUTE FUNCTION alter_it()`,
  );
  t.match(await copyStore(from, to), {
    status: 1,
    stderr: /petstore: The copy differs from the source, and was discarded\.\n$/,
  });
  t.same(await query(to, "SELECT 1 FROM petstore.pets"), []);
});

/** Copies, and calls `write` before or after the copy reads the rows of the source. */
async function copyWhile(from: string, to: string, write: () => Promise<unknown>, when: "before" | "after") {
  const [source, target] = [await openPetTables(from, "migrate"), await openPetTables(to, "create")];
  const readAndWrite: typeof source.read = (work) =>
    source.read(async (tables) => {
      await tables.count("keys");
      if (when === "before") await write();
      const result = await work(tables);
      if (when === "after") await write();
      return result;
    });
  let reads = 0; // the first read compares the secrets of the two stores
  const read: typeof source.read = (work) => (reads++ === 1 ? readAndWrite(work) : source.read(work));
  const result = await copy({ ...source, read }, target, () => {}).catch((error: Error) => error.message);
  await source.close();
  await target.close();
  return { result, left: await readCounts(to) };
}

for (const [kind, other] of [
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
] as const)
  t.test(`${kind}: rejects a copy if its source changes during the copy`, async (t) => {
    const [from, to] = [await stores[kind](t), await stores[other](t)];
    const store = await openPetStore(from);
    for (let n = 0; n < 10; n++) await petsOf(store).create({ name: `${n}`, categoryId: 0n });
    await store.keys.create("a", generateKey().hash);
    const attempt = (write: () => Promise<unknown>, when: "before" | "after") => copyWhile(from, to, write, when);
    const nothing = { pets: 0, keys: 0, lastId: 0n };
    const pet = () => petsOf(store).create({ name: "late", categoryId: 0n });
    for (const when of ["before", "after"] as const)
      t.match(
        await attempt(pet, when),
        { result: /changed during the copy: pets\. Nothing was copied/, left: nothing },
        when,
      );
    const key = () => store.keys.create("b", generateKey().hash);
    t.match(await attempt(key, "after"), { result: /changed during the copy/, left: nothing }, "a key");
    const swap = async () => (await store.keys.revoke("b")) && (await store.keys.create("c", generateKey().hash));
    t.match(
      await attempt(swap, "after"),
      { result: /changed during the copy/, left: nothing },
      "a key in place of another",
    );
    t.match(await attempt(() => store.check(), "after"), {
      result: { counts: { pets: 12, keys: 2 } },
      left: { pets: 12, keys: 2 },
    });
    await store.close();
  });
