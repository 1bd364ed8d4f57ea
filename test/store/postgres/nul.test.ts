// Texts with U+0000, which the indexes of PostgreSQL reject.
import t from "tap";
import { UnstorableValue } from "../../../src/lib/index.ts";
import { openTables } from "../../../src/store/open.ts";
import type { Collection } from "../../../src/store/records.ts";
import { openStore } from "../../support/conformance.ts";
import { emptyDatabase } from "../../support/databases.ts";

const color = { name: "color", property: "color", type: "string", contains: false, isLong: true } as const;
const tags = { ...color, name: "tag", property: "tags", contains: true } as const;
const collection: Collection = { name: "cars", id: "id", idType: "int64", properties: ["id"], filters: [color, tags] };
const refused = { constructor: UnstorableValue, message: "must have no U+0000, which PostgreSQL does not store" };

t.test("A text with U+0000 is refused in each write and filter, and nothing else is", async (t) => {
  const url = await emptyDatabase(t);
  const store = await openStore(t, url, { collections: [collection] });
  const cars = store.records("cars");
  const nul = { color: "a\0b" };
  const similar = { color: "a\\u0000b", nested: ["\\\\u0000", "\u0001"] };
  t.match(await cars.create(similar), { outcome: "created", id: 1n });
  for (const record of [nul, { nested: [{ deep: "\\\0" }] }, { "a\0": 1 }]) {
    await t.rejects(cars.create(record), refused);
    const edit = () => record;
    await t.rejects(async () => cars.put(1n, edit), refused);
    await t.rejects(async () => cars.put(9n, edit), refused);
    await t.rejects(async () => cars.change(1n, edit), refused);
  }
  for (const name of ["color", "tag"]) {
    await t.rejects(cars.list({ limit: 5, filter: { [name]: "\0" } }), refused);
    await t.rejects(cars.count({ [name]: "\0" }), refused);
  }
  t.equal(await cars.count({ color: similar.color }), 1n);
});

t.test("A copy names the record that has a text with U+0000", async (t) => {
  const tables = await openTables(await emptyDatabase(t), "create", { collections: [collection] });
  t.teardown(() => tables.close());
  const rows = [
    [1n, '{"id":1}'],
    [7n, '{"id":7,"color":"\\u0000"}'],
  ] as const;
  await t.rejects(
    tables.write((target) => target.add("cars", rows)),
    { message: "A text of cars 7 must have no U+0000, which PostgreSQL does not store." },
  );
});
