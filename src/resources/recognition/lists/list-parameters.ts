// The parameters of a list that compare members in another way than a filter, or search in texts: by their names, types and descriptions.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation, SchemaNode } from "../../../openapi/index.ts";
import type { Condition, Member, TextKind } from "../../../store/index.ts";
import {
  boundNames,
  type Comparison,
  comparisonNames,
  searchNames,
  spokenComparisons,
  unclearComparisons,
} from "../../names/list-names.ts";
import { meaningOf } from "../../names/meaning.ts";
import { attributesName, referenceNames, timeNames } from "../../names/member-names.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import { alternativeType, itemSchemas, type ValueType, valueType } from "../../record/schema-nodes.ts";
import { descriptionOf } from "../bodies-and-parameters.ts";
import { readParameterHint } from "../x-resource.ts";
import { findSearched } from "./search-members.ts";

type Parameter = Operation["parameterParts"][number];

/** A parameter of a list that records must match. */
export interface ListCondition extends Omit<Condition, "value"> {
  readonly parameter: string;
  /** The member of its value, an object, such as `gte` of `created[gte]`. */
  readonly key?: string | undefined;
  /** Whether the value, a text, has several ones between commas. */
  readonly isList?: boolean | undefined;
  /** Whether it applies, by what is sent, if the parameter is on or off: the member is compared with true. */
  readonly values?: Readonly<Record<string, boolean>> | undefined;
  /** The type of the member, into which a text is converted. */
  readonly type: ValueType;
}

/** Returns the conditions of a parameter of a list; none if its effect is not known, or it is a filter. */
export function readConditions(parameter: Parameter, record: RecordSchema): readonly ListCondition[] {
  const { name } = parameter.value;
  const schema = parameter.written("schema");
  const given = readParameterHint(parameter);
  if (schema === undefined || given !== undefined || isUnclear(parameter)) return [];
  const parts = RecordSchema.of(record.document, schema).parts;
  const own = readCondition(name, parts, descriptionOf(parameter), record);
  const keys = RecordSchema.of(record.document, schema).propertyNames;
  const inner = keys.flatMap((key) => {
    const found = readCondition(`${name}_${key}`, RecordSchema.of(record.document, schema).property(key), "", record);
    return found ? [{ parameter: name, key, ...found }] : [];
  });
  return [...(own ? [{ parameter: name, ...own }] : []), ...inner];
}

/** Returns whether the description of a parameter says that it compares in a way that is not known. */
export function isUnclear(parameter: Parameter): boolean {
  return sentencesOf(parameter).some((sentence) => unclearComparisons.some((words) => words.test(sentence)));
}

/** Returns the sentences of the description of a parameter. */
export function sentencesOf(parameter: Parameter): readonly string[] {
  return descriptionOf(parameter).split(/[.;]\s/);
}

function readCondition(
  name: string,
  parts: readonly SchemaNode[],
  description: string,
  record: RecordSchema,
): Omit<ListCondition, "parameter"> | undefined {
  const items = itemSchemas(parts);
  const sent = valueType(items ?? parts) ?? alternativeType(parts);
  if (sent === undefined) return undefined;
  const plain = plainName(name);
  if (sent === "string" && meaningOf(searchNames, plain)) {
    if (languageWords.test(description)) return undefined;
    const members = findSearched(record, description);
    return members.length > 0 ? { members, operator: "contains", ignoresCase: true, type: "string" } : undefined;
  }
  const isList = items !== undefined || /comma[- ]separated|separated by comma/i.test(description);
  const spoken = isList ? undefined : spokenComparisons.find(([words]) => words.test(description))?.[1];
  const usual: Comparison = spoken ?? { operator: isList ? "in" : "eq" };
  const named = comparisonsOf(plain).map(
    ([member, comparison]) =>
      [findMemberOrTime(member, record) ?? findReference(member, sent, record), comparison] as const,
  );
  const singular = plain.replace(/(?<=[a-z]{2})s$/, "");
  const candidates: readonly (readonly [Found | undefined, Comparison])[] = [
    [findMember(plain, record), usual],
    [findReference(plain, sent, record), usual],
    ...named,
    ...(isList ? [[findMember(singular, record), usual] as const] : []),
    [findBound(plain, description, record), meaningOf(boundNames, plain) ?? usual],
  ];
  for (const [found, comparison] of candidates) {
    if (found === undefined || !canCompare(found, sent, comparison)) continue;
    if (found.isUrl && kindOf("", items ?? parts) === "uuid") continue;
    const { path, kind, type } = found;
    const isEach = isList && comparison.operator === "in" && items === undefined;
    return { members: [{ path, ...(kind && { kind }) }], ...comparison, type, ...(isEach && { isList: true }) };
  }
  return undefined;
}

// What is no text to look for.
const languageWords =
  /\b(syntax|language|operators?|qualifiers?|expressions?|lucene|scim|odata|kql|jql|json|format|punctuation|stemming|prefix(es)?|(starts?|begins?)\s+with)\b/i;

/** Returns whether schemas are those of URLs, which no UUID is. */
export function areUrls(schemas: readonly SchemaNode[]): boolean {
  return schemas.some(({ schema: { format } }) => format === "uri" || format === "url");
}

function canCompare({ type, kind }: Found, sent: ValueType, { operator }: Comparison): boolean {
  const isNumber = (one: ValueType) => one === "number" || one === "int64";
  if (operator === "isNull") return sent === "boolean";
  const isText = operator === "contains" || operator === "startsWith" || operator === "endsWith";
  if (isText) return sent === "string" && type === "string";
  const isRange = operator !== "eq" && operator !== "in";
  if (isRange && (type === "boolean" || (type === "string" && kind !== "time"))) return false;
  return sent === type || (isNumber(sent) && isNumber(type)) || (sent === "string" && isNumber(type));
}

/** Returns the name of a parameter without what surrounds that of a member: `price_gte` of `filter[price][gte]`, `price__gte` and `Price.Gte`. */
export function plainName(name: string): string {
  return toSnakeCase(name)
    .replaceAll(/_+/g, "_")
    .replace(/^_|_$/g, "")
    .replace(/^(filter|where|query)_(?=.)/, "");
}

// The members that a name can mean, with their comparisons.
function comparisonsOf(plain: string): readonly (readonly [string, Comparison])[] {
  return comparisonNames.flatMap(([pattern, comparison]) => {
    const member = pattern.exec(plain)?.groups?.member;
    return member === undefined ? [] : [[member, comparison] as const];
  });
}

interface Found extends Member {
  readonly type: ValueType;
  readonly isUrl?: boolean;
}

/** Returns the member of a record with a name in snake case: a property, or a member of one. Undefined if there is none. */
export function findMember(name: string, record: RecordSchema): Found | undefined {
  const find = (names: readonly string[], wanted: string) => names.find((one) => toSnakeCase(one) === wanted);
  const own = find(record.propertyNames, name);
  if (own !== undefined) return toFound([own], record);
  const attribute = record.member(attributesName)?.propertyNames;
  const inside = attribute && find(attribute, name);
  if (inside !== undefined) return toFound([attributesName, inside], record);
  for (const outer of record.propertyNames) {
    const start = `${toSnakeCase(outer)}_`;
    const names = name.startsWith(start) ? itemOrMember(record, outer)?.propertyNames : undefined;
    const inner = names && find(names, name.slice(start.length));
    if (inner !== undefined) return toFound([outer, inner], record);
  }
  return undefined;
}

// The key of an object, or of the objects in an array: `site` of `site.slug`, and `tag` of `tags.slug`. By an integer, it is the id.
function findReference(name: string, sent: ValueType, record: RecordSchema): Found | undefined {
  const outer = record.propertyNames.find((one) => [name, `${name}s`].includes(toSnakeCase(one)));
  const inner = outer === undefined ? undefined : itemOrMember(record, outer);
  if (outer === undefined || inner === undefined) return undefined;
  const keys = referenceNames.filter((key) => inner.propertyNames.includes(key));
  const found = keys.flatMap((key) => toFound([outer, key], record) ?? []);
  return found.find(
    ({ type }) =>
      canCompare({ path: [], type }, sent, { operator: "eq" }) && (type === "string") === (sent === "string"),
  );
}

/** Returns the member to which names lead; undefined if the schema has none. */
export function findNamed(path: readonly string[], record: RecordSchema): Member | undefined {
  const [name = "", ...inner] = path;
  if (!record.propertyNames.includes(name)) return record.isOpen ? { path } : undefined;
  const schema = inner.length > 0 ? itemOrMember(record, name) : undefined;
  if (inner.length > 0 && schema !== undefined) {
    const found = findNamed(inner, schema);
    return found && { ...found, path: [name, ...found.path] };
  }
  if (inner.length > 0) return undefined;
  const schemas = record.property(name);
  const kind = kindOf(name, itemSchemas(schemas) ?? schemas);
  return { path, ...(kind && { kind }) };
}

function itemOrMember(record: RecordSchema, name: string): RecordSchema | undefined {
  const [items] = itemSchemas(record.property(name)) ?? [];
  return items ? RecordSchema.of(record.document, items) : record.member(name);
}

/** Returns a member like `findMember`, or the time whose name begins with a name: `published` is `published_at`, and `created` any creation. */
export function findMemberOrTime(name: string, record: RecordSchema): Found | undefined {
  const own = findMember(name, record);
  if (own !== undefined) return own;
  const meaning = meaningOf(timeNames, name);
  const isNamed = (one: string) => ["at", "on", "date", "time"].some((end) => toSnakeCase(one) === `${name}_${end}`);
  const found = record.propertyNames.filter(
    (one) => isNamed(one) || (meaning && meaningOf(timeNames, one) === meaning),
  );
  return found.length === 1 ? toFound(found, record) : undefined;
}

function toFound(path: readonly string[], record: RecordSchema): Found | undefined {
  const [outer = "", inner] = path;
  const schemas = inner === undefined ? record.property(outer) : (itemOrMember(record, outer)?.property(inner) ?? []);
  const compared = itemSchemas(schemas) ?? schemas;
  const type = valueType(compared) ?? alternativeType(compared);
  const kind = type === "string" ? kindOf(path.at(-1) as string, compared) : undefined;
  return type && { path, type, isUrl: areUrls(compared), ...(kind && { kind }) };
}

/** Returns how texts are compared, by the name of a member and its schemas; undefined for their characters. */
export function kindOf(name: string, schemas: readonly SchemaNode[]): TextKind | undefined {
  const formats = schemas.map(({ schema: { format } }) => format);
  if (formats.includes("uuid")) return "uuid";
  return formats.includes("date-time") || formats.includes("date") || meaningOf(timeNames, name) ? "time" : undefined;
}

// The time that `since` or `to` bounds: the only one of a record, or that of which the description tells, by default that of the creation.
function findBound(plain: string, description: string, record: RecordSchema): Found | undefined {
  if (meaningOf(boundNames, plain) === undefined) return undefined;
  const times = record.propertyNames.flatMap((name) => {
    const found = toFound([name], record);
    const isTime = found?.kind === "time" || (found && found.type !== "boolean" && meaningOf(timeNames, name));
    return isTime ? [found] : [];
  });
  const wanted = /updated|modified|changed/i.test(description) ? "updated" : "created";
  const usual = times.filter(({ path }) => meaningOf(timeNames, path[0] as string) === wanted);
  return usual[0] ?? (times.length === 1 ? times[0] : undefined);
}
