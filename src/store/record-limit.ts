// Limits the number of records in a collection (MAX_RECORDS), without a count for each create.
//
// The limit is an id: each new record uses a new id, in any process, so a count that finds room for n pets permits the next
// n ids. Ids without a record only make this limit too strict: their create failed, the sequence of PostgreSQL skipped them
// after a crash, or their record was deleted. A create that reaches the limit therefore counts again.

/** A count of all records, and the last id that had been generated before. */
export interface RecordCount {
  readonly lastId: bigint;
  readonly records: bigint;
}

const minFullPeriod = 1_000; // milliseconds
const fullPeriodPerCount = 20; // a full store spends at most 5 % of its time on counts

/** The limit of a collection with a maximum number of records. Until the first count, it permits no record. */
export class RecordLimit {
  readonly #maxRecords: bigint | null;
  #maxId = 0n;
  #fullUntil = 0;

  /** `maxRecords` is the maximum; null sets no limit. */
  constructor(maxRecords: bigint | null) {
    this.#maxRecords = maxRecords;
  }

  /** The highest id that a new record may have; null sets no limit. */
  get maxId(): bigint | null {
    return this.#maxRecords && this.#maxId;
  }

  /** Whether a recent count found no room. A count of millions of records is too expensive for each rejected create. */
  get isFull(): boolean {
    return performance.now() < this.#fullUntil;
  }

  /** Makes it full, because a transaction has used all ids that a count had permitted. */
  readonly close = (): void => {
    this.#fullUntil = performance.now() + minFullPeriod;
  };

  /** Makes the next create count again, because a record was deleted. */
  readonly expire = (): void => {
    this.#fullUntil = 0;
  };

  /**
   * Sets the limit by a count that began at `start` (performance.now). No record that the count has missed may have
   * `lastId` or a lower id.
   */
  update({ lastId, records }: RecordCount, start: number): void {
    if (this.#maxRecords === null) return;
    this.#maxId = lastId + this.#maxRecords - records;
    const now = performance.now();
    const fullPeriod = Math.max(minFullPeriod, (now - start) * fullPeriodPerCount);
    this.#fullUntil = records < this.#maxRecords ? 0 : now + fullPeriod;
  }
}
