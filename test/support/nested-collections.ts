// Collections below each other, for the tests of the stores.
import { toScope } from "../../src/store/ids.ts";
import type { Store } from "../../src/store/port.ts";
import { type Collection, scopeFilter } from "../../src/store/records.ts";

const shops: Collection = { name: "shops", id: "shop", idType: "string", properties: ["shop"], filters: [] };
const books: Collection = {
  name: "books",
  id: "id",
  idType: "int64",
  isScoped: true,
  properties: ["id"],
  filters: [scopeFilter],
};
const pages: Collection = { ...books, name: "pages" };

/** Shops, and the books and pages of each. */
export const collections = [shops, books, pages];

/** The scope of the shop `a`. */
export const scope = toScope(["a"]);

/** The deletion of the shop `a`, with all below it. */
export const deletion = { collection: "shops", address: "a", scope, below: ["books", "pages"] };

/**
 * Returns the number of records of each collection, in this order: what is counted below a record that is missing was not deleted
 * meanwhile.
 */
export async function countsOf(store: Store): Promise<number[]> {
  const counts: number[] = [];
  for (const { name } of collections) counts.push(Number(await store.records(name).count()));
  return counts;
}
