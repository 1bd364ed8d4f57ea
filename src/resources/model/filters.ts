// The filters of a list: its parameters with the name and type of a property.
import type { Operation, SchemaNode } from "../../openapi/application.ts";
import type { Filter } from "../../store/index.ts";
import { queryOf } from "./operation-parts.ts";
import { pageRoleOf } from "./page-parameters.ts";
import { itemSchemas, RecordSchema, valueType } from "./record-schema.ts";

/**
 * Returns the filters of a list. A parameter names a property, or in the singular an array, of which it is an item. It must have the type
 * of the property.
 */
export function readFilters(list: Operation, record: RecordSchema): Filter[] {
  return queryOf(list).flatMap((parameter): Filter[] => {
    const { name } = parameter.value;
    if (pageRoleOf(parameter, record) !== undefined) return [];
    const schema = parameter.written("schema");
    const sent = schema && valueType(new RecordSchema(record.document, schema).parts);
    for (const property of [name, `${name}s`]) {
      const schemas = record.property(property);
      const items = itemSchemas(schemas);
      const compared = items ?? schemas;
      const type = valueType(compared);
      const contains = items !== undefined;
      if (type !== undefined && type === sent && (contains || property === name))
        return [{ name, property, type, contains, isLong: type === "string" && !compared.some(isShort) }];
    }
    return [];
  });
}

const maxShortLength = 500; // characters of up to 4 bytes

function isShort({ schema: { enum: values, const: value, format, maxLength } }: SchemaNode): boolean {
  const isDated = format === "date" || format === "date-time" || format === "uuid";
  return values !== undefined || value !== undefined || isDated || Number(maxLength) <= maxShortLength;
}
