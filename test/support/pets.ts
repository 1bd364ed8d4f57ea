// The limits of a pet in the document, and pets of a store with exact numbers.
import { parse } from "yaml";
import type { components as types } from "../../src/generated/openapi.ts";
import type { RawJson } from "../../src/lib/json.ts";
import { readDocument } from "../../src/pets/document.ts";
import { type Resource, readResources } from "../../src/resources/index.ts";
import { type OpenOptions, type OpenTablesOptions, openDatabase, openTables } from "../../src/store/open.ts";
import type { OpenMode, RecordQuery, RecordStore, Store } from "../../src/store/port.ts";
import type { Collection } from "../../src/store/records.ts";
import { documentText } from "./files.ts";

export type Pet = types["schemas"]["Pet"];
export type NewPet = types["schemas"]["NewPet"];
type PetStatus = types["schemas"]["PetStatus"];

/** What a test lists: a page, and the values of filters. */
export type PetQuery = Omit<RecordQuery, "filter"> & Partial<Record<keyof Pet, unknown>>;

const { paths, components } = parse(documentText);

/** The document, its resource, and its collection. */
export const petDocument = await readDocument();
export const [petResource] = readResources(petDocument) as [Resource];
export const petCollection = petResource.collection;
export const collections: readonly Collection[] = [petCollection];

/** Opens a store for pets. */
export function openPetStore(url: string, options: OpenOptions = {}): Promise<Store> {
  return openDatabase(url, { collections, ...options });
}

/** Opens the tables of a store of pets. */
export function openPetTables(url: string, mode: OpenMode, options: OpenTablesOptions = {}) {
  return openTables(url, mode, { collections, ...options });
}

/** Returns the pets of a store. */
export function petsOf(store: Pick<Store, "records">): RecordStore<Pet, NewPet> {
  return store.records("pets");
}

/** The number of characters that a name may have. */
export const maxName: number = components.schemas.NewPet.properties.name.maxLength;

/** The number of bytes that the body of createPet, and a line of an import, may have. */
export const maxBytes: number = paths["/pets"].post.requestBody["x-max-bytes"];

/** The largest integer of 64 bits. */
export const maxInt64 = 2n ** 63n - 1n;

/** The values of `status`; undefined for a pet without one. */
export const statuses: readonly (PetStatus | undefined)[] = [...components.schemas.PetStatus.enum, undefined];

/** The values of `status`, as error messages list them. */
export const statusList: string = components.schemas.PetStatus.enum.join(", ");

const isInt64 = (name: string) => components.schemas.Pet.properties[name]?.format === "int64";

/** Converts each int64 of a parsed pet to a bigint, as in the types. */
export function toExact(pet: object): Pet {
  return Object.fromEntries(
    Object.entries(pet).map(([name, value]) => [name, isInt64(name) ? BigInt(value) : value]),
  ) as unknown as Pet;
}

/** Serializes a pet to create as JSON, with exact numbers. */
export function toPetJson(pet: NewPet): string {
  const fields = Object.entries(pet).map(
    ([name, value]) => `${JSON.stringify(name)}:${typeof value === "string" ? JSON.stringify(value) : value}`,
  );
  return `{${fields}}`;
}

/** Parses the JSON of a pet or of pets. Each int64 is a bigint, as in the types. */
export function parsePets<T extends Pet | Pet[]>({ text }: RawJson<T>): T {
  type Reviver = (name: string, value: unknown) => unknown; // TypeScript 5 does not know the third argument
  const toBigint = (name: string, value: unknown, context: { source: string }) =>
    isInt64(name) ? BigInt(context.source) : value;
  return JSON.parse(text, toBigint as Reviver);
}

/** Lists pets of a store, parsed. */
export async function listPets(
  store: Store,
  { limit, position, ...filter }: PetQuery,
): Promise<{ pets: Pet[]; more: boolean }> {
  const page = await petsOf(store).list({ limit, position, filter });
  return { pets: parsePets(page.records), more: page.more };
}

/** Returns a pet of a store, parsed. */
export async function findPet(store: Store, id: bigint): Promise<Pet | undefined> {
  const pet = await petsOf(store).find(id);
  return pet && parsePets(pet);
}

/** Creates a pet in a store, and returns it parsed. */
export async function createPet(store: Store, pet: NewPet): Promise<Pet> {
  const result = await petsOf(store).create(pet);
  if (result.outcome !== "created") throw new Error(`not created: ${result.outcome}`);
  return parsePets(result.record);
}
