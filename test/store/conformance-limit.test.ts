// Conformance suite of the stores: the maximum number of pets.
import type { Store } from "../../src/store/port.ts";
import { digest, idempotentCall, rex, type StoreUnderTest, testStores } from "../support/conformance.ts";
import { petsOf } from "../support/pets.ts";
import { petLine, petstoreOn } from "../support/stores.ts";
import { until } from "../support/wait.ts";

const outcomes = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome).sort();

// As after a crash of PostgreSQL, whose sequences skip up to 32 ids.
const skipIds = {
  sqlite: "UPDATE sqlite_sequence SET seq = seq + 32 WHERE name = 'pets'",
  postgres: "SELECT setval('pets_id_seq', 32 + (SELECT last_value FROM pets_id_seq))",
};

const createMany = (store: Store, count: number) =>
  Promise.all(Array.from({ length: count }, () => petsOf(store).create(rex)));

const countPets = async ({ query }: StoreUnderTest) => Number((await query("SELECT count(*) AS n FROM pets"))[0]?.n);

testStores("creates no pet beyond the maximum number, also in one batch", async (t, { store, open }) => {
  const limited = await open({ maxRecords: 3n });
  await petsOf(store).create(rex);
  t.match(await petsOf(limited).create(rex, idempotentCall), { outcome: "created" });
  t.same(outcomes(await createMany(limited, 3)), ["created", "full", "full"]);
  t.match(await petsOf(limited).create(rex, { ...idempotentCall, key: "new" }), { outcome: "full" });
  t.match(await petsOf(limited).create(rex, idempotentCall), { outcome: "repeated" }, "a retry gets its pet");
  t.equal((await petsOf(limited).list({ limit: 100 })).last, 3n);
  t.match(await petsOf(store).create(rex), { outcome: "created" }, "a store without a maximum is not limited");
  t.match(await petsOf(limited).create(rex), { outcome: "full" });
});

testStores("counts the pets when it opens, not the ids of deleted pets", async (t, { store, query, open }) => {
  await createMany(store, 5);
  await query("DELETE FROM pets WHERE id > 2");
  const [limited, full] = [await open({ maxRecords: 4n }), await open({ maxRecords: 2n })];
  t.match(await petsOf(full).create(rex), { outcome: "full" });
  for (const outcome of ["created", "created", "full"]) t.match(await petsOf(limited).create(rex), { outcome });
  t.equal((await petsOf(limited).list({ limit: 100 })).last, 7n);
});

testStores("ids that are skipped do not count as pets", async (t, test) => {
  const { kind, query, open } = test;
  const limited = await open({ maxRecords: 10n });
  for (let n = 0; n < 3; n++) {
    await query(skipIds[kind.name]);
    t.match(await petsOf(limited).create(rex), { outcome: "created" });
  }
  await query(skipIds[kind.name]);
  t.same(
    outcomes(await createMany(limited, 9)),
    [...Array(7).fill("created"), "full", "full"],
    "a batch gets the room that is left",
  );
  t.equal(await countPets(test), 10);
});

testStores("notices within seconds that pets were deleted, and creates as many again", async (t, test) => {
  const limited = await test.open({ maxRecords: 10n });
  t.same(outcomes(await createMany(limited, 11)), [...Array(10).fill("created"), "full"]);
  await test.query("DELETE FROM pets WHERE id > 7 OR id < 3");
  await until(async () => (await petsOf(limited).create(rex)).outcome === "created", "the store is still full");
  t.same(outcomes(await createMany(limited, 6)), [...Array(4).fill("created"), "full", "full"]);
  t.equal(await countPets(test), 10);
});

testStores("several processes fill the store exactly, whatever Idempotency-Keys they race for", async (t, test) => {
  const stores = await Promise.all([1, 2, 3].map(() => test.open({ maxRecords: 200n })));
  await Promise.all(stores.map((store) => store.check())); // all connections are open: the calls do race
  const tally: Record<string, number> = {};
  const run = async (client: number) => {
    for (let round = 0; tally.full === undefined; round++) {
      const call = { caller: BigInt(client), key: `${round}`, digest: digest("a") };
      const creates = Array.from({ length: 5 }, (_, n) => petsOf(stores[(client + n) % 3] as Store).create(rex, call));
      for (const result of await Promise.all(creates))
        tally[result?.outcome as string] = (tally[result?.outcome as string] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 40 }, (_, client) => run(client)));
  t.equal(await countPets(test), 200);
  t.equal(tally.created, 200);
  t.match(tally, { conflict: undefined, repeated: Number });
});

testStores("counts the pets of an import, which has no maximum", async (t, test) => {
  const limited = await test.open({ maxRecords: 10n });
  await petsOf(limited).create(rex);
  const importPets = (count: number) =>
    petstoreOn(test.url, ["import", "-", "--format", "ndjson"], { input: petLine("Tom").repeat(count) });
  t.match(await importPets(7), { status: 0 });
  t.same(outcomes(await createMany(limited, 4)), ["created", "created", "full", "full"]);
  t.match(await importPets(5), { status: 0 });
  t.match(await petsOf(limited).create(rex), { outcome: "full" });
  t.equal(await countPets(test), 15);
});
