// Finds the record in the response of a list.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation } from "../../../openapi/index.ts";
import { meaningOf, singularOf } from "../../names/meaning.ts";
import { envelopeNames, pageArrayNames } from "../../names/page-names.ts";
import { RecordSchema } from "../../record/record-schema.ts";
import { itemSchemas } from "../../record/schema-nodes.ts";
import { hasOwnId, isThing } from "../lists/page-facts.ts";
import { findId } from "./find-id.ts";

/** Returns the record that a list shows: the items of an array with an id, bare or in a list that has no other array of objects. */
export function findListedRecord(list: RecordSchema, item: Operation): RecordSchema | undefined {
  if (hasOwnId(list)) return undefined;
  const inner = list.propertyNames.flatMap((name) => (meaningOf(envelopeNames, name) && list.member(name)) || []);
  const lists = (arraysOf(list).length > 0 ? [list] : inner).filter((one) => !isThing(one));
  const [items] = itemSchemas(list.parts) ?? [];
  const records = items ? [RecordSchema.of(list.document, items)] : lists.flatMap(arraysOf);
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
