// The SQLite store: its schema, its statements, and writers that wait for a lock.
import { statSync } from "node:fs";
import { join } from "node:path";
import { constants, DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { UnavailableError } from "../../../src/lib/problem.ts";
import { reservedNames, tablesOf } from "../../../src/store/bulk.ts";
import { latestVersion } from "../../../src/store/migrations.ts";
import { migrate, readVersion } from "../../../src/store/sqlite/sqlite-migrations.ts";
import { listStatement, recordStatements, statements } from "../../../src/store/sqlite/sqlite-statements.ts";
import { petstore } from "../../support/command.ts";
import { digest, openStore, rex } from "../../support/conformance.ts";
import { folder } from "../../support/files.ts";
import { collections, openPetStore, petCollection, petsOf } from "../../support/pets.ts";
import { start } from "../../support/service.ts";

const newFile = (t: Test) => join(folder(t), "petstore.db");

t.test("Uses WAL with synchronous=FULL, strict tables, and an index for each statement", async (t) => {
  const file = newFile(t);
  const store = await openPetStore(`sqlite:${file}`);
  const db = new DatabaseSync(file);
  t.equal(db.prepare("PRAGMA journal_mode").get()?.journal_mode, "wal");
  const found = db
    .prepare(
      "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all();
  t.same(
    found.map(({ name, strict }) => [name, strict]),
    [...new Set([...tablesOf(collections).map(({ name }) => name), ...reservedNames])]
      .filter((name) => name !== "migrations") // in PostgreSQL
      .sort()
      .map((name) => [name, 1]),
    "all tables are strict",
  );
  // All keys, a table of one row, a table of two rows, which creates read too, and the count of all pets.
  const wholeTables = ["keys_list", "identity", "lastId", "count", "create"];
  const lists = (["forwards", "backwards"] as const).flatMap((direction) =>
    [[], petCollection.filters].map((filters) => listStatement(petCollection, { filters, direction, limit: 21 })),
  );
  for (const [name, statement] of Object.entries({ ...statements, ...recordStatements(petCollection), ...lists })) {
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${statement}`)
      .all()
      .map(({ detail }) => String(detail));
    t.ok(wholeTables.includes(name) || !plan.some((step) => step.startsWith("SCAN")), `${statement}: ${plan}`);
    t.notMatch(String(plan), /TEMP B-TREE/, "sorts nothing");
  }
  db.close();

  // This setting belongs to the connection, and is not stored in the file.
  const { close } = DatabaseSync.prototype;
  t.teardown(() => Object.assign(DatabaseSync.prototype, { close }));
  let synchronous: unknown;
  DatabaseSync.prototype.close = function () {
    synchronous = this.prepare("PRAGMA synchronous").get()?.synchronous;
    close.call(this);
  };
  await store.close();
  t.equal(synchronous, 2n, "synchronous is FULL");
});

t.test("A write that waits when the store is closed fails with UnavailableError", async (t) => {
  const store = await openPetStore(`sqlite:${newFile(t)}`);
  await petsOf(store).list({ limit: 1 });
  const waiting = petsOf(store).create(rex);
  await store.close();
  await t.rejects(waiting, { constructor: UnavailableError, message: "The database is closed." });
});

t.test("A writer waits for the lock of another connection, and readers do not", async (t) => {
  const file = newFile(t);
  const store = await openPetStore(`sqlite:${file}`);
  const service = await start(t, { store });
  const blocker = new DatabaseSync(file);
  blocker.exec("BEGIN IMMEDIATE");
  const waiting = service.call("POST", "/v1/pets", { json: { name: "x", categoryId: 1 } });
  for (let n = 0; n < 20; n++) t.match(await service.call("GET", "/v1/pets"), { status: 200, body: [] });
  blocker.exec("COMMIT");
  t.match(await waiting, { status: 201 });
  blocker.close();
  await service.app.close();
  await store.close();
  await t.rejects(store.check(), { code: "ERR_INVALID_STATE" }, "use of a closed store is reported as a bug");
});

t.test("Responds to a write with 503 if the lock outlasts the timeout", async (t) => {
  const file = newFile(t);
  const store = await openStore(t, `sqlite:${file}`, { timeouts: { sqlite: { busy: 50 } } });
  const { call } = await start(t, { store });
  const create = () => call("POST", "/v1/pets", { json: { name: "x", categoryId: 1 } });
  const blocker = new DatabaseSync(file);
  blocker.exec("BEGIN IMMEDIATE");
  t.match(await create(), {
    status: 503,
    headers: { "retry-after": "1" },
    body: { code: "unavailable", message: "The database is locked by another process. Try again in 1 second." },
  });
  blocker.exec("COMMIT");
  blocker.close();
  t.match(await create(), { status: 201 });
});

t.test("Opens a store that another connection has locked for writing", async (t) => {
  const file = newFile(t);
  await (await openPetStore(`sqlite:${file}`)).close();
  const blocker = new DatabaseSync(file);
  blocker.exec("BEGIN IMMEDIATE");
  const store = await openPetStore(`sqlite:${file}`);
  t.same(await store.keys.list(), []);
  await store.close();
  blocker.close();
});

t.test("A failed migration changes nothing", async (t) => {
  const db = new DatabaseSync(newFile(t));
  const denied = constants.SQLITE_INSERT;
  db.setAuthorizer((action, table) =>
    action === denied && table === "secret" ? constants.SQLITE_DENY : constants.SQLITE_OK,
  );
  t.throws(() => migrate(db, collections), { message: /not authorized/ });
  t.same(db.prepare("SELECT name FROM sqlite_schema").all(), []);
  db.setAuthorizer(null);
  migrate(db, collections);
  t.equal(readVersion(db), latestVersion);
  db.close();
});

t.test("Stores only the SHA-256 of a key, in a file that only its owner can read", async (t) => {
  const file = newFile(t);
  const { stdout } = await petstore({ DATABASE_URL: `sqlite:${file}` }, ["keys", "create", "a"]);
  const key = stdout.trim();
  const db = new DatabaseSync(file);
  t.same(Buffer.from(db.prepare("SELECT hash FROM keys").get()?.hash as Uint8Array), digest(key));
  const text = JSON.stringify(
    ["keys", "idempotency", "secret"].map((table) => db.prepare(`SELECT * FROM ${table}`).all()),
  );
  t.notMatch(text, key);
  t.equal(statSync(file).mode & 0o777, 0o600);
  db.close();
});
