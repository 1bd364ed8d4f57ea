// Stores that are broken on purpose, to test that a soak run finds it.
import type { Store } from "../../../src/store/port.ts";
import type { Random } from "../random.ts";
import { tamper } from "../stores.ts";
import type { Property } from "./history.ts";

/** The store that a defect breaks: the store itself, the URL of its database, and the generator of the defect. */
export interface BrokenStoreOptions {
  store: Store;
  url: string;
  random: Random;
}

const maxStaleness = 100; // milliseconds

// Loses one acknowledged create in 50.
function loseCreates({ store, url, random }: BrokenStoreOptions): Store {
  const create: Store["pets"]["create"] = async (pet, key) => {
    const result = await store.pets.create(pet, key);
    const isLost = result.outcome === "created" && key === undefined && random.chance(50);
    if (isLost) await tamper(url, `DELETE FROM pets WHERE id = ${/"id":(\d+)/.exec(result.pet.text)?.[1]}`);
    return result;
  };
  return { ...store, pets: { ...store.pets, create } };
}

// Returns pages that are up to 100 ms old.
function returnStalePages({ store }: BrokenStoreOptions): Store {
  const pages = new Map<string, { readAt: number; page: ReturnType<Store["pets"]["list"]> }>();
  const list: Store["pets"]["list"] = (query) => {
    const key = [query.limit, query.status, Object.entries(query.position ?? {})].join();
    const cached = pages.get(key);
    if (cached && performance.now() - cached.readAt < maxStaleness) return cached.page;
    const page = store.pets.list(query);
    pages.set(key, { readAt: performance.now(), page });
    return page;
  };
  return { ...store, pets: { ...store.pets, list } };
}

// Ignores the Idempotency-Key of one create in three.
function repeatCreates({ store, random }: BrokenStoreOptions): Store {
  const create: Store["pets"]["create"] = (pet, key) => store.pets.create(pet, random.chance(3) ? undefined : key);
  return { ...store, pets: { ...store.pets, create } };
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
