// petstore check: reports the problems of a store, and changes nothing.
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { petstore } from "../support/command.ts";
import { emptyDatabase, newDatabase, stores } from "../support/databases.ts";
import { maxName, openPetStore, statusList } from "../support/pets.ts";
import { query } from "../support/postgres.ts";
import { addKey, start } from "../support/service.ts";
import { fill, type PetInSql, petInSql, petstoreOn, replaceInPets, tamper, toFile } from "../support/stores.ts";

const checkStore = (url: string, ...args: string[]) => petstoreOn(url, ["check", ...args]);

/** Adds two keys, 300 pets and 100 Idempotency-Keys. */
async function fillStore(url: string): Promise<void> {
  await fill(url, 300, 100);
  const store = await openPetStore(url);
  await addKey(store, "b", new Date("2131-01-02T03:04:05.678Z"));
  await store.close();
}

const sound = (keys: number) =>
  new RegExp(
    `^keys {14}${keys}\npets {14}300\nidempotency {7}100\n(.*\n){2}sha256 {12}[0-9a-f]{64}\nno problems found\n$`,
  );

for (const [kind, create] of Object.entries(stores)) {
  t.test(`${kind}: reports that a store has no problems, also while it is served`, async (t) => {
    const url = await create(t);
    await fillStore(url);
    t.match(await checkStore(url), { status: 0, stderr: "", stdout: sound(2) });

    const store = await openPetStore(url);
    const { app } = await start(t, { store }); // which adds a key
    const served = await checkStore(url);
    t.match(served, { status: 0, stderr: "", stdout: sound(3) });
    await app.close();
    await store.close();
    t.same(await checkStore(url), served);
    t.same(await checkStore("sqlite:none", url), served, "the argument comes before DATABASE_URL");
    const copied = await petstore({}, ["copy", "--from", url, "--to", await stores.sqlite(t)]);
    t.equal(served.stdout, `${copied.stdout}no problems found\n`, "a copy has the same counts and the same checksum");
  });

  t.test(`${kind}: reports each problem in a separate line`, async (t) => {
    const url = await create(t);
    await fillStore(url);
    const isSqlite = kind === "sqlite";
    const blob = (bytes: string) => (isSqlite ? `X'${bytes}'` : `'\\x${bytes}'`);
    const setPet = (id: number, fields: Omit<PetInSql, "id">) =>
      `UPDATE pets SET record = ${petInSql(url, { id, ...fields })} WHERE id = ${id}`;
    const futureTime = Date.now() + 25 * 3_600_000;
    await tamper(
      url,
      setPet(7, { status: "'lost'" }),
      setPet(8, { name: `'${"🐕".repeat(maxName + 1)}'` }),
      `INSERT INTO secret (value) VALUES (${blob("00")})`,
      "DELETE FROM pets WHERE id IN (3, 4)",
      `UPDATE keys SET hash = ${blob("0102")}, last_used_at = ${futureTime} WHERE name = 'a'`,
      `UPDATE keys SET created_at = ${futureTime - 2 * 3_600_000} WHERE name = 'b'`,
      `UPDATE idempotency SET created_at = ${futureTime}, digest = ${blob("")} WHERE record_id = 5`,
      isSqlite ? "UPDATE sqlite_sequence SET seq = 41 WHERE name = 'pets'" : "SELECT setval('pets_id_seq', 41)",
    );
    const { status, stdout, stderr } = await checkStore(url);
    t.match({ status, stdout }, { status: 1, stdout: "" });
    t.same(stderr.split("\n"), [
      "petstore: The table secret must have one row, and has 2.",
      "petstore: keys 1: hash must have 32 bytes, but has 2.",
      "petstore: keys 1: last_used_at is in the future.",
      `petstore: pets 7 does not match the schema: The field 'status' must be one of: ${statusList}.`,
      `petstore: pets 8 does not match the schema: The field 'name' must have at most ${maxName} characters.`,
      "petstore: idempotency 5: digest must have 32 bytes, but has 0.",
      "petstore: idempotency 5: created_at is in the future.",
      "petstore: The next id of pets would be 42, but the highest id is 300.",
      "",
    ]);

    await tamper(url, "DELETE FROM secret", "DELETE FROM keys", replaceInPets(url, '"name":', '"nam":'));
    const many = await checkStore(url);
    t.match(many, { status: 1, stderr: /The table secret must have one row, and has 0\./ });
    t.match(many.stderr, /^(petstore: .*\n){20}petstore: and 282 more\n$/, "reports at most 20 problems");
  });
}

t.test("Rejects a database that is not a pet store, and leaves it unchanged", async (t) => {
  const reason = "it has not been migrated\\. Run petstore migrate";
  const rejected = { status: 1, stdout: "", stderr: new RegExp(`can't be opened: ${reason}\\.\n$`) };
  const [file, database] = [await stores.sqlite(t), await emptyDatabase(t)];
  t.match(await checkStore(file), { status: 1, stderr: /can't be opened: ENOENT/ });
  const path = toFile(file) as string;
  writeFileSync(path, "");
  t.match(await checkStore(file), rejected);
  t.equal(readFileSync(path).length, 0);
  t.match(await checkStore(database), rejected);
  t.same(await query(database, "SELECT 1 FROM pg_namespace WHERE nspname = 'petstore'"), []);
});

t.test("Rejects a store in memory and a malformed URL", async (t) => {
  for (const wrong of ["sqlite::memory:", "postgres://shop:hunter2@h:99999/x"])
    t.match(await petstore({}, ["check", wrong]), {
      status: 1,
      stderr: "petstore: The database must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.\n",
    });
});

t.test("--json prints the result as JSON", async (t) => {
  const [from, url] = [await stores.sqlite(t), await stores.sqlite(t)];
  await petstore({ DATABASE_URL: from }, ["keys", "create", "alice"]);
  const copied = await petstore({}, ["copy", "--from", from, "--to", url, "--json"]);
  const summary = JSON.parse(copied.stdout);
  t.match(summary, { keys: 1, pets: 0, sha256: /^[0-9a-f]{64}$/ });
  const { stdout } = await checkStore(url, "--json");
  t.same(JSON.parse(stdout), { sound: true, problems: [], notes: [], ...summary });

  await tamper(url, "DROP TABLE idempotency");
  const damaged = await checkStore(url, "--json");
  t.equal(damaged.status, 1);
  t.match(JSON.parse(damaged.stdout), {
    sound: false,
    problems: [
      "The table idempotency is missing.",
      "The index idempotency_by_age is missing.",
      "The database can't be read completely: its schema is not that of this release.",
    ],
    keys: undefined,
  });
});

t.test("sqlite: finds a row that is missing from an index", async (t) => {
  const url = await stores.sqlite(t);
  await fillStore(url);
  const db = new DatabaseSync(toFile(url) as string);
  const { rootpage: index, sql } = {
    ...db.prepare("SELECT rootpage, sql FROM sqlite_schema WHERE name = 'pets_by_status'").get(),
  };
  db.close();
  // The row is inserted while the index is missing from the schema.
  const editSchema = (text: string) => tamper(url, `PRAGMA writable_schema = on; ${text}`);
  await editSchema("DELETE FROM sqlite_schema WHERE name = 'pets_by_status'");
  await tamper(url, `INSERT INTO pets VALUES (9999, ${petInSql(url, { id: 9999 })})`);
  const created = `'${String(sql).replaceAll("'", "''")}'`;
  await editSchema(`INSERT INTO sqlite_schema VALUES ('index', 'pets_by_status', 'pets', ${index}, ${created})`);
  t.match(await checkStore(url), {
    status: 1,
    stderr: /petstore: SQLite: row 301 missing from index pets_by_status\.\n/,
  });
});

t.test("sqlite: finds damaged pages and a truncated file", async (t) => {
  const url = await stores.sqlite(t);
  await fillStore(url);
  const file = toFile(url) as string;
  const backup = `${file}.whole`;
  copyFileSync(file, backup);
  const restore = () => {
    for (const log of ["-wal", "-shm"]) rmSync(file + log, { force: true });
    copyFileSync(backup, file);
  };
  const db = new DatabaseSync(backup);
  const pageOf = (name: string) =>
    Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.rootpage);
  const leaf = "SELECT max(pageno) AS page FROM dbstat WHERE name = 'pets' AND pagetype = 'leaf'";
  const pages = {
    "a table": pageOf("pets"),
    "an index": pageOf("pets_by_status"),
    "the rows": Number(db.prepare(leaf).get()?.page),
  };
  db.close();
  for (const [place, page] of Object.entries(pages)) {
    restore();
    const opened = openSync(file, "r+");
    writeSync(opened, Buffer.alloc(4_096, 0xa5), 0, 4_096, (page - 1) * 4_096);
    closeSync(opened);
    const damaged = await checkStore(url);
    t.match(damaged, { status: 1, stdout: "", stderr: /^(petstore: .+\n)+$/ }, `garbage in ${place}`);
    t.match(damaged.stderr, /Tree \d+ page \d+|malformed/);
  }
  restore();
  truncateSync(file, 8_192);
  t.match(await checkStore(url), { status: 1, stderr: /^petstore: .*malformed\.\n$/ }, "truncated");
  restore();
  t.match(await checkStore(url), { status: 0, stdout: sound(2) });
});

t.test("postgres: finds an invalid index", async (t) => {
  const url = await newDatabase(t);
  await fillStore(url);
  const set = (isValid: boolean) =>
    query(url, `UPDATE pg_index SET indisvalid = ${isValid} WHERE indexrelid = 'petstore.pets_by_status'::regclass`);
  await set(false);
  const invalid = "The index pets_by_status is invalid: PostgreSQL does not use it.";
  t.match(await checkStore(url), { status: 1, stdout: "", stderr: `petstore: ${invalid}\n` });
  await set(true);
  t.match(await checkStore(url), { status: 0 });
});
