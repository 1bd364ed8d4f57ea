// A plain implementation of queries in memory.
import type { Condition, Operator, Order } from "../../src/store/query/conditions.ts";

/** A record. */
export type Json = Readonly<Record<string, unknown>>;

const isNone = (value: unknown) => value === undefined || value === null;
const isTime = (value: unknown): value is string => typeof value === "string" && /^\d{4}-/.test(value);
const toTime = (text: string) => {
  const [, whole = "", fraction = "", zone = "Z"] = /^([\d-]+(?:t[\d:]+)?)(?:\.(\d+))?(z|[+-].*)?$/i.exec(text) ?? [];
  const isLeap = whole.endsWith(":60");
  const iso = /t/i.test(whole) ? `${whole.replace(/:60$/, ":59")}${zone}`.toUpperCase() : `${whole}T00:00:00Z`;
  return BigInt(Date.parse(iso) + (isLeap ? 1000 : 0)) * 10n ** 9n + BigInt(fraction.padEnd(12, "0"));
};
const rank = (value: unknown, kind?: string): number =>
  isNone(value)
    ? 0
    : typeof value === "boolean"
      ? 1
      : typeof value === "number" || typeof value === "bigint"
        ? 2
        : kind === "time" && isTime(value)
          ? 3
          : 4;
const compareTexts = (a: string, b: string): number => {
  const [x, y] = [[...a], [...b]].map((all) => all.map((one) => one.codePointAt(0) as number)) as [number[], number[]];
  for (const [index, point] of x.entries())
    if (point !== y[index]) return y[index] === undefined || point > y[index] ? 1 : -1;
  return x.length - y.length;
};
const compare = (a: unknown, b: unknown, kind?: string): number => {
  const type = rank(a, kind);
  if (type !== rank(b, kind)) return type - rank(b, kind);
  if (type === 0) return 0;
  if (type === 4)
    return kind === "uuid" ? compareTexts(`${a}`.toLowerCase(), `${b}`.toLowerCase()) : compareTexts(`${a}`, `${b}`);
  const [x, y] = (type === 3 ? [toTime(`${a}`), toTime(`${b}`)] : [a, b]) as [number, number];
  return x < y ? -1 : x > y ? 1 : 0;
};

/** Returns the values at a path: those of each item of an array. */
export const read = (value: unknown, [name, ...rest]: readonly string[]): unknown[] => {
  if (Array.isArray(value)) return value.flatMap((one) => read(one, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return [value];
  return isNone(value) || typeof value !== "object" || !Object.hasOwn(value as object, name)
    ? [undefined]
    : read((value as Json)[name], rest);
};
const fold = (text: string) => text.normalize("NFC").toUpperCase();
const isText = (value: unknown): value is string => typeof value === "string";

function matches(value: unknown, operator: Operator, wanted: unknown, kind?: string): boolean {
  const sign = compare(value, wanted, kind);
  const isComparable = rank(value, kind) === rank(wanted, kind);
  const isDay = kind === "time" && /^\d{4}-\d\d-\d\d$/.test(`${wanted}`);
  const isAfterDay =
    isDay && rank(value, kind) === 3 && toTime(`${value}`) >= toTime(`${wanted}`) + 86_400n * 10n ** 12n;
  switch (operator) {
    case "eq":
      return sign === 0;
    case "in":
      return (wanted as unknown[]).some((one) => compare(value, one, kind) === 0);
    case "gt":
      return isDay ? isAfterDay : isComparable && sign > 0;
    case "gte":
      return isComparable && sign >= 0;
    case "lt":
      return isComparable && sign < 0;
    case "lte":
      return isComparable && (isDay ? !isAfterDay : sign <= 0);
    case "startsWith":
      return isText(value) && value.startsWith(`${wanted}`);
    case "endsWith":
      return isText(value) && value.endsWith(`${wanted}`);
    case "contains":
      return isText(value) && value.includes(`${wanted}`);
    case "isNull":
      return isNone(value) === wanted;
  }
}

/** Returns whether a record matches a condition. */
export const isMatch = (record: Json, { members: all, operator, value, not, ignoresCase }: Condition) => {
  const folded = (one: unknown) => (ignoresCase && isText(one) && operator !== "isNull" ? fold(one) : one);
  const wanted = Array.isArray(value) ? value.map(folded) : folded(value);
  const results = all.flatMap(({ path, kind }) =>
    read(record, path).map((one) => matches(folded(one), operator, wanted, kind)),
  );
  return results.some(Boolean) !== (not ?? false);
};

/** Returns the comparison of records in an order. */
export const inOrder = (orders: readonly Order[]) => (a: Json, b: Json) => {
  for (const { path, kind, descending } of orders) {
    if (path.length === 0) return (descending ? -1 : 1) * (Number(a.id) - Number(b.id));
    const [x, y] = [read(a, path), read(b, path)].map((all) => (all.length === 1 ? all[0] : undefined));
    const sign = compare(x, y, kind);
    if (sign !== 0) return descending ? -sign : sign;
  }
  return (orders.at(-1)?.descending ? -1 : 1) * (Number(a.id) - Number(b.id));
};
