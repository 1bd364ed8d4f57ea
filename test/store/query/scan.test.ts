// The limits of queries without an index, with rows of a function instead of a store.
import t from "tap";
import { scanPage } from "../../../src/store/query/scan.ts";
import type { Collection } from "../../../src/store/records.ts";

const collection: Collection = { name: "things", id: "id", idType: "int64", properties: ["id"], filters: [] };

/** Reads the rows of a page of `count` records, each of `size` characters. */
const readerOf = (count: number, size: number) => async (query: { limit: number; position?: object | undefined }) => {
  const { after = 0n } = (query.position ?? {}) as { after?: bigint };
  const length = Math.max(0, Math.min(query.limit + 1, 20, count - Number(after)));
  return Array.from(
    { length },
    (_, n) => [`{"id":${after + BigInt(n) + 1n},"text":"${"x".repeat(size)}"}`, undefined] as const,
  );
};

const listOf = (count: number, size: number, offset: number) =>
  scanPage(collection, { limit: 2, offset, orderBy: [{ path: ["text"] }] }, readerOf(count, size) as never);

t.test("A page of an ordered list has an offset within bytes that a process can keep", async (t) => {
  t.equal((await listOf(70, 1_000_000, 5)).first, 6n);
  await t.rejects(listOf(70, 1_000_000, 60), /within the first 100000 records and 32 MiB/);
});
