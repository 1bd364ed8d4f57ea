// Makes sure that the records of a store match the document, before the service uses them.
import type { Document } from "../openapi/application.ts";
import { collectionsOf, listUnserved, upgradeRecords } from "../resources/index.ts";
import { openTables } from "../store/index.ts";
import { upgrades } from "./upgrades.ts";

const advice =
  "Change them with a function: npm run scaffold -- --upgrade NAME writes it, and petstore migrate applies it.";

export interface PrepareOptions {
  /** Applies the functions of upgrades.ts. Otherwise, a function that is pending is an Error. */
  readonly apply: boolean;
  /** Receives the number of records that are done, and of all. */
  readonly progress?: (label: string, done: number, total: number) => void;
  /** Receives a sentence about each collection with records that the document does not have. */
  readonly report?: (message: string) => void;
}

/** Validates the records of the store at `url` if the schema of the document has changed. Rejects like `upgradeRecords`. */
export async function prepareRecords(url: string, document: Document, options: PrepareOptions): Promise<void> {
  const store = await openTables(url, "migrate", { collections: collectionsOf(document) });
  try {
    await upgradeRecords(store, document, { ...options, upgrades, advice });
    if (options.report) for (const message of await listUnserved(store, document)) options.report(message);
  } finally {
    await store.close();
  }
}
