// The count of the pets in PostgreSQL after a create has reached their maximum number.
import pg from "pg";
import t, { type Test } from "tap";
import { UnavailableError } from "../../../src/lib/problem.ts";
import { Hosts } from "../../../src/store/postgres/hosts.ts";
import { createRecordCount } from "../../../src/store/postgres/record-count.ts";
import type { RecordCount } from "../../../src/store/record-limit.ts";
import { longTimeouts, rex } from "../../support/conformance.ts";
import { newDatabase } from "../../support/databases.ts";
import { openPetStore, petCollection, petsOf } from "../../support/pets.ts";
import { query } from "../../support/postgres.ts";
import { until } from "../../support/wait.ts";

async function connect(t: Test, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

/** Blocks creates as a create in progress does. Returns a function that ends it. */
async function blockCreates(t: Test, url: string): Promise<() => Promise<unknown>> {
  const client = await connect(t, url);
  await client.query("BEGIN; SELECT 1 FROM petstore.secret FOR UPDATE");
  return () => client.query("COMMIT");
}

/** Waits until this number of connections to the database wait for a lock. */
const waitForLock = (url: string, count: number) =>
  until(
    async () => {
      const own = "wait_event_type = 'Lock' AND datname = current_database()";
      return (await query(url, `SELECT 1 FROM pg_stat_activity WHERE ${own}`)).length === count || undefined;
    },
    () => `there are not ${count} connections that wait for a lock`,
  );

t.test("Creates of several processes that wait for each other do not exceed the maximum number", async (t) => {
  const url = await newDatabase(t);
  const stores = await Promise.all(
    [1, 2, 3].map(() => openPetStore(url, { maxRecords: 100n, timeouts: longTimeouts })),
  );
  t.teardown(() => Promise.all(stores.map((store) => store.close())));
  const unblock = await blockCreates(t, url);
  const creates = stores.flatMap((store) => Array.from({ length: 60 }, () => petsOf(store).create(rex)));
  await waitForLock(url, 3);
  await unblock();
  const created = (await Promise.all(creates)).filter(({ outcome }) => outcome === "created");
  t.equal(created.length, 100);
  t.same(await query(url, "SELECT count(*)::int AS n FROM petstore.pets"), [{ n: 100 }]);
});

t.test("Creates that PostgreSQL terminates do not count as pets", async (t) => {
  const url = await newDatabase(t);
  const store = await openPetStore(url, { maxRecords: 30n, timeouts: longTimeouts });
  t.teardown(() => store.close());
  t.match(await petsOf(store).create(rex), { outcome: "created" });
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'petstore' AND datname = current_database()`;
  for (let n = 0; n < 3; n++) {
    // Another transaction has inserted one of the keys: the statement waits for it, after it has generated its ids.
    const client = await connect(t, url);
    await client.query(`
      BEGIN;
      INSERT INTO petstore.idempotency (collection, caller, key, digest, record_id, created_at)
      VALUES ('pets', 1, '3', '', 1, 0)`);
    const creates = Array.from({ length: 5 }, (_, key) =>
      petsOf(store).create(rex, { caller: 1n, key: `${key}`, digest: new Uint8Array(32) }),
    );
    const results = Promise.allSettled(creates);
    await waitForLock(url, 1);
    await query(url, terminate);
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
  const store = await openPetStore(url, { timeouts: longTimeouts });
  t.teardown(() => store.close());
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
  await until(
    () => counts.length > 0 || undefined,
    () => "the count did not continue",
  );
  await count();
  t.same(counts, Array(2).fill({ lastId: 40n, records: 2n }));
});

t.test("Rejects with UnavailableError while the pets can't be counted", async (t) => {
  const url = await newDatabase(t);
  const limited = await openPetStore(url, { maxRecords: 1n, timeouts: longTimeouts });
  t.teardown(() => limited.close());
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
