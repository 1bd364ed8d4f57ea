// Stores that are broken on purpose, to test that a soak run finds it.
import type { RecordStore, Store } from "../../../src/store/port.ts";
import { type NewPet, type Pet, petsOf } from "../pets.ts";
import type { Random } from "../random.ts";
import { tamper } from "../stores.ts";
import type { Property } from "./history.ts";

/** The store that a defect breaks: the store itself, the URL of its database, and the generator of the defect. */
export interface BrokenStoreOptions {
  store: Store;
  url: string;
  random: Random;
}

type PetStore = RecordStore<Pet, NewPet>;

// Replaces methods of the pets of a store.
function replace(store: Store, methods: Partial<PetStore>): Store {
  return { ...store, records: () => ({ ...petsOf(store), ...methods }) as never };
}

const maxStaleness = 100; // milliseconds

// Loses one acknowledged create in 50.
function loseCreates({ store, url, random }: BrokenStoreOptions): Store {
  const create: PetStore["create"] = async (pet, key) => {
    const result = await petsOf(store).create(pet, key);
    const isLost = result.outcome === "created" && key === undefined && random.chance(50);
    if (isLost) await tamper(url, `DELETE FROM pets WHERE id = ${/"id":(\d+)/.exec(result.record.text)?.[1]}`);
    return result;
  };
  return replace(store, { create });
}

// Returns pages that are up to 100 ms old.
function returnStalePages({ store }: BrokenStoreOptions): Store {
  const pages = new Map<string, { readAt: number; page: ReturnType<PetStore["list"]> }>();
  const list: PetStore["list"] = (query) => {
    const key = [query.limit, Object.entries(query.filter ?? {}), Object.entries(query.position ?? {})].join();
    const cached = pages.get(key);
    if (cached && performance.now() - cached.readAt < maxStaleness) return cached.page;
    const page = petsOf(store).list(query);
    pages.set(key, { readAt: performance.now(), page });
    return page;
  };
  return replace(store, { list });
}

// Ignores the Idempotency-Key of one create in three.
function repeatCreates({ store, random }: BrokenStoreOptions): Store {
  const create: PetStore["create"] = (pet, key) => petsOf(store).create(pet, random.chance(3) ? undefined : key);
  return replace(store, { create });
}

// Caches API keys without an invalidation.
function keepRevokedKeys({ store }: BrokenStoreOptions): Store {
  const found = new Map<string, Awaited<ReturnType<Store["keys"]["find"]>>>();
  const find: Store["keys"]["find"] = async (hash) => {
    const key = (await store.keys.find(hash)) ?? found.get(hash);
    if (key) found.set(hash, key);
    return key;
  };
  return { ...store, keys: { ...store.keys, find } };
}

/** The defects, by the property of the history that they violate. */
export const defects: Partial<Record<Property, Record<string, (options: BrokenStoreOptions) => Store>>> = {
  missing: {
    "loses one acknowledged create in 50": loseCreates,
    "returns pages that are 100 ms old": returnStalePages,
  },
  duplicated: { "creates a second pet with one Idempotency-Key": repeatCreates },
  revoked: { "accepts a revoked API key": keepRevokedKeys },
};
