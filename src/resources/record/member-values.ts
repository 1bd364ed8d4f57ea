// The values of members that a request does not have, or has in another form.
import { parseJson, type RawJson, toSnakeCase } from "../../lib/index.ts";
import { meaningOf } from "../names/meaning.ts";
import {
  beginnings,
  certainIdNames,
  findSpokenDefault,
  pointedNames,
  referenceNames,
  spokenValues,
  stateNames,
  urlNames,
} from "../names/member-names.ts";
import { RecordSchema } from "./record-schema.ts";
import { itemSchemas } from "./schema-nodes.ts";

/** The members of an object. */
export type Members = Readonly<Record<string, unknown>>;

/** Returns the members of a stored record. It can be nested more deeply than a new one. */
export function membersOf({ text }: RawJson<unknown>): Members {
  return parseJson(text, Number.POSITIVE_INFINITY) as Members;
}

/**
 * Returns a member of a request as a record has it: what a response requires in an object, and a request does not, is that of
 * `chooseValues`. Undefined if it is no value of the member.
 */
export function completeMember(record: RecordSchema, name: string, value: unknown): unknown {
  if (record.accepts(name, value)) return value;
  const schema = record.member(name);
  // Only alternatives whose missing required members are constants, those with the fewest first.
  const countMissing = ({ required }: RecordSchema) =>
    required.filter((one) => !Object.hasOwn(Object(value), one)).length;
  const isKind = (one: RecordSchema) =>
    one.required.every((member) => Object.hasOwn(Object(value), member) || one.isConstant(member));
  const alternatives = (schema?.alternatives ?? [])
    .filter(isKind)
    .toSorted((a, b) => countMissing(a) - countMissing(b));
  const completed = schema ? [schema, ...alternatives].map((one) => completeValue(one, value)) : [];
  return [...completed, otherScalar(value)].find((one) => one !== undefined && record.accepts(name, one));
}

/** Returns a value that both a request and a record can have as a member; undefined if none of their examples is one. */
export function sampleMember(record: RecordSchema, body: RecordSchema, name: string): unknown {
  const [sent, known] = [body, record].map(({ example }) => (Object(example) as Members)[name]);
  const isKnown = (value: unknown) => value !== undefined && completeMember(record, name, value) !== undefined;
  if (isKnown(sent)) return sent;
  const own = body.member(name)?.example;
  return isKnown(own) ? own : [known].find((value) => isKnown(value) && body.accepts(name, value));
}

// A request can have a number as a text, or a text as a number.
function otherScalar(value: unknown): unknown {
  if (typeof value === "number" || typeof value === "bigint") return `${value}`;
  return typeof value === "string" && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value) ? parseJson(value) : undefined;
}

function completeValue(schema: RecordSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const [items] = itemSchemas(schema.parts) ?? [];
    const item = items && RecordSchema.of(schema.document, items);
    return item ? value.map((one) => completeValue(item, one)) : value;
  }
  if (value === null) return value;
  if (typeof value !== "object") return referenceTo(schema, value) ?? value;
  const missing = schema.required.filter((name) => !Object.hasOwn(value, name));
  const made = missing.length > 0 ? valuesOf(chooseValues(schema, missing)) : {};
  const own = Object.entries(value).map(([name, one]) => [name, completeMember(schema, name, one) ?? one]);
  return { ...made, ...Object.fromEntries(own) };
}

// A request can have the id of another record where a response has a part of that record.
function referenceTo(schema: RecordSchema, id: unknown): object | undefined {
  const name = referenceNames.find((one) => schema.propertyNames.includes(one) && schema.accepts(one, id));
  return name === undefined ? undefined : (completeValue(schema, { [name]: id }) as object);
}

/** Why a member that no request has gets its value. */
export type Reason =
  | "x-resource"
  | "only value"
  | "default"
  | "description"
  | "URL"
  | "counter"
  | "null"
  | "empty"
  | "beginning";

/** A value, and why it is that. */
export interface ChosenValue {
  readonly value: unknown;
  readonly because: Reason;
}

interface ChoiceOptions {
  /** Other schemas that the values must match. */
  readonly shown?: readonly RecordSchema[];
  /** The schema of a request, whose descriptions can say defaults. */
  readonly body?: RecordSchema | undefined;
  /** Returns the value for which lists look if a request does not say one; undefined for none. */
  readonly listedAs?: ((name: string) => unknown) | undefined;
  /** Returns the URL that a member has by its name; undefined for none. */
  readonly urlOf?: ((name: string) => string | undefined) | undefined;
  /** Whether a value must be one that the document says: a constant, a default, null or an empty array. */
  readonly isSaid?: boolean;
  /** Of objects whose members are chosen. */
  readonly levels?: number;
}

/**
 * Returns the values of members that no request has said: for each the first that each schema allows. An example is none, because it is
 * about another record. A member without such a value has none.
 */
export function chooseValues(
  record: RecordSchema,
  names: readonly string[],
  { shown = [], body, listedAs, urlOf, isSaid = false, levels = 3 }: ChoiceOptions = {},
): Readonly<Record<string, ChosenValue>> {
  const chosen = names.flatMap((name) => {
    const schemas = record.property(name).map(({ schema }) => schema);
    const find = (keyword: string) => schemas.find((schema) => schema[keyword] !== undefined)?.[keyword];
    const values = find("enum") as unknown[] | undefined;
    const isBeginning = (value: unknown) => beginnings.includes(toSnakeCase(`${value}`));
    const member = schemas.some(({ properties }) => properties !== undefined) ? record.member(name) : undefined;
    // `{ "self": { "href": … } }`, `{ "issue": { "href": … } }` with the URL of the parent, and `{ "lines": { "data": [], "url": … } }`, the URL of that list, if it has a path.
    const isList = member?.propertyNames.some((one) => itemSchemas(member.property(one)));
    const listUrl = (one: string) => (isList && meaningOf(urlNames, one) ? urlOf?.(`${name}_url`) : undefined);
    const linkUrl = () => urlOf?.(name) ?? urlOf?.(`${name}_url`);
    const innerUrl = (one: string) => listUrl(one) ?? (one === "href" ? linkUrl() : urlOf?.(one));
    const inner = { urlOf: innerUrl, isSaid, levels: levels - 1 };
    const made = member && levels > 0 ? valuesOf(chooseValues(member, member.required, inner)) : {};
    const said: readonly (readonly [Reason, ...unknown[]])[] = [
      [
        "only value",
        find("const"),
        ...(values?.length === 1 ? values : []),
        onlyNumber(find("minimum"), find("maximum")),
      ],
      ["default", find("default")],
      ["description", spokenDefaultOf(record, name, body)],
      ["default", listedAs?.(name)],
      ["URL", urlOf?.(name), pathOf.exec(`${find("pattern")}`)?.[1]],
      ["counter", !isSaid && /(^|_)count$/.test(toSnakeCase(name)) ? 0 : undefined],
      ["null", null],
      ["empty", [], made],
    ];
    const isId = certainIdNames.test(toSnakeCase(name));
    const isPointed =
      pointedNames.test(toSnakeCase(name)) || schemas.some(({ format }) => pointedFormats.has(format as string));
    const spokenStates = stateNames.test(name)
      ? describedIn(record, name, body).flatMap((one) => `${one.description}`.match(spokenValues) ?? [])
      : [];
    const likely: typeof said = [
      ["beginning", ...(values ?? spokenStates).filter(isBeginning).toSorted((a, b) => orderOf(a) - orderOf(b))],
      ["empty", ...(values ? [] : [false, ...(isId ? [] : [0]), ...(isPointed ? [] : [""])])],
    ];
    const isAllowed = (value: unknown) => [record, ...shown].every((schema) => schema.accepts(name, value));
    const found = [...said, ...(isSaid ? [] : likely)].flatMap(([because, ...all]) =>
      all.map((value) => ({ value, because })),
    );
    const first = found.find(({ value }) => value !== undefined && isAllowed(value));
    return first ? [[name, first] as const] : [];
  });
  return Object.fromEntries(chosen);
}

/** Returns the default of a member that a description says; undefined if there is none that a record can have. */
export function spokenDefaultOf(record: RecordSchema, name: string, body?: RecordSchema): unknown {
  const said = describedIn(record, name, body).flatMap(({ description }) => findSpokenDefault(description) ?? []);
  const values = record.property(name).find(({ schema }) => schema.enum)?.schema.enum as unknown[] | undefined;
  const candidates = said.flatMap(({ text, isValue }) => {
    const listed = (values ?? [true, false]).filter((value) => `${value}` === text);
    // Another member, or no value, such as in "defaults to `name`" and "defaults to `null`".
    const isOther = record.propertyNames.includes(text) || /^(null|none|nil|now|empty|undefined)$/i.test(text);
    const number = /^-?(0|[1-9]\d*)$/.test(text) ? [parseJson(text)] : [];
    return [...listed, ...(values || isOther ? [] : [...number, ...(isValue ? [text] : [])])];
  });
  return candidates.find((value) => record.accepts(name, value));
}

const describedIn = (record: RecordSchema, name: string, body: RecordSchema | undefined) =>
  [...record.property(name), ...(body?.property(name) ?? [])].map(({ schema }) => schema);

const onlyNumber = (minimum: unknown, maximum: unknown) => (minimum === maximum ? minimum : undefined);

// Of a list in a record, such as `^/v1/refunds`.
const pathOf = /^\^(\/[\w/-]+)\$?$/;
const pointedFormats: ReadonlySet<unknown> = new Set(["uri", "url", "uuid", "date", "date-time", "unix-time"]);

const orderOf = (value: unknown) => beginnings.indexOf(toSnakeCase(`${value}`));

/** Returns the values that `chooseValues` has chosen. */
export function valuesOf(chosen: Readonly<Record<string, ChosenValue>>): Members {
  return Object.fromEntries(Object.entries(chosen).map(([name, { value }]) => [name, value]));
}
