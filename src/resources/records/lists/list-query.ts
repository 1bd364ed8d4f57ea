// What a request says of the records of a list: which ones, and in which order.
import { InvalidRequest } from "../../../http/index.ts";
import { InvalidValue, isObject, parseJson } from "../../../lib/index.ts";
import { type Condition, isComparison, isTime, type Order } from "../../../store/index.ts";
import { directionWords } from "../../names/list-names.ts";
import { meaningOf } from "../../names/meaning.ts";
import { isDescending, readSort } from "../../recognition/lists/list-order.ts";
import type { ListCondition } from "../../recognition/lists/list-parameters.ts";
import type { ListPlan } from "../../recognition/plan.ts";
import type { Resource } from "../../record/resource.ts";
import { notUnderstood } from "../requests/request.ts";

const maxSorts = 100; // each takes time to find

type Query = Readonly<Record<string, unknown>>;

/** Returns whether the value of a parameter selects all records, such as `all`. */
export function isWildcard({ wildcards }: ListPlan, name: string, query: Query): boolean {
  return Object.hasOwn(wildcards, name) && wildcards[name]?.includes(query[name]) === true;
}

/** Returns the conditions of a request, and of the filters those with several values. Throws an HttpError for a value that is none. */
export function readWhere(list: ListPlan, { plan }: Resource, query: Query): Condition[] {
  const { conditions } = list;
  const { filters, private: hidden = [] } = plan;
  const own = conditions.flatMap((condition) => {
    const { parameter, key, type, isList, values: switched, members: all, ...others } = condition;
    const members = all.filter(({ path: [name = ""] }) => !hidden.includes(name));
    const rest = { ...others, members };
    const sent = query[parameter];
    if (members.length === 0 && sent !== undefined) throw notUnderstood(`parameter ${parameter}`);
    requireKnownKeys(conditions, parameter, sent);
    const value = key === undefined ? (isObject(sent) ? undefined : sent) : (Object(sent) as Query)[key];
    if (value === undefined || isWildcard(list, parameter, query)) return [];
    if (switched !== undefined) {
      const isApplied = switched[`${value}`.toLowerCase()];
      if (isApplied === undefined) throw notUnderstood(`parameter ${parameter}=${value}`);
      return isApplied ? [{ ...rest, value: true }] : [];
    }
    // `exclude_archived=false` excludes nothing.
    if (value === false && rest.not === true && rest.operator !== "isNull") return [];
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
  if (typeof value !== "string" || operator === "isNull") return value;
  if (type === "string") {
    // Only times have a range.
    if (isComparison(operator) && !isTime(value))
      throw invalid(parameter, `The parameter ${parameter} must be a date or a time.`);
    return value;
  }
  const isOfType = type === "boolean" ? /^(true|false)$/ : /^-?(0|[1-9]\d*)(\.\d+)?$/;
  try {
    if (isOfType.test(value)) return parseJson(value);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error; // a number that is too large, or not exact
  }
  throw invalid(parameter, `The parameter ${parameter} must be ${type === "boolean" ? "true or false" : "a number"}.`);
}

function invalid(name: string, message: string): InvalidRequest {
  return new InvalidRequest([{ location: "query", name, message }]);
}

/** Returns the order of a request; empty for that of creation. Throws an HttpError for a value that is none. */
export function readOrder({ order }: ListPlan, resource: Resource, query: Query): readonly Order[] {
  const { sort, direction, isEnum, other, usual = [], descends } = order ?? {};
  const word = direction === undefined ? undefined : query[direction];
  if (typeof word === "string" && meaningOf(directionWords, word) === undefined)
    throw invalid(`${direction}`, `The parameter ${direction} must be asc or desc.`);
  const isReverse = direction !== undefined && word !== undefined ? isDescending(direction, word) : descends;
  const sent = sort === undefined ? undefined : query[sort];
  if (sort === undefined || sent === undefined || sent === other)
    return word === undefined ? usual : isReverse ? [{ path: [], descending: true }] : [];
  const texts = [sent].flat().map(String);
  if (texts.join().split(/[,;]/).length > maxSorts)
    throw invalid(sort, `The parameter ${sort} can have up to ${maxSorts} names.`);
  const orders = readSort(texts, resource, isReverse);
  const { private: hidden = [] } = resource.plan;
  const isHidden = typeof orders === "object" && orders.some(({ path: [name = ""] }) => hidden.includes(name));
  if (typeof orders === "object" && !isHidden) return orders;
  if (isEnum || !/^[\w.\s,;:|()+-]*$/.test(texts.join())) throw notUnderstood(`parameter ${sort}=${sent}`);
  const known = resource.record.propertyNames.filter((name) => !hidden.includes(name)).join(", ");
  const problem = `can't have ${isHidden ? sent : orders || "an empty name"}: a list can be ordered by ${known}.`;
  throw invalid(sort, `The parameter ${sort} ${problem}`);
}
