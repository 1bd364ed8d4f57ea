// Conformance suite of the stores: API keys, and calls of deprecated operations.

import { generateKey } from "../../src/operate/keys/api-keys.ts";
import type { Key } from "../../src/store/port.ts";
import { testStores } from "../support/conformance.ts";

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

testStores(
  "rotates a key: the previous hash is valid until the end of its grace period",
  async (t, { store, open }) => {
    const [first, second, third] = [generateKey().hash, generateKey().hash, generateKey().hash];
    const expiresAt = new Date("2130-01-02T03:04:05.678Z");
    await store.keys.create("a", first, { expiresAt, operator: true });
    await store.keys.create("b", generateKey().hash);
    const read = (await store.keys.find(first)) as Key;
    const { id } = read;
    const inAnHour = new Date(Date.now() + 3_600_000);
    const rotations = await Promise.all([second, second].map((hash) => store.keys.rotate(read, hash, inAnHour)));
    t.same(rotations.sort(), [false, true], "rejects a key that was rotated since it was read, by either connection");
    t.equal(await store.keys.rotate({ id: id + 100n }, generateKey().hash, inAnHour), false, "rejects an unknown key");
    const other = await open();
    for (const hash of [first, second])
      t.same(
        await other.keys.find(hash),
        { ...(await store.keys.find(second)), id, name: "a", operator: true, expiresAt, previousExpiresAt: inAnHour },
        "everything else of the key stays",
      );
    const both = await Promise.all([first, second, generateKey().hash].map((hash) => store.keys.find(hash)));
    t.same(
      both.map((key) => key?.id),
      [id, id, undefined],
    );
    t.equal(await other.keys.rotate((await store.keys.find(second)) as Key, third, new Date()), true);
    t.same(await Promise.all([first, second].map((hash) => store.keys.find(hash))), [undefined, undefined]);
    t.equal((await store.keys.find(third))?.id, id);
    t.equal((await store.keys.list())[1]?.previousExpiresAt, undefined);
    t.equal(await store.keys.revoke("a"), true);
    t.equal(await store.keys.find(third), undefined);
  },
);
