// Conformance suite of the stores: records whose ids are texts, made by the store or by the client.
import { parseJson } from "../../src/lib/json.ts";
import { openDatabase } from "../../src/store/open.ts";
import type { RecordStore } from "../../src/store/port.ts";
import type { Collection } from "../../src/store/records.ts";
import { digest, idempotentCall, type StoreUnderTest, testStores } from "../support/conformance.ts";

type Page = Readonly<Record<string, unknown>>;

const collection: Collection = {
  name: "pages",
  id: "slug",
  idType: "string",
  properties: ["title", "slug"],
  filters: [{ name: "title", property: "title", type: "string", contains: false, isLong: false }],
};

async function openPages({ open }: StoreUnderTest, maxRecords: bigint | null = null): Promise<RecordStore<Page>> {
  return (await open({ collections: [collection], maxRecords })).records<Page>(collection.name);
}

const ids = ["b", "a", "B", "é🐕", 'it\'s "quoted" \\', "7", "x".repeat(500), " ", "%00", "-- ; DROP TABLE pages"];

/** Returns the ids of all records, read in pages of two. */
async function listIds(pages: RecordStore<Page>, filter: Page = {}): Promise<unknown[]> {
  const all: unknown[] = [];
  let after = 0n;
  for (;;) {
    const page = await pages.list({ limit: 2, position: { after }, filter });
    all.push(...(parseJson(page.records.text) as Page[]).map(({ slug }) => slug));
    if (!page.more) return all;
    after = page.last as bigint;
  }
}

testStores("creates a record with the id of the client, and replaces it the next time", async (t, test) => {
  const pages = await openPages(test);
  for (const id of ids) {
    const written = `{"slug":${JSON.stringify(id)},"title":"T"}`;
    t.equal(await pages.find(id), undefined);
    t.match(await pages.put(id, () => ({ title: "T" })), { outcome: "created", record: { text: written } }, id);
    t.match(await pages.find(id), { text: written });
  }
  t.same(await listIds(pages), ids, "in the order in which they were created");
  const seen: unknown[] = [];
  const edit = (record: unknown) => {
    seen.push(record);
    return { title: "U", slug: "ignored" };
  };
  t.match(await pages.put("a", edit), { outcome: "changed", record: { text: '{"slug":"a","title":"U"}' } });
  t.match(seen.at(-1), { text: '{"slug":"a","title":"T"}' });
  t.match(await pages.change("b", () => ({ title: "U" })), { outcome: "changed" });
  t.same(await listIds(pages, { title: "U" }), ["b", "a"], "a change does not move it");
  const after = await pages.position(ids[2] as string);
  const rest = await pages.list({ limit: 100, position: { after: after as bigint } });
  t.same(
    (parseJson(rest.records.text) as Page[]).map(({ slug }) => slug),
    ids.slice(3),
    "after the position of a record",
  );
  t.equal(await pages.position("none"), undefined);
  t.equal(await pages.position("\0"), undefined);
  t.match(await pages.remove("a"), { outcome: "changed" });
  t.same(await pages.remove("a"), { outcome: "missing" });
  t.match(await pages.put("a", () => ({ title: "V" })), { outcome: "created" });
  t.same(await listIds(pages), [...ids.filter((id) => id !== "a"), "a"]);
});

testStores("makes a UUID for a record without an id", async (t, test) => {
  const pages = await openPages(test);
  const created = await Promise.all(Array.from({ length: 50 }, (_, n) => pages.create({ title: `${n}` })));
  const made = created.map((result) => ("id" in result ? result.id : ""));
  t.equal(new Set(made).size, 50);
  for (const id of made) {
    t.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    t.match(await pages.find(id), { text: new RegExp(`^\\{"slug":"${id}"`) });
  }
  t.same((await listIds(pages)).sort(), made.sort());
});

testStores("repeats the UUID that was made for an Idempotency-Key, also after its deletion", async (t, test) => {
  const pages = await openPages(test);
  const first = await pages.create({ title: "T" }, idempotentCall);
  t.match(first, { outcome: "created" });
  t.same(await pages.create({ title: "T" }, idempotentCall), { ...first, outcome: "repeated" });
  await pages.remove("id" in first ? first.id : "");
  t.same(await pages.create({ title: "T" }, idempotentCall), { ...first, outcome: "repeated" });
  t.match(await pages.create({ title: "T" }, { ...idempotentCall, digest: digest("b") }), { outcome: "conflict" });
});

testStores("rejects a text that can't be an id, and finds none with it", async (t, test) => {
  const pages = await openPages(test);
  for (const id of ["", "x".repeat(501), "a\0b", "\ud800"]) {
    await t.rejects(async () => pages.put(id, () => ({ title: "T" })), /slug of pages must have/, JSON.stringify(id));
    t.equal(await pages.find(id), undefined, JSON.stringify(id));
    t.same(await pages.remove(id), { outcome: "missing" });
  }
  t.same(await listIds(pages), []);
});

testStores("creates one record if several processes put the same id at once", async (t, test) => {
  const stores = [await openPages(test), await openPages(test), await openPages(test)];
  for (let round = 0; round < 10; round++) {
    const id = `round ${round}`;
    const addOne = (record: { readonly text: string } | undefined) => {
      const { count = 0 } = (record ? parseJson(record.text) : {}) as { readonly count?: number };
      return { title: "T", count: Number(count) + 1 };
    };
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (stores[n % 3] as RecordStore<Page>).put(id, addOne)),
    );
    t.equal(results.filter(({ outcome }) => outcome === "created").length, 1);
    t.match(await stores[0]?.find(id), { text: /"count":12/ }, "no change is lost");
  }
});

testStores("is full with the maximum number of records, but replaces one", async (t, test) => {
  const pages = await openPages(test, 2n);
  for (const id of ["a", "b"]) await pages.put(id, () => ({ title: "T" }));
  t.same(await pages.put("c", () => ({ title: "T" })), { outcome: "full" });
  t.same(await pages.create({ title: "T" }), { outcome: "full" });
  t.match(await pages.put("b", () => ({ title: "U" })), { outcome: "changed" });
  await pages.remove("a");
  t.match(await pages.put("c", () => ({ title: "T" })), { outcome: "created" });
});

testStores("a collection does not use the table of ids of another type, or of another path", async (t, { url }) => {
  const forms: Collection[] = [
    { ...collection, idType: "int64" },
    { ...collection, idType: "string" },
    { ...collection, idType: "int64", isScoped: true },
  ];
  const others = forms.map((form, index) => ({ ...form, name: `pages${index}` }));
  await (await openDatabase(url, { collections: others })).close();
  for (const [index, form] of forms.entries())
    for (const { name } of others) {
      const opened = openDatabase(url, { collections: [{ ...form, name }] });
      const hasKeys = (one: number) => one > 0;
      if (hasKeys(index) === hasKeys(Number(name.slice(-1)))) await (await opened).close();
      else await t.rejects(opened, { message: new RegExp(`its table ${name} is that of another collection`) });
    }
});
