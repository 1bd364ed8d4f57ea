// What a request says of the records of a list: which ones, and in which order.
import { InvalidRequest } from "../../http/index.ts";
import { isObject, parseJson } from "../../lib/index.ts";
import type { Condition, Filter, Order } from "../../store/index.ts";
import { isDescending, readSort } from "../recognition/list-order.ts";
import type { ListCondition } from "../recognition/list-parameters.ts";
import type { ListPlan } from "../recognition/plan.ts";
import type { Resource } from "../record/resource.ts";
import { notUnderstood } from "./request.ts";

type Query = Readonly<Record<string, unknown>>;

/** Returns the conditions of a request, and of the filters those with several values. Throws an HttpError for a value that is none. */
export function readWhere({ conditions, wildcards }: ListPlan, filters: readonly Filter[], query: Query): Condition[] {
  const isWildcard = (name: string) => wildcards[name]?.includes(query[name]) === true;
  const own = conditions.flatMap((condition) => {
    const { parameter, key, type, isList, ...rest } = condition;
    const sent = query[parameter];
    requireKnownKeys(conditions, parameter, sent);
    const value = key === undefined ? (isObject(sent) ? undefined : sent) : (Object(sent) as Query)[key];
    if (value === undefined || isWildcard(parameter)) return [];
    const parts = isList ? `${value}`.split(",").map((one) => one.trim()) : value;
    const values = Array.isArray(parts) ? parts.map((one) => convert(one, condition)) : convert(parts, condition);
    return [{ ...rest, value: values }];
  });
  const several = filters.flatMap(({ name, property, member }): Condition[] => {
    const value = query[name];
    if (!Array.isArray(value) || value.length < 2) return [];
    return [{ members: [{ path: [property, ...(member === undefined ? [] : [member])] }], operator: "in", value }];
  });
  return [...own, ...several];
}

function requireKnownKeys(conditions: readonly ListCondition[], parameter: string, sent: unknown): void {
  if (!isObject(sent)) return;
  const keys = conditions.flatMap((one) => (one.parameter === parameter && one.key !== undefined ? [one.key] : []));
  const unknown = Object.keys(sent).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw notUnderstood(`parameter ${parameter}[${unknown}]`);
}

// A number can be sent as a text, such as an item of `1,2`.
function convert(value: unknown, { type, operator, parameter }: ListCondition): unknown {
  if (typeof value !== "string" || type === "string" || operator === "isNull") return value;
  if (type === "boolean" && /^(true|false)$/.test(value)) return value === "true";
  if (type !== "boolean" && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value)) return parseJson(value);
  const kind = type === "boolean" ? "true or false" : "a number";
  throw new InvalidRequest([
    { location: "query", name: parameter, message: `The parameter ${parameter} must be ${kind}.` },
  ]);
}

/** Returns the order of a request; empty for that of creation. Throws an HttpError for a value that is none. */
export function readOrder({ order }: ListPlan, resource: Resource, query: Query): readonly Order[] {
  const { sort, direction, isEnum, other } = order ?? {};
  const isReverse = direction !== undefined && isDescending(direction, query[direction]);
  const sent = sort === undefined ? undefined : query[sort];
  if (sort === undefined || sent === undefined || sent === other)
    return isReverse ? [{ path: [], descending: true }] : [];
  const orders = readSort([sent].flat().map(String), resource, isReverse);
  if (typeof orders === "object") return orders;
  if (isEnum) throw notUnderstood(`parameter ${sort}=${sent}`);
  const known = resource.record.propertyNames.join(", ");
  const message = `The parameter ${sort} can't have ${orders || "an empty name"}: a list can be ordered by ${known}.`;
  throw new InvalidRequest([{ location: "query", name: sort, message }]);
}
