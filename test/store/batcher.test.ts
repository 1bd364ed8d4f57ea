// Group commit: concurrent calls share one transaction or one statement, which is published for all of them.
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTick } from "node:timers/promises";
import t from "tap";
import { UnavailableError } from "../../src/lib/problem.ts";
import { Batcher } from "../../src/store/batcher.ts";
import { queryChannel, type Statement, sharedContexts } from "../../src/store/query/query-channel.ts";
import { idempotentCall, rex, testStores } from "../support/conformance.ts";
import { createPet, listPets, petsOf } from "../support/pets.ts";

t.test("Timers run while callers add items as soon as others are done", async (t) => {
  const batcher = new Batcher<number, number>({ maxBatch: 3, maxWaiting: 5 }, async (items) => items);
  let isRunning = true;
  const stop = () => {
    isRunning = false;
  };
  const add = async () => {
    for (let count = 0; isRunning && count < 100_000; count++) {
      await batcher.add(count);
      if (count === 10) setTimeout(stop, 0);
    }
    return isRunning;
  };
  t.same(await Promise.all([add(), add()]), [false, false]);
});

t.test("Sends concurrent calls in batches, in their order, and finds the call that fails", async (t) => {
  const sent: number[][] = [];
  const batcher = new Batcher<number, string>({ maxBatch: 3, maxWaiting: 5 }, async (items) => {
    sent.push([...items]);
    await nextTick();
    if (items.includes(7)) throw new Error("seven");
    if (items.includes(9)) throw new UnavailableError("nine");
    return items.map((item) => `${item}`);
  });
  const callAll = async (...items: number[]) =>
    (await Promise.allSettled(items.map((item) => batcher.add(item)))).map((result) =>
      result.status === "fulfilled" ? result.value : result.reason.message,
    );
  t.same(
    await callAll(1, 2, 3, 4, 5, 6),
    ["1", "2", "3", "4", "5", "The database is busy."],
    "limits the waiting calls",
  );
  t.same(
    sent.splice(0),
    [
      [1, 2, 3],
      [4, 5],
    ],
    "limits the size of a batch, and preserves the order",
  );
  t.same(await callAll(6, 7, 8), ["6", "seven", "8"], "a faulty call fails alone");
  t.same(sent.splice(0), [[6, 7, 8], [6, 7], [6], [7], [8]], "found by halving the batch");
  t.same(await callAll(8, 9, 10, 11), ["nine", "nine", "nine", "nine"], "no retry if the database is unavailable");
  t.same(sent.splice(0), [[8, 9, 10]]);
  t.same(await callAll(7, 9, 10, 11), ["seven", "nine", "nine", "nine"], "nor if it becomes unavailable meanwhile");
  t.same(sent.splice(0), [[7, 9, 10], [7, 9], [7], [9]]);
  t.same(await callAll(1), ["1"]);
  const first = callAll(1);
  await nextTick();
  const later = callAll(2, 3);
  t.same([await first, await later], [["1"], ["2", "3"]]);
  t.same(sent.splice(1), [[1], [2, 3]], "calls that arrive while a batch is in progress form the next batch");
});

testStores("Writes concurrent creates in one transaction", async (t, { store, countCommits }) => {
  const before = await countCommits();
  const pets = Array.from({ length: 64 }, (_, n) => ({ ...rex, name: `pet ${n}` }));
  const created = await Promise.all(pets.map((pet) => createPet(store, pet)));
  const commits = (await countCommits()) - before;
  t.ok(commits > 0 && commits <= 4, `64 pets in ${commits} commits`);
  t.same(
    created,
    pets.map((pet, index) => ({ id: BigInt(index + 1), ...pet })),
    "each caller gets its own pet, in the order of the calls",
  );
});

testStores("One of several concurrent creates fails alone", async (t, { store, query, kind: { failure } }) => {
  await query(failure.inject);
  const results = await Promise.allSettled(
    [1, 2, 3, 4].map((n) => petsOf(store).create(rex, n === 2 ? idempotentCall : undefined)),
  );
  t.same(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled", "fulfilled"],
  );
  t.match(results[1], { reason: { message: /injected/ } });
  await query(failure.remove);
  t.equal((await listPets(store, { limit: 9 })).pets.length, 3);
});

testStores("Publishes each statement in the async context of the calls that it serves", async (t, { kind, store }) => {
  const call = new AsyncLocalStorage<number>();
  const callThrice = (work: () => Promise<unknown>) => Promise.all([1, 2, 3].map((n) => call.run(n, work)));
  await callThrice(() => petsOf(store).create(rex)); // its context must not leak into later calls
  const published: [verb: string | undefined, calls: unknown][] = [];
  const start = ({ text }: Statement) => {
    const verb = /BEGIN|INSERT|SELECT|COMMIT/.exec(text.replace(/^\s*WITH.*?(?=INSERT)/s, ""))?.[0];
    published.push([verb, sharedContexts()?.map((inCall) => inCall(() => call.getStore())) ?? call.getStore()]);
  };
  queryChannel.subscribe({ start });
  t.teardown(() => queryChannel.unsubscribe({ start }));
  await callThrice(() => petsOf(store).create(rex));
  const all = [1, 2, 3];
  const inserts = all.map((n) => ["INSERT", n]);
  const writes = { sqlite: [["BEGIN", all], ...inserts, ["COMMIT", all]], postgres: [["INSERT", all]] };
  t.same(published.splice(0), writes[kind.name]);
  await callThrice(() => petsOf(store).list({ limit: 20 }));
  await callThrice(() => petsOf(store).find(1n));
  const selects = all.map((n) => ["SELECT", n]);
  const reads = {
    sqlite: [...selects, ...selects],
    postgres: [
      ["SELECT", all],
      ["SELECT", all],
    ],
  };
  t.same(published.splice(0), reads[kind.name]);
  queryChannel.unsubscribe({ start });
  await callThrice(() => petsOf(store).create(rex));
  t.same(published, [], "nothing after unsubscribe");
});
