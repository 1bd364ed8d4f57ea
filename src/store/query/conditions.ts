// What a query says of records: which ones, and in which order. It is the same in each store.
import { encodeValue, foldCase, haveSameType, isDate, reverse, type TextKind } from "./value-bytes.ts";

/** A member of a record. */
export interface Member {
  /** The names that lead to it. Of an array, each item counts. */
  readonly path: readonly string[];
  readonly kind?: TextKind | undefined;
}

/**
 * How a member is compared with a value: `in` with each item of an array, `isNull` with whether it is missing or null. Greater and less are
 * values of one type only.
 */
export type Operator = "eq" | "in" | "gt" | "gte" | "lt" | "lte" | "startsWith" | "endsWith" | "contains" | "isNull";

/** A condition, which one of the members must match, with one of several values. */
export interface Condition {
  readonly members: readonly Member[];
  readonly operator: Operator;
  readonly value: unknown;
  /** Whether a record must not match it. */
  readonly not?: boolean | undefined;
  /** Whether the case of texts does not matter. */
  readonly ignoresCase?: boolean | undefined;
}

/**
 * A member by which records are ordered. Those without it come first, or last if it is descending. Without names, it is the order of
 * creation. Records with equal values are in the order of creation, in the direction of the last member.
 */
export interface Order extends Member {
  readonly descending?: boolean | undefined;
}

type Check = (value: unknown) => boolean;

/** Returns a function that returns whether a record, as parsed JSON, matches all conditions. */
export function compileConditions(conditions: readonly Condition[]): (record: unknown) => boolean {
  const checks = conditions.map((condition) => {
    const { members, not = false } = condition;
    const values = condition.operator === "in" ? [condition.value] : [condition.value].flat();
    const all = members.flatMap(({ path, kind }) =>
      values.map((value) => ({ path, check: compile({ ...condition, value }, kind) })),
    );
    return (record: unknown) => all.some(({ path, check }) => valuesAt(record, path).some(check)) !== not;
  });
  return (record) => checks.every((check) => check(record));
}

/** Returns a function that returns the bytes of a record, as parsed JSON, with a number, in an order. */
export function compileOrder(orders: readonly Order[]): (record: unknown, number: bigint) => Buffer {
  return (record, number) => {
    const end = numberBytes(number);
    const bytesOf = ({ path, kind }: Order) => {
      if (path.length === 0) return end;
      const [value, ...others] = valuesAt(record, path);
      return encodeValue(others.length > 0 ? undefined : cut(value), kind);
    };
    const parts = orders.map((order) => (order.descending ? reverse(bytesOf(order)) : bytesOf(order)));
    return Buffer.concat([...parts, orders.at(-1)?.descending ? reverse(end) : end]);
  };
}

/**
 * Returns a function that returns the bytes of a record in an index: of its scope, and of its place in an order. One with several values of
 * a member, or with too many bytes, is behind all others.
 */
export function compileEntry(orders: readonly Order[]): (record: unknown, number: bigint, scope?: string) => Buffer {
  const placeOf = compileOrder(orders);
  return (record, number, scope) => {
    const isPlain = orders.every(({ path }) => path.length === 0 || valuesAt(record, path).length === 1);
    const entry = Buffer.concat([encodeScope(scope), placeOf(record, number)]);
    return isPlain && entry.length <= maxEntry ? entry : Buffer.concat([entriesEnd, numberBytes(number)]);
  };
}

const maxEntry = 2_000; // bytes; PostgreSQL allows 2,704 in a row of an index

/** What all entries of an index precede, but for those of records without a place in it. */
export const entriesEnd: Buffer = Buffer.of(0xff);

/** Returns the beginning of the bytes of a record in an index. */
export function encodeScope(scope: string | undefined): Buffer {
  return scope === undefined ? Buffer.alloc(0) : encodeValue(scope);
}

/** Returns whether an order is not that of creation. */
export function isOrdered(orderBy: readonly Order[] = []): boolean {
  return orderBy.length > 0 && orderBy[0]?.path.length !== 0;
}

/** Returns whether an order is that of creation, from the last record to the first. */
export function isReversed(orders: readonly Order[] = []): boolean {
  return orders[0]?.path.length === 0 && orders[0].descending === true;
}

const maxOrdered = 200; // characters of a text, so that a cursor is short

/** Returns the part of a value that counts in an order. */
export function cut(value: unknown): unknown {
  return isLong(value) ? [...value].slice(0, maxOrdered).join("") : value;
}

/** Returns whether a value can be equal to another one in an order, and yet differ. */
export function isLong(value: unknown): value is string {
  return typeof value === "string" && value.length >= maxOrdered;
}

function numberBytes(number: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(number);
  return bytes;
}

function compile({ operator, value, ignoresCase }: Condition, kind: TextKind | undefined): Check {
  const fold = (one: unknown) => (ignoresCase && typeof one === "string" ? foldCase(one) : one);
  const encode = (one: unknown) => encodeValue(fold(one), kind);
  if (operator === "isNull") return (one) => (one === undefined || one === null) === value;
  if (operator === "startsWith" || operator === "endsWith" || operator === "contains") {
    const method = ({ startsWith: "startsWith", endsWith: "endsWith", contains: "includes" } as const)[operator];
    const part = `${fold(value)}`;
    return (one) => typeof one === "string" && `${fold(one)}`[method](part);
  }
  if (operator === "in") {
    const all = new Set([value].flat().map((one) => encode(one).toString("latin1")));
    return (one) => all.has(encode(one).toString("latin1"));
  }
  if (operator === "eq") {
    const wanted = encode(value);
    return (one) => encode(one).equals(wanted);
  }
  const bound = toBound(operator, value, kind);
  const wanted = encode(bound.value);
  const isMatch = signs[bound.operator];
  return (one) => {
    const bytes = encode(one);
    return haveSameType(bytes, wanted) && isMatch(bytes.compare(wanted));
  };
}

/** How a value is greater or less than another one. */
export type RangeOperator = keyof typeof signs;

/** Returns the instant with which a time is compared, or another value as it is. */
export function toBound(
  operator: RangeOperator,
  value: unknown,
  kind: TextKind | undefined,
): { readonly operator: RangeOperator; readonly value: unknown } {
  // A date is the whole day: up to 2026-01-31 is up to its end, and after it is from 2026-02-01 on.
  const isDay = kind === "time" && isDate(value) && (operator === "lte" || operator === "gt");
  return isDay ? { operator: operator === "lte" ? "lt" : "gte", value: `${value}T24:00:00Z` } : { operator, value };
}

/** Returns whether an operator compares values by their order. */
export function isComparison(operator: Operator): operator is RangeOperator {
  return Object.hasOwn(signs, operator);
}

const signs = {
  gt: (sign: number) => sign > 0,
  gte: (sign: number) => sign >= 0,
  lt: (sign: number) => sign < 0,
  lte: (sign: number) => sign <= 0,
};

// The values to which names lead: undefined if there is none.
function valuesAt(value: unknown, path: readonly string[], depth = 0): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path, depth));
  const name = path[depth];
  if (name === undefined) return [value];
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return [undefined];
  return valuesAt((value as Readonly<Record<string, unknown>>)[name], path, depth + 1);
}
