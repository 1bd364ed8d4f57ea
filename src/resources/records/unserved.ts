// The records of collections that the document does not have, such as after its path was renamed. They are kept, and not served.
import type { Document } from "../../openapi/application.ts";
import { collectionsIn, sharedTables, type Tables } from "../../store/index.ts";
import { collectionsOf } from "../model/index.ts";

/** Returns a sentence about each collection that has records, and that the document does not have. `counts` is by table. */
export function describeUnserved(document: Document, counts: Readonly<Record<string, number>>): string[] {
  const known = new Set([...Object.keys(sharedTables), ...collectionsOf(document).map(({ name }) => name)]);
  return Object.entries(counts).flatMap(([name, count]) => {
    if (count === 0 || known.has(name)) return [];
    const records = count === 1 ? "1 record of it, which is" : `${count} records of it, which are`;
    return `The document has no collection ${name}, but the database has ${records} kept, and not served. If its path was renamed, set x-resource: { name: ${name} } at the new path. Otherwise, export them with the former document, and drop the table ${name}.`;
  });
}

/** Describes the collections of a store as `describeUnserved` does. */
export async function listUnserved(store: Tables, document: Document): Promise<string[]> {
  const known = new Set(collectionsOf(document).map(({ name }) => name));
  const others = collectionsIn(store.tables).filter(({ name }) => !known.has(name));
  if (others.length === 0) return [];
  const counts: Record<string, number> = {};
  await store.read(async (source) => {
    for (const { name } of others) counts[name] = await source.count(name);
  });
  return describeUnserved(document, counts);
}
