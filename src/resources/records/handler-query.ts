// What a handler asks of the records of a collection: by the names of their members.
import { isObject } from "../../lib/index.ts";
import type { Condition, Operator, Order, Page, RecordId, RecordQuery } from "../../store/index.ts";
import { toOrder } from "../recognition/lists/list-order.ts";
import { findNamed } from "../recognition/lists/list-parameters.ts";
import type { Resource } from "../record/resource.ts";

/** How a member is compared. All must hold. Times are compared as instants, whatever their time zone is. */
export interface Comparison<V = unknown> {
  readonly eq?: V;
  readonly not?: V | null;
  readonly in?: readonly V[];
  readonly notIn?: readonly V[];
  readonly gt?: V;
  readonly gte?: V;
  readonly lt?: V;
  readonly lte?: V;
  readonly startsWith?: string;
  readonly endsWith?: string;
  readonly contains?: string;
  /** Whether the case of texts does not matter. */
  readonly ignoresCase?: boolean;
}

type Item<V> = V extends readonly (infer One)[] ? One : V;

/**
 * The members that records must have: `{ state: "open", "owner.name": "Ada", price: { gt: 5 }, closedAt: null }`. Of an array, one item must
 * match; null is a member that is missing or null.
 */
export type Where<R> = {
  readonly [Name in keyof R]?: Item<R[Name]> | null | Comparison<Item<NonNullable<R[Name]>>>;
} & {
  readonly [path: `${string}.${string}`]: unknown;
};

type Names<R> = unknown extends R ? string : Extract<keyof R, string> | `${string}.${string}`;

/** A page of records, as a handler selects it. */
export interface HandlerQuery<R> extends Omit<RecordQuery, "where" | "orderBy" | "limit"> {
  /** The maximum number of records of the page. The default is 100. */
  readonly limit?: number | undefined;
  readonly where?: Where<R> | undefined;
  /** Names of members, with `-` for the descending order. By default, it is the order of creation. */
  readonly orderBy?: readonly (Names<R> | `-${Names<R>}`)[] | undefined;
  /** `all` for the records of all parents, if the collection was asked for without the values of its path. */
  readonly scope?: "all" | undefined;
}

/** A page of records, with the numbers and positions of its first and last one, see `RecordQuery`. */
export type HandlerPage<R> = Omit<Page<R>, "records"> & { readonly records: readonly R[] };

/**
 * The records of a collection for handlers, as objects: integers of the format int64 are bigints. What `private` of x-resource names is not
 * enumerable, so that no response has it by accident.
 */
export interface HandlerRecords<R = unknown, N extends object = object> {
  /** Returns a page like the store, of the records that match. Throws an Error for a name that no member has. */
  list(query?: HandlerQuery<R>): Promise<HandlerPage<R>>;
  /** Counts the records that match. */
  count(where?: Where<R>, scope?: "all"): Promise<bigint>;
  /** Returns the record with an id; undefined if there is none. That of a single record has no effect. */
  find(id: RecordId): Promise<R | undefined>;
  /** Returns the position of a record in lists; undefined if it does not exist. */
  position(id: RecordId): Promise<bigint | undefined>;
  /** Creates a record, and returns it. The store makes its id, if it has none. Rejects with an HttpError (507) if the store is full. */
  create(record: N): Promise<R>;
  /**
   * Creates a record with an id, or replaces the one that has it, by what `edit` returns for it, or for undefined. Atomic, as `change`. Returns
   * the record. Rejects as `create`.
   */
  put(id: RecordId, edit: (record: R | undefined) => N): Promise<R>;
  /**
   * Replaces a record by what `edit` returns; undefined leaves it as it is. No other change comes between. `edit` can run again. Returns the
   * record as it is then; undefined if none has the id.
   */
  change(id: RecordId, edit: (record: R) => N | undefined): Promise<R | undefined>;
  /**
   * Deletes a record with those below it, if `isAllowed` returns true for it. Returns it as it was; undefined if none has the id, or it stays.
   */
  remove(id: RecordId, isAllowed?: (record: R) => boolean): Promise<R | undefined>;
  /** Deletes up to `limit` records below a scope, and returns their number. */
  removeBelow(scope: string, limit: number): Promise<number>;
}

const operators: Readonly<Record<string, Pick<Condition, "operator" | "not">>> = {
  eq: { operator: "eq" },
  not: { operator: "eq", not: true },
  in: { operator: "in" },
  notIn: { operator: "in", not: true },
  ...Object.fromEntries(
    (["gt", "gte", "lt", "lte", "startsWith", "endsWith", "contains"] satisfies Operator[]).map((operator) => [
      operator,
      { operator },
    ]),
  ),
};

/** Returns the conditions of a query. Throws an Error for a name of no member, or an operator that is none. */
export function toConditions(resource: Resource, where: object = {}): Condition[] {
  return Object.entries(where).flatMap(([name, wanted]) => {
    const members = [memberOf(resource, name)];
    if (wanted === undefined) return [];
    if (!isObject(wanted)) return [toCondition("eq", wanted, { members })];
    const { ignoresCase, ...comparisons } = wanted as Comparison;
    return Object.entries(comparisons).flatMap(([operator, value]) =>
      value === undefined ? [] : [toCondition(operator, value, { members, ignoresCase })],
    );
  });
}

function toCondition(name: string, value: unknown, parts: Pick<Condition, "members" | "ignoresCase">): Condition {
  const found = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (found === undefined)
    throw new Error(`There is no operator ${name}. There are: ${Object.keys(operators).join(", ")}, ignoresCase.`);
  if (value === null) return { ...parts, operator: "isNull", value: true, ...(found.not && { not: true }) };
  return { ...parts, ...found, value };
}

/** Returns the name and value of the filter that does what a condition says, because the store has an index of it; undefined if there is none. */
export function toFilter(
  { plan }: Resource,
  { members: [member], operator, not, ignoresCase, value }: Condition,
): readonly [name: string, value: unknown] | undefined {
  if (operator !== "eq" || not || ignoresCase || member === undefined || member.kind !== undefined) return undefined;
  const type = typeof value;
  const found = plan.filters.find((filter) => {
    const path = [filter.property, ...(filter.member === undefined ? [] : [filter.member])];
    const isSameType = filter.type === type || (filter.type === "int64" && type === "bigint");
    return !filter.contains && isSameType && path.join("\0") === member.path.join("\0");
  });
  return found && [found.name, value];
}

/** Returns the order of names, of which a descending one begins with `-`. Throws an Error for a name of no member. */
export function toOrders(resource: Resource, names: readonly string[] = []): Order[] {
  return names.map((name) => toOrder(memberOf(resource, name.replace(/^-/, "")), resource, name.startsWith("-")));
}

function memberOf({ name: collection, record }: Resource, name: string) {
  const found = findNamed(name.split("."), record);
  if (found !== undefined) return found;
  throw new Error(`A record of ${collection} has no member ${name}. It has: ${record.propertyNames.join(", ")}.`);
}
