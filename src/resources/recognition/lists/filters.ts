// The filters of a list: its parameters with the name and type of a property.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation, SchemaNode } from "../../../openapi/index.ts";
import type { Filter } from "../../../store/index.ts";
import { wildcardDefaults, wildcards } from "../../names/list-names.ts";
import { pluralsOf } from "../../names/meaning.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import { alternativeType, itemSchemas, valueType } from "../../record/schema-nodes.ts";
import { defaultOf, queryOf } from "../bodies-and-parameters.ts";
import { readParameterHint, refusal } from "../x-resource.ts";
import { areUrls, isUnclear, kindOf, type ListCondition, readConditions } from "./list-parameters.ts";
import { readStates } from "./list-switches.ts";
import { pageRoleOf } from "./page-parameters.ts";

type Parameter = Operation["parameterParts"][number];

/**
 * Returns the filters of a list. A parameter names a property, or in the singular an array, of which it is an item, or with `_id` an object
 * that has an id. It must have the type of what it is compared with. `exampleId` is an id of a record.
 */
export function readFilters(list: Operation, record: RecordSchema, exampleId: unknown): Filter[] {
  return queryOf(list).flatMap((parameter): Filter[] => {
    const { name } = parameter.value;
    const given = readParameterHint(parameter);
    if (given === undefined && (isUnclear(parameter) || pageRoleOf(parameter, record, exampleId, list) !== undefined))
      return [];
    // A search, or another comparison than whether both are equal.
    const conditions = given === undefined ? readConditions(parameter, record) : [];
    const isFilter = ({ operator, isList, key }: ListCondition) =>
      key === undefined && (operator === "eq" || (operator === "in" && !isList));
    if (!conditions.every(isFilter)) return [];
    const schema = parameter.written("schema");
    const parts = schema ? RecordSchema.of(record.document, schema).parts : [];
    const sent = valueType(itemSchemas(parts) ?? parts) ?? alternativeType(parts);
    for (const [property = "", member] of given ? [given] : placesOf(nameOfFilter(name), record)) {
      const schemas = member === undefined ? record.property(property) : record.at([property, member]);
      const items = member === undefined ? itemSchemas(schemas) : undefined;
      const compared = items ?? schemas;
      const type = valueType(compared) ?? alternativeType(compared);
      const contains = items !== undefined;
      if (
        type !== undefined &&
        type === sent &&
        !(areUrls(compared) && kindOf("", itemSchemas(parts) ?? parts) === "uuid") &&
        (contains || member !== undefined || isSame(property, nameOfFilter(name)) || given)
      ) {
        const isLong = type === "string" && !compared.some(isShort);
        return [{ name, property, ...(member !== undefined && { member }), type, contains, isLong }];
      }
    }
    if (given !== undefined)
      throw refusal(
        `the parameter ${name}`,
        `a record has no property ${given.join(".")} with the type of the parameter`,
      );
    return [];
  });
}

// That of `filter[status]`, as JSON:API writes it.
function nameOfFilter(name: string): string {
  return /^filter\[([^[\]]+)\]$/.exec(name)?.[1] ?? name;
}

const isSame = (a: string, b: string) => toSnakeCase(a) === toSnakeCase(b);

// A record can have an object with the id instead of the id, such as `owner` for `owner` or `owner_id`.
function placesOf(name: string, record: RecordSchema): readonly (readonly string[])[] {
  const [own = name] = record.propertyNames.includes(name)
    ? [name]
    : record.propertyNames.filter((one) => isSame(one, name));
  const thing = /^(.+)_id$/.exec(toSnakeCase(name))?.[1];
  const plurals = pluralsOf(name).map((plural) => [plural]);
  const inside = ["attributes", own]; // JSON:API
  if (thing === undefined) return [[own], ...plurals, ...["id", "gid", "uuid"].map((id) => [own, id]), inside];
  const named = record.propertyNames.filter((one) => toSnakeCase(one) === thing);
  const similar = record.propertyNames.filter((one) => toSnakeCase(one).endsWith(`_${thing}`));
  const objects = named.length === 1 ? named : similar;
  return [[own], ...plurals, inside, ...(objects.length === 1 ? [[objects[0] as string, "id"]] : [])];
}

/** Returns the value of a property for which a list looks if a request says none: the default of its filter. Undefined if there is none. */
export function findListed({ record, plan, operations: { list } }: Resource, property: string): unknown {
  const filter = plan.filters.find((one) => one.property === property && one.member === undefined && !one.contains);
  if (list === undefined || !record.propertyNames.includes(property)) return;
  if (filter === undefined) return queryOf(list).some((part) => selectsTrue(part, record, property)) || undefined;
  const value = defaultOf(queryOf(list).find((part) => part.value.name === filter.name));
  const all = findWildcards(list, record);
  return Object.hasOwn(all, filter.name) && all[filter.name]?.includes(value) ? undefined : value;
}

// Whether the default of a parameter selects the records of which a boolean is true.
function selectsTrue(parameter: Parameter, record: RecordSchema, property: string): boolean {
  const value = `${defaultOf(parameter)}`;
  return readStates(parameter, record).some(
    ({ not, members: [member], values }) => !not && member?.path.join() === property && values?.[value] === true,
  );
}

/** Returns the values of parameters of a list that select all records, such as `all`, or nothing. They are no values of a record. */
export function findWildcards(list: Operation, record: RecordSchema): Readonly<Record<string, readonly unknown[]>> {
  const found = queryOf(list).flatMap((part) => {
    const { name } = part.value;
    const own = record.propertyNames.find((one) => isSame(one, nameOfFilter(name)));
    const schemas = own === undefined ? [] : record.property(own).map(({ schema }) => schema);
    const isFree = schemas.every((schema) => schema.enum === undefined && schema.const === undefined);
    const isOfRecord = (value: unknown) => own !== undefined && !isFree && record.accepts(own, value);
    const { enum: values = [] } = Object(part.at("schema")?.value) as { readonly enum?: readonly unknown[] };
    const first = [defaultOf(part)].filter((value) => wildcardDefaults.test(`${value}`));
    const all = [...first, ...values.filter((value) => wildcards.test(`${value}`))].filter((one) => !isOfRecord(one));
    return all.length > 0 ? [[name, all] as const] : [];
  });
  return Object.fromEntries(found);
}

const maxShortLength = 500; // characters of up to 4 bytes

function isShort({ schema: { enum: values, const: value, format, maxLength } }: SchemaNode): boolean {
  const isDated = format === "date" || format === "date-time" || format === "uuid";
  return values !== undefined || value !== undefined || isDated || Number(maxLength) <= maxShortLength;
}
