// Random queries of records, and the comparison of their results with those in memory.
import type { Test } from "tap";
import { parseJson } from "../../src/lib/json.ts";
import type { Page, PagePosition, RecordStore } from "../../src/store/port.ts";
import type { Condition, Member, Operator, Order } from "../../src/store/query/conditions.ts";
import type { Collection } from "../../src/store/records.ts";
import { inOrder, isMatch, type Json, read } from "./memory-queries.ts";
import type { Random } from "./random.ts";

/** A collection whose records have members of all types. */
export const things: Collection = { name: "things", id: "id", idType: "int64", properties: ["id"], filters: [] };

/** Values of the members. */
export const samples: Readonly<Record<string, readonly unknown[]>> = {
  number: [
    0,
    1,
    1.5,
    -0.1,
    -1e21,
    1e-7,
    10,
    9,
    100n,
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 64n,
    -(2n ** 63n),
    -9,
    null,
    "9",
    undefined,
  ],
  text: [
    "",
    "a",
    "A",
    "ab",
    "é",
    "e\u0301",
    "straße",
    "STRASSE",
    "z",
    "🐕",
    "\uffff",
    "ΟΔΟΣ",
    "x".repeat(199),
    null,
    1,
    undefined,
  ],
  at: [
    "2026-01-31T23:00:00Z",
    "2026-02-01T00:00:00+01:00",
    "2026-01-31t23:00:00.000000001Z",
    "2026-01-31T23:00:00.5-05:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:60Z",
    "2026-01-31",
    "never",
    null,
    undefined,
  ],
  uuid: [
    "8A6110B0-934D-47ED-A129-B59A1D9D82BF",
    "8a6110b0-934d-47ed-a129-b59a1d9d82bf",
    "0b8f4d2e-6c1a-4e5b-9f3d-000000000000",
    undefined,
  ],
  state: ["open", "closed", "é", undefined],
  flag: [true, false, null, undefined],
  tags: [["a", "b"], ["B"], [], [1, "a"], null, undefined],
  owner: [{ name: "Ada", tags: ["x"] }, { name: "Bob" }, {}, [{ name: "Ada" }, { name: "Eve" }], null, undefined],
};
/** The members of the records. */
export const members: readonly Member[] = [
  { path: ["number"] },
  { path: ["text"] },
  { path: ["at"], kind: "time" },
  { path: ["at"] },
  { path: ["uuid"], kind: "uuid" },
  { path: ["state"] },
  { path: ["flag"] },
  { path: ["tags"] },
  { path: ["owner", "name"] },
];
/** All operators. */
export const operators: readonly Operator[] = [
  "eq",
  "in",
  "gt",
  "gte",
  "lt",
  "lte",
  "startsWith",
  "endsWith",
  "contains",
  "isNull",
];

/** Returns a new record without an id. */
export function newRecord(random: Random): Json {
  const entries = Object.entries(samples).map(([name, values]) => [name, random.pick(values)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns the ids of a page. */
export const idsOf = (page: Page<Json>) => (parseJson(page.records.text) as { id: number }[]).map(({ id }) => id);

async function readPages(records: RecordStore<Json, Json>, query: object, limit: number): Promise<number[]> {
  const ids: number[] = [];
  for (let position: PagePosition | undefined; ; ) {
    const page: Page<Json> = await records.list({ ...query, limit, position });
    ids.push(...idsOf(page));
    if (!page.more || page.end === undefined) return ids;
    position = { after: page.end };
  }
}

/** What a query selects, and its order. */
export interface Query {
  readonly filter?: { readonly state?: string };
  readonly where: readonly Condition[];
  readonly orderBy: readonly Order[];
}

/** Returns a random query. */
export function newQuery(random: Random): Query {
  const newCondition = (): Condition => {
    const member = random.pick(members);
    const operator = random.pick(operators);
    const one = () => random.pick(samples[member.path[0] as string] as unknown[]);
    const [value = null] = [read(one(), member.path.slice(1))[0]].flat();
    const flags = { not: random.chance(3), ignoresCase: random.chance(3) };
    if (operator === "isNull")
      return { members: [member], operator, value: random.pick([true, false]), not: flags.not };
    const others = random.chance(3) ? [random.pick(members)] : [];
    const all = [member, ...others];
    if (operator === "in") return { members: all, operator, value: [value, [one()].flat()[0] ?? null], ...flags };
    return { members: all, operator, value, ...flags };
  };
  const newOrder = (): Order => ({
    ...random.pick([...members, { path: [] }]),
    descending: random.chance(2),
  });
  return {
    where: Array.from({ length: random.int(3) }, newCondition),
    orderBy: Array.from({ length: random.int(4) }, newOrder),
  };
}

/** Returns a random query that an index can answer: with values of its first members, and the order of the others. */
export function newFittingQuery(random: Random, index: readonly Order[]): Query {
  const pick = ({ path }: Order) => {
    const [value = null] = [read(random.pick(samples[path[0] as string] as unknown[]), path.slice(1))[0]].flat();
    return value;
  };
  const toMember = ({ path, kind }: Order): Member => ({ path, kind });
  const equal = index.slice(0, random.int(index.length + 1));
  const next = index[equal.length];
  const isByFilter = equal[0]?.path[0] === "state" && random.chance(2);
  const conditions = equal.map((one): Condition => ({ members: [toMember(one)], operator: "eq", value: pick(one) }));
  const range = (): Condition[] =>
    next && random.chance(2)
      ? [{ members: [toMember(next)], operator: random.pick(["gt", "gte", "lt", "lte"]), value: pick(next) }]
      : [];
  const isOpposite = random.chance(2);
  const orderBy = index
    .slice(random.chance(3) ? 0 : equal.length)
    .map((one) => ({ ...one, descending: (one.descending ?? false) !== isOpposite }));
  const other: Condition = { members: [{ path: ["flag"] }], operator: "isNull", value: true, not: true };
  const where = [...conditions.slice(isByFilter ? 1 : 0), ...range(), ...range(), ...(random.chance(4) ? [other] : [])];
  return { ...(isByFilter && { filter: { state: random.pick(["open", "é"]) } }), where, orderBy };
}

/** Compares the pages and the count of a query with those of the implementation in memory, which has the records `created`. */
export async function compareQuery(
  t: Test,
  records: RecordStore<Json, Json>,
  created: readonly Json[],
  query: Query,
  random: Random,
): Promise<void> {
  const { filter = {}, where, orderBy } = query;
  const wanted = created
    .filter(({ state }) => filter.state === undefined || state === filter.state)
    .filter((one) => where.every((condition) => isMatch(one, condition)))
    .toSorted(inOrder(orderBy))
    .map(({ id }) => id as number);
  const label = JSON.stringify(query, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
  const pages = await readPages(records, query, 1 + random.int(40));
  if (pages.join() !== wanted.join()) t.same(pages, wanted, label);
  if (random.int(10) === 0) {
    const short = await readPages(records, { ...query, maxBytes: 1 + random.int(400) }, 40);
    if (short.join() !== wanted.join()) t.same(short, wanted, `short pages, ${label}`);
  }
  const offset = random.int(20);
  const skipped = await records.list({ ...query, limit: 7, offset });
  if (idsOf(skipped).join() !== wanted.slice(offset, offset + 7).join())
    t.same(idsOf(skipped), wanted.slice(offset, offset + 7), label);
  if ((await records.count(filter, where)) !== BigInt(wanted.length)) t.fail(`count of ${label}`);
  const second = await records.list({ ...query, limit: 5, offset: 5 });
  const before =
    second.start === undefined
      ? undefined
      : await records.list({ ...query, limit: 3, position: { before: second.start } });
  if (before && idsOf(before).join() !== wanted.slice(2, 5).join())
    t.same(idsOf(before), wanted.slice(2, 5), `before, ${label}`);
}
