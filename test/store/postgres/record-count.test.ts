// The count of the pets in PostgreSQL after a create has reached their maximum number.
import t, { type Test } from "tap";
import { UnavailableError } from "../../../src/lib/problem.ts";
import { Hosts } from "../../../src/store/postgres/hosts.ts";
import { createRecordCount } from "../../../src/store/postgres/record-count.ts";
import type { RecordCount } from "../../../src/store/record-limit.ts";
import { openStore, rex } from "../../support/conformance.ts";
import { newDatabase } from "../../support/databases.ts";
import { petCollection, petsOf } from "../../support/pets.ts";
import { connectTo, disconnect, query, untilLocked } from "../../support/postgres.ts";
import { until } from "../../support/wait.ts";

/** Blocks creates as a create in progress does. Returns a function that ends it. */
async function blockCreates(t: Test, url: string): Promise<() => Promise<unknown>> {
  const client = await connectTo(t, url);
  await client.query("BEGIN; SELECT 1 FROM petstore.secret FOR UPDATE");
  return () => client.query("COMMIT");
}

t.test("Creates of several processes that wait for each other do not exceed the maximum number", async (t) => {
  const url = await newDatabase(t);
  const stores = await Promise.all([1, 2, 3].map(() => openStore(t, url, { maxRecords: 100n })));
  const unblock = await blockCreates(t, url);
  const creates = stores.flatMap((store) => Array.from({ length: 60 }, () => petsOf(store).create(rex)));
  await untilLocked(url, 3);
  await unblock();
  const created = (await Promise.all(creates)).filter(({ outcome }) => outcome === "created");
  t.equal(created.length, 100);
  t.same(await query(url, "SELECT count(*)::int AS n FROM petstore.pets"), [{ n: 100 }]);
});

t.test("Creates that PostgreSQL terminates do not count as pets", async (t) => {
  const url = await newDatabase(t);
  const store = await openStore(t, url, { maxRecords: 30n });
  t.match(await petsOf(store).create(rex), { outcome: "created" });
  for (let n = 0; n < 3; n++) {
    // Another transaction has inserted one of the keys: the statement waits for it, after it has generated its ids.
    const client = await connectTo(t, url);
    await client.query(`
      BEGIN;
      INSERT INTO petstore.idempotency (collection, caller, key, digest, record_id, created_at)
      VALUES ('pets', 1, '3', '', 1, 0)`);
    const creates = Array.from({ length: 5 }, (_, key) =>
      petsOf(store).create(rex, { caller: 1n, key: `${key}`, digest: new Uint8Array(32) }),
    );
    const results = Promise.allSettled(creates);
    await untilLocked(url, 1);
    await disconnect(url);
    const statuses = new Set((await results).map(({ status }) => status));
    t.same(statuses, new Set(["rejected"]), "all creates of the batch fail");
    await client.query("ROLLBACK");
  }
  const [last] = await query(url, "SELECT last_value::int AS id FROM petstore.pets_id_seq");
  t.ok((last?.id as number) > 10, `the creates used ${last?.id} ids`);
  const created = await Promise.all(Array.from({ length: 32 }, () => petsOf(store).create(rex)));
  t.equal(created.filter(({ outcome }) => outcome === "created").length, 29);
});

t.test("Concurrent calls share one count, and wait at most 1 s for it, but the count continues", async (t) => {
  const url = await newDatabase(t);
  const store = await openStore(t, url);
  for (let n = 0; n < 3; n++) await petsOf(store).create(rex);
  await query(url, "SELECT setval('petstore.pets_id_seq', 40); DELETE FROM petstore.pets WHERE id = 2");
  const counts: RecordCount[] = [];
  const count = createRecordCount({ hosts: new Hosts(url), schema: "petstore" }, petCollection, (result) =>
    counts.push(result),
  );
  const unblock = await blockCreates(t, url);
  const busy = new UnavailableError("The database is busy.");
  await Promise.all([t.rejects(count(), busy), t.rejects(count(), busy)]);
  t.same(counts, []);
  await unblock();
  await until(() => counts.length > 0, "the count did not continue");
  await count();
  t.same(counts, Array(2).fill({ lastId: 40n, records: 2n }));
});

t.test("Rejects with UnavailableError while the pets can't be counted", async (t) => {
  const url = await newDatabase(t);
  const limited = await openStore(t, url, { maxRecords: 1n });
  await query(url, "DELETE FROM petstore.secret");
  await t.rejects(
    petsOf(limited).create(rex),
    new UnavailableError("The database is busy."),
    "creates lock the secret",
  );
  const hosts = new Hosts("postgres://petstore:x@127.0.0.1:9/x");
  const count = createRecordCount({ hosts, schema: "petstore" }, petCollection, () => {});
  await t.rejects(count(), new UnavailableError("The database is not reachable."));
});
