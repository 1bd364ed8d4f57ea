// petstore check: a sound store is found sound, and of an unsound one is said what is wrong.

import { spawnSync } from "node:child_process";
import { copyFileSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { openStore } from "../src/store/open.ts";
import { newDatabase } from "./support/databases.ts";
import { folder } from "./support/files.ts";
import { query } from "./support/postgres.ts";
import { petstoreProcess as petstore, startServer } from "./support/processes.ts";
import { addKey } from "./support/service.ts";

const root = new URL("..", import.meta.url).pathname;

/** What the command says, but for how far it is. */
function checkStore(url: string, ...args: string[]) {
  const { stderr, ...rest } = petstore({ DATABASE_URL: url }, "check", ...args);
  return { ...rest, stderr: stderr.replaceAll(/^checking: .*\n/gm, "") };
}

const toFile = (url: string) => url.slice("sqlite:".length);
const makeFile = async (t: Test) => `sqlite:${join(folder(t), "petstore.db")}`;

/** Two keys, 300 pets and 100 records, made as the service makes them. */
async function fill(url: string): Promise<void> {
  const store = await openStore(url);
  for (const name of ["a", "b"]) await addKey(store, name, new Date("2131-01-02T03:04:05.678Z"));
  const statuses = ["available", "sold", undefined] as const;
  const pet = (n: number) => {
    const status = statuses[n % 3];
    return { name: `Rex ${n} 🐕`, categoryId: BigInt(n), ...(status && { status }) };
  };
  const once = (n: number) => ({ caller: 1n, key: `${n}`, digest: new Uint8Array(32).fill(n) });
  await Promise.all(Array.from({ length: 300 }, (_, n) => store.pets.create(pet(n), n < 100 ? once(n) : undefined)));
  await store.close();
}

/** Does something to the database itself, as nobody should. */
async function harm(url: string, ...statements: string[]): Promise<void> {
  if (url.startsWith("sqlite:")) {
    const db = new DatabaseSync(toFile(url), { enableForeignKeyConstraints: false, defensive: false });
    for (const text of statements) db.exec(text);
    db.close();
  } else {
    const own = statements.map((text) =>
      text.replaceAll(/(?<=(FROM|INTO|UPDATE) )(?=(pets|keys|idem|secret))/g, "petstore."),
    );
    await query(url, ["SET session_replication_role = replica", ...own].join("; "));
  }
}

const sound = /^keys {14}2\npets {14}300\nidempotency {7}100\n(.*\n){2}sha256 {12}[0-9a-f]{64}\nsound\n$/;

for (const [kind, prepare] of Object.entries({ sqlite: makeFile, postgres: newDatabase })) {
  t.test(`${kind}: a sound store is sound, also while it is served`, async (t) => {
    const url = await prepare(t);
    await fill(url);
    const first = checkStore(url);
    t.match(first, { status: 0, stderr: "", stdout: sound });
    t.same(checkStore("sqlite:none", url), first, "also by its name");
    const to = await makeFile(t);
    const copied = petstore({}, "copy", "--from", url, "--to", to).stdout;
    t.equal(first.stdout, `${copied}sound\n`, "the counts and the checksum of a copy");
    await startServer(t, { DATABASE_URL: url });
    t.same(checkStore(url), first);
  });

  t.test(`${kind}: what is not as it must be is said, a line for each`, async (t) => {
    const url = await prepare(t);
    await fill(url);
    const isSqlite = kind === "sqlite";
    const blob = (bytes: string) => (isSqlite ? `X'${bytes}'` : `'\\x${bytes}'`);
    const ahead = Date.now() + 25 * 3_600_000;
    await harm(
      url,
      "UPDATE pets SET status = 'lost' WHERE id = 7",
      `UPDATE pets SET name = '${"🐕".repeat(1_001)}' WHERE id = 8`,
      `INSERT INTO secret (value) VALUES (${blob("00")})`,
      "DELETE FROM pets WHERE id IN (3, 4)",
      `UPDATE keys SET hash = ${blob("0102")}, last_used_at = ${ahead} WHERE name = 'a'`,
      `UPDATE keys SET created_at = ${ahead - 2 * 3_600_000} WHERE name = 'b'`,
      `UPDATE idempotency SET created_at = ${ahead}, digest = ${blob("")} WHERE pet_id = 5`,
      isSqlite
        ? "UPDATE sqlite_sequence SET seq = 41 WHERE name = 'pets'"
        : "SELECT setval('petstore.pets_id_seq', 41)",
    );
    const { status, stdout, stderr } = checkStore(url);
    t.match({ status, stdout }, { status: 1, stdout: "" });
    t.same(stderr.split("\n"), [
      "petstore: 2 records of Idempotency-Keys name a pet that is not there.",
      "petstore: There must be one secret of 32 bytes, and there are 2, of 32, of 1.",
      "petstore: keys 1: its hash must have 32 bytes, and has 2.",
      "petstore: keys 1: its last_used_at is in the future.",
      "petstore: pets 7 is not as the document says: The field 'status' must be one of: available, pending, sold.",
      "petstore: pets 8 is not as the document says: The field 'name' must have at most 1000 characters.",
      "petstore: idempotency 5: its digest must have 32 bytes, and has 0.",
      "petstore: idempotency 5: its created_at is in the future.",
      "petstore: The next id of pets would be 42, and there is 300 already.",
      "",
    ]);
    await harm(url, "DELETE FROM secret", "DELETE FROM keys", "UPDATE pets SET status = 'lost'");
    const many = checkStore(url);
    t.match(many, { status: 1, stderr: /must be one secret of 32 bytes, and there are 0/ });
    t.match(many.stderr, /^(petstore: .*\n){20}petstore: and 283 more\n$/);
  });

  t.test(`${kind}: what is no store of this version is left as it is`, async (t) => {
    const url = await prepare(t);
    const none = "it has no pet store of this version: petstore migrate makes it one";
    if (kind === "sqlite") {
      t.match(checkStore(url), { status: 1, stderr: /can't be opened: ENOENT/ });
      writeFileSync(toFile(url), "");
    }
    t.match(checkStore(url), { status: 1, stdout: "", stderr: new RegExp(`can't be opened: ${none}\\.\n$`) });
    if (kind === "sqlite") t.equal(readFileSync(toFile(url)).length, 0);
    else t.same(await query(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'petstore'"), []);
  });
}

t.test("what can't be checked is refused", async (t) => {
  for (const wrong of ["sqlite::memory:", "postgres://shop:hunter2@h:99999/x"])
    t.match(petstore({}, "check", wrong), {
      status: 1,
      stderr: "petstore: The store to check must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.\n",
    });
});

t.test("sqlite: a damaged file is found, wherever the damage is", async (t) => {
  const url = await makeFile(t);
  await fill(url);
  const file = toFile(url);
  copyFileSync(file, `${file}.whole`);
  const restore = () => {
    for (const log of ["-wal", "-shm"]) rmSync(file + log, { force: true });
    copyFileSync(`${file}.whole`, file);
  };
  const db = new DatabaseSync(`${file}.whole`);
  const pageOf = (name: string) =>
    Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.rootpage);
  const [table, index] = [pageOf("pets"), pageOf("pets_by_status")];
  const leaf = Number(
    db.prepare("SELECT max(pageno) AS page FROM dbstat WHERE name = 'pets' AND pagetype = 'leaf'").get()?.page,
  );
  db.close();
  const overwrite = (page: number, bytes: Buffer) =>
    writeSync(openSync(file, "r+"), bytes, 0, bytes.length, (page - 1) * 4_096);

  // The index is out of the schema while a row is added, and then there again.
  const schema = (text: string) => harm(url, `PRAGMA writable_schema = on; ${text}`);
  const created = "'CREATE INDEX pets_by_status ON pets (status, id)'";
  await schema("DELETE FROM sqlite_schema WHERE name = 'pets_by_status'");
  await harm(url, "INSERT INTO pets (name, category_id) VALUES ('unseen', 1)");
  await schema(`INSERT INTO sqlite_schema VALUES ('index', 'pets_by_status', 'pets', ${index}, ${created})`);
  t.match(checkStore(url), { status: 1, stderr: /petstore: SQLite: row 301 missing from index pets_by_status\.\n/ });

  for (const [what, page] of Object.entries({ "a table": table, "an index": index, "the rows": leaf })) {
    restore();
    overwrite(page, Buffer.alloc(4_096, 0xa5));
    const { status, stdout, stderr } = checkStore(url);
    t.match({ status, stdout, stderr }, { status: 1, stdout: "", stderr: /^(petstore: .+\n)+$/ }, `garbage in ${what}`);
    t.match(stderr, /Tree \d+ page \d+|malformed/);
  }
  restore();
  truncateSync(file, 8_192);
  t.match(checkStore(url), { status: 1, stderr: /^petstore: .*malformed\.\n$/ }, "cut off");
  restore();
  t.match(checkStore(url), { status: 0, stdout: sound });
});

t.test("postgres: an index that disagrees with its table is found, and one that is out of use", async (t) => {
  const url = await newDatabase(t);
  await fill(url);
  const set = (fields: string) =>
    query(url, `UPDATE pg_index SET ${fields} WHERE indexrelid = 'petstore.pets_by_status'::regclass`);
  await set("indisready = false, indisvalid = false");
  await query(url, "INSERT INTO petstore.pets (name, category_id) VALUES ('unseen', 1)");
  const invalid = "The index pets_by_status is not in use: PostgreSQL takes it for invalid.";
  t.match(checkStore(url), { status: 1, stdout: "", stderr: `petstore: ${invalid}\n` });
  await set("indisready = true, indisvalid = true");
  const disagrees =
    "The index pets_by_status disagrees with its table: it leads to 300 of 301 rows, 0 of them out of order.";
  t.match(checkStore(url), { status: 1, stdout: "", stderr: `petstore: ${disagrees}\n` });
  await query(url, "REINDEX INDEX petstore.pets_by_status");
  t.match(checkStore(url), { status: 0 });
});

t.test("300,000 pets are checked in little memory", async (t) => {
  const url = await makeFile(t);
  await fill(url);
  const db = new DatabaseSync(toFile(url));
  db.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
    INSERT INTO pets (name, category_id, status) SELECT 'Rex ' || i, i, 'sold' FROM n`);
  db.close();
  const run = spawnSync(process.execPath, ["--max-old-space-size=64", join(root, "src/bin.js"), "check", url], {
    encoding: "utf8",
  });
  t.match(run, { status: 0, stdout: /^pets {14}300300$/m });
});
