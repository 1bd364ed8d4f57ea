// Prepares the records of a store for a document: changes or validates them, and names those that the document does not have.
import type { Document } from "../../../openapi/index.ts";
import { collectionsIn, openTables, sharedTables } from "../../../store/index.ts";
import { collectionsOf } from "../../recognition/collections/find-collections.ts";
import { responsesCollection } from "../repeated-responses.ts";
import { type UpgradeOptions, upgradeRecords } from "./outdated-records.ts";

/** Calls `upgradeRecords` for the store at `url`, and then `report` with what `describeUnserved` returns. */
export async function prepareRecords(
  url: string,
  document: Document,
  { service, report, ...options }: UpgradeOptions & { service: string; readonly report?: (message: string) => void },
): Promise<void> {
  const collections = collectionsOf(document);
  const store = await openTables(url, "migrate", { service, collections });
  try {
    await upgradeRecords(store, document, options);
    const counts: Record<string, number> = {};
    if (report)
      await store.read(async (source) => {
        for (const { name } of collectionsIn(source.tables).slice(collections.length))
          counts[name] = await source.count(name);
      });
    for (const message of describeUnserved(document, counts)) report?.(message);
  } finally {
    await store.close();
  }
}

/** Returns a sentence about each collection that has records, and that the document does not have. `counts` is by table. */
export function describeUnserved(document: Document, counts: Readonly<Record<string, number>>): string[] {
  const collections = [...collectionsOf(document), responsesCollection];
  const known = new Set([...Object.keys(sharedTables), ...collections.map(({ name }) => name)]);
  return Object.entries(counts).flatMap(([name, count]) => {
    if (count === 0 || known.has(name)) return [];
    const records = count === 1 ? "1 record of it, which is" : `${count} records of it, which are`;
    return `The document has no collection ${name}, but the database has ${records} kept, and not served. If it is a collection of an application (collections of openStore), leave it. If its path was renamed, set x-resource: { name: ${name} } at the new path. Otherwise, export them with the former document, and drop the table ${name}.`;
  });
}
