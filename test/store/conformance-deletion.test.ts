// Conformance suite of the stores: pets that are deleted or changed after they were created with an Idempotency-Key.
import t from "tap";
import { digest, idempotentCall, rex, testStores } from "../support/conformance.ts";
import { newDatabase, stores } from "../support/databases.ts";
import { openPetStore, petsOf } from "../support/pets.ts";
import { petstoreOn, replaceInPets, tamper } from "../support/stores.ts";

testStores(
  "a repeated create returns the first response after its pet was changed",
  async (t, { store, query, url }) => {
    const first = await petsOf(store).create({ ...rex, status: "sold" }, idempotentCall);
    await query(replaceInPets(url, '"name":"Rex"', '"name":"Tom"'));
    const repeated = await petsOf(store).create({ ...rex, status: "sold" }, idempotentCall);
    t.same(repeated, { ...first, outcome: "repeated" });
  },
);

testStores("a repeated create returns the first response after its pet was deleted", async (t, { store, query }) => {
  const first = await petsOf(store).create(rex, idempotentCall);
  await query("DELETE FROM pets");
  t.same(await petsOf(store).create(rex, idempotentCall), { ...first, outcome: "repeated" });
  t.match(await petsOf(store).create(rex, { ...idempotentCall, digest: digest("b") }), { outcome: "conflict" });
  t.equal(await petsOf(store).find(1n), undefined);
  t.match(await petsOf(store).list({ limit: 1 }), { last: undefined });
});

t.test("Records of deleted pets are copied, and are no problem of a store", async (t) => {
  const [from, to] = [await stores.sqlite(t), await newDatabase(t)];
  const store = await openPetStore(from);
  const first = await petsOf(store).create(rex, idempotentCall);
  await store.close();
  await tamper(from, "DELETE FROM pets");
  t.match(await petstoreOn(from, ["copy", "--from", from, "--to", to]), { status: 0, stdout: /^idempotency {7}1$/m });
  for (const url of [from, to]) t.match(await petstoreOn(url, ["check"]), { status: 0, stdout: /no problems found/ });
  const copy = await openPetStore(to);
  t.teardown(() => copy.close());
  t.same(await petsOf(copy).create(rex, idempotentCall), { ...first, outcome: "repeated" });
});
