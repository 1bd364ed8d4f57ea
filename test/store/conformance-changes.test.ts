// Conformance suite of the stores: records that are changed and deleted, also by several processes at once.
import t from "tap";
import { parseJson, type RawJson } from "../../src/lib/json.ts";
import type { Store } from "../../src/store/port.ts";
import { digest, idempotentCall, openStore, rex, testStores } from "../support/conformance.ts";
import { newDatabase, stores } from "../support/databases.ts";
import { findPet, listPets, type NewPet, openPetStore, type Pet, petsOf } from "../support/pets.ts";
import { petstoreOn, tamper } from "../support/stores.ts";

/** Returns a pet without its id. */
const read = ({ text }: RawJson<Pet>) => {
  const { id, ...pet } = parseJson(text) as Pet;
  return pet;
};

testStores("changes and deletes a record, and returns it", async (t, { store, open }) => {
  const pets = petsOf(store);
  await pets.create({ ...rex, status: "sold" });
  const max = 2n ** 63n - 1n;
  t.same(await pets.change(1n, (pet) => ({ ...read(pet), categoryId: max })), {
    outcome: "changed",
    record: { text: `{"id":1,"name":"Rex","categoryId":${max},"status":"sold"}` },
  });
  const other = await open();
  t.same(await findPet(other, 1n), { id: 1n, name: "Rex", categoryId: max, status: "sold" });
  t.match(await pets.change(1n, () => undefined), { outcome: "unchanged", record: { text: /"Rex"/ } });
  t.match(await pets.change(1n, () => rex), {
    outcome: "changed",
    record: { text: '{"id":1,"name":"Rex","categoryId":7}' },
  });
  t.same((await listPets(other, { limit: 9, status: "sold" })).pets, [], "the index of a filter follows");
  t.same(await pets.change(2n, () => rex), { outcome: "missing" });
  await t.rejects(
    pets.change(1n, () => {
      throw new RangeError("a rule of the handler");
    }),
    RangeError,
  );
  t.match(await pets.remove(1n, ({ text }) => text.includes("Tom")), { outcome: "unchanged" });
  t.match(await pets.remove(1n), { outcome: "changed", record: { text: /"Rex"/ } });
  t.same(await pets.remove(1n), { outcome: "missing" });
  t.equal(await petsOf(other).find(1n), undefined);
  t.match(await pets.create(rex), { id: 2n }, "its id is not generated again");
});

testStores("a deleted record keeps what its Idempotency-Key promises", async (t, { store }) => {
  const pets = petsOf(store);
  const first = await pets.create(rex, idempotentCall);
  await pets.change(1n, () => ({ ...rex, name: "Tom" }));
  t.same(await pets.create(rex, idempotentCall), { ...first, outcome: "repeated" });
  await pets.remove(1n);
  t.same(await pets.create(rex, idempotentCall), { ...first, outcome: "repeated" });
  t.match(await pets.create(rex, { ...idempotentCall, digest: digest("b") }), { outcome: "conflict" });
  t.equal(await pets.find(1n), undefined);
  t.match(await pets.list({ limit: 1 }), { last: undefined });
});

t.test("Records of deleted pets are copied, and are no problem of a store", async (t) => {
  const [from, to] = [await stores.sqlite(t), await newDatabase(t)];
  const store = await openPetStore(from);
  const first = await petsOf(store).create(rex, idempotentCall);
  await store.close();
  await tamper(from, "DELETE FROM pets");
  t.match(await petstoreOn(from, ["copy", "--from", from, "--to", to]), { status: 0, stdout: /^idempotency {7}1$/m });
  for (const url of [from, to]) t.match(await petstoreOn(url, ["check"]), { status: 0, stdout: /no problems found/ });
  const copy = await openStore(t, to);
  t.same(await petsOf(copy).create(rex, idempotentCall), { ...first, outcome: "repeated" });
});

testStores("loses no change of several processes that change the same record", async (t, { store, open }) => {
  const stores = [store, await open(), await open()];
  await petsOf(store).create({ ...rex, categoryId: 0n });
  const addOne = (pet: RawJson<Pet>): NewPet => ({ ...read(pet), categoryId: BigInt(read(pet).categoryId) + 1n });
  const changes = Array.from({ length: 60 }, (_, n) => petsOf(stores[n % 3] as Store).change(1n, addOne));
  const results = await Promise.all(changes);
  t.ok(results.every(({ outcome }) => outcome === "changed"));
  t.match(await findPet(store, 1n), { categoryId: 60n });
  const removed = await Promise.all(stores.map((one) => petsOf(one).remove(1n)));
  t.same(removed.map(({ outcome }) => outcome).sort(), ["changed", "missing", "missing"]);
});

testStores("creates a record with a number of the client, and generates higher ones", async (t, { store, open }) => {
  const pets = petsOf(store);
  t.match(await pets.put(7n, () => rex), { outcome: "created", record: { text: /^\{"id":7,"name":"Rex"/ } });
  t.match(await pets.create(rex), { id: 8n });
  t.match(await pets.put(3n, () => rex), { outcome: "created" });
  t.match(await pets.create(rex), { id: 9n }, "a lower number changes nothing");
  t.match(await pets.put(7n, (pet) => ({ ...rex, name: pet ? "Tom" : "new" })), {
    outcome: "changed",
    record: { text: /"name":"Tom"/ },
  });
  t.same(
    (await listPets(store, { limit: 9 })).pets.map(({ id }) => id),
    [3n, 7n, 8n, 9n],
  );
  for (const id of [0n, -1n, 2n ** 63n - 1n]) await t.rejects(async () => pets.put(id, () => rex), /must be from 1 to/);
  const stores = [store, await open(), await open()];
  const puts = Array.from({ length: 30 }, (_, n) => petsOf(stores[n % 3] as Store).put(BigInt(100 + n), () => rex));
  const creates = Array.from({ length: 30 }, (_, n) => petsOf(stores[n % 3] as Store).create(rex));
  const ids = (await Promise.all(creates)).map((created) => ("id" in created ? created.id : 0n));
  t.ok((await Promise.all(puts)).every(({ outcome }) => outcome === "created" || outcome === "changed"));
  t.equal(new Set(ids).size, 30, "no id is generated twice");
  const created = await pets.create(rex);
  t.ok("id" in created && (created.id as bigint) > 129n);
});
