// Conformance suite of the stores: calls with an Idempotency-Key.

import type { CreateResult } from "../../src/store/port.ts";
import { digest, idempotentCall, rex, testStores } from "../support/conformance.ts";
import { listPets, type Pet, parsePets, petsOf } from "../support/pets.ts";
import { until } from "../support/wait.ts";

const hour = 3_600_000; // milliseconds

testStores("keeps idempotency records for 24 hours", async (t, { store, query }) => {
  await petsOf(store).create(rex, idempotentCall);
  const setAge = (hours: number) => query(`UPDATE idempotency SET created_at = ${Date.now() - hours * hour}`);
  const count = async (where: string) =>
    Number((await query(`SELECT count(*) AS n FROM idempotency WHERE ${where}`))[0]?.n);
  // PostgreSQL deletes them in the background.
  const areDeleted = () =>
    until(async () => (await count(`created_at < ${Date.now() - hour}`)) === 0, "expired records are still there");
  await setAge(23.9);
  t.match(await petsOf(store).create(rex, idempotentCall), { outcome: "repeated" });
  await setAge(24);
  t.match(await petsOf(store).create(rex, { ...idempotentCall, digest: digest("b") }), { outcome: "created" });
  t.equal(await count("1 = 1"), 1);
  for (let n = 0; n < 5; n++) await petsOf(store).create(rex, { ...idempotentCall, caller: 9n, key: `k${n}` });
  await setAge(25);
  t.match(
    await petsOf(store).create(rex, { ...idempotentCall, caller: 9n, key: "k4" }),
    { outcome: "created" },
    "ignores an expired record that is not deleted yet",
  );
  for (let n = 0; n < 20; n++) await petsOf(store).create(rex, { ...idempotentCall, key: `other ${n}` });
  t.ok(await areDeleted(), "deletes all expired records in the end");

  const createMany = (key: string) =>
    Promise.all(
      Array.from({ length: 300 }, (_, n) => petsOf(store).create(rex, { ...idempotentCall, key: `${key} ${n}` })),
    );
  await createMany("many");
  await setAge(25);
  await createMany("more");
  for (let n = 0; n < 20; n++) await petsOf(store).create(rex, { ...idempotentCall, key: `last ${n}` });
  t.ok(await areDeleted(), "also if many calls are concurrent");
});

testStores("two concurrent calls with the same key create one pet", async (t, { store }) => {
  const created = await Promise.all([
    petsOf(store).create(rex, idempotentCall),
    petsOf(store).create(rex, { ...idempotentCall, digest: digest("b") }),
    petsOf(store).create(rex, idempotentCall),
    petsOf(store).create(rex),
  ]);
  t.same(
    created.map(({ outcome }) => outcome),
    ["created", "conflict", "repeated", "created"],
  );
  t.equal((await listPets(store, { limit: 9 })).pets.length, 2);
});

testStores("repeats the result of the first call with the same caller and key", async (t, { store }) => {
  const first = (await petsOf(store).create(rex, idempotentCall)) as Extract<CreateResult<Pet>, { id: unknown }>;
  t.match(first, { outcome: "created" });
  t.match(parsePets(first.record), rex);
  t.same(await petsOf(store).create(rex, idempotentCall), { ...first, outcome: "repeated" });
  t.same(await petsOf(store).create(rex, { ...idempotentCall, digest: digest("b") }), { outcome: "conflict" });
  t.match(await petsOf(store).create(rex, { ...idempotentCall, caller: 2n }), { outcome: "created" });
  t.match(
    await petsOf(store).create(rex, { ...idempotentCall, key: "K" }),
    { outcome: "created" },
    "keys differ by case",
  );
  t.equal((await listPets(store, { limit: 100 })).pets.length, 3);
});

testStores("two processes that use one key concurrently create one pet", async (t, { store, open, query }) => {
  const other = await open();
  const both = Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other));
  await Promise.all(both.map((one) => one.check())); // all connections are open: the calls do race
  const race = async (caller: bigint) => {
    const call = { caller, key: "race", digest: digest("c") };
    const outcomes = await Promise.all(both.map((one) => petsOf(one).create(rex, call)));
    return outcomes.filter(({ outcome }) => outcome === "created").length;
  };
  const callers = Array.from({ length: 30 }, (_, n) => BigInt(n + 3));
  for (const age of ["new", "expired"]) {
    const created: number[] = [];
    for (const caller of callers) created.push(await race(caller));
    t.same(
      created,
      callers.map(() => 1),
      `with ${age} records`,
    );
    await query(`UPDATE idempotency SET created_at = ${Date.now() - 25 * hour}`);
  }
  t.equal((await listPets(store, { limit: 100 })).pets.length, 2 * callers.length);
});
