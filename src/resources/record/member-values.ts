// The values of members that a request does not have, or has in another form.
import { parseJson, toSnakeCase } from "../../lib/index.ts";
import { itemSchemas, RecordSchema } from "./record-schema.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns a member of a request as a record has it: what a response requires in an object, and a request does not, is that of an example.
 * Undefined if it is no value of the member.
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
  const made = missing.length > 0 ? chooseValues(schema, missing) : {};
  const own = Object.entries(value).map(([name, one]) => [name, completeMember(schema, name, one) ?? one]);
  return { ...made, ...Object.fromEntries(own) };
}

// A request can have the id of another record where a response has a part of that record.
function referenceTo(schema: RecordSchema, id: unknown): object | undefined {
  const names = ["id", "gid", "uuid", "key", "slug", "login", "name", "code", "ref", "sha"];
  const name = names.find((one) => schema.propertyNames.includes(one) && schema.accepts(one, id));
  return name === undefined ? undefined : (completeValue(schema, { [name]: id }) as object);
}

/** Returns the first value that each schema allows: a constant, a default, 0 for a counter, null, an empty array or object, or an example. */
export function chooseValues(
  record: RecordSchema,
  names: readonly string[],
  shown: readonly RecordSchema[] = [],
): Members {
  const example = Object(record.example) as Members;
  const values = names.map((name) => {
    const schemas = record.property(name).map(({ schema }) => schema);
    const find = (keyword: string) => schemas.find((schema) => schema[keyword] !== undefined)?.[keyword];
    const values = find("enum") as unknown[] | undefined;
    const usual = [
      find("const"),
      values?.length === 1 ? values[0] : undefined,
      find("default"),
      /(^|_)count$/.test(toSnakeCase(name)) ? 0 : undefined,
      null,
      [],
      schemas.some(({ properties }) => properties !== undefined) ? undefined : {},
    ];
    const isAllowed = (value: unknown) => [record, ...shown].every((schema) => schema.accepts(name, value));
    const examples = [example, ...shown.map((schema) => Object(schema.example) as Members)].map((one) => one[name]);
    const allowed = [...usual, ...examples].filter((value) => value !== undefined && isAllowed(value));
    const [chosen = example[name]] = allowed;
    return [name, chosen] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
