// Conformance suite of the stores: the maximum number of pets.
import { openStore } from "../../src/store/open.ts";
import { idempotentCall, longTimeouts, rex, testStores } from "../support/conformance.ts";

const outcomes = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome).sort();

testStores("creates no pet beyond the maximum number, also in one batch", async (t, { store, url }) => {
  const limited = await openStore(url, { maxPets: 3n, timeouts: longTimeouts });
  t.teardown(() => limited.close());
  await store.pets.create(rex);
  t.match(await limited.pets.create(rex, idempotentCall), { outcome: "created" });
  const batch = await Promise.all([1, 2, 3].map(() => limited.pets.create(rex)));
  t.same(outcomes(batch), ["created", "full", "full"]);
  t.match(await limited.pets.create(rex, { ...idempotentCall, key: "new" }), { outcome: "full" });
  t.match(await limited.pets.create(rex, idempotentCall), { outcome: "repeated" }, "a retry gets its pet");
  t.equal((await limited.pets.list({ limit: 100 })).lastId, 3n);
  t.match(await store.pets.create(rex), { outcome: "created" }, "a store without a maximum is not limited");
  t.match(await limited.pets.create(rex), { outcome: "full" });
});

testStores("counts the pets when it opens, not the ids of deleted pets", async (t, { store, url, query }) => {
  for (let n = 0; n < 5; n++) await store.pets.create(rex);
  await query("DELETE FROM pets WHERE id > 2 AND id < 6");
  const limited = await openStore(url, { maxPets: 4n, timeouts: longTimeouts });
  t.teardown(() => limited.close());
  for (const outcome of ["created", "created", "full"]) t.match(await limited.pets.create(rex), { outcome });
  t.equal((await limited.pets.list({ limit: 100 })).lastId, 7n);
});
