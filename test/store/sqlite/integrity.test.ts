// The integrity of a SQLite file that another program has written: its schema, its pages, and values that SQLite accepts.
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { migrate } from "../../../src/store/sqlite/sqlite-migrations.ts";
import { makeEndless } from "../../support/crafted-database.ts";
import { stores } from "../../support/databases.ts";
import { collections } from "../../support/pets.ts";
import { fill, petInSql, petstoreOn, tamper, toFile } from "../../support/stores.ts";

const unreadable = (reason: string) => `petstore: The database can't be read completely: ${reason}.`;
const otherSchema = unreadable("its schema is not that of this release");

async function newStore(t: Test): Promise<string> {
  const url = await stores.sqlite(t);
  await fill(url, 5, 1);
  return url;
}

/** Runs `petstore check`, and returns the problems. */
async function check(t: Test, url: string): Promise<string[]> {
  const { status, stdout, stderr } = await petstoreOn(url, ["check"]);
  t.match({ status, stdout }, { status: 1, stdout: "" });
  return stderr.trimEnd().split("\n");
}

/** Runs statements that change the schema as text. */
const editSchema = (url: string, ...statements: string[]) =>
  tamper(url, `PRAGMA writable_schema = on; ${statements.join(";")}`);

const rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
const endless = `${rows} SELECT i AS id, '{}' AS record FROM n`;
const secret = "CREATE TABLE secret (value BLOB NOT NULL) STRICT";

// The statements that change the schema, and the differences that the check reports.
const changes: Record<string, [statements: string[], ...differences: string[]]> = {
  "an endless view in the place of a table": [
    ["DROP TABLE pets", `CREATE VIEW pets AS ${endless}`],
    "view pets is not part of the schema",
    "table pets is missing",
  ],
  "a trigger": [
    ["CREATE TRIGGER it AFTER INSERT ON pets BEGIN DELETE FROM keys; END"],
    "trigger it is not part of the schema",
  ],
  "an index": [["CREATE INDEX it ON pets (abs(id))"], "index it is not part of the schema"],
  "an index like that of a filter, with more": [
    [`CREATE INDEX "it" ON "pets" (record ->> 'it', id) WHERE abs(id) > 1`],
    "index it is not part of the schema",
  ],
  "another index of the same name": [
    ["DROP INDEX pets_by_status", "CREATE INDEX pets_by_status ON pets (id) WHERE id > 1"],
    "index pets_by_status differs from that of this release",
  ],
  "an index that is described twice": [
    [
      "PRAGMA writable_schema = on; INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'sqlite_autoindex_keys_1'",
    ],
    "index sqlite_autoindex_keys_1 is not part of the schema",
  ],
  "a table like that of another collection, with a check of values": [
    [
      'CREATE TABLE "it" (id INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL CHECK (length(record) > 0)) STRICT',
    ],
    "table it is not part of the schema",
  ],
  "a table like that of another collection, with a name that none has": [
    ['CREATE TABLE "migrations" (id INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL) STRICT'],
    "table migrations is not part of the schema",
  ],
  "a view in the place of another collection": [
    [`CREATE VIEW "it" AS ${endless}`],
    "view it is not part of the schema",
  ],
  "a trigger of another collection": [
    [
      'CREATE TABLE "it" (id INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL) STRICT',
      'CREATE TRIGGER its AFTER INSERT ON "it" BEGIN DELETE FROM keys; END',
    ],
    "trigger its is not part of the schema",
  ],
  "a table with a long name": [
    [`CREATE TABLE "${"it".repeat(999)}\x1b" (value)`],
    `table ${"it".repeat(37)} is not part of the schema`,
  ],
  "a virtual table in the place of a table": [
    ["DROP TABLE secret", "CREATE VIRTUAL TABLE secret USING fts5 (value, detail = none, content = '')"],
    "table secret differs from that of this release",
    ...["data", "idx", "docsize", "config"].map((name) => `table secret_${name} is not part of the schema`),
  ],
  ...Object.fromEntries(
    Object.entries({
      "a table that is not strict": secret.replace(" STRICT", ""),
      "a column with another type": secret.replace("BLOB", "ANY"),
      "a nullable column": secret.replace(" NOT NULL", ""),
      "a further column": secret.replace(")", ", it TEXT)"),
      "a generated column": secret.replace(")", ", it TEXT AS (hex(zeroblob(9))))"),
      "a check of values": secret.replace(")", " CHECK (length(hex(zeroblob(9))) > 0))"),
    }).map(([title, text]) => [
      title,
      [["DROP TABLE secret", text], "table secret differs from that of this release"] as [string[], string],
    ]),
  ),
};

t.test("Reports each difference of the schema, and reads no table", async (t) => {
  for (const [title, [statements, ...differences]] of Object.entries(changes)) {
    const url = await newStore(t);
    await tamper(url, ...statements);
    const problems = differences.map((difference) => `petstore: The ${difference}.`);
    t.same(await check(t, url), [...problems, otherSchema], title);
    const { status, stderr } = await petstoreOn(await stores.sqlite(t), ["restore", toFile(url) as string]);
    t.equal(status, 1);
    t.match(stderr, `failed the integrity check (${problems.length + 1} problems): The ${differences[0]}.`);
  }
});

t.test("Accepts the index of a filter that another document has, and misses none", async (t) => {
  const url = await newStore(t);
  await tamper(url, `CREATE INDEX "pets_by_categoryId" ON "pets" (record ->> 'categoryId', id)`);
  t.match(await petstoreOn(url, ["check"]), { status: 0 });
  await tamper(url, "DROP INDEX pets_by_categoryId", "DROP INDEX pets_by_status");
  t.match(await petstoreOn(url, ["check"]), { status: 0 });
  t.match(await petstoreOn(await stores.sqlite(t), ["restore", toFile(url) as string]), { status: 0 });
});

t.test("Accepts the tables of collections that another document has, with their indexes", async (t) => {
  const url = await newStore(t);
  await tamper(
    url,
    'CREATE TABLE "notes" (id INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL) STRICT',
    `CREATE INDEX "notes_by_color" ON "notes" (record ->> 'color', id)`,
    'CREATE TABLE "tags" (id INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL, key TEXT NOT NULL UNIQUE) STRICT',
    `CREATE INDEX "tags_by_/" ON "tags" (rtrim(key, replace(key, '/', '')), id)`,
    `CREATE INDEX "tags_by_it's" ON "tags" (record ->> '$."it''s naïve"."@id"', id)`,
    `INSERT INTO tags (record, key) VALUES ('{}', 'a')`,
  );
  const note = "petstore: The document has no collection tags, but the database has 1 record of it, which is kept";
  t.match(await petstoreOn(url, ["check"]), { status: 0, stdout: /^notes {13}0\ntags {14}1$/m, stderr: note });
  makeEndless(toFile(url) as string, "tags");
  t.match((await check(t, url))[0], /^petstore: SQLite: .+ page \d+/, "reads none of damaged pages");
});

t.test("Reports another encoding of texts", async (t) => {
  const url = await stores.sqlite(t);
  const db = new DatabaseSync(toFile(url) as string);
  db.exec("PRAGMA encoding = 'UTF-16le'");
  migrate(db, collections);
  db.close();
  t.same(await check(t, url), ["petstore: The encoding differs from that of this release.", otherSchema]);
});

t.test("Reads no rows of a file whose pages refer to each other", async (t) => {
  const url = await newStore(t);
  makeEndless(toFile(url) as string, "pets");
  const problems = await check(t, url);
  t.match(problems[0], /^petstore: SQLite: .+ page \d+/);
  t.match(problems.at(-1), /^petstore: and \d+ more$/);
  t.notMatch((await petstoreOn(url, ["check", "--json"])).stdout, "sha256");
});

t.test("Reads no text that is not valid UTF-8", async (t) => {
  const url = await newStore(t);
  const setName = (name: string) =>
    tamper(url, `UPDATE pets SET record = ${petInSql(url, { id: 4, name })} WHERE id = 4`);
  // An invalid byte, a lone surrogate, an overlong NUL, and the first bytes of an emoji
  for (const hex of ["61FF", "C3A9EDA080", "C080", "F09F90"]) {
    await setName(`CAST(X'${hex}' AS TEXT)`);
    t.same(await check(t, url), [unreadable("pets 4 has a text that is not valid UTF-8")], hex);
    t.match(await petstoreOn(url, ["export"]), {
      status: 1,
      stderr: "petstore: pets 4 has a text that is not valid UTF-8.\n",
    });
  }
  await setName("'a\\u0000b'");
  t.same(await check(t, url), [
    "petstore: pets 4 does not match the schema: The field 'name' must be Unicode text without NUL (U+0000).",
  ]);
  await setName("char(0xFFFD) || 'é🐕'");
  t.match(await petstoreOn(url, ["check"]), { status: 0 }, "the character itself");
});

t.test("Reports values of another type than that of their column", async (t) => {
  const url = await newStore(t);
  // SQLite checks the types of a strict table only when it writes.
  const strict = (from: string, to: string) =>
    editSchema(url, `UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE type = 'table'`);
  await strict(") STRICT", ") /*   */");
  await tamper(
    url,
    "UPDATE pets SET record = X'7B7D' WHERE id = 1",
    "UPDATE keys SET created_at = 'x', hash = 'text'",
    "UPDATE idempotency SET key = X'AB', record_id = 2.5",
    "UPDATE sqlite_sequence SET seq = 'x' WHERE name = 'pets'",
  );
  await strict(") /*   */", ") STRICT");
  const problems = await check(t, url);
  for (const column of ["pets.record", "keys.created_at", "keys.hash", "idempotency.key", "idempotency.record_id"])
    t.ok(
      problems.some((problem) => /^petstore: SQLite: non-\w+ value in /.test(problem) && problem.includes(column)),
      `${column}: ${problems}`,
    );
  t.ok(problems.includes("petstore: The table sqlite_sequence has a last id that is not an integer."));
});
