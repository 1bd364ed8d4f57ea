// The limit of the number of records: the ids that a count permits, and the time for which a full store is not counted.
import t from "tap";
import { RecordLimit } from "../../src/store/record-limit.ts";
import { pause } from "../support/wait.ts";

t.test("Permits as many ids after a count as there is room, and none before the first count", async (t) => {
  const limit = new RecordLimit(10n);
  t.equal(limit.maxId, 0n);
  limit.update({ lastId: 100n, records: 7n }, performance.now());
  t.equal(limit.maxId, 103n);
  limit.update({ lastId: 200n, records: 12n }, performance.now());
  t.ok((limit.maxId as bigint) < 200n, "none if there are more records than the maximum");
});

t.test("Permits all ids without a maximum", async (t) => {
  const limit = new RecordLimit(null);
  limit.update({ lastId: 5n, records: 5n }, performance.now());
  t.same([limit.maxId, limit.isFull], [null, false]);
});

t.test("Is full for a second after a count, and longer after a count that took long", async (t) => {
  const limit = new RecordLimit(5n);
  const count = { lastId: 5n, records: 5n };
  t.equal(limit.isFull, false);
  limit.update(count, performance.now());
  t.equal(limit.isFull, true);
  await pause(1_010);
  t.equal(limit.isFull, false);
  limit.update(count, performance.now() - 100);
  await pause(1_010);
  t.equal(limit.isFull, true);
  limit.update({ lastId: 5n, records: 4n }, performance.now());
  t.equal(limit.isFull, false);
});
