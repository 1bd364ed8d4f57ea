// The queries of docs/operations.md, "Query the records with SQL".
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { createViewStatement } from "../../src/store/index.ts";
import { newDatabase, stores } from "../support/databases.ts";
import { root } from "../support/files.ts";
import { petCollection, petResource } from "../support/pets.ts";
import { query } from "../support/postgres.ts";
import { fill, toFile } from "../support/stores.ts";

const page = readFileSync(join(root, "docs/operations.md"), "utf8");
const section = page.split("### Query the records with SQL")[1]?.split("\n### ")[0] ?? "";
const [postgres = [], sqlite = []] = [...section.matchAll(/```sql\n(.*?)```/gs)].map(([, text = ""]) =>
  text.trim().split("\n"),
);

t.test("The queries run in PostgreSQL, and use the index of the filter", async (t) => {
  const url = await newDatabase(t);
  await fill(url, 9);
  t.equal(postgres.length, 3);
  for (const statement of postgres) await query(url, statement);
  const [sold = ""] = postgres;
  t.same(
    (await query(url, sold)).map(({ name }) => name),
    ["Rex 1 🐕", "Rex 4 🐕", "Rex 7 🐕"],
  );
  const unordered = sold.replace(" ORDER BY id", ""); // of a small table, PostgreSQL would read the primary key
  const plan = await query(`${url}?options=-cenable_seqscan%3Doff`, `EXPLAIN ${unordered}`);
  t.match(JSON.stringify(plan), /pets_by_status/);
});

t.test("The queries run in SQLite, and use the index of the filter", async (t) => {
  const url = await stores.sqlite(t);
  await fill(url, 9);
  const db = new DatabaseSync(toFile(url) as string);
  t.teardown(() => db.close());
  t.equal(sqlite.length, 2);
  for (const statement of sqlite) db.prepare(statement).all();
  const [sold = ""] = sqlite;
  t.equal(db.prepare(sold).all().length, 3);
  t.match(db.prepare(`EXPLAIN QUERY PLAN ${sold}`).all(), [{ detail: /USING INDEX pets_by_status/ }]);
});

t.test("The views have a typed column for each property", async (t) => {
  const columns = petResource.columns.concat({ name: "tags", type: "json" }, { name: "a'b\"c", type: "boolean" });
  const statement = (schema?: string) => createViewStatement(schema, petCollection, columns);
  const url = await newDatabase(t);
  await fill(url, 2);
  await query(url, await statement("petstore"));
  const selection = '"id", "name", "categoryId", "status"';
  t.same(await query(url, `SELECT ${selection} FROM petstore.pets_view WHERE "categoryId" = 1`), [
    { id: "2", name: "Rex 1 🐕", categoryId: "1", status: "sold" },
  ]);
  const file = await stores.sqlite(t);
  await fill(file, 2);
  const db = new DatabaseSync(toFile(file) as string);
  t.teardown(() => db.close());
  db.exec(await statement());
  t.same(
    { ...db.prepare(`SELECT ${selection} FROM pets_view WHERE "categoryId" = 1`).get() },
    { id: 2, name: "Rex 1 🐕", categoryId: 1, status: "sold" },
  );
  t.same(
    db
      .prepare("SELECT * FROM pets_view")
      .columns()
      .map(({ name }) => name),
    columns.map(({ name }) => name),
  );
});
