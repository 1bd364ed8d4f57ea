// Conformance suite of the stores: lists that are filtered by any field of a pet, whichever filters the document has.
import type { NewPet, Pet, PetQuery, Store } from "../../src/store/port.ts";
import { petFieldTypes } from "../../src/store/rows.ts";
import { testStores } from "../support/conformance.ts";
import { createPet, listPets, statuses } from "../support/pets.ts";

type Filter = Partial<Pet>;

// Values of all types that a field of a pet has. The values of an enum are strings.
const samples: Readonly<Record<string, readonly (bigint | string | undefined)[]>> = {
  int64: [7n, 0n, -1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)],
  string: ["Rex", "rex", "", "7", "7n", "'; DROP TABLE pets; --", "🐕"],
  "string?": statuses,
};
const fields = Object.keys(petFieldTypes) as (keyof Pet)[];
const samplesOf = (field: keyof Pet) => samples[petFieldTypes[field]] as readonly (bigint | string | undefined)[];

/** Creates pets with different combinations of values. */
async function createPets(store: Store): Promise<Pet[]> {
  const pets: Pet[] = [];
  for (let n = 0; n < 60; n++) {
    const entries = fields.slice(1).map((field, index) => {
      const values = samplesOf(field);
      return [field, values[Math.floor(n / (index + 1)) % values.length]];
    });
    pets.push(await createPet(store, Object.fromEntries(entries) as NewPet));
  }
  return pets;
}

/** Lists all pets with the values of a filter, in pages of two. */
async function listAll(store: Store, filter: Filter): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (;;) {
    const { pets, more } = await listPets(store, {
      ...filter,
      limit: 2,
      position: { after: ids.at(-1) ?? 0n },
    } as PetQuery);
    ids.push(...pets.map(({ id }) => id));
    if (!more) return ids;
  }
}

testStores("lists the pets with the value of any field, and of several fields", async (t, { store }) => {
  const pets = await createPets(store);
  const isMatch = (filter: Filter) => (pet: Pet) =>
    fields.every((field) => filter[field] === undefined || pet[field] === filter[field]);
  const single = fields.flatMap((field) => samplesOf(field).map((value): Filter => ({ [field]: value })));
  const pairs = pets
    .slice(0, 9)
    .flatMap((pet) =>
      fields.flatMap((one) => fields.map((other): Filter => ({ [one]: pet[one], [other]: pet[other] }))),
    );
  // All at once.
  const filters: Filter[] = [...single, ...pairs, ...pets.slice(0, 9), ...single];
  const lists = await Promise.all(filters.map((filter) => listAll(store, filter)));
  for (const [index, filter] of filters.entries()) {
    const expected = pets.filter(isMatch(filter)).map(({ id }) => id);
    t.same(lists[index], expected, Object.keys(filter).join());
  }
});

testStores("rejects a filter that is no field of a pet", async (t, { store }) => {
  for (const name of ["category_id", "constructor", "1 = 1; DROP TABLE pets; --"]) {
    const query = { limit: 1, [name]: "x" } as PetQuery;
    await t.rejects(store.pets.list(query), { message: `The pets have no field '${name}'.` });
  }
});
