// Conformance suite of the stores: pets that are deleted or changed after they were created with an Idempotency-Key.
import t from "tap";
import { openStore } from "../../src/store/open.ts";
import { digest, idempotentCall, rex, testStores } from "../support/conformance.ts";
import { newDatabase, stores } from "../support/databases.ts";
import { petstoreOn, tamper } from "../support/stores.ts";

testStores("a repeated create returns the first response after its pet was changed", async (t, { store, query }) => {
  const first = await store.pets.create({ ...rex, status: "sold" }, idempotentCall);
  await query("UPDATE pets SET name = 'Tom', status = NULL");
  const repeated = await store.pets.create({ ...rex, status: "sold" }, idempotentCall);
  t.same(repeated, { ...first, outcome: "repeated" });
});

testStores("a repeated create returns the first response after its pet was deleted", async (t, { store, query }) => {
  const first = await store.pets.create(rex, idempotentCall);
  await query("DELETE FROM pets");
  t.same(await store.pets.create(rex, idempotentCall), { ...first, outcome: "repeated" });
  t.match(await store.pets.create(rex, { ...idempotentCall, digest: digest("b") }), { outcome: "conflict" });
  t.equal(await store.pets.find(1n), undefined);
  t.match(await store.pets.list({ limit: 1 }), { lastId: undefined });
});

// Version 2 had a foreign key from idempotency records to pets.
const toVersion2 = {
  sqlite: [
    `CREATE TABLE old (
      caller INTEGER NOT NULL,
      key TEXT NOT NULL,
      digest BLOB NOT NULL,
      pet_id INTEGER NOT NULL REFERENCES pets (id),
      created_at INTEGER NOT NULL,
      PRIMARY KEY (caller, key)
    ) STRICT, WITHOUT ROWID`,
    "INSERT INTO old SELECT * FROM idempotency",
    "DROP TABLE idempotency",
    "ALTER TABLE old RENAME TO idempotency",
    "CREATE INDEX idempotency_by_age ON idempotency (created_at)",
    "DROP INDEX keys_by_previous_hash",
    "ALTER TABLE keys DROP COLUMN previous_expires_at",
    "ALTER TABLE keys DROP COLUMN previous_hash",
    "PRAGMA user_version = 2",
  ],
  postgres: [
    "ALTER TABLE idempotency ADD FOREIGN KEY (pet_id) REFERENCES pets (id)",
    "ALTER TABLE keys DROP COLUMN previous_expires_at, DROP COLUMN previous_hash",
    "DELETE FROM migrations WHERE version > 2",
  ],
};

testStores("a store of version 2 keeps its idempotency records", async (t, { kind, store, url, open, query }) => {
  const calls = Array.from({ length: 5 }, (_, n) => ({ ...idempotentCall, key: `${n}` }));
  const created = await Promise.all(calls.map((call) => store.pets.create(rex, call)));
  const readRecords = () => query("SELECT * FROM idempotency ORDER BY key");
  const records = await readRecords();
  const readSchema = () =>
    query(
      kind.name === "sqlite"
        ? "SELECT name, replace(sql, '\"', '') AS sql FROM sqlite_schema ORDER BY name"
        : "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'petstore' ORDER BY indexname",
    );
  const schema = await readSchema();
  await tamper(url, ...toVersion2[kind.name]);
  await t.rejects(query("DELETE FROM pets"), { message: /foreign key/i });
  const migrated = await open();
  t.same(await readRecords(), records);
  t.same(await readSchema(), schema, "the same schema as that of a new store");
  await query("DELETE FROM pets");
  const repeated = await Promise.all(calls.map((call) => migrated.pets.create(rex, call)));
  t.same(
    repeated,
    created.map((result) => ({ ...result, outcome: "repeated" })),
  );
});

t.test("Records of deleted pets are copied, and are no problem of a store", async (t) => {
  const [from, to] = [await stores.sqlite(t), await newDatabase(t)];
  const store = await openStore(from);
  const first = await store.pets.create(rex, idempotentCall);
  await store.close();
  await tamper(from, "DELETE FROM pets");
  t.match(await petstoreOn(from, ["copy", "--from", from, "--to", to]), { status: 0, stdout: /^idempotency {7}1$/m });
  for (const url of [from, to]) t.match(await petstoreOn(url, ["check"]), { status: 0, stdout: /no problems found/ });
  const copy = await openStore(to);
  t.teardown(() => copy.close());
  t.same(await copy.pets.create(rex, idempotentCall), { ...first, outcome: "repeated" });
});
