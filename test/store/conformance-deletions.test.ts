// Conformance suite of the stores: deletions of records with those below them.
import { removeWithBelow } from "../../src/store/deletion.ts";
import { toAddress, toScope } from "../../src/store/ids.ts";
import { testStores } from "../support/conformance.ts";
import { collections, countsOf, deletion, scope } from "../support/nested-collections.ts";
import { pause } from "../support/wait.ts";

testStores("what a transaction has found is not deleted before its end", async (t, { open }) => {
  const [one, two] = [await open({ collections }), await open({ collections })];
  for (let round = 0; round < 20; round++) {
    await one.records("shops").put("a", () => ({}));
    const add = () =>
      two.transaction(async (records) => {
        if ((await records("shops").find("a")) === undefined) return "missing";
        await records("books").create({}, undefined, scope);
        return "created";
      });
    const [added, removed] = await Promise.all([Promise.all([add(), add(), add()]), removeWithBelow(one, deletion)]);
    t.equal(removed.outcome, "changed");
    t.same(await countsOf(one), [0, 0, 0], added.join());
  }
});

testStores("a record is changed and deleted while others create records below it all the time", async (t, { open }) => {
  const store = await open({ collections });
  await store.records("shops").put("a", () => ({}));
  let [isRunning, created] = [true, 0];
  const create = async () => {
    for (const end = performance.now() + 5_000; isRunning && performance.now() < end; created++)
      await store.transaction(async (records) => {
        if ((await records("shops").position("a")) !== undefined) await records("books").create({}, undefined, scope);
      });
  };
  const creators = Array.from({ length: 6 }, create);
  while (created < 20) await pause(1);
  const changed = await store.records("shops").change("a", () => ({ title: "A" }));
  const removed = await removeWithBelow(store, deletion);
  t.match([changed, removed], [{ outcome: "changed" }, { outcome: "changed" }]);
  const atDeletion = created;
  isRunning = false;
  await Promise.all(creators);
  t.ok(created > atDeletion, "the others were still running");
  t.same(await countsOf(store), [0, 0, 0]);
});

testStores("deletes a record with all below it, or nothing if it is not allowed", async (t, { open }) => {
  const store = await open({ collections });
  await store.records("shops").put("a", () => ({}));
  for (const name of ["books", "pages"]) await store.records(name).create({}, undefined, scope);
  await store.records("books").create({}, undefined, toScope(["b"]));
  t.match(await removeWithBelow(store, deletion, () => false), { outcome: "unchanged" });
  t.same(await countsOf(store), [1, 2, 1]);
  t.match(await removeWithBelow(store, deletion), { outcome: "changed", record: { text: '{"shop":"a"}' } });
  t.same(await countsOf(store), [0, 1, 0]);
  t.match(await removeWithBelow(store, deletion), { outcome: "missing" });
});

testStores("concurrent deletions of a record do not deadlock", async (t, { open }) => {
  const stores = [await open({ collections }), await open({ collections })];
  const start = performance.now();
  for (let round = 0; round < 10; round++) {
    await stores[0]?.records("shops").put("a", () => ({}));
    const results = await Promise.all([...stores, ...stores].map((store) => removeWithBelow(store, deletion)));
    t.same(results.map(({ outcome }) => outcome).sort(), ["changed", "missing", "missing", "missing"]);
  }
  // PostgreSQL detects a deadlock after a second.
  const duration = performance.now() - start;
  t.ok(duration < 5_000, `${duration} ms`);
});

testStores("deletes more records than one transaction does, the lowest first", async (t, { open, query }) => {
  const store = await open({ collections });
  await store.records("shops").put("a", () => ({}));
  const insert = (name: string, count: number) =>
    query(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO ${name} (key, record) SELECT 'a/' || i, '{"id":1}' FROM n`);
  await insert("books", 12_000);
  await insert("pages", 23_000);
  const seen: number[][] = [];
  let isDone = false;
  const deleting = removeWithBelow(store, deletion, () => true).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    seen.push(await countsOf(store));
    await pause(1);
  }
  t.match(await deleting, { outcome: "changed" });
  t.same(await countsOf(store), [0, 0, 0]);
  const wrong = seen.filter(([shop = 0, book = 0, page = 0]) => book + page > 0 && (shop === 0 || book < 2_000));
  t.same(wrong, [], "no record remains without the one above it");
});

testStores("a large deletion leaves the records of a new record with the same id", async (t, { open, query }) => {
  const store = await open({ collections });
  const other = await open({ collections });
  await store.records("shops").put("a", () => ({}));
  await query(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
    INSERT INTO books (key, record) SELECT 'a/' || i, '{"id":1}' FROM n`);
  const recreate = async () => {
    await removeWithBelow(other, deletion);
    await other.records("shops").put("a", () => ({ title: "new" }));
    return other.transaction(async (records) => {
      await records("shops").find("a");
      return records("pages").create({}, undefined, scope);
    });
  };
  const [, created] = await Promise.all([removeWithBelow(store, deletion), recreate()]);
  t.match(created, { outcome: "created" });
  t.equal(
    await store
      .records("shops")
      .find("a")
      .then((record) => record?.text),
    '{"shop":"a","title":"new"}',
  );
  t.same(await countsOf(store), [1, 0, 1]);
  t.ok(await store.records("pages").find(toAddress(scope, 1n)));
});

testStores(
  "knows whether a collection had records, also after their deletion and in another process",
  async (t, { open }) => {
    const store = await open({ collections });
    const had = async () => {
      const other = await open({ collections });
      return Promise.all(["shops", "books"].map((name) => other.records(name).hasHadRecords()));
    };
    t.same(await had(), [false, false]);
    await store.records("shops").put("a", () => ({}));
    await store.records("shops").remove("a");
    t.same(await had(), [true, false]);
    await store.transaction((records) => records("books").create({}, undefined, scope));
    await store.records("books").removeBelow(scope, 10);
    t.same(await had(), [true, true]);
  },
);
