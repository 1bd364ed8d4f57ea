// The use of keys, with a real store.
import { pino } from "pino";
import t from "tap";
import { generateKey } from "../../../src/operate/keys/api-keys.ts";
import { KeyUsage } from "../../../src/operate/keys/key-usage.ts";
import type { Key } from "../../../src/store/port.ts";
import { openPetStore } from "../../support/pets.ts";

t.test("Records the use of a key and of a later key with the same name", async (t) => {
  const store = await openPetStore("sqlite::memory:");
  t.teardown(() => store.close());
  const usage = new KeyUsage(store.keys, pino({ level: "silent" }));
  const createKey = async () => {
    const { hash } = generateKey();
    await store.keys.create("alice", hash);
    return (await store.keys.find(hash)) as Key;
  };
  usage.recordUse(await createKey());
  await store.keys.revoke("alice");
  usage.recordUse(await createKey());
  t.same(usage.drain(), { keys: ["alice"], deprecated: [] });
  t.same(usage.drain().keys, [], "each use once");
  await usage.flush();
  t.type((await store.keys.list())[0]?.lastUsedAt, Date, "of the key that is valid");
});
