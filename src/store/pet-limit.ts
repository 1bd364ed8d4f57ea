// Limits the number of pets in a store (MAX_PETS), without a count for each create.
//
// The limit is an id: each new pet uses a new id, in any process, so a count that finds room for n pets permits the next
// n ids. Ids without a pet only make this limit too strict: their create failed, the sequence of PostgreSQL skipped them
// after a crash, or their pet was deleted. A create that reaches the limit therefore counts again.

/** A count of all pets, and the last id that had been generated before. */
export interface PetCount {
  readonly lastId: bigint;
  readonly pets: bigint;
}

const minFullPeriod = 1_000; // milliseconds
const fullPeriodPerCount = 20; // a full store spends at most 5 % of its time on counts

/** The limit of a store with a maximum number of pets. Until the first count, it permits no pet. */
export class PetLimit {
  readonly #maxPets: bigint | null;
  #maxId = 0n;
  #fullUntil = 0;

  /** `maxPets` is the maximum; null sets no limit. */
  constructor(maxPets: bigint | null) {
    this.#maxPets = maxPets;
  }

  /** The highest id that a new pet may have; null sets no limit. */
  get maxId(): bigint | null {
    return this.#maxPets && this.#maxId;
  }

  /** Whether a recent count found no room. A count of millions of pets is too expensive for each rejected create. */
  get isFull(): boolean {
    return performance.now() < this.#fullUntil;
  }

  /**
   * Sets the limit by a count that began at `start` (performance.now). No pet that the count has missed may have
   * `lastId` or a lower id.
   */
  update({ lastId, pets }: PetCount, start: number): void {
    if (this.#maxPets === null) return;
    this.#maxId = lastId + this.#maxPets - pets;
    const now = performance.now();
    const fullPeriod = Math.max(minFullPeriod, (now - start) * fullPeriodPerCount);
    this.#fullUntil = pets < this.#maxPets ? 0 : now + fullPeriod;
  }
}
