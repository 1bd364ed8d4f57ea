// Conformance suite of the stores: the size of a page is limited, and no record is lost between pages.
import type { PagePosition, RecordQuery } from "../../src/store/port.ts";
import type { Collection } from "../../src/store/records.ts";
import { testStores } from "../support/conformance.ts";

const kindOf = { name: "kind", property: "kind", type: "string", contains: false, isLong: false } as const;
const notes: Collection = {
  name: "notes",
  id: "id",
  idType: "string",
  properties: ["id", "kind", "text"],
  filters: [kindOf],
};

testStores("a page ends before it is too large, in both directions, and no record is lost", async (t, { open }) => {
  const store = await open({ collections: [notes] });
  const records = store.records<{ id: string }>("notes");
  const sizes = [50, 900, 50, 50, 1_500, 10, ...Array<number>(70).fill(40)];
  const text = (size: number) => "é".repeat(size);
  for (const [index, size] of sizes.entries())
    await records.put(`${index}`, () => ({ kind: index % 2 === 0 ? "even" : "odd", text: text(size) }));
  const idsOf = (text: string) => (JSON.parse(text) as { id: string }[]).map(({ id }) => Number(id));
  const all = [...sizes.keys()];
  for (const filter of [{}, { kind: "odd" }])
    for (const limit of [1, 20, 32, 33, 70, 1_000])
      for (const direction of ["after", "before"] as const) {
        const found: number[] = [];
        let position: PagePosition | undefined = direction === "after" ? undefined : { before: 2n ** 62n };
        for (;;) {
          const query: RecordQuery = { limit, position, filter, maxBytes: 1_000 };
          const page = await records.list(query);
          const ids = idsOf(page.records.text);
          if (direction === "after") found.push(...ids);
          else found.unshift(...ids);
          t.ok(ids.length === 1 || page.records.text.length < 1_100);
          if (page.isShort) t.ok(page.more && ids.length < limit);
          if (!page.more) break;
          position = direction === "after" ? { after: page.last as bigint } : { before: page.first as bigint };
        }
        const expected = all.filter((index) => !("kind" in filter) || index % 2 === 1);
        t.strictSame(found, expected, `${direction}, limit ${limit}`);
      }
  t.match(await records.list({ limit: 70, offset: 4, maxBytes: 1_000 }), { isShort: true, more: true });
  t.strictSame(idsOf((await records.list({ limit: 70, offset: 4, maxBytes: 1_000 })).records.text), [4]);
  t.match(await records.list({ limit: 0 }), { records: { text: "[]" }, more: true, isShort: false });
  t.match(await records.list({ limit: 76 }), { more: false, isShort: false });
});

testStores("a page of large records that can be compressed is read in parts", async (t, { open }) => {
  const store = await open({ collections: [notes] });
  const records = store.records("notes");
  const text = "long ".repeat(40_000);
  for (let id = 0; id < 90; id++) await records.put(`${id}`, () => ({ kind: id % 9 === 0 ? "few" : "many", text }));
  const numbersOf = async (query: Omit<RecordQuery, "limit">) => {
    const numbers: bigint[] = [];
    for (let after = 0n; ; after = numbers.at(-1) as bigint) {
      const page = await records.list({ ...query, limit: 80, position: { after } });
      t.ok(Buffer.byteLength(page.records.text) <= 4_194_304);
      for (let number = page.first as bigint; number <= (page.last as bigint); number++) numbers.push(number);
      if (!page.more) return numbers;
    }
  };
  t.equal((await numbersOf({})).length, 90);
  t.match(await records.list({ limit: 80, filter: { kind: "few" } }), { more: false, isShort: false, last: 82n });
  const pages = await Promise.all(Array.from({ length: 33 }, () => records.list({ limit: 31 })));
  for (const page of pages) t.match(page, { more: true, isShort: true, last: 20n }, "also of concurrent lists");
});

testStores("concurrent lists of all records have the same pages as single ones", async (t, { open }) => {
  const store = await open({ collections: [notes] });
  const records = store.records("notes");
  await t.resolveMatch(Promise.all([0, 3].map((limit) => records.list({ limit }))), [{ more: false }, { more: false }]);
  for (let id = 0; id < 70; id++)
    await records.put(`${id}`, () => ({ text: id === 40 ? "é".repeat(300_000) : `"${id}\\`, n: id }));
  const positions = [0n, 5n, 38n, 39n, 41n, 65n, 70n, 99n].flatMap((number) => [{ after: number }, { before: number }]);
  const queries = positions.flatMap((position): RecordQuery[] =>
    [0, 1, 3, 31, 40].map((limit) => ({ limit, position })),
  );
  const single: unknown[] = [];
  for (const query of queries) single.push(await records.list(query));
  t.strictSame(await Promise.all(queries.map((query) => records.list(query))), single);
});
