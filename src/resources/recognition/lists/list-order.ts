// The order of a list: the parameters that select it, and their values, such as `-created_at,name`, `name,desc` or `NAME_DESC`.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation } from "../../../openapi/index.ts";
import type { Member, Order } from "../../../store/index.ts";
import {
  directionNames,
  directionWords,
  orderNames,
  orderWords,
  spokenDescending,
  spokenDirection,
  spokenNewestFirst,
  spokenReverse,
} from "../../names/list-names.ts";
import { meaningOf } from "../../names/meaning.ts";
import { findSpokenDefault } from "../../names/member-names.ts";
import type { CollectionPlan } from "../../record/collection-plan.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import { itemSchemas, valueType } from "../../record/schema-nodes.ts";
import { descriptionOf, queryOf } from "../bodies-and-parameters.ts";
import { refusal } from "../x-resource.ts";
import { findMemberOrTime, plainName, sentencesOf } from "./list-parameters.ts";

type Parameter = Operation["parameterParts"][number];

/** The parameters that select the order of a list. */
export interface OrderPlan {
  readonly sort?: string | undefined;
  readonly direction?: string | undefined;
  /** Whether the document says all values of `sort`. */
  readonly isEnum?: boolean;
  /** The order without them, if the description of the list or of a parameter says one. */
  readonly usual?: readonly Order[];
  /** Whether `sort` is descending without a direction. */
  readonly descends?: boolean;
  /** The default of `sort`, if it names no member of a record: it is the order of creation. */
  readonly other?: string | undefined;
}

/** The records that are ordered: a resource, or what is known before its plan. */
export interface OrderedRecords extends Pick<Resource, "record" | "idPath"> {
  readonly collection: Pick<Resource["collection"], "idType">;
  readonly plan: Pick<CollectionPlan, "filters" | "creation">;
}

/**
 * Returns the indexes of a collection: those that the document declares at a path, as names of members, and the orders that its lists have
 * by default. Throws a HintError.
 */
export function findIndexes(
  records: OrderedRecords,
  path: string,
  declared: readonly (readonly string[])[],
  lists: readonly Operation[],
): readonly (readonly Order[])[] {
  const own = declared.map((names) => {
    const orders = readSort(names, records);
    if (typeof orders === "object") return orders;
    const known = records.record.propertyNames.join(", ");
    throw refusal(`the path ${path}`, `a record has no property ${orders} for an index, and has ${known}`);
  });
  const usual = lists.map((list) => defaultOrder(list, records)).filter(([first]) => first && first.path.length > 0);
  return [...new Map([...own, ...usual].map((orders) => [JSON.stringify(orders), orders])).values()];
}

function defaultOrder(list: Operation, records: OrderedRecords): readonly Order[] {
  const { sort, direction, usual = [], descends } = readOrderPlan(list, records) ?? {};
  const defaultOf = (name: string | undefined) => {
    const schema = queryOf(list)
      .find(({ value }) => value.name === name)
      ?.written("schema");
    const parts = schema ? RecordSchema.of(records.record.document, schema).parts : [];
    return parts.find((part) => part.schema.default !== undefined)?.schema.default;
  };
  const sent = defaultOf(sort);
  const word = direction === undefined ? undefined : defaultOf(direction);
  const isReverse = direction !== undefined && word !== undefined ? isDescending(direction, word) : descends;
  const orders = sent === undefined ? usual : readSort([sent].flat().map(String), records, isReverse);
  return typeof orders === "object" ? orders : [];
}

/** Returns the parameters that select the order of a list; undefined if there are none of which a value is understood. */
export function readOrderPlan(list: Operation, resource: OrderedRecords): OrderPlan | undefined {
  const filters = resource.plan.filters.map(({ name }) => name);
  const parameters = queryOf(list).filter(({ value }) => !filters.includes(value.name));
  const { document } = resource.record;
  const schemaOf = (one: Parameter) => {
    const schema = one.written("schema");
    const parts = schema ? RecordSchema.of(document, schema).parts : [];
    return itemSchemas(parts) ?? parts;
  };
  const valuesOf = (one: Parameter) => {
    const schemas = schemaOf(one).map(({ schema }) => schema);
    const values = schemas.flatMap((schema) => (schema.enum ?? []) as unknown[]);
    return values.length > 0
      ? values
      : schemas.flatMap((schema) => (schema.default === undefined ? [] : [schema.default]));
  };
  const isDirection = (one: Parameter) => {
    const meaning = meaningOf(directionNames, plainName(one.value.name));
    if (valueType(schemaOf(one)) === "boolean") return meaning !== undefined && meaning !== "word";
    const values = valuesOf(one);
    if (meaning !== "word") return false;
    if (values.length === 0) return spokenDirection.test(descriptionOf(one));
    return values.every((value) => meaningOf(directionWords, `${value}`) !== undefined);
  };
  const isSort = (one: Parameter) => {
    if (meaningOf(orderNames, plainName(one.value.name)) === undefined || isDirection(one)) return false;
    const values = valuesOf(one);
    const isText = valueType(schemaOf(one)) === "string" && schemaOf(one).every(({ schema }) => !schema.format);
    return (
      isText && (values.length === 0 || values.some((value) => typeof readSort([`${value}`], resource) === "object"))
    );
  };
  const sorting = parameters.find(isSort);
  const sort = sorting?.value.name;
  const isEnum = sorting !== undefined && schemaOf(sorting).some(({ schema }) => schema.enum !== undefined);
  const other =
    sorting &&
    schemaOf(sorting).flatMap(({ schema }) => (schema.default === undefined ? [] : [`${schema.default}`]))[0];
  const isOther = other !== undefined && typeof readSort([other], resource) === "string";
  const isFree = (one: Parameter) =>
    meaningOf(directionNames, plainName(one.value.name)) === "word" && valuesOf(one).length === 0;
  const others = parameters.filter(({ value }) => value.name !== sort);
  const direction = (others.find(isDirection) ?? (sort === undefined ? undefined : others.find(isFree)))?.value.name;
  const directing = parameters.find(({ value }) => value.name === direction);
  const says = (one: Parameter | undefined, words: RegExp) =>
    one ? sentencesOf(one).some((sentence) => words.test(sentence)) : false;
  const descends = says(directing, spokenDescending) || says(sorting, spokenReverse);
  const named = sorting && findSpokenDefault(descriptionOf(sorting))?.text;
  const spoken = named === undefined ? undefined : readSort([named], resource, descends);
  const own = typeof spoken === "object" ? spoken : descends ? newestFirst : undefined;
  const usual = own ?? (direction ? undefined : readSpokenOrder(list, resource));
  if (sort === undefined && direction === undefined && usual === undefined) return undefined;
  return { sort, direction, isEnum, ...(usual && { usual }), ...(descends && { descends }), ...(isOther && { other }) };
}

const newestFirst: readonly Order[] = [{ path: [], descending: true }];

// That which a sentence about a list says: "sorted by its `name` in alphabetical order", or "the newest first".
function readSpokenOrder(list: Operation, resource: OrderedRecords): readonly Order[] | undefined {
  const { summary, description } = Object(list.part.value) as Readonly<Record<string, unknown>>;
  for (const sentence of `${summary ?? ""}. ${description ?? ""}`.split(/\.\s|\n\n/)) {
    const [, text] = /\b(?:sorted|ordered) by (?:the |their |its )?(.+)/is.exec(sentence) ?? [];
    const [names = "", after] = text?.split(/ (of|in|from|to|per|and)\b|[,(]/, 2) ?? [];
    const words = names.replaceAll(/[`'"]/g, "").trim().split(/\s+/);
    const isReverse = /\b(descending|newest|latest|most recent(ly)?|reverse)\b/i.test(sentence);
    // What has values of an enum can be in their order, and "the number of" is no member.
    const candidates = after === "of" ? [] : [words.join("_"), `${words.at(-1)}`];
    const orders = candidates.map((name) => readSort([name], resource, isReverse));
    const found = orders.find(
      (one): one is readonly Order[] => typeof one === "object" && !isEnumerated(one, resource),
    );
    if (found !== undefined) return found;
    if (!spokenNewestFirst.test(sentence)) continue;
    const created = resource.plan.creation === undefined ? readSort(["-created"], resource) : [];
    return typeof created === "object" && created.length > 0 ? created : newestFirst;
  }
  return undefined;
}

function isEnumerated(orders: readonly Order[], { record }: OrderedRecords): boolean {
  return orders.some(({ path }) => record.at(path).some(({ schema }) => schema.enum !== undefined));
}

/** Returns whether the value of a parameter for the direction means that the order is descending. */
export function isDescending(name: string, value: unknown): boolean {
  if (typeof value !== "boolean") return meaningOf(directionWords, `${value}`) === true;
  return value === (meaningOf(directionNames, plainName(name)) === "descending");
}

/**
 * Returns the order that texts say, with each member once. A name without a direction is descending if `byDefault`. Returns the first
 * part that is no member of a record otherwise.
 */
export function readSort(
  texts: readonly string[],
  resource: OrderedRecords,
  byDefault = false,
): readonly Order[] | string {
  const orders: Order[] = [];
  for (const part of texts.flatMap((text) => text.split(/[,;]/)).map((text) => text.trim())) {
    const previous = orders.at(-1);
    const word = meaningOf(directionWords, part);
    if (word !== undefined && previous !== undefined) orders.splice(-1, 1, { ...previous, descending: word });
    else {
      const order = readPart(part, resource, byDefault);
      if (order === undefined) return part;
      orders.push(order);
    }
  }
  return [...Map.groupBy(orders, ({ path }) => path.join("\0")).values()].map(([first]) => first as Order);
}

const wordBefore = /^(asc|desc)\((.+)\)$/i;
const wordBehind = /[ :._|-](asc|desc|ascending|descending)$/i;

function readPart(text: string, resource: OrderedRecords, byDefault: boolean): Order | undefined {
  const [, before, inner = text] = wordBefore.exec(text) ?? [];
  const [behind = "", after] = wordBehind.exec(inner) ?? [];
  const named = inner.slice(0, inner.length - behind.length);
  const [sign] = /^[-+]/.exec(named) ?? [];
  const name = sign === undefined ? named : named.slice(1);
  const word = before ?? after;
  if (!/^[\w.[\]/-]+$/.test(name)) return undefined;
  const plain = toSnakeCase(name).replaceAll(/_+/g, "_");
  const usual = meaningOf(orderWords, plain);
  const descending =
    sign === undefined ? (word === undefined ? byDefault : meaningOf(directionWords, word)) : sign === "-";
  const member = findMemberOrTime(usual?.member ?? plain, resource.record);
  if (member === undefined) return undefined;
  return toOrder(member, resource, usual?.descending ?? descending);
}

/** Returns the order by a member. Numbers of the store are in the order of creation. */
export function toOrder(
  { path, kind }: Member,
  { collection, idPath }: Pick<OrderedRecords, "collection" | "idPath">,
  descending: boolean | undefined,
): Order {
  const isNumber = collection.idType === "int64" && path.join() === idPath.join();
  return { path: isNumber ? [] : path, ...(kind && { kind }), descending };
}
