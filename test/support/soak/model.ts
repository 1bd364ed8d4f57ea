// The model of the store in a soak run: the pets that must exist. A pet is derived from its number, with which its name
// begins, so that the model stores two numbers for each pet.
import { pause } from "../wait.ts";

const createTimeout = 200; // milliseconds until a create that overlaps a list is acknowledged

/** A pet, with exact integers. The id is missing in requests. */
export interface Pet {
  id?: number | bigint;
  name: string;
  categoryId: number | bigint;
  status?: string;
}

export const statuses = ["available", "pending", "sold"] as const;
const suffixes = ["Rex", "Žofie 🐈", 'The "Cat" \\ \u2028'];

/** Creates the pet of a number. Its category can be any int64. */
export function createPet(n: number): Pet {
  const status = statuses[n % 4];
  const categoryId = BigInt.asIntN(64, BigInt(n) * 0x9e3779b97f4a7c15n);
  return { name: `${n} ${suffixes[n % suffixes.length]}`, categoryId, ...(status && { status }) };
}

/** Serializes a pet as JSON, with exact integers. */
export function toJson({ name, categoryId, status }: Pet): string {
  const last = status === undefined ? "" : `,"status":${JSON.stringify(status)}`;
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${last}}`;
}

const numberOf = ({ name }: Pet) => Number.parseInt(name, 10);

/** The pets that were sent and acknowledged. */
export class Model {
  /** The numbers of acknowledged pets, in the order of their responses. */
  readonly acknowledged: number[] = [];
  readonly #acknowledged = new Set<number>();
  readonly #ids: number[] = []; // by number
  #sent = 0;

  /** Returns the number of a new pet, which the caller sends. */
  take(): number {
    return this.#sent++;
  }

  /** The number of pets that were sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Returns the id of a pet that was in a response. */
  idOf(n: number): number | undefined {
    return this.#ids[n];
  }

  /** Returns how a pet of a response contradicts the model; undefined if it does not. Remembers its id. */
  check(pet: Pet): string | undefined {
    const n = numberOf(pet);
    if (!(n < this.#sent)) return `${pet.name} was never sent`;
    const expected = createPet(n);
    if (pet.name !== expected.name || pet.status !== expected.status || BigInt(pet.categoryId) !== expected.categoryId)
      return `${toJson(pet)} was sent as ${toJson(expected)}`;
    this.#ids[n] ??= Number(pet.id);
    return this.#ids[n] === Number(pet.id) ? undefined : `${pet.name} has the id ${pet.id}, and had ${this.#ids[n]}`;
  }

  /** Adds a pet that was acknowledged with 201, and must exist from now on. Returns the result of `check`. */
  acknowledge(n: number, pet: Pet): string | undefined {
    if (numberOf(pet) !== n) return `the response to ${n} is ${pet.name}`;
    if (!this.#acknowledged.has(n)) this.acknowledged.push(n);
    this.#acknowledged.add(n);
    return this.check(pet);
  }
}

/** The number of pets that are missing in a list, and of those that are in it more than once. */
export interface Verdict {
  lost: number;
  duplicated: number;
}

/**
 * Compares a complete list, optionally of one status, with the model. The list must contain the pets that were
 * acknowledged before it began, and those acknowledged later with an id that the list had passed: no later page would
 * contain them. A pet with a different id is lost.
 */
export async function verifyList(model: Model, list: AsyncIterable<Pet[]>, status?: string): Promise<Verdict> {
  const acknowledgedBefore = model.acknowledged.length;
  const listed = new Set<number>();
  const found = new Set<number>();
  let duplicated = 0;
  let lastId = 0;
  for await (const pets of list)
    for (const pet of pets) {
      const n = numberOf(pet);
      if (listed.has(n)) duplicated += 1;
      listed.add(n);
      if (model.idOf(n) === Number(pet.id)) found.add(n);
      lastId = Number(pet.id);
    }
  await pause(createTimeout);
  const isExpected = (n: number, index: number) => index < acknowledgedBefore || Number(model.idOf(n)) < lastId;
  const isMissing = (n: number) => !found.has(n) && (status === undefined || createPet(n).status === status);
  const lost = model.acknowledged.filter((n, index) => isMissing(n) && isExpected(n, index)).length;
  return { lost, duplicated };
}
