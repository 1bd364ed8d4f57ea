// Finds the record in the response of a list.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation } from "../../../openapi/index.ts";
import { meaningOf, singularOf } from "../../names/meaning.ts";
import { envelopeNames, pageArrayNames } from "../../names/page-names.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import { itemSchemas } from "../../record/schema-nodes.ts";
import { findId } from "./find-id.ts";

/** Returns the record that a list shows: the items of an array with an id, bare or in an object that has no other array of objects. */
export function findListedRecord(list: RecordSchema, item: Operation): RecordSchema | undefined {
  if (list.propertyNames.some((name) => /^[_$]?id$/i.test(name))) return undefined; // is a record that has others
  const own = arraysOf(list);
  const inner = list.propertyNames.flatMap((name) => {
    const member = meaningOf(envelopeNames, name) && list.member(name);
    return member ? arraysOf(member) : [];
  });
  const [items] = itemSchemas(list.parts) ?? [];
  const records = items ? [RecordSchema.of(list.document, items)] : own.length > 0 ? own : inner;
  const [record] = records;
  return record && records.length === 1 && findId(item, record) ? record : undefined;
}

// The schemas of the objects in the arrays of an object, without those that describe a page.
function arraysOf(schema: RecordSchema): RecordSchema[] {
  return schema.propertyNames.flatMap((name) => {
    const [items] = itemSchemas(schema.property(name)) ?? [];
    const record = items && !meaningOf(pageArrayNames, name) ? RecordSchema.of(schema.document, items) : undefined;
    return record && record.propertyNames.length > 0 ? [record] : [];
  });
}

/** Returns whether an object has an array of objects with the name of a thing, or with one that begins so. */
export function hasArrayNamedAs(segment: string, schema: RecordSchema): boolean {
  const thing = singularOf(toSnakeCase(segment));
  const isArray = (name: string) =>
    itemSchemas(schema.property(name))?.some(({ schema: { properties } }) => properties);
  return schema.propertyNames.some((name) => toSnakeCase(name).startsWith(thing) && isArray(name));
}
