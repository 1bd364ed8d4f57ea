// petstore migrate: creates a database, or applies the pending migrations.
import t from "tap";
import { openTables } from "../../src/store/index.ts";
import { petstore } from "../support/command.ts";
import { emptyDatabase, stores, storeWithoutTables } from "../support/databases.ts";
import { openPetStore } from "../support/pets.ts";

for (const kind of ["sqlite", "postgres"] as const) {
  t.test(`Creates a ${kind} database, and finds it up to date the next time`, async (t) => {
    const settings = { DATABASE_URL: await (kind === "sqlite" ? stores.sqlite(t) : emptyDatabase(t)) };
    t.match(await petstore(settings, ["migrate"]), { status: 0, stdout: "Created the database.\n" });
    t.match(await petstore(settings, ["migrate"]), { status: 0, stdout: "The database is up to date.\n" });
  });

  t.test(`Names what the document does not need in a ${kind} database`, async (t) => {
    const url = await stores[kind](t);
    const collection = { name: "orders", id: "id", idType: "int64", properties: ["id", "color"] } as const;
    const filter = { name: "color", property: "color", type: "string", contains: false, isLong: false } as const;
    await (await openTables(url, "create", { collections: [{ ...collection, filters: [filter] }] })).close();
    t.match(await petstore({ DATABASE_URL: url }, ["migrate"]), {
      status: 0,
      stdout:
        /\nThe document does not need: (table orders, index orders_by_color|index orders_by_color, table orders)\. An application can need them \(collections of openStore\)\.\n$/,
    });
  });

  t.test(`Adds the tables of the document to a ${kind} database`, async (t) => {
    const DATABASE_URL = await storeWithoutTables(t, kind);
    t.match(await petstore({ DATABASE_URL }, ["export"]), {
      status: 1,
      stderr: /it lacks the table pets\. Run petstore migrate/,
    });
    t.match(await petstore({ DATABASE_URL }, ["migrate"]), { status: 0, stdout: "The database is up to date.\n" });
    await (await openPetStore(DATABASE_URL, { mode: "readonly" })).close();
  });
}

t.test("Rejects a database in memory, and the file of another program", async (t) => {
  t.match(await petstore({ DATABASE_URL: "sqlite::memory:" }, ["migrate"]), {
    status: 1,
    stderr: /DATABASE_URL must be/,
  });
  t.match(await petstore({ DATABASE_URL: `sqlite:${import.meta.filename}` }, ["migrate"]), {
    status: 1,
    stderr: /can't be opened/,
  });
});
