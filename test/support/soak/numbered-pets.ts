// The pets of a soak run. A pet is derived from its number, with which its name begins, so that a history stores only
// numbers.

/** A pet, with exact integers. The id is missing in requests. */
export interface Pet {
  id?: number | bigint;
  name: string;
  categoryId: number | bigint;
  status?: string;
}

export const statuses = ["available", "pending", "sold"] as const;
/** The status of a pet. */
export type Status = (typeof statuses)[number];
const suffixes = ["Rex", "Žofie 🐈", 'The "Cat" \\ \u2028'];

/** Returns the status of the pet of a number. Every fourth pet has none. */
export function statusOf(n: number): Status | undefined {
  return statuses[n % 4];
}

/** Creates the pet of a number. Its category can be any int64. */
export function createPet(n: number): Pet {
  const status = statusOf(n);
  const categoryId = BigInt.asIntN(64, BigInt(n) * 0x9e3779b97f4a7c15n);
  return { name: `${n} ${suffixes[n % suffixes.length]}`, categoryId, ...(status && { status }) };
}

/** Serializes a pet as JSON, with exact integers. */
export function toJson({ name, categoryId, status }: Pet): string {
  const last = status === undefined ? "" : `,"status":${JSON.stringify(status)}`;
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${last}}`;
}

/** Returns the number of a pet of a response, or undefined if the pet differs from that of the number. */
export function numberOf(pet: Pet): number | undefined {
  const n = Number.parseInt(pet.name, 10);
  if (!(n >= 0)) return undefined;
  const expected = createPet(n);
  const isEqual = pet.name === expected.name && pet.status === expected.status;
  return isEqual && BigInt(pet.categoryId) === expected.categoryId ? n : undefined;
}
