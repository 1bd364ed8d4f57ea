// What the store must hold. A pet follows from its number, with which its name begins: so the model of
// a long run is two numbers for each.
import { setTimeout as pause } from "node:timers/promises";

const underWay = 200; // milliseconds until what was created beside a list is acknowledged

/** An animal, as it is sent and, with its id, answered; numbers are exact. */
export interface Pet {
  id?: number | bigint;
  name: string;
  categoryId: number | bigint;
  status?: string;
}

export const statuses = ["available", "pending", "sold"] as const;
const tails = ["Rex", "Žofie 🐈", 'The "Cat" \\ \u2028'];

/** The pet of a number. Its category is any int64. */
export function petOf(n: number): Pet {
  const status = statuses[n % 4];
  const categoryId = BigInt.asIntN(64, BigInt(n) * 0x9e3779b97f4a7c15n);
  return { name: `${n} ${tails[n % tails.length]}`, categoryId, ...(status && { status }) };
}

/** A pet as JSON text, with exact integers. */
export function toJson({ name, categoryId, status }: Pet): string {
  const rest = status === undefined ? "" : `,"status":${JSON.stringify(status)}`;
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}}`;
}

const numberOf = ({ name }: Pet) => Number.parseInt(name, 10);

export interface Model {
  /** The number of a new pet, which will be sent. */
  take(): number;
  /** How many were sent. */
  sent(): number;
  /** The numbers of the pets that were answered 201, in that order. */
  readonly acknowledged: number[];
  /** The id of a pet that was acknowledged or shown. */
  idOf(n: number): number | undefined;
  /** Why a pet can't be as it was shown; undefined where it can. */
  contradiction(pet: Pet): string | undefined;
  /** Takes a 201: why it can't be, or undefined. Once acknowledged, a pet must stay. */
  acknowledge(n: number, pet: Pet): string | undefined;
}

export function buildModel(): Model {
  let sent = 0;
  const ids: number[] = []; // by number
  const acknowledged: number[] = [];
  const known = new Set<number>();
  const contradiction: Model["contradiction"] = (pet) => {
    const n = numberOf(pet);
    if (!(n < sent)) return `nobody has sent ${pet.name}`;
    const asSent = petOf(n);
    if (pet.name !== asSent.name || pet.status !== asSent.status || BigInt(pet.categoryId) !== asSent.categoryId)
      return `${toJson(pet)} was sent as ${toJson(asSent)}`;
    // Whoever has seen it once finds it under that id for ever.
    ids[n] ??= Number(pet.id);
    return ids[n] === Number(pet.id) ? undefined : `${pet.name} has the id ${pet.id}, and had ${ids[n]}`;
  };
  return {
    take: () => sent++,
    sent: () => sent,
    acknowledged,
    idOf: (n) => ids[n],
    contradiction,
    acknowledge(n, pet) {
      if (numberOf(pet) !== n) return `${n} was sent, and ${pet.name} was answered`;
      if (!known.has(n)) acknowledged.push(n);
      known.add(n);
      return contradiction(pet);
    },
  };
}

/** Of the pets that must be in a list, how many are not; and how many of the list are there once more. */
export interface Verdict {
  lost: number;
  doubled: number;
}

/**
 * Holds a whole list, or the whole list of a status, to what was acknowledged before it was begun, and to
 * what came later with an id that the list had passed: who reads on from there would never see it.
 * A pet under another id than its own is lost.
 */
export async function judge(model: Model, list: AsyncIterable<Pet[]>, status?: string): Promise<Verdict> {
  const before = model.acknowledged.length;
  const names = new Set<number>();
  const found = new Set<number>();
  let doubled = 0;
  let last = 0;
  for await (const pets of list)
    for (const pet of pets) {
      const n = numberOf(pet);
      if (names.has(n)) doubled += 1;
      names.add(n);
      if (model.idOf(n) === Number(pet.id)) found.add(n);
      last = Number(pet.id);
    }
  await pause(underWay);
  const isDue = (n: number, index: number) => index < before || Number(model.idOf(n)) < last;
  const isMissing = (n: number) => !found.has(n) && (status === undefined || petOf(n).status === status);
  const lost = model.acknowledged.filter((n, index) => isMissing(n) && isDue(n, index)).length;
  return { lost, doubled };
}
