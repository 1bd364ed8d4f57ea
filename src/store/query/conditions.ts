// What a query says of records: which ones, and in which order. It is the same in each store.
import { encodeValue, foldCase, haveSameType, isDate, reverse, type TextKind } from "./value-bytes.ts";

/** A member of a record. */
export interface Member {
  /** The names that lead to it. Of an array, each item counts. */
  readonly path: readonly string[];
  readonly kind?: TextKind | undefined;
}

/**
 * How a member is compared with a value: `in` with each item of an array, `startsWith` exactly, `contains` without regard to case, `isNull`
 * with whether it is missing or null. Greater and less are values of one type only.
 */
export type Operator = "eq" | "ne" | "in" | "gt" | "gte" | "lt" | "lte" | "startsWith" | "contains" | "isNull";

/** A condition, which one of the members must match, or for `ne`, each. */
export interface Condition {
  readonly members: readonly Member[];
  readonly operator: Operator;
  readonly value: unknown;
}

/** A member by which records are ordered. Those without it come first, or last if it is descending. */
export interface Order extends Member {
  readonly descending?: boolean;
}

type Check = (value: unknown, kind: TextKind | undefined) => boolean;

/** Returns a function that returns whether a record, as parsed JSON, matches all conditions. */
export function compileConditions(conditions: readonly Condition[]): (record: unknown) => boolean {
  const checks = conditions.map(({ members, operator, value }) => {
    const isEach = operator === "ne";
    const all = members.map(({ path, kind }) => {
      const check = compile(operator, value, kind);
      return (record: unknown) => {
        const values = valuesAt(record, path);
        return isEach ? values.every((one) => check(one, kind)) : values.some((one) => check(one, kind));
      };
    });
    return (record: unknown) => (isEach ? all.every((one) => one(record)) : all.some((one) => one(record)));
  });
  return (record) => checks.every((check) => check(record));
}

/** Returns a function that returns the bytes of a record, as parsed JSON, in an order. */
export function compileOrder(orders: readonly Order[]): (record: unknown) => Buffer {
  return (record) =>
    Buffer.concat(
      orders.map(({ path, kind, descending }) => {
        const [value, ...others] = valuesAt(record, path);
        const bytes = encodeValue(others.length > 0 ? undefined : cut(value), kind);
        return descending ? reverse(bytes) : bytes;
      }),
    );
}

const maxOrdered = 200; // characters of a text, so that a cursor is short

function cut(value: unknown): unknown {
  return typeof value === "string" && value.length > maxOrdered ? [...value].slice(0, maxOrdered).join("") : value;
}

function compile(operator: Operator, value: unknown, kind: TextKind | undefined): Check {
  if (operator === "isNull") return (one) => (one === undefined || one === null) === value;
  if (operator === "contains") {
    const part = foldCase(`${value}`);
    return (one) => typeof one === "string" && foldCase(one).includes(part);
  }
  if (operator === "startsWith") return (one) => typeof one === "string" && one.startsWith(`${value}`);
  if (operator === "in") {
    const all = new Set([value].flat().map((one) => encodeValue(one, kind).toString("latin1")));
    return (one) => all.has(encodeValue(one, kind).toString("latin1"));
  }
  const wanted = encodeValue(value, kind);
  const compare = (one: unknown) => encodeValue(one, kind).compare(wanted);
  if (operator === "eq") return (one) => compare(one) === 0;
  if (operator === "ne") return (one) => compare(one) !== 0;
  // A date is the whole day: up to 2026-01-31 is up to its end, and after it is from 2026-02-01 on.
  const isDay = kind === "time" && isDate(value) && (operator === "lte" || operator === "gt");
  if (isDay) return compile(operator === "lte" ? "lt" : "gte", nextDay(value), kind);
  const isMatch = {
    gt: (sign: number) => sign > 0,
    gte: (sign: number) => sign >= 0,
    lt: (sign: number) => sign < 0,
    lte: (sign: number) => sign <= 0,
  }[operator];
  return (one) => {
    const bytes = encodeValue(one, kind);
    return haveSameType(bytes, wanted) && isMatch(bytes.compare(wanted));
  };
}

function nextDay(date: string): string {
  const next = new Date(`${date}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString();
}

// The values to which names lead: undefined if there is none.
function valuesAt(value: unknown, path: readonly string[], depth = 0): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path, depth));
  const name = path[depth];
  if (name === undefined) return [value];
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return [undefined];
  return valuesAt((value as Readonly<Record<string, unknown>>)[name], path, depth + 1);
}
