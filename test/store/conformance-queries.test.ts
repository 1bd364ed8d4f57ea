// Conformance suite of the stores: random queries give the records of a plain implementation in memory, in its order, on each page.
import { type StoreUnderTest, testStores } from "../support/conformance.ts";
import type { Json } from "../support/memory-queries.ts";
import { createRandom } from "../support/random.ts";
import { compareQuery, idsOf, newQuery, newRecord, things } from "../support/record-queries.ts";

async function create({ open }: StoreUnderTest) {
  const store = await open({ collections: [things] });
  const random = createRandom(5);
  const records = store.records<Json, Json>(things.name);
  const created: Json[] = [];
  for (let n = 0; n < 120; n++) {
    const record = newRecord(random);
    await records.create(record);
    created.push({ id: n + 1, ...record });
  }
  return { records, created, random };
}

testStores("random queries give the records of an implementation in memory, in its order", async (t, test) => {
  const { records, created, random } = await create(test);
  for (let n = 0; n < 120; n++) await compareQuery(t, records, created, newQuery(random), random);
  t.ok(created.length > 0, "all queries were compared");
});

testStores(
  "a position in one order is none in another, and a page behind the last record is empty",
  async (t, test) => {
    const { records } = await create(test);
    const orderBy = [{ path: ["number"] }];
    const { end } = await records.list({ limit: 2, orderBy });
    await t.rejects(records.list({ limit: 2, position: { after: end as Uint8Array } }), /order of creation/);
    await t.rejects(records.list({ limit: 2, orderBy, position: { after: 1n } }), /order/);
    t.same(idsOf(await records.list({ limit: 2, orderBy, offset: 100_000 })), [], "a page behind the last record");
  },
);
