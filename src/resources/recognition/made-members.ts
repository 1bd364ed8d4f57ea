// Which members of a record no request has, and what the server makes of them: times, constants, defaults, and empty values.
import { toSnakeCase } from "../../lib/index.ts";
import type { SchemaNode } from "../../openapi/index.ts";
import { meaningOf, singularOf } from "../names/meaning.ts";
import { attributesName, callerNames, countNames, kindNames, otherIdNames, timeNames } from "../names/member-names.ts";
import { callerForms, otherIds, type Source } from "../record/member-sources.ts";
import { chooseValues, sampleMember, spokenDefaultOf, valuesOf } from "../record/member-values.ts";
import type { AlternativePlan } from "../record/record-form.ts";
import type { RecordSchema } from "../record/record-schema.ts";
import { itemSchemas, withAlternatives } from "../record/schema-nodes.ts";

/** The reasons for the value of a member that are about a new record. */
const ofNew: ReadonlySet<string> = new Set(["description", "counter", "empty", "beginning"]);

const maxDepth = 3; // of alternatives in alternatives

interface MemberContext {
  /** The schema of what a request has of a record. */
  readonly body: RecordSchema;
  /** Other schemas of the record in responses. */
  readonly shown: readonly RecordSchema[];
  /** Returns the value for which lists look if a request does not say one; undefined for none. */
  readonly listedAs: (name: string) => unknown;
  /** Returns the URL that a member has by its name; undefined for none. */
  readonly urlOf: (name: string) => string | undefined;
  /** The members that a new record has from its path. */
  readonly placed: readonly string[];
  /** The property with the id. */
  readonly id: string;
  /** Whether a request has a credential, and so a caller. */
  readonly hasCaller: boolean;
  /** Whether it makes whole records, and does not change some members of one. */
  readonly isNew: boolean;
  /** Whether a replacement keeps all members that a request does not have. */
  readonly keepsAll: boolean;
}

/** Plans what the server makes of a record, and of each alternative of its schema, and what it keeps of a request. */
export function planMembers(record: RecordSchema, context: MemberContext, depth = 0): AlternativePlan {
  const { body, shown, id, placed, isNew, keepsAll, hasCaller, listedAs, urlOf } = context;
  const canSend = (name: string) => body.propertyNames.includes(name);
  const isUnkept = (name: string) =>
    record
      .property(name)
      .some((node) => node.schema.writeOnly === true || (node.schema.readOnly === true && !canSend(name)));
  const sent = (name: string) => {
    const schemas = body.property(name).flatMap((node) => node.parts());
    return schemas.length > 0 && !schemas.some(({ schema }) => schema.readOnly === true);
  };
  // What only some alternatives have is made by their own plans.
  const names = record.propertyNames.filter((name) => record.isCommon(name));
  const unsent = names.filter((name) => name !== id && !sent(name));
  const hasDefault = (name: string) =>
    record.property(name).some(({ schema }) => schema.default !== undefined) ||
    listedAs(name) !== undefined ||
    spokenDefaultOf(record, name, body) !== undefined;
  const defaults = names.filter(hasDefault);
  const required = new Set([...[record, ...shown].flatMap((schema) => schema.required), ...defaults]);
  // A request can have the time of the creation, so that an import can set it.
  const optional = names.filter((name) => name !== id && sent(name) && !body.required.includes(name));
  const findTimes = (wanted: "created" | "updated", names: readonly string[] = unsent): [string, Source][] =>
    names.flatMap((name) => {
      const time = meaningOf(timeNames, name) === wanted ? timeOf(name, record.property(name)) : undefined;
      return time ? [[name, { time }]] : [];
    });
  const updated = findTimes("updated");
  const sendable = (["created", "updated"] as const).flatMap((wanted) => findTimes(wanted, optional));
  const timed = [...findTimes("created"), ...updated, ...sendable];
  // The type of the object, if it is a constant.
  const own = `${toSnakeCase(record.name ?? "")}_type`;
  const isKind = (name: string) => meaningOf(kindNames, name) ?? toSnakeCase(name) === own;
  const kinds =
    record.alternatives.length > 0
      ? [] // of which each has its own
      : record.propertyNames.filter((name) => isKind(name) && record.isConstant(name));
  const missing = [...new Set([...required, ...kinds])].filter((name) => {
    const isMember = record.propertyNames.includes(name) || record.required.includes(name);
    if (name === id || placed.includes(name) || !isMember || timed.some(([one]) => one === name)) return false;
    return !body.required.includes(name) || !sent(name);
  });
  const isMade = (name: string) => missing.includes(name) || timed.some(([one]) => one === name);
  const inner = planAttributes(record, context);
  const isOfCaller = (name: string) =>
    hasCaller &&
    required.has(name) &&
    meaningOf(callerNames, name) &&
    callerForms(1n).some((one) => record.accepts(name, one));
  const identified = missing.flatMap((name): [string, Source][] => {
    const otherId =
      sent(name) || record.isConstant(name) || !meaningOf(otherIdNames, name) ? undefined : findOtherId(name, record);
    return otherId ? [[name, { otherId }]] : [];
  });
  const counted = missing.flatMap((name): [string, Source][] => {
    const countOf = findCounted(name, record);
    return countOf === undefined ? [] : [[name, { countOf }]];
  });
  const isFound = (name: string) => [...identified, ...counted].some(([one]) => one === name);
  const made = missing.filter((name) => name !== attributesName && !isOfCaller(name) && !isFound(name));
  const values = isNew && made.length > 0 ? chooseValues(record, made, { shown, body, listedAs, urlOf }) : {};
  const created: (readonly [string, Source])[] = [
    ...timed,
    ...identified,
    ...counted,
    ...missing.filter(isOfCaller).map((name) => [name, { caller: true }] as const),
    ...Object.entries(values),
    ...(inner ? [[attributesName, { members: inner.created }] as const] : []),
  ];
  // A replacement without a member of which no schema says the value, such as `enabled`, does not change it.
  const isUnsaid = (source: Source) => "because" in source && ofNew.has(source.because);
  const kept = created
    .filter(([name, source]) => !canSend(name) || meaningOf(timeNames, name) === "created" || isUnsaid(source))
    .map(([name]) => name);
  // What a replacement can't contain, such as that of a command with fewer members, is not removed by it.
  const unsendable = body.propertyNames.length > 0 ? record.propertyNames.filter((name) => !canSend(name)) : [];
  return {
    schema: record.pointer,
    created: isNew ? Object.fromEntries(created) : {},
    updated: Object.fromEntries([
      ...updated,
      ...counted,
      ...(inner ? [[attributesName, { members: inner.updated }] as const] : []),
    ]),
    kept: keepsAll ? record.propertyNames : isNew ? [...new Set([...kept, ...unsendable, ...placed])] : [],
    // A request can't say what the server makes.
    unkept: record.propertyNames.filter((name) => isUnkept(name) || (!canSend(name) && !body.isOpen && isMade(name))),
    alternatives: depth < maxDepth ? record.alternatives.map((one) => planMembers(one, context, depth + 1)) : [],
  };
}

/** Plans what the server makes of a record that an operation changes in its own way. */
export function planChange(record: RecordSchema, body: RecordSchema, id: string): AlternativePlan {
  const none = () => undefined;
  const context = {
    shown: [],
    placed: [],
    isNew: false,
    keepsAll: false,
    hasCaller: false,
    listedAs: none,
    urlOf: none,
  };
  return planMembers(record, { ...context, body, id });
}

/** Returns the array that a member counts, such as `peers` of `peers_count`; undefined if there is none. */
export function findCounted(name: string, record: RecordSchema): string | undefined {
  const [, before, behind] = countNames.exec(toSnakeCase(name)) ?? [];
  const thing = before ?? behind;
  const isInteger = record.property(name).some(({ schema }) => schema.type === "integer");
  if (thing === undefined || !isInteger || !record.accepts(name, 2)) return undefined;
  const isCounted = (one: string) => singularOf(toSnakeCase(one)) === singularOf(thing);
  return record.propertyNames.find((one) => isCounted(one) && itemSchemas(record.property(one)) !== undefined);
}

// The first form of an id that a member can have.
function findOtherId(name: string, record: RecordSchema): keyof typeof otherIds | undefined {
  const forms = Object.keys(otherIds) as (keyof typeof otherIds)[];
  const highest = { int48: 2 ** 48 - 2, int31: 2 ** 31 - 2, uuid: otherIds.uuid() };
  return forms.find((form) => record.accepts(name, highest[form]));
}

// The members of the `attributes` of JSON:API are those of a record.
function planAttributes(record: RecordSchema, context: MemberContext): AlternativePlan | undefined {
  const [inner, body] = [record, context.body].map((schema) => schema.member(attributesName));
  if (inner === undefined || body === undefined || inner.propertyNames.length === 0) return undefined;
  const plan = planMembers(inner, { ...context, body, shown: [], id: "\0", placed: [] }, maxDepth);
  return Object.keys(plan.created).length + Object.keys(plan.updated).length > 0 ? plan : undefined;
}

/**
 * Returns the required member of a body that has another form in a record, and is not one of these names, so that its effect is not known;
 * undefined if there is none.
 */
export function findOpaqueMember(
  record: RecordSchema,
  body: RecordSchema,
  known: readonly string[],
): string | undefined {
  const isUnknown = (name: string) => body.required.includes(name) && !known.includes(name);
  const names = Object.keys(Object(body.example)).filter(isUnknown);
  return names.find((name) => sampleMember(record, body, name) === undefined);
}

/**
 * Returns a record of which no request has said anything: its required members, and those with a default. Undefined if the document does not
 * say the value of a required one.
 */
export function makeInitial(record: RecordSchema): object | undefined {
  const hasDefault = (name: string) => record.property(name).some(({ schema }) => schema.default !== undefined);
  const names = record.propertyNames.filter((name) => record.required.includes(name) || hasDefault(name));
  const values = valuesOf(chooseValues(record, names, { isSaid: true }));
  return record.required.every((name) => Object.hasOwn(values, name)) ? values : undefined;
}

function timeOf(
  name: string,
  parts: readonly SchemaNode[],
): "date-time" | "date" | "seconds" | "milliseconds" | undefined {
  const schemas = withAlternatives(parts);
  const has = (keyword: string, value: string) =>
    schemas.some(({ schema }) => [schema[keyword]].flat().includes(value));
  const isNumber = has("type", "integer") || has("type", "number");
  const words = schemas.map(({ schema }) => `${schema.description ?? ""}`).join(" ");
  const isExact = schemas.some(({ schema }) => Number(schema.example) > 1e11); // in seconds, the year 5138
  // Longs of Java and numbers of JavaScript are in milliseconds, unless the document says otherwise.
  const isLong = has("format", "int64") || has("type", "number");
  const isUsual = isLong && /[a-z](At|Timestamp|Time|On|Date)$/.test(name) && !/second|unix/i.test(words);
  if (isNumber) return isExact || isUsual || /milli/i.test(words) ? "milliseconds" : "seconds";
  const format = has("format", "datetime")
    ? "date-time"
    : (["date-time", "date"] as const).find((one) => has("format", one));
  const isFree = has("type", "string") && schemas.every(({ schema }) => schema.format === undefined && !schema.pattern);
  return format ?? (isFree ? "date-time" : undefined);
}
