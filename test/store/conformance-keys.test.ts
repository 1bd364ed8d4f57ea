// Conformance suite of the stores: API keys, calls of deprecated operations, and migrations.

import { generateKey } from "../../src/auth/authentication.ts";
import { rex, testStores } from "../support/conformance.ts";
import { createPet, findPet } from "../support/pets.ts";

testStores("creates, lists, finds, touches and revokes keys", async (t, { store, open }) => {
  const [a, b] = [generateKey(), generateKey()];
  const expiresAt = new Date("2030-01-02T03:04:05.678Z");
  t.equal(await store.keys.create("b", b.hash, { expiresAt }), true);
  t.equal(await store.keys.create("a", a.hash, { operator: true }), true);
  t.equal(await store.keys.create("a", generateKey().hash), false, "rejects a name that is taken");
  const found = await store.keys.find(a.hash);
  t.match(found, { name: "a", id: BigInt, expiresAt: undefined, lastUsedAt: undefined });
  t.ok(Math.abs((found?.createdAt.getTime() ?? 0) - Date.now()) < 60_000);
  t.equal(await store.keys.find(generateKey().hash), undefined);
  // t.match takes any Date for any other.
  t.same(
    (await store.keys.list()).map(({ name, operator, expiresAt }) => [name, operator, expiresAt]),
    [
      ["a", true, undefined],
      ["b", false, expiresAt],
    ],
    "in the order of their names",
  );
  const usedAt = new Date("2027-01-01T00:00:00Z");
  await store.keys.touch(new Map([[found?.id as bigint, usedAt]]));
  await store.keys.touch(new Map([[found?.id as bigint, new Date(0)]]));
  const other = await open();
  t.same((await other.keys.find(a.hash))?.lastUsedAt, usedAt, "the time of the last use never decreases");
  t.equal(await other.keys.revoke("a"), true);
  t.equal(await other.keys.revoke("a"), false);
  t.equal(await store.keys.find(a.hash), undefined, "a key that another process revoked is not found");
  t.equal(await store.keys.create("a", generateKey().hash), true);
  t.ok(((await store.keys.list())[0]?.id ?? 0n) > (found?.id as bigint), "an id is never given twice");
});

testStores("counts calls of deprecated operations by day, operation and key", async (t, { store, open }) => {
  const other = await open();
  const call = (key: string, day: bigint, count: bigint) => ({ operation: "getPet", key, day, count });
  await store.deprecated.add([call("b", 100n, 1n), call("a", 100n, 2n), call("a", 101n, 2n ** 53n)], 90n);
  await other.deprecated.add([call("a", 101n, 1n), { ...call("a", 101n, 7n), operation: "listPets" }], 90n);
  const list = async (since: bigint) =>
    (await store.deprecated.list(since)).sort(
      (a, b) => Number(b.day - a.day) || (`${a.operation} ${a.key}` < `${b.operation} ${b.key}` ? -1 : 1),
    );
  t.same(await list(101n), [call("a", 101n, 2n ** 53n + 1n), { ...call("a", 101n, 7n), operation: "listPets" }]);
  t.same((await list(90n)).slice(2), [call("a", 100n, 2n), call("b", 100n, 1n)]);
  t.same(
    (await list(90n)).map(({ day }) => day),
    [101n, 101n, 100n, 100n],
    "the last day first",
  );
  await other.deprecated.add([], 101n);
  t.equal((await list(0n)).length, 2, "deletes counts that are older than the retention");
});

testStores("migrates a store of version 1 without loss of data", async (t, { kind, store, open, query }) => {
  const key = generateKey();
  await store.keys.create("a", key.hash);
  const pet = await createPet(store, rex);
  for (const table of ["deprecated_calls", "imports"]) await query(`DROP TABLE ${table}`);
  await query("ALTER TABLE keys DROP COLUMN operator");
  await query(kind.setVersion1);
  const migrated = await open();
  t.match(await migrated.keys.find(key.hash), { name: "a", operator: false });
  t.same(await findPet(migrated, pet.id), pet);
  t.same(await migrated.deprecated.list(0n), []);
});
