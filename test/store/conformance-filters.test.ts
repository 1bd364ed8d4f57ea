// Conformance suite of the stores: records of any resource, with values of all types, and lists that are filtered by them.
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../src/lib/json.ts";
import type { RecordStore } from "../../src/store/port.ts";
import type { Collection, Filter } from "../../src/store/records.ts";
import { type StoreUnderTest, testStores } from "../support/conformance.ts";

type Thing = Readonly<Record<string, unknown>>;

const filter = (property: string, type: Filter["type"], name = property): Filter => ({
  name,
  property,
  type,
  contains: name !== property,
  isLong: property === "long",
});
const filters = [
  filter("int64", "int64"),
  filter("number", "number"),
  filter("boolean", "boolean"),
  filter("string", "string"),
  filter('it\'s "quoted" \\ $.a[0]', "string"),
  filter("long", "string"),
  filter("tags", "string", "tag"),
  filter("numbers", "int64", "one of"),
];
const properties = ["key", "string", "int64", "number", "boolean", "tags", "numbers", "nested"];
// The names are those of no SQL: a reserved word, with a quote, and a property beside that of the id.
const things: Collection = { name: 'order "things"', id: "key", idType: "int64", properties, filters };
const cards: Collection = { name: "gift-cards", id: "id", idType: "int64", properties: ["id"], filters: [] };

const noise = randomBytes(4_000).toString("hex");

const samples: Readonly<Record<string, readonly unknown[]>> = {
  int64: [7n, 0n, -1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), undefined],
  number: [0, 1.5, -0.1, 1e21, 2, undefined],
  boolean: [true, false, undefined],
  string: ["Rex", "rex", "", "7", "'; DROP TABLE pets; --", "🐕", "\\", "true", undefined],
  'it\'s "quoted" \\ $.a[0]': ["a", "b", undefined],
  // More than an entry of an index can have, also when it is compressed.
  long: [noise, `${noise}.`, "", undefined],
  tags: [["a"], ["b", "a", "a"], [], ["A", "🐕"], undefined],
  numbers: [[1n, 2n ** 53n + 1n], [2n ** 53n], undefined],
  nested: [{ deep: [{ int64: 2n ** 63n - 1n, text: "\u2028" }] }, null, {}],
};

async function openThings({ open }: StoreUnderTest) {
  const store = await open({ collections: [things, cards] });
  return { things: store.records<Thing>(things.name), others: store.records<Thing>(cards.name) };
}

/** Creates records with different combinations of values. */
async function createThings(store: RecordStore<Thing>): Promise<Thing[]> {
  const created: Thing[] = [];
  for (let n = 0; n < 60; n++) {
    const entries = Object.entries(samples).map(([name, values], index) => [
      name,
      values[Math.floor(n / (index + 1)) % values.length],
    ]);
    const thing = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    await store.create(thing);
    created.push({ key: BigInt(n + 1), ...thing });
  }
  return created;
}

/** Lists all records with the values of a filter, in pages of two. */
async function listAll(store: RecordStore<Thing>, filter: Thing): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (;;) {
    const page = await store.list({ filter, limit: 2, position: { after: ids.at(-1) ?? 0n } });
    const records = parseJson(page.records.text) as { key: number }[];
    ids.push(...records.map(({ key }) => BigInt(key)));
    if (!page.more) return ids;
  }
}

testStores("returns records of any shape as they were given", async (t, test) => {
  const { things, others } = await openThings(test);
  const created = await createThings(things);
  const toExact = (value: unknown): unknown => parseJson(JSON.stringify(value, (_, part) => part));
  for (const thing of created) {
    const { text = "" } = (await things.find(thing.key as bigint)) ?? {};
    const found = parseJson(text) as Thing;
    t.ok(text.startsWith(`{"key":${thing.key},`), text);
    t.ok(
      Object.entries(thing).every(([name, value]) => isDeepStrictEqual(toBigints(found[name]), toBigints(value))),
      text,
    );
  }
  t.equal(await others.find(1n), undefined, "each collection has its own ids");
  t.match(await others.create({ "any name": toExact([1]) }), { id: 1n, record: { text: '{"id":1,"any name":[1]}' } });
});

// Integers that a number represents exactly are numbers when they are parsed.
function toBigints(value: unknown): unknown {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  if (Array.isArray(value)) return value.map(toBigints);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toBigints(member)]));
}

testStores("lists the records with the value of any filter, and of several", async (t, test) => {
  const { things } = await openThings(test);
  const created = await createThings(things);
  const valuesOf = ({ property, contains }: Filter) =>
    samples[property]?.flatMap((value) => (contains ? (value ?? []) : value === undefined ? [] : [value])) ?? [];
  const isMatch = (values: Thing) => (thing: Thing) =>
    filters.every(({ name, property, contains }) => {
      if (values[name] === undefined) return true;
      return contains
        ? (thing[property] as unknown[] | undefined)?.includes(values[name])
        : thing[property] === values[name];
    });
  const single = filters.flatMap((one) => valuesOf(one).map((value) => ({ [one.name]: value })));
  const pairs = filters.flatMap((one) =>
    filters.flatMap((other) =>
      valuesOf(one)
        .slice(0, 2)
        .map((value) => ({ [one.name]: value, [other.name]: valuesOf(other)[0] })),
    ),
  );
  // All at once.
  const queries = [...single, ...pairs];
  const lists = await Promise.all(queries.map((values) => listAll(things, values)));
  for (const [index, values] of queries.entries()) {
    const expected = created.filter(isMatch(values)).map(({ key }) => key);
    t.same(lists[index], expected, Object.keys(values).join());
  }
  const used = lists.filter((ids) => ids.length > 0).length;
  t.ok(used > 60, `${used} lists have records`);
});

testStores("keeps the Idempotency-Keys of each collection apart", async (t, test) => {
  const { things, others } = await openThings(test);
  const call = { caller: 1n, key: "k", digest: new Uint8Array(32) };
  t.match(await things.create({ string: "a" }, call), { outcome: "created", id: 1n });
  t.match(await others.create({}, call), { outcome: "created", id: 1n });
  t.match(await others.create({}, call), { outcome: "repeated", record: { text: '{"id":1}' } });
});

testStores("rejects a filter and a collection that it does not have", async (t, test) => {
  const { things } = await openThings(test);
  for (const name of ["key", "constructor", "1 = 1; DROP TABLE pets; --"])
    await t.rejects(things.list({ limit: 1, filter: { [name]: "x" } }), {
      message: `The collection ${'order "things"'} has no filter '${name}'.`,
    });
  t.throws(() => test.store.records("gift-cards"), {
    message: "The store was opened without the collection gift-cards.",
  });
});

testStores("adds tables and indexes for what a document adds", async (t, test) => {
  const { others } = await openThings(test);
  for (const color of ["red", "blue", "red"]) await others.create({ color });
  const later: Collection = { ...cards, properties: ["id", "color"], filters: [filter("color", "string")] };
  const changed = await test.open({ collections: [later] });
  const page = await changed.records(later.name).list({ limit: 9, filter: { color: "red" } });
  t.same(JSON.parse(page.records.text), [
    { id: 1, color: "red" },
    { id: 3, color: "red" },
  ]);
});

testStores("filters by a member of an object", async (t, { open }) => {
  const member = 'it\'s "the" id';
  const owner: Filter = { ...filter("owner", "string", "owner"), member };
  const size: Filter = { ...filter("owner", "int64", "owner"), name: "size", member: "size" };
  const collection: Collection = {
    name: "cards",
    id: "id",
    idType: "int64",
    properties: ["owner"],
    filters: [owner, size],
  };
  const store = await open({ collections: [collection] });
  const cards = store.records<Thing>("cards");
  const owners = [
    { [member]: "a", size: 2n ** 53n + 1n },
    { [member]: "b" },
    { other: "a" },
    "a",
    null,
    undefined,
    ["a"],
  ];
  for (const one of owners) await cards.create({ ...(one !== undefined && { owner: one }) });
  const list = async (values: Thing) => {
    const { records } = await cards.list({ limit: 10, filter: values });
    return (parseJson(records.text) as Thing[]).map(({ id }) => id);
  };
  t.same(await list({ owner: "a" }), [1]);
  t.same(await list({ owner: "b" }), [2]);
  t.same(await list({ size: 2n ** 53n + 1n }), [1]);
  t.same(await list({ size: 2n ** 53n }), []);
  t.same(await list({}), [1, 2, 3, 4, 5, 6, 7]);
});
