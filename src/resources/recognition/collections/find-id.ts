// Finds the id of a record: in a property, or as the last parameter of its path.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation, SchemaNode } from "../../../openapi/index.ts";
import type { Collection } from "../../../store/index.ts";
import { pluralsOf } from "../../names/meaning.ts";
import { contentNames, idNames, namedParameters, nameIds, spokenIds, spokenNames } from "../../names/member-names.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import { valueType } from "../../record/schema-nodes.ts";
import { descriptionOf } from "../bodies-and-parameters.ts";
import { lastSegment, listPathOf, parametersOf } from "../paths.ts";

/** The property with the id of a record. */
export interface Id {
  readonly path: readonly string[];
  readonly type: Collection["idType"];
  /** Whether the document says where it is. */
  readonly isGiven?: boolean;
  /** Whether the id is a string in the record, and an integer in the path. */
  readonly isConverted?: boolean;
}

/** The id of a record that has none: that of its path. */
export const pathId: Id = { path: [], type: "string" };

/**
 * Returns the property with the id of a record that an operation returns: the one that is named like the last parameter of its path, or
 * `id`, or as ids usually are. `given` is where the document says that it is, and `created` what a POST has of a record. Undefined if there
 * is none.
 */
export function findId(
  { path: template, parameterParts }: Operation,
  record: RecordSchema,
  given?: readonly string[],
  created?: RecordSchema,
): Id | undefined {
  if (given !== undefined) {
    const type = idType(record.at(given));
    if (given.length > 1 && type === "int64") return undefined; // the store writes only texts inside of objects
    return type && { path: given, type, isGiven: true };
  }
  const parameter = parametersOf(template).at(-1) as string;
  const part = parameterParts.find(({ value }) => value.in === "path" && value.name === parameter);
  const schema = part?.written("schema");
  const parts = schema ? RecordSchema.of(record.document, schema).parts : [];
  const sent = idType(parts);
  const thing = toSnakeCase(listPathOf(template)).split("_").at(-1)?.replace(/s$/, "");
  const whole = toSnakeCase(parameter);
  const words = whole.split("_");
  const suffixes = words.slice(1).map((_, index) => words.slice(index + 1).join("_"));
  const description = part ? descriptionOf(part) : "";
  // Two records can have the same name, unless the path is by name.
  const isByName =
    (namedParameters.test(whole) && !words.includes("or")) || (parameter !== "id" && spokenNames.test(description));
  const things = toSnakeCase(lastSegment(listPathOf(template)));
  const canBeName = isByName || [whole, ...pluralsOf(whole)].includes(things);
  const usual = [`${thing}_id`, ...idNames.filter((name) => (name === "name" ? canBeName : `${name}_id` !== whole))];
  const find = (wanted: string | undefined) =>
    record.propertyNames.find((name) => toSnakeCase(name) === wanted) ??
    record.propertyNames.find((name) => toSnakeCase(withoutSign(name)) === wanted);
  // Such as `role_id_or_label`: the id that the server makes, or else the last of them that the record has.
  const either = words.includes("or") ? words.toReversed() : [];
  const isMade = /(^|_)id_or_|_or_id$/.test(whole) && created !== undefined && !created.canHave("id");
  // Such as `refund_id` of `{terminal_refund_id}`, and `code` of `/promotion_codes/{promotion_code}`: they say something else.
  const isOwn = pluralsOf(whole).includes(things);
  const certain = suffixes.filter((suffix) => either.length > 0 || !(isOwn || suffix.endsWith("_id")));
  const [, said] = spokenIds.exec(description) ?? [];
  const byName = isByName && either.length === 0 ? nameIds : [];
  // Such as the text of a comment, in `/comments/{comment}`.
  const isContent = contentNames.test(whole) && record.propertyNames.includes("id");
  const first = isMade || isContent ? ["id"] : [whole, ...certain, ...byName, ...either, "id", ...suffixes];
  const alike = record.propertyNames.filter((name) => lettersOf(name) === lettersOf(parameter));
  const named = [
    ...(said ? [said] : []),
    ...(isContent ? [] : [parameter, ...alike]),
    ...[...first, "id"].flatMap((one) => find(one) ?? []),
  ];
  // A UUID is no name or code.
  const canBe = (name: string) => !isUuid(parts) || isUuid(record.property(name));
  const others = usual.flatMap((one) => find(one) ?? []).filter(canBe);
  // Such as `sink_id` of `/logsinks/{logsink_id}`.
  const similar = record.propertyNames.filter((name) => {
    const [, prefix] = /^(.+)_id$/.exec(toSnakeCase(name)) ?? [];
    return prefix !== undefined && thing?.endsWith(prefix);
  });
  for (const name of [...named, ...others, ...similar]) {
    // The parameter can be a key of a map, which is no property.
    const type = record.propertyNames.includes(name) ? idType(record.property(name)) : undefined;
    // The parameter can be the number of a text: they are compared as texts.
    const isComparable = sent === "int64" ? type === sent || named.includes(name) : !isByName || type !== "int64";
    if (type !== undefined && isComparable)
      return { path: [name], type, isConverted: sent === "int64" && type === "string" };
  }
  // As Kubernetes does.
  const nested = [parameter, "id", "uid", "name"].map((name) => ["metadata", name]);
  const path = nested.find((names) => idType(record.at(names)) === "string");
  return path && sent !== "int64" ? { path, type: "string" } : undefined;
}

/** Returns the property with the other id of a record whose path can have one of two, such as the slug of `{id_or_slug}`; undefined for none. */
export function findOtherId(
  parameter: string,
  { path: [idName, ...inner] }: Id,
  record: RecordSchema,
): string | undefined {
  const [one, other] = toSnakeCase(parameter).split("_or_");
  if (one === undefined || other === undefined || idName === undefined || inner.length > 0) return undefined;
  const words = [other, one, one.split("_").at(-1)];
  const isText = (name: string) => idType(record.property(name)) === "string";
  return record.propertyNames.find((name) => name !== idName && words.includes(toSnakeCase(name)) && isText(name));
}

/** Returns a name without what separates its words, in lower case. */
export const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, "");

const isUuid = (schemas: readonly SchemaNode[]) => schemas.some(({ schema: { format } }) => format === "uuid");

/** Returns the name of a member without the sign that some services put before their own: `id` of `_id` and `$id`. */
export function withoutSign(name: string): string {
  return name.replace(/^[$_]/, "");
}

// The format of a number does not matter: the store generates small integers.
function idType(schemas: readonly SchemaNode[]): Id["type"] | undefined {
  const type = valueType(schemas);
  return type === "number" ? "int64" : type === "boolean" ? undefined : type;
}
