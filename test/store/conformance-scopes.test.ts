// Conformance suite of the stores: records that belong to scopes, pages with an offset, and counts.
import { parseJson } from "../../src/lib/json.ts";
import { toAddress, toScope } from "../../src/store/ids.ts";
import type { RecordId, RecordQuery, RecordStore } from "../../src/store/port.ts";
import { type Collection, scopeFilter } from "../../src/store/records.ts";
import { idempotentCall, type StoreUnderTest, testStores } from "../support/conformance.ts";

type Row = Readonly<Record<string, unknown>>;

const color = { name: "color", property: "color", type: "string", contains: false, isLong: true } as const;
const scoped = { isScoped: true, filters: [scopeFilter, color] };
const collections: Readonly<Record<Collection["idType"], Collection>> = {
  int64: { ...scoped, name: "shops_books", id: "id", idType: "int64", properties: ["id"] },
  string: { ...scoped, name: "shops_tags", id: "name", idType: "string", properties: ["name"] },
};

async function openRecords({ open }: StoreUnderTest, idType: Collection["idType"]) {
  const store = await open({ collections: Object.values(collections) });
  return store.records<Row>(collections[idType].name);
}

const scopes = [toScope(["a"]), toScope(["a", "b"]), toScope(["a/b"]), toScope([7n]), toScope(["é🐕 %"])];

async function list(records: RecordStore<Row>, query: Omit<RecordQuery, "limit">): Promise<Row[]> {
  return parseJson((await records.list({ limit: 50, ...query })).records.text) as Row[];
}

testStores("keeps the records of each scope apart, with numbers of the store as ids", async (t, test) => {
  const records = await openRecords(test, "int64");
  for (let n = 0; n < 15; n++) {
    const scope = scopes[n % 5] as string;
    const created = await records.create({ color: `${n % 2}`, id: 99 }, undefined, scope);
    t.match(created, {
      outcome: "created",
      id: toAddress(scope, BigInt(n + 1)),
      record: { text: `{"id":${n + 1},"color":"${n % 2}"}` },
    });
  }
  for (const [index, scope] of scopes.entries()) {
    const expected = [1, 6, 11].map((n) => n + index);
    t.same(
      (await list(records, { filter: { "/": scope } })).map(({ id }) => id),
      expected,
      scope,
    );
    t.equal(await records.count({ "/": scope }), 3n);
    t.match(await records.find(toAddress(scope, BigInt(index + 1))), { text: new RegExp(`^\\{"id":${index + 1},`) });
    t.equal(await records.find(toAddress(scopes[(index + 1) % 5] as string, BigInt(index + 1))), undefined);
  }
  t.same(
    (await list(records, { filter: { "/": scopes[0], color: "1" } })).map(({ id }) => id),
    [6],
  );
  t.equal(await records.count({ "/": scopes[0], color: "1" }), 1n);
  t.equal(await records.count(), 15n);
});

testStores("changes and deletes a record at its address only", async (t, test) => {
  const records = await openRecords(test, "int64");
  const [first, second] = scopes as [string, string];
  await records.create({ color: "red" }, undefined, first);
  t.same(await records.change(toAddress(second, 1n), () => ({ color: "blue" })), { outcome: "missing" });
  t.match(await records.change(toAddress(first, 1n), () => ({ color: "blue" })), {
    record: { text: '{"id":1,"color":"blue"}' },
  });
  t.same(await records.remove(toAddress(second, 1n)), { outcome: "missing" });
  t.match(await records.remove(toAddress(first, 1n)), { outcome: "changed" });
});

testStores("repeats the record of an Idempotency-Key with its address", async (t, test) => {
  const records = await openRecords(test, "int64");
  const first = await records.create({ color: "red" }, idempotentCall, scopes[0]);
  t.same(await records.create({ color: "red" }, idempotentCall, scopes[0]), { ...first, outcome: "repeated" });
});

testStores("ids that are texts are unique in their scope", async (t, test) => {
  const records = await openRecords(test, "string");
  for (const scope of scopes) {
    const address = toAddress(scope, "a/b") as string;
    t.match(await records.put(address, () => ({ color: "red" })), {
      outcome: "created",
      record: { text: '{"name":"a/b","color":"red"}' },
    });
    t.match(await records.put(address, () => ({ color: "blue" })), { outcome: "changed" });
    t.match(await records.find(address), { text: '{"name":"a/b","color":"blue"}' });
    const made = await records.create({ color: "red" }, undefined, scope);
    const id: RecordId = "id" in made ? made.id : "";
    t.ok(`${id}`.startsWith(scope), `${id}`);
    t.match(await records.find(id), { text: /"color":"red"/ });
    t.same((await list(records, { filter: { "/": scope } })).length, 2);
  }
});

testStores("skips records with an offset", async (t, test) => {
  const records = await openRecords(test, "int64");
  for (let n = 0; n < 12; n++) await records.create({ color: n < 10 ? "red" : "blue" }, undefined, scopes[0]);
  const page = async (offset: number, filter: Row = {}) => {
    const { records: found, more } = await records.list({ limit: 4, offset, filter });
    return { ids: (parseJson(found.text) as Row[]).map(({ id }) => id), more };
  };
  t.same(await page(0), { ids: [1, 2, 3, 4], more: true });
  t.same(await page(8), { ids: [9, 10, 11, 12], more: false });
  t.same(await page(100), { ids: [], more: false });
  t.same(await page(8, { color: "red" }), { ids: [9, 10], more: false });
});

testStores("deletes the records of a scope, and of those below it", async (t, test) => {
  for (const idType of ["int64", "string"] as const) {
    const records = await openRecords(test, idType);
    const all = [...scopes, toScope(["a", "b", "c"]), toScope(["aa"]), toScope(["a0"])];
    for (const scope of all)
      if (idType === "string") await records.put(toAddress(scope, "x"), () => ({ color: scope }));
      else await records.create({ color: scope }, undefined, scope);
    t.equal(await records.removeBelow(toScope(["a"]), 1), 1);
    t.equal(await records.removeBelow(toScope(["a"]), 100), 2);
    t.same(
      (await list(records, {})).map(({ color }) => color),
      all.filter((scope) => !scope.startsWith("a/")),
      idType,
    );
  }
});
