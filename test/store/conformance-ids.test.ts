// Conformance suite of the stores: the last id.
import { UnavailableError } from "../../src/lib/problem.ts";
import { idempotentCall, rex, testStores } from "../support/conformance.ts";
import { maxInt64, petsOf } from "../support/pets.ts";
import { petInSql } from "../support/stores.ts";

testStores("reports that no id can follow the last one", async (t, { store, query, url, kind: { name } }) => {
  const setLastId = async (table: string, id: bigint, values: string) => {
    await query(`INSERT INTO ${table} VALUES (${id}, ${values})`);
    if (name === "postgres") await query(`SELECT setval('${table}_id_seq', ${id})`);
  };
  const outOfIds = { constructor: UnavailableError, message: "The database is out of ids." };
  await setLastId("pets", maxInt64 - 1n, petInSql(url, { id: maxInt64 - 1n }));
  t.match(await petsOf(store).create(rex), { outcome: "created" });
  await t.rejects(petsOf(store).create(rex), outOfIds);
  await t.rejects(petsOf(store).create(rex, idempotentCall), outOfIds);
  t.equal((await petsOf(store).list({ limit: 100 })).last, maxInt64);
  await query(`DELETE FROM pets WHERE id = ${maxInt64}`);
  await t.rejects(petsOf(store).create(rex), outOfIds, "the last pet was deleted");

  t.equal(await store.keys.create("a", "aa"), true);
  await setLastId(
    "keys",
    maxInt64,
    `'last', ${name === "sqlite" ? "X'00'" : "'\\x00'"}, 0, NULL, NULL, 0, NULL, NULL, NULL`,
  );
  await t.rejects(store.keys.create("b", "bb"), outOfIds);
});
