// Conformance suite of the stores: pets, their pages, and writes of other processes.
import { setImmediate as nextTick } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { generateKey } from "../../src/operate/keys/api-keys.ts";
import type { Store } from "../../src/store/port.ts";
import { anyNewPet } from "../support/arbitraries.ts";
import { digest, idempotentCall, rex, testStores } from "../support/conformance.ts";
import { createPet, findPet, listPets, petsOf } from "../support/pets.ts";
import { replaceInPets } from "../support/stores.ts";

/** Reads the list to its end. */
async function listIds(store: Store): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (;;) {
    const page = await listPets(store, { limit: 100, position: { after: ids.at(-1) ?? 0n } });
    ids.push(...page.pets.map(({ id }) => id));
    if (!page.more) return ids;
  }
}

testStores("stores pets exactly and lists them in the order of their ids", async (t, { store, open }) => {
  t.equal(await petsOf(store).find(1n), undefined);
  t.same(await listPets(store, { limit: 5 }), { pets: [], more: false });
  const created = [
    rex,
    { ...rex, status: "sold" as const },
    { name: "🐕\u0001", categoryId: -(2n ** 63n) },
    { name: "", categoryId: 2n ** 63n - 1n },
  ];
  for (const [index, pet] of created.entries()) t.same(await createPet(store, pet), { id: BigInt(index + 1), ...pet });
  const { pets, more } = await listPets(store, { limit: 4 });
  t.same(
    pets,
    created.map((pet, index) => ({ id: BigInt(index + 1), ...pet })),
  );
  t.equal(more, false);
  t.same(
    (await listPets(store, { limit: 2, position: { after: 1n } })).pets.map(({ id }) => id),
    [2n, 3n],
  );
  t.match(await petsOf(store).list({ limit: 3 }), { more: true, first: 1n, last: 3n });
  for (const [limit, before, ids, more] of [
    [2, 4n, [2n, 3n], true],
    [3, 4n, [1n, 2n, 3n], false],
    [2, 1n, [], false],
    [1, 2n ** 63n - 1n, [4n], true],
  ] as const) {
    const page = await listPets(store, { limit, position: { before } });
    t.same({ ids: page.pets.map(({ id }) => id), more: page.more }, { ids, more }, `${limit} before ${before}`);
  }
  const lastSold = { limit: 1, status: "sold", position: { before: 9n } } as const;
  t.match(await listPets(store, lastSold), { pets: [{ id: 2n }], more: false });
  t.same(
    (await listPets(store, { limit: 9, status: "sold" })).pets.map(({ id }) => id),
    [2n],
  );
  t.same(await listPets(store, { limit: 9, status: "sold", position: { after: 2n } }), { pets: [], more: false });
  t.equal(await petsOf(store).find(2n ** 63n - 1n), undefined);
  const other = await open();
  t.same((await listPets(other, { limit: 4 })).pets, pets, "another process reads the same");
});

testStores("returns every value of every field as it was given", async (t, { store }) => {
  const pets = fc.array(anyNewPet, { minLength: 50, maxLength: 50 });
  await fc.assert(
    // Many at once: the store writes them in one transaction.
    fc.asyncProperty(pets, async (pets) => {
      const same = await Promise.all(
        pets.map(async (pet) => {
          const created = await createPet(store, pet);
          const expected = { id: created.id, ...pet };
          return isDeepStrictEqual([created, await findPet(store, created.id)], [expected, expected]);
        }),
      );
      return same.every(Boolean);
    }),
    { numRuns: 10 },
  );
  t.pass();
});

testStores("pages miss nothing and repeat nothing while pets are added", async (t, { store, open }) => {
  const other = await open();
  await Promise.all(Array.from({ length: 50 }, () => petsOf(store).create(rex)));
  const seen: bigint[] = [];
  for (let page = await listPets(store, { limit: 7 }); ; ) {
    seen.push(...page.pets.map(({ id }) => id));
    if (!page.more) break;
    if (seen.length < 70) await petsOf(other).create(rex);
    page = await listPets(store, { limit: 7, position: { after: seen.at(-1) ?? 0n } });
  }
  t.same(
    seen,
    Array.from({ length: seen.length }, (_, index) => BigInt(index + 1)),
  );
  t.ok(seen.length > 50);
});

testStores("a reader of the list misses nothing while several processes write", async (t, { store, open }) => {
  const all = [store, await open(), await open()];
  let writing = true;
  const writers = Array.from({ length: 12 }, async (_, n) => {
    const pets = petsOf(all[n % 3] as Store);
    for (let round = 0; writing; round++, await nextTick()) {
      const call = { caller: BigInt(n), key: `${round}`, digest: digest("a") };
      await pets.create(rex, round % 3 === 0 ? call : undefined);
    }
  });
  const seen: bigint[] = [];
  const read = async () => {
    const { pets } = await listPets(store, { limit: 100, position: { after: seen.at(-1) ?? 0n } });
    seen.push(...pets.map(({ id }) => id));
    return pets.length;
  };
  while (seen.length < 600) {
    await read();
    await nextTick();
  }
  writing = false;
  await Promise.all(writers);
  while ((await read()) > 0);
  t.same(seen, await listIds(store));
});

testStores("a failed transaction changes nothing", async (t, { store, query, kind: { failure } }) => {
  await query(failure.inject);
  await t.rejects(petsOf(store).create(rex, idempotentCall), { message: /injected/ });
  t.same(await listPets(store, { limit: 1 }), { pets: [], more: false });
  await query(failure.remove);
  t.match(await petsOf(store).create(rex, idempotentCall), { outcome: "created" });
});

testStores("reads writes of other processes at once", async (t, { store, open, query, url }) => {
  const { hash } = generateKey();
  await store.keys.create("a", hash);
  for (let n = 0; n < 3; n++) await petsOf(store).create({ ...rex, status: "sold" });
  const queries = [{ limit: 2 }, { limit: 2, status: "sold" as const }, { limit: 1, position: { after: 1n } }];
  const read = async () => {
    const pages = await Promise.all(queries.map((query) => listPets(store, query)));
    return pages.map(({ pets, more }) => [...pets.map(({ id, name }) => `${id} ${name}`), more]);
  };
  const other = await open();
  let previous = "Rex";
  for (const name of ["Rex", "Tom", "Ann"]) {
    await query(replaceInPets(url, previous, name, "id = 2"));
    previous = name;
    for (let n = 0; n < 3; n++) {
      const page = ["1 Rex", `2 ${name}`, true];
      t.same(await read(), [page, page, [`2 ${name}`, true]]);
      t.match(await findPet(store, 2n), { name });
      t.match(await store.keys.find(hash), { name: "a" });
    }
  }
  const added = await createPet(other, rex);
  t.match(await listPets(store, { limit: 1, position: { after: 3n } }), { pets: [{ id: 4n }] });
  t.equal(added.id, 4n);
  t.equal(await other.keys.revoke("a"), true);
  t.equal(await store.keys.find(hash), undefined, "a revoked key is not found");
});

testStores("reads its own writes at once", async (t, { store }) => {
  const { hash } = generateKey();
  t.equal(await store.keys.find(hash), undefined);
  await store.keys.create("a", hash);
  const id = (await store.keys.find(hash))?.id as bigint;
  const at = new Date("2027-01-01T00:00:00Z");
  await store.keys.touch(new Map([[id, at]]));
  t.same((await store.keys.find(hash))?.lastUsedAt, at);
  await store.keys.revoke("a");
  t.equal(await store.keys.find(hash), undefined);
  for (let n = 1n; n < 5n; n++) {
    await petsOf(store).create(rex);
    const { pets, more } = await listPets(store, { limit: 1, position: { after: n - 2n } });
    t.same([pets.map(({ id }) => id), more], n === 1n ? [[1n], false] : [[n - 1n], true]);
  }
});
