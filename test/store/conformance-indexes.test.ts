// Conformance suite of the stores: queries with indexes give the records of a plain implementation in memory, also while records change.
import { randomBytes } from "node:crypto";
import { toJson } from "../../src/lib/json.ts";
import { openDatabase, openTables } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import type { Order } from "../../src/store/query/conditions.ts";
import { queryChannel, type Statement } from "../../src/store/query/query-channel.ts";
import { type Collection, scopeFilter } from "../../src/store/records.ts";
import { longTimeouts, type StoreUnderTest, testStores } from "../support/conformance.ts";
import type { Json } from "../support/memory-queries.ts";
import { createRandom } from "../support/random.ts";
import { compareQuery, newFittingQuery, newQuery, newRecord, type Query, things } from "../support/record-queries.ts";
import { until } from "../support/wait.ts";

const at: Order = { path: ["at"], kind: "time" };
const indexes: readonly (readonly Order[])[] = [
  [{ path: ["number"] }],
  [{ path: ["text"], descending: true }],
  [at, { path: ["number"], descending: true }],
  [{ path: ["state"] }, { ...at, descending: true }],
  [{ path: ["state"] }, { path: ["flag"], descending: true }, { path: ["text"] }],
  [
    { path: ["uuid"], kind: "uuid" },
    { path: ["text"], descending: true },
    { path: ["number"], descending: true },
  ],
  [{ path: ["tags"] }, { path: ["number"] }],
  [{ path: ["owner", "name"] }, at],
];
const state = { name: "state", property: "state", type: "string", contains: false, isLong: false } as const;
const indexed: Collection = { ...things, filters: [state], indexes };

/** Opens the store as a process does that ends before the test: the caller closes it. */
const openBriefly = ({ url }: StoreUnderTest, collections: readonly Collection[]) =>
  openDatabase(url, { collections, timeouts: longTimeouts });

/** Waits until all indexes are complete and have all changes. */
async function settle({ query }: StoreUnderTest, count = indexes.length): Promise<void> {
  const isSettled = async () => {
    const [found] = await query(
      "SELECT (SELECT count(*) FROM record_indexes WHERE complete = 1) AS complete, (SELECT count(*) FROM record_indexes) AS all_indexes, (SELECT count(*) FROM index_changes) AS changes",
    );
    return Number(found?.complete) === count && Number(found?.all_indexes) === count && Number(found?.changes) === 0;
  };
  await until(isSettled, "the indexes are not complete");
}

/** Counts the statements that list records without an index. */
function countScans(t: { teardown(end: () => void): void }): () => number {
  let count = 0;
  const onStart = ({ text }: Statement) => {
    if (/FROM (\(SELECT record, id FROM )?(\S+\.)?"things" WHERE/.test(text) && /LIMIT/.test(text)) count++;
  };
  queryChannel.start.subscribe(onStart as never);
  t.teardown(() => queryChannel.start.unsubscribe(onStart as never));
  return () => count;
}

/** Creates, changes and removes records in a store, and in the model of it. */
function changeRecords(store: Store, created: Json[], random: ReturnType<typeof createRandom>) {
  const records = store.records<Json, Json>(indexed.name);
  return async (): Promise<void> => {
    const record = newRecord(random);
    const old = random.int(created.length || 1);
    const id = created[old]?.id as number | undefined;
    if (id === undefined || random.chance(2)) {
      const result = await records.create(record);
      if (result.outcome === "created") created.push({ id: Number(result.id), ...record });
    } else if (random.int(2) > 0) {
      await records.change(BigInt(id), () => record);
      created[old] = { id, ...record };
    } else {
      await records.remove(BigInt(id));
      created.splice(old, 1);
    }
  };
}

testStores(
  "queries with indexes give the records of an implementation in memory while others change them",
  async (t, test) => {
    const random = createRandom(7);
    const created: Json[] = [];
    const stores = [await test.open({ collections: [indexed] }), await test.open({ collections: [indexed] })];
    const changes = stores.map((store) => changeRecords(store, created, random));
    const records = (stores[0] as Store).records<Json, Json>(indexed.name);
    for (let n = 0; n < 100; n++) await changes[n % 2]?.();
    const compare = (query: Query) => compareQuery(t, records, created, query, random);
    for (let n = 0; n < 150; n++) {
      const query = random.chance(3) ? newQuery(random) : newFittingQuery(random, random.pick(indexes));
      if (random.chance(2)) for (let m = random.int(5); m > 0; m--) await random.pick(changes)();
      await compare(query);
    }
    await settle(test);
    const scans = countScans(t);
    for (let n = 0; n < 150; n++) {
      const { where, ...query } = newFittingQuery(random, random.pick(indexes));
      await compare({ ...query, where: where.filter(({ operator }) => operator !== "isNull") });
    }
    t.equal(scans(), 0, "all pages were read from an index");
    const [found] = await test.query("SELECT count(*) AS count FROM index_entries");
    t.equal(Number(found?.count), created.length * indexes.length, "each record has one entry in each index");
  },
);

/** Writes rows as an import, a restore or a copy does, which does not update indexes. */
async function writeRows(url: string, work: Parameters<Awaited<ReturnType<typeof openTables>>["write"]>[0]) {
  const tables = await openTables(url, "migrate", { collections: [indexed] });
  await tables.write(work).finally(() => tables.close());
}

testStores("an index has what tools and other programs write, at once and later", async (t, test) => {
  const store = await test.open({ collections: [indexed] });
  const random = createRandom(3);
  const records = store.records<Json, Json>(indexed.name);
  const compareAll = async (created: readonly Json[]) => {
    for (const index of indexes) await compareQuery(t, records, created, newFittingQuery(random, index), random);
  };
  const all = Array.from({ length: 1_300 }, (_, n): Json => ({ id: n + 1, ...newRecord(random) }));
  const toRow = (record: Json) => [BigInt(record.id as number), toJson(record)] as const;
  await settle(test);
  await writeRows(test.url, (target) => target.add(indexed.name, all.slice(0, 40).map(toRow)));
  await compareAll(all.slice(0, 40));
  await writeRows(test.url, (target) => target.add(indexed.name, all.slice(40).map(toRow)));
  await compareAll(all);
  await settle(test);
  await compareAll(all);
  const changed = all.map((record, n) => (n < 20 ? { ...(all[n + 20] as Json), id: n + 1 } : record));
  await writeRows(test.url, (target) => target.change(indexed.name, changed.slice(0, 20).map(toRow)));
  await compareAll(changed);
  await test.query("DELETE FROM things WHERE id > 60");
  await compareAll(changed.slice(0, 60));
  await settle(test);
  await compareAll(changed.slice(0, 60));
  const tables = await openTables(test.url, "readonly", { collections: [indexed] });
  const problems = await tables.read(async (source) => [
    ...(await Array.fromAsync(source.problems())),
    ...(await source.unneeded()),
  ]);
  await tables.close();
  const own = problems.filter((problem) => !problem.includes("pets")); // those of the document of other tests
  t.same(own, [], "a check of the store knows the triggers");
  await writeRows(test.url, (target) => target.remove(indexed.name));
  await compareAll([]);
});

testStores("an index is filled, and removed when it is no longer declared, but not by others", async (t, test) => {
  const plain = await test.open({ collections: [things] });
  const random = createRandom(4);
  const created = Array.from({ length: 150 }, (_, n): Json => ({ id: n + 1, ...newRecord(random) }));
  for (const { id: _, ...record } of created) await plain.records<Json, Json>(things.name).create(record);
  const store = await openBriefly(test, [indexed]);
  await settle(test);
  const compareAll = async (records = store.records<Json, Json>(things.name)) => {
    for (const index of indexes) await compareQuery(t, records, created, newFittingQuery(random, index), random);
  };
  await compareAll();
  const scans = countScans(t);
  await store.records(things.name).list({ limit: 5, orderBy: [at, { path: ["number"], descending: true }] });
  t.equal(scans(), 0, "a filled index is read");
  const other = await test.open({ collections: [] });
  await other.check();
  await plain.records<Json, Json>(things.name).change(1n, () => ({ number: 5 }));
  created[0] = { id: 1, number: 5 };
  await compareAll();
  await settle(test);
  const less = await openBriefly(test, [{ ...indexed, indexes: indexes.slice(0, 2) }]);
  await test.query("DELETE FROM things WHERE id = 2");
  created.splice(1, 1);
  await compareAll();
  await store.close();
  await settle(test, 2);
  await compareAll(less.records<Json, Json>(things.name));
  await less.close();
  await test.open({ collections: [things] });
  await settle(test, 0);
  const [found] = await test.query("SELECT count(*) AS count FROM index_entries");
  t.equal(Number(found?.count), 0);
  await plain.records<Json, Json>(things.name).create({});
  t.equal((await test.query("SELECT * FROM index_changes")).length, 0, "its triggers are gone");
});

testStores("the indexes of a table that was dropped are made again with it", async (t, test) => {
  const first = await openBriefly(test, [indexed]);
  await first.records(things.name).create({ number: 1 });
  await settle(test);
  await first.close();
  await test.query("DROP TABLE things");
  const store = await test.open({ collections: [indexed] });
  const records = store.records<Json, Json>(things.name);
  await records.create({ number: 3 });
  await records.create({ number: 2 });
  await settle(test);
  const page = await records.list({ limit: 5, orderBy: [{ path: ["number"] }] });
  t.equal(page.records.text, '[{"id":2,"number":2},{"id":1,"number":3}]');
});

testStores("an index is within the scope of its records, and a value that is too long is found", async (t, test) => {
  const scoped: Collection = { ...indexed, name: "scoped", isScoped: true, filters: [scopeFilter, state] };
  const store = await test.open({ collections: [scoped] });
  const records = store.records<Json, Json>(scoped.name);
  for (const [number, scope] of [..."abab"].entries())
    await records.create({ number: -number }, undefined, `${scope}/`);
  await records.create(
    { number: -9, text: "é".repeat(3_000), owner: { name: { long: "x".repeat(9_000) } } },
    undefined,
    "a/",
  );
  await settle(test);
  const scans = countScans(t);
  const list = async (scope: string, orderBy: readonly Order[]) => {
    const { records: found } = await records.list({ limit: 5, filter: { "/": `${scope}/` }, orderBy });
    return (JSON.parse(found.text) as Json[]).map(({ number }) => number);
  };
  t.same(await list("a", [{ path: ["number"] }]), [-9, -2, 0]);
  t.same(await list("b", [{ path: ["number"], descending: true }]), [-1, -3]);
  t.same(
    await list("a", [
      { path: ["owner", "name"], descending: true },
      { ...at, descending: true },
    ]),
    [-9, -2, 0],
  );
  t.equal(scans(), 0);
});

testStores("a page by an index has many large records, which are read in several steps", async (t, test) => {
  const store = await test.open({ collections: [indexed] });
  const records = store.records<Json, Json>(indexed.name);
  for (let n = 0; n < 70; n++) await records.create({ number: n % 10, notes: randomBytes(10_000).toString("hex") });
  await settle(test);
  const scans = countScans(t);
  for (const limit of [40, 60, 90]) {
    const { records: found, more } = await records.list({ limit, orderBy: [{ path: ["number"] }] });
    const ids = (JSON.parse(found.text) as Json[]).map(({ id }) => id);
    t.same(ids, Array.from({ length: 70 }, (_, n) => (n % 7) * 10 + Math.floor(n / 7) + 1).slice(0, limit));
    t.equal(more, limit < 70);
  }
  t.equal(scans(), 0);
});

testStores("a page by an index has the records that match a filter behind many that do not", async (t, test) => {
  const filtered: Collection = { ...things, name: "filtered", filters: [state], indexes: [[{ path: ["number"] }]] };
  const store = await openBriefly(test, [filtered]);
  const records = store.records("filtered");
  await Promise.all(
    Array.from({ length: 60 }, (_, number) => records.create({ number, state: number < 50 ? "a" : "b" })),
  );
  await settle(test, 1);
  for (const limit of [20, 40, 100]) {
    const page = await records.list({ limit, filter: { state: "b" }, orderBy: [{ path: ["number"] }] });
    t.equal((JSON.parse(page.records.text) as unknown[]).length, 10, `limit ${limit}`);
  }
  await store.close();
});
