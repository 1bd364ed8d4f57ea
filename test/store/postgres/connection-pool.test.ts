// The connection pool of the PostgreSQL store: prepared statements, and poolers that mix them up.
import t, { type Test } from "tap";
import { recordStatements, statementsOf, toStatement } from "../../../src/store/postgres/postgres-statements.ts";
import { openStore, rex } from "../../support/conformance.ts";
import { newDatabase } from "../../support/databases.ts";
import { petCollection, petsOf } from "../../support/pets.ts";
import { query } from "../../support/postgres.ts";
import { addKey } from "../../support/service.ts";

/** Opens a store with one connection, on which the creation of a key runs a statement. */
async function openWithTrigger(t: Test, statement: string, prepare = true) {
  const url = await newDatabase(t);
  await query(
    url,
    `CREATE TABLE prepared (name text);
     CREATE FUNCTION run() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE '${statement}'; RETURN new; END $$;
     CREATE TRIGGER run AFTER INSERT ON petstore.keys EXECUTE FUNCTION run()`,
  );
  const store = await openStore(t, url, { connections: 1, prepare });
  return { store, readPrepared: async () => (await query(url, "SELECT name FROM prepared")).map(({ name }) => name) };
}

const check = toStatement("check", "SELECT 1").name;
const createKey = statementsOf("petstore").keys_create.name;
const create = recordStatements("petstore", petCollection).create.name;

// Without that with which a store looks for indexes when it is opened.
const saveNames =
  "INSERT INTO prepared SELECT name FROM pg_prepared_statements WHERE NOT starts_with(statement, $x$SELECT id, collection$x$)";

t.test("prepares each statement, except with DATABASE_PREPARE=off", async (t) => {
  for (const [prepare, expected] of [
    [true, [check, createKey]],
    [false, []],
  ] as const) {
    const { store, readPrepared } = await openWithTrigger(t, saveNames, prepare);
    await store.check();
    await addKey(store, "a");
    t.same((await readPrepared()).sort(), expected.toSorted());
  }
});

for (const [code, statement] of [
  ["42P05", `PREPARE "${create}" AS SELECT 1`],
  ["26000", "DEALLOCATE ALL"],
] as const)
  t.test(`runs a statement again, unnamed, if a pooler causes the error ${code}`, async (t) => {
    const { store, readPrepared } = await openWithTrigger(t, `${statement}; ${saveNames}`);
    if (code === "26000") await petsOf(store).create(rex);
    await addKey(store, "a");
    t.match(await petsOf(store).create(rex), { outcome: "created" });
    const expected = code === "26000" ? [] : [create, createKey];
    t.same((await readPrepared()).sort(), expected.sort());
    t.match(await petsOf(store).list({ limit: 10 }), { last: code === "26000" ? 2n : 1n }, "creates each pet once");
  });
