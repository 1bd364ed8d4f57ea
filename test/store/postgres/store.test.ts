// The PostgreSQL store: its statements, its schema, the rights that it needs, and failures of its database.
import t from "tap";
import { UnavailableError } from "../../../src/lib/problem.ts";
import { latestVersion } from "../../../src/store/migrations.ts";
import { listStatement } from "../../../src/store/postgres/postgres-lists.ts";
import { recordStatements, statementsOf } from "../../../src/store/postgres/postgres-statements.ts";
import { petstore } from "../../support/command.ts";
import { longTimeouts, openStore, rex } from "../../support/conformance.ts";
import { emptyDatabase, newDatabase } from "../../support/databases.ts";
import { readMetric } from "../../support/metrics.ts";
import { openPetStore, openPetTables, petCollection, petsOf } from "../../support/pets.ts";
import { connectTo, createRole, disconnect, query } from "../../support/postgres.ts";
import { start } from "../../support/service.ts";
import { insertPets, petInSql } from "../../support/stores.ts";
import { until } from "../../support/wait.ts";

t.test("Ten openings at once migrate an empty database once", async (t) => {
  const url = await emptyDatabase(t);
  const stores = await Promise.all(Array.from({ length: 10 }, () => openPetStore(url)));
  for (const store of stores) await store.close();
  t.equal((await query(url, "SELECT version FROM petstore.migrations")).length, latestVersion);
  t.same(
    await petstore({ DATABASE_URL: url }, ["migrate"]),
    { status: 0, stdout: "The database is up to date.\n", stderr: "" },
    "already migrated",
  );
  const strict = await emptyDatabase(t);
  const name = new URL(strict).pathname.slice(1);
  await query(strict, `ALTER DATABASE ${name} SET default_transaction_isolation = serializable`);
  for (const store of await Promise.all(Array.from({ length: 10 }, () => openPetStore(strict)))) await store.close();
});

t.test("petstore migrate creates the store, and petstore keys list does not", async (t) => {
  const settings = { DATABASE_URL: await emptyDatabase(t) };
  t.match(await petstore(settings, ["keys", "list"]), {
    status: 1,
    stderr: /it has not been migrated. Run petstore migrate/,
  });
  t.match(await petstore(settings, ["migrate"]), { status: 0 });
  t.match(await petstore(settings, ["keys", "list"]), { status: 0, stdout: /^NAME/ });
  await query(settings.DATABASE_URL, `DELETE FROM petstore.migrations WHERE version = ${latestVersion}`);
  t.match(await petstore(settings, ["keys", "list"]), {
    status: 1,
    stderr: `its schema version is ${latestVersion - 1}, but this release requires ${latestVersion}. Run petstore migrate.`,
  });
});

t.test("3,000 lookups of invalid keys at once do not reject the lookup of a valid key", async (t) => {
  const store = await openStore(t, await newDatabase(t));
  await store.keys.create("alice", "aa");
  const wrong = Array.from({ length: 3_000 }, (_, n) => store.keys.find(n.toString(16).padStart(4, "0")));
  const [key, ...others] = await Promise.all([...wrong, store.keys.find("aa")].toReversed());
  t.match(key, { name: "alice" });
  t.ok(others.every((other) => other === undefined));
});

t.test("A failed migration changes nothing", async (t) => {
  const url = await emptyDatabase(t);
  await query(url, "CREATE SCHEMA petstore; CREATE VIEW pg_temp.x AS SELECT 1");
  await query(url, "CREATE SEQUENCE petstore.secret"); // takes the name of the last table
  await t.rejects(openPetStore(url), { message: /can't be opened: relation "secret" already exists/ });
  t.same(await query(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'petstore'"), []);
  await query(url, "DROP SEQUENCE petstore.secret");
  await (await openPetStore(url)).close();
});

t.test("Serves without the right to change the schema", async (t) => {
  const url = await newDatabase(t);
  const { role, url: asRole } = await createRole(t, url);
  await query(url, `GRANT USAGE ON SCHEMA petstore TO ${role}`);
  await query(url, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA petstore TO ${role}`);
  await query(url, `GRANT USAGE ON ALL SEQUENCES IN SCHEMA petstore TO ${role}`);
  const store = await openStore(t, asRole, { maxRecords: 1n });
  const service = await start(t, { store });
  for (const status of [201, 507])
    t.match(await service.call("POST", "/v1/pets", { json: { name: "Rex", categoryId: 1 } }), { status });
});

t.test("Each statement finds its rows by an index, in a store of any size", async (t) => {
  const url = await newDatabase(t);
  const client = await connectTo(t, url);
  const status = "CASE n % 3 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' END";
  await client.query(`
    INSERT INTO petstore.pets (record) SELECT ${petInSql(url, { id: "n", categoryId: "n", status })}
      FROM generate_series(1, 20000) AS n;
    INSERT INTO petstore.keys (name, hash, created_at) SELECT n, n::text::bytea, 0 FROM generate_series(1, 5000) AS n;
    INSERT INTO petstore.idempotency (collection, caller, key, digest, record_id, created_at)
      SELECT 'pets', n % 9, n, '', n, n FROM generate_series(1, 20000) AS n;
    ANALYZE;
    SET plan_cache_mode = force_generic_plan`);
  const schema = "petstore";
  const lists = (["forwards", "backwards"] as const).flatMap((direction) =>
    [[], petCollection.filters].map((filters) => {
      const limit = filters.length > 0 ? 101 : 21;
      return [
        `list ${direction} ${limit}`,
        listStatement(schema, petCollection, { filters, direction, limit }),
      ] as const;
    }),
  );
  const named = Object.entries({ ...statementsOf(schema), ...recordStatements(schema, petCollection) });
  for (const [name, text] of [...named.map(([name, { text }]) => [name, text] as const), ...lists]) {
    if (name === "lockAll") continue; // has no plan
    await client.query(`PREPARE "${name}" AS ${text}`);
    const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
    const nulls = Array.from({ length: count }, () => "NULL").join(", ");
    const { rows } = await client.query(`EXPLAIN EXECUTE "${name}"${count ? `(${nulls})` : ""}`);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    const scanned = [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table]) => table);
    const allowed = name === "keys_list" ? ["keys"] : ["secret", "record_schemas"]; // all keys, and tables of a few rows
    t.ok(
      scanned.every((table) => allowed.includes(table as string)),
      `${name}:\n${plan}`,
    );
    // An idempotency record is found by its primary key, and then filtered by its age.
    if (/^list|find/.test(name) && name !== "findIdempotencyRecord")
      t.notMatch(plan, /Sort|Filter/, `${name} neither sorts nor filters`);
  }
});

t.test("Records can refer to one that a transaction has found or changed, before it ends", async (t) => {
  const url = await newDatabase(t);
  const plain = { idType: "int64", id: "id", properties: ["id"], filters: [] } as const;
  const vet = { property: "vet", type: "int64", to: "vets", onDelete: "restrict" } as const;
  const collections = [
    { ...plain, name: "vets" },
    { ...plain, name: "visits", references: [vet] },
  ];
  const [one, other] = [await openPetStore(url, { collections }), await openPetStore(url, { collections })];
  t.teardown(() => Promise.all([one.close(), other.close()]));
  await one.records("vets").create({ name: "Ada" });
  await one.transaction(async (records) => {
    await records("vets").find(1n);
    t.match(await other.records("visits").create({ vet: 1 }), { outcome: "created" });
    await records("vets").change(1n, () => ({ name: "Eve" }));
    t.match(await other.records("visits").change(1n, () => ({ vet: 1, n: 1 })), { outcome: "changed" });
  });
});

t.test("Does not report bugs as UnavailableError", async (t) => {
  const url = await newDatabase(t);
  const closed = await openPetStore(url);
  await closed.close();
  await t.rejects(closed.check(), { message: /after calling end on the pool/ }, "use of a closed store");
  const store = await openStore(t, url);
  await query(url, "ALTER TABLE petstore.pets RENAME TO animals");
  await t.rejects(petsOf(store).find(1n), { code: "42P01" }, "a table that is not there");
  const faulty = { toPostgres: () => (undefined as unknown as string).length };
  await t.rejects(petsOf(store).find(faulty as unknown as bigint), TypeError, "an exception in a value");
});

t.test("Rejects with UnavailableError while the database can't be written", async (t) => {
  const url = await newDatabase(t);
  const store = await openStore(t, url);
  await query(url, "CREATE TABLE petstore.saved AS TABLE petstore.secret; DELETE FROM petstore.secret");
  const call = { caller: 1n, key: "k", digest: new Uint8Array(32) };
  for (const idempotencyKey of [undefined, call])
    await t.rejects(
      petsOf(store).create(rex, idempotencyKey),
      new UnavailableError("The database is busy."),
      "creates lock the secret",
    );
  await query(url, "INSERT INTO petstore.secret TABLE petstore.saved");
  t.match(await petsOf(store).create(rex, call), { outcome: "created" });
  await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
  await disconnect(url);
  const isDisconnected = () => readMetric(store, "store_pool_connections_idle") === 0;
  await until(isDisconnected, "the connections are still open");
  await t.rejects(petsOf(store).create(rex), new UnavailableError("The database is read-only."));
});

t.test("Creates the index of a new filter while it serves, without a lock of the table", async (t) => {
  const timer = setInterval(() => {}, 1_000); // work in the background does not keep the process running
  t.teardown(() => clearInterval(timer));
  const url = await newDatabase(t);
  await insertPets(url, 2_000);
  await query(url, "DROP INDEX petstore.pets_by_status");
  const indexes = () =>
    query(url, "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('petstore.pets_by_status')");
  // A transaction that has read the table: the index is not complete before it ends.
  const client = await connectTo(t, url);
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM petstore.pets");
  const work: Promise<void>[] = [];
  const inBackground = (building: Promise<void>) => void work.push(building);
  const stores = [await openStore(t, url, { inBackground }), await openStore(t, url, { inBackground })];
  await until(async () => (await indexes()).length > 0, "no index");
  t.same(await indexes(), [{ indisvalid: false }]);
  for (const store of stores) {
    t.match(await petsOf(store).create({ ...rex, status: "pending" }), { outcome: "created" });
    t.match(await petsOf(store).list({ limit: 1, filter: { status: "pending" } }), { first: 2_001n });
  }
  await client.query("COMMIT");
  await Promise.all(work);
  t.same(await indexes(), [{ indisvalid: true }]);

  await query(url, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'petstore.pets_by_status'::regclass");
  await (await openPetStore(url, { timeouts: longTimeouts })).close();
  t.same(await indexes(), [{ indisvalid: true }], "an index whose creation has failed is created again");
});

t.test("Openings at once create an index once, without a deadlock", async (t) => {
  const timer = setInterval(() => {}, 1_000); // work in the background does not keep the process running
  t.teardown(() => clearInterval(timer));
  const url = await newDatabase(t);
  await insertPets(url, 20_000);
  for (let round = 0; round < 3; round++) {
    await query(url, "DROP INDEX petstore.pets_by_status");
    const work: Promise<void>[] = [];
    const inBackground = (building: Promise<void>) => void work.push(building);
    const opening = [
      ...Array.from({ length: 3 }, () => openPetStore(url, { inBackground, timeouts: longTimeouts })),
      ...Array.from({ length: 3 }, () => openPetStore(url, { timeouts: longTimeouts })),
      openPetTables(url, "migrate"),
    ];
    for (const opened of await Promise.all(opening)) await opened.close();
    await Promise.all(work);
    t.match(
      await query(url, "SELECT indisvalid FROM pg_index WHERE indexrelid = 'petstore.pets_by_status'::regclass"),
      [{ indisvalid: true }],
    );
  }
});
