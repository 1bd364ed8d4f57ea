// Transactions of one connection to SQLite.
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { UnavailableError } from "../../../src/lib/index.ts";
import { QueryMetrics } from "../../../src/store/query-metrics.ts";
import { DiskReserve } from "../../../src/store/sqlite/disk-reserve.ts";
import { TransactionScheduler } from "../../../src/store/sqlite/transactions.ts";

t.test("A row that can't be read does not fail the rows that are read with it", async (t) => {
  const db = new DatabaseSync(":memory:");
  t.teardown(() => db.close());
  const scheduler = new TransactionScheduler(db, {
    metrics: new QueryMetrics(),
    busyTimeout: 1_000,
    reserve: new DiskReserve(":memory:"),
    checkFiles: () => {},
  });
  const one = db.prepare("SELECT 1 AS n");
  const read = () => scheduler.readRow("pets_find", () => one.get()?.n);
  const corrupt = scheduler.readRow("pets_find", () => {
    throw Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
  });
  const wrong = scheduler.readRow("pets_find", () => {
    throw new Error("a bug");
  });
  const rejected = [
    t.rejects(corrupt, { constructor: UnavailableError, message: "The database is corrupt." }),
    t.rejects(wrong, { message: "a bug" }),
  ];
  t.same(await Promise.all([read(), read()]), [1, 1]);
  await Promise.all(rejected);
  t.same(await read(), 1);
});
