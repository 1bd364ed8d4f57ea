// The part of an index that has the records of a query, in its order.
import type { RecordQuery } from "../port.ts";
import { type Collection, type FilterValues, scopeFilter, usedFilters } from "../records.ts";
import {
  type Condition,
  cut,
  encodeScope,
  entriesEnd,
  isComparison,
  isLong,
  isOrdered,
  type Member,
  type Order,
  type RangeOperator,
  toBound,
} from "./conditions.ts";
import { after, encodeValue, reverse } from "./value-bytes.ts";

/** The entries from one value up to, but not, another one. Not all of their records need match the query. */
export interface IndexRange {
  readonly specification: string;
  readonly from: Buffer;
  readonly to: Buffer;
  /** What precedes the place in the order of the query in each value. */
  readonly prefix: Buffer;
  /** Whether the index has the opposite of this order. */
  readonly isOpposite: boolean;
  /** The conditions that records of the range may not match. */
  readonly rest: readonly Condition[];
  /** Whether all records of the range match the query. */
  readonly isExact: boolean;
}

/** The definition of an index: its members with their directions, and whether the scope precedes them. Stored as JSON. */
export interface Specification {
  readonly orders: readonly Order[];
  readonly isScoped: boolean;
}

/** Returns the texts of the indexes of a collection. */
export function specificationsOf(collection: Collection): readonly string[] {
  return (collection.indexes ?? []).map((orders) => writeSpecification(collection, orders));
}

function writeSpecification({ isScoped = false }: Collection, orders: readonly Order[]): string {
  const members = orders.map(({ path, kind, descending = false }) => ({ path, kind, descending }));
  return JSON.stringify({ orders: members, isScoped } satisfies Specification);
}

/** What a query says of members that an index can have. */
interface Comparisons {
  readonly equal: readonly Equality[];
  readonly where: readonly Condition[];
  readonly scope: string | undefined;
}

/** A member that has a value. That of a filter is the same text, as which an index of any kind has it. */
interface Equality {
  readonly member: Member;
  readonly value: unknown;
  readonly source: Condition | string;
}

/** Returns the range of the index that covers most of a query; undefined if none has its order. A count has any order. */
export function findRange(
  collection: Collection,
  { filter = {}, where = [], orderBy = [] }: Omit<RecordQuery, "limit">,
  isCount = false,
): IndexRange | undefined {
  const scope = filter[scopeFilter.name] as string | undefined;
  if (collection.isScoped && scope === undefined) return undefined;
  const equal = [...equalFilters(collection, filter), ...where.filter(isEquality).map(toEquality)];
  const used = usedFilters(collection, filter).filter(({ isScope }) => !isScope);
  const ranges = (collection.indexes ?? []).flatMap((orders) => {
    const found = rangeOf(orders, { equal, where, scope }, isCount ? orders : orderBy);
    if (found === undefined) return [];
    const { covered, ...range } = found;
    const rest = where.filter((one) => !covered.has(one));
    const isExact = rest.length === 0 && used.every(({ name }) => covered.has(name));
    const specification = writeSpecification(collection, orders);
    return [{ ...range, specification, rest, isExact }];
  });
  return ranges.toSorted((a, b) => b.members - a.members)[0];
}

function equalFilters(collection: Collection, filter: FilterValues): Equality[] {
  return usedFilters(collection, filter).flatMap(({ name, property, member, contains, isScope }) => {
    const path = member === undefined ? [property] : [property, member];
    return contains || isScope ? [] : [{ member: { path }, value: filter[name], source: name }];
  });
}

// One member that has one value.
function isSimple({ members, value, not, ignoresCase }: Condition): boolean {
  const isOne = members.length === 1 && members[0]?.path.length !== 0 && [value].flat().length === 1;
  return isOne && not !== true && ignoresCase !== true;
}

function isEquality(condition: Condition): boolean {
  return condition.operator === "eq" && isSimple(condition);
}

function toEquality(source: Condition): Equality {
  return { member: source.members[0] as Member, value: [source.value].flat()[0], source };
}

function rangeOf(orders: readonly Order[], { equal, where, scope }: Comparisons, orderBy: readonly Order[]) {
  const order = isOrdered(orderBy) ? orderBy : [];
  const isOpposite = compareOrders(orders.slice(orders.length - order.length), order);
  if (isOpposite === undefined || order.length > orders.length) return undefined;
  const covered = new Set<Condition | string>();
  const parts = [encodeScope(scope)];
  for (const { path, kind, descending } of orders) {
    const isOf = ({ member, source }: Equality) =>
      isSamePath(member.path, path) && (typeof source === "string" || member.kind === kind);
    const found = equal.find(isOf);
    if (found === undefined) break;
    const bytes = encodeValue(cut(found.value), kind);
    parts.push(descending ? reverse(bytes) : bytes);
    if (!isLong(found.value) && kind === found.member.kind) covered.add(found.source);
  }
  const equalities = parts.length - 1;
  const ordered = orders.length - order.length;
  if (equalities < ordered) return undefined;
  const [base, next] = [Buffer.concat(parts), orders[equalities]];
  const bounds = next && boundsOf(next, where, covered);
  const all = base.length === 0 ? [base, entriesEnd] : [base, after(base)];
  const [from, to] = (bounds?.map((bound) => Buffer.concat([base, bound])) ?? all) as [Buffer, Buffer];
  const isReversedNumber = order.length === 0 && orders.at(-1)?.descending === true;
  const prefix = Buffer.concat(parts.slice(0, 1 + ordered));
  return {
    from,
    to,
    prefix,
    isOpposite: isOpposite || isReversedNumber,
    covered,
    members: equalities + (bounds ? 0.5 : 0),
  };
}

// Returns whether an order is the opposite of another one; undefined if it is neither that nor the same.
function compareOrders(orders: readonly Order[], wanted: readonly Order[]): boolean | undefined {
  const signs = wanted.map((one, index) => {
    const { path = [], kind, descending } = orders[index] ?? {};
    const isMember = index < orders.length && isSamePath(path, one.path) && kind === one.kind;
    return isMember ? (descending === true) !== (one.descending === true) : undefined;
  });
  return signs.every((sign) => sign === signs[0]) ? (signs.length === 0 ? false : signs[0]) : undefined;
}

// The range that all comparisons of a member allow; undefined if there are none. Values are compared with those of their type.
function boundsOf(
  { path, kind, descending }: Order,
  where: readonly Condition[],
  covered: Set<Condition | string>,
): readonly [Buffer, Buffer] | undefined {
  const isOf = ({ members: [member] }: Condition) => member && isSamePath(member.path, path) && member.kind === kind;
  const found = where.filter((one) => isComparison(one.operator) && isSimple(one) && isOf(one));
  if (found.length === 0) return undefined;
  const bounds = found.map((condition) => {
    const { operator, value } = toBound(condition.operator as RangeOperator, [condition.value].flat()[0], kind);
    const isUpper = operator === "lt" || operator === "lte";
    const bytes = encodeValue(cut(value), kind);
    const type = bytes.subarray(0, 1);
    const isBehind = isLong(value) ? isUpper : operator === "gt" || operator === "lte";
    const edge = isBehind ? after(bytes) : bytes;
    if (!isLong(value)) covered.add(condition);
    return isUpper ? ([type, edge] as const) : ([edge, after(type)] as const);
  });
  const from = bounds.map(([lower]) => lower).reduce((a, b) => (a.compare(b) > 0 ? a : b));
  const to = bounds.map(([, upper]) => upper).reduce((a, b) => (a.compare(b) < 0 ? a : b));
  return descending ? [after(reverse(to)), after(reverse(from))] : [from, to];
}

function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
