// The limits of a pet in the document, and pets of a store with exact numbers.
import { parse } from "yaml";
import type { RawJson } from "../../src/lib/json.ts";
import type { NewPet, Pet, PetQuery, PetStatus, Store } from "../../src/store/port.ts";
import { petFieldTypes } from "../../src/store/rows.ts";
import { documentText } from "./files.ts";

const { paths, components } = parse(documentText);

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

const isInt64 = (name: string) => (petFieldTypes as Record<string, string>)[name]?.startsWith("int64") ?? false;

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
export async function listPets({ pets }: Store, query: PetQuery): Promise<{ pets: Pet[]; more: boolean }> {
  const page = await pets.list(query);
  return { pets: parsePets(page.pets), more: page.more };
}

/** Returns a pet of a store, parsed. */
export async function findPet({ pets }: Store, id: bigint): Promise<Pet | undefined> {
  const pet = await pets.find(id);
  return pet && parsePets(pet);
}

/** Creates a pet in a store, and returns it parsed. */
export async function createPet({ pets }: Store, pet: NewPet): Promise<Pet> {
  const result = await pets.create(pet);
  if (result.outcome !== "created") throw new Error(`not created: ${result.outcome}`);
  return parsePets(result.pet);
}
