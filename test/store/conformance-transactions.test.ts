// Conformance suite of the stores: transactions over several collections.
import type { Store } from "../../src/store/port.ts";
import type { Collection } from "../../src/store/records.ts";
import { testStores } from "../support/conformance.ts";
import { collections, countsOf, scope } from "../support/nested-collections.ts";
import { pause } from "../support/wait.ts";

const items: Collection = { name: "items", id: "id", idType: "int64", properties: ["id"], filters: [] };

testStores("commits the changes of several collections together", async (t, { open }) => {
  const store = await open({ collections });
  const result = await store.transaction(async (records) => {
    await records("shops").put("a", () => ({ title: "A" }));
    t.match(await records("shops").find("a"), { text: '{"shop":"a","title":"A"}' }, "it sees its own changes");
    return records("books").create({ title: "B" }, undefined, scope);
  });
  t.match(result, { outcome: "created", id: "a/1" });
  t.same(await countsOf(store), [1, 1, 0]);
});

testStores("rolls all changes back if the work of a transaction fails", async (t, { open }) => {
  const store = await open({ collections });
  const failed = store.transaction(async (records) => {
    await records("shops").put("a", () => ({}));
    await records("books").create({}, undefined, scope);
    throw new Error("no");
  });
  await t.rejects(failed, { message: "no" });
  t.same(await countsOf(store), [0, 0, 0]);
});

testStores("what work has begun when it fails is rolled back, too", async (t, { open }) => {
  const store = await open({ collections });
  for (const delay of [0, 1, 2, 5]) {
    const failed = store.transaction(async (records) => {
      await records("shops").find("x");
      const others = [1, 2, 3].map(() => records("books").create({}, undefined, scope));
      for (const one of others) one.catch(() => {});
      if (delay > 0) await Promise.race([pause(delay), ...others]);
      throw new Error("no");
    });
    await t.rejects(failed, { message: "no" });
    t.same(await countsOf(store), [0, 0, 0]);
  }
});

testStores("a transaction does not succeed if a call for which it did not wait fails", async (t, { open }) => {
  const unique = { ...items, name: "labels", uniques: [[{ property: "name", type: "string" } as const]] };
  const store = await open({ collections: [unique] });
  await store.records("labels").create({ name: "a" });
  const work = store.transaction(async (records) => {
    await records("labels").create({ name: "b" });
    const other = records("labels").create({ name: "a" });
    other.catch(() => {});
    await new Promise(setImmediate); // it was sent
  });
  await t.rejects(work);
  t.equal(await store.records("labels").count(), 1n);
});

testStores("other calls see nothing of a transaction before it is committed", async (t, { open }) => {
  const store = await open({ collections });
  const { promise: hasWritten, resolve: written } = Promise.withResolvers<void>();
  const running = store.transaction(async (records) => {
    await records("shops").put("a", () => ({}));
    written();
    await pause(50);
    await records("shops").remove("a");
  });
  await hasWritten;
  t.equal(await store.records("shops").find("a"), undefined);
  await running;
});

testStores("reads behind several transactions see nothing that is not committed", async (t, { open }) => {
  const store = await open({ collections });
  await store.records("shops").put("a", () => ({ v: 1 }));
  const first = store.transaction(async (records) => {
    await records("shops").find("a");
    await pause(20);
  });
  const second = store.transaction(
    async (records) => {
      await records("shops").change("a", () => ({ v: 2 }));
      await pause(20);
      throw new Error("no");
    },
    { isDeletion: true },
  );
  await pause(1);
  const finds = Array.from({ length: 3 }, () => store.records("shops").find("a"));
  await Promise.all([first, t.rejects(second, { message: "no" })]);
  for (const found of await Promise.all(finds)) t.match(found, { text: '{"shop":"a","v":1}' });
});

testStores("a transaction finds as many records as it needs", async (t, { open }) => {
  const store = await open({ collections });
  await store.transaction(async (records) => {
    for (let id = 0; id < 14_000; id++) await records("shops").position(`${id}`);
    await records("shops").put("a", () => ({}));
  });
  t.same(await countsOf(store), [1, 0, 0]);
});

testStores("records of a transaction can't be used after its end", async (t, { open }) => {
  const store = await open({ collections });
  let kept: ReturnType<Store["records"]> | undefined;
  await store.transaction(async (records) => {
    kept = records("shops");
  });
  await t.rejects(async () => kept?.find("a"), /The transaction has ended/);
});

testStores("concurrent transactions that create the same record succeed one after the other", async (t, { open }) => {
  const stores = [await open({ collections }), await open({ collections })];
  const add = (store: Store) =>
    store.transaction(async (records) => {
      await records("books").create({}, undefined, scope);
      return (await records("shops").put("a", () => ({}))).outcome;
    });
  const outcomes = await Promise.all([...stores, ...stores, ...stores].map(add));
  t.same(outcomes.sort(), ["changed", "changed", "changed", "changed", "changed", "created"]);
  t.same(await countsOf(stores[0] as Store), [1, 6, 0]);
});

testStores("a transaction creates up to the maximum number of records", async (t, { open }) => {
  const store = await open({ maxRecords: 3n, collections: [...collections, items] });
  const createAll = (count: number) =>
    store.transaction(async (records) => {
      const outcomes: string[] = [];
      for (let n = 0; n < count; n++) outcomes.push((await records("books").create({}, undefined, scope)).outcome);
      return outcomes.filter((outcome) => outcome === "created").length;
    });
  t.equal(await createAll(2), 2);
  t.equal(await createAll(3), 1);
  const put = () => store.transaction((records) => records("items").put(7n, () => ({})));
  t.match(await put(), { outcome: "created", record: { text: '{"id":7}' } });
  t.same(await countsOf(store), [0, 3, 0]);
});

testStores("what transactions have read stays true until they are committed, in two processes", async (t, { open }) => {
  const stores = [await open({ collections }), await open({ collections })];
  let booked = 0;
  // Each reads whether its hour is free, also by a list, and then takes it.
  const book = (store: Store, hour: number) =>
    store.transaction(async (records) => {
      const { records: found } = await records("books").list({ limit: 100, filter: { "/": scope } });
      if (found.text.includes(`"hour":${hour},`)) return;
      await records("books").create({ hour, end: hour + 1 }, undefined, scope);
      booked++;
    });
  await stores[0]?.records("shops").put("a", () => ({}));
  await Promise.all(Array.from({ length: 60 }, (_, index) => book(stores[index % 2] as Store, index % 6)));
  const { records } = (await stores[0]?.records("books").list({ limit: 100 })) as { records: { text: string } };
  const hours = (JSON.parse(records.text) as { hour: number }[]).map(({ hour }) => hour);
  t.same(hours.toSorted(), [0, 1, 2, 3, 4, 5]);
  t.ok(booked >= 6);
});

testStores("a transaction that has not found a record is alone in creating it", async (t, { open }) => {
  const stores = [await open({ collections }), await open({ collections })];
  const add = (store: Store, index: number) =>
    store.transaction(async (records) => {
      if ((await records("shops").find("a")) !== undefined) return;
      await records("shops").put("a", () => ({ index }));
      await records("books").create({ index }, undefined, scope);
    });
  await Promise.all(Array.from({ length: 20 }, (_, index) => add(stores[index % 2] as Store, index)));
  t.same(await countsOf(stores[0] as Store), [1, 1, 0]);
});

testStores(
  "transactions that read and change the same record do not lose a change, and do not wait for each other",
  async (t, { open }) => {
    const stores = [await open({ collections }), await open({ collections })];
    await stores[0]?.records("shops").put("a", () => ({ count: 0 }));
    const start = performance.now();
    const add = (store: Store) =>
      store.transaction(async (records) => {
        const { count } = JSON.parse((await records("shops").find("a"))?.text ?? "");
        await records("shops").change("a", () => ({ count: count + 1 }));
      });
    await Promise.all(Array.from({ length: 40 }, (_, index) => add(stores[index % 2] as Store)));
    t.match(await stores[0]?.records("shops").find("a"), { text: '{"shop":"a","count":40}' });
    t.comment(`${Math.round(performance.now() - start)} ms`);
  },
);

testStores(
  "transactions that list different collections, and write to both, do not wait for each other",
  async (t, { open }) => {
    const stores = [await open({ collections }), await open({ collections })];
    await stores[0]?.records("shops").put("a", () => ({}));
    const start = performance.now();
    const add = (store: Store, [first, second]: string[] = []) =>
      store.transaction(async (records) => {
        await records(`${first}`).list({ limit: 1, filter: { "/": scope } });
        await records(`${second}`).create({}, undefined, scope);
      });
    const orders = [
      ["books", "pages"],
      ["pages", "books"],
    ];
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => add(stores[index % 2] as Store, orders[(index % 3) % 2])),
    );
    t.same(await countsOf(stores[0] as Store), [1, 20, 40]);
    const duration = performance.now() - start;
    t.ok(duration < 5_000, `${duration} ms`);
  },
);

testStores("a transaction that awaits something else for long fails, and others go on", async (t, { open }) => {
  const store = await open({ collections });
  const slow = store.transaction(async (records) => {
    await records("shops").put("a", () => ({}));
    await pause(2_500);
    await records("shops").put("b", () => ({}));
  });
  await t.rejects(slow, /has awaited something other than its own calls for 1 s/);
  t.match(await store.records("shops").put("c", () => ({})), { outcome: "created" });
  t.same(await countsOf(store), [1, 0, 0]);
});
