// Checks the history of a soak run incrementally, with a few numbers of memory for each pet.
//
// Pets are only inserted, and each has a unique id, so that no search for a linearization is needed. A call has its
// effect between its start and its end. Therefore, a read must contain each pet that was in a response which ended
// before the read started. This covers unknown outcomes, too: the pet may be missing until a response contains it. Reads
// are compared with earlier ends only, so that each entry is checked once, in the order of the ends.
import { type Create, type Entry, type Find, type KeyCall, type List, type Property, properties } from "./history.ts";
import { type Status, statuses, statusOf } from "./numbered-pets.ts";

const maxFindings = 20;

/** The entries of one operation. */
type EntryOf<T> = Extract<Entry, T>;

/** The times of an API key, in milliseconds. */
interface KeyTimes {
  readonly createdAt: number;
  /** The start of the first attempt to revoke the key. */
  revocation: number;
  /** The end of the acknowledged revocation. */
  revokedAt: number;
  /** The end of the first response that rejected the key. */
  rejectedAt: number;
}

/** Options of `HistoryChecker`. */
export interface CheckerOptions {
  /** Milliseconds for which a revoked key may be accepted: the age of the cache of API keys. */
  readonly revocationBound?: number;
}

/** Counts the violations of each property. Stores the ids of pets in arrays: the ids must be small integers. */
export class HistoryChecker {
  readonly violations = Object.fromEntries(Object.keys(properties).map((name) => [name, 0])) as Record<
    Property,
    number
  >;
  /** The first violations. */
  readonly findings: string[] = [];
  readonly #revocationBound: number;
  readonly #pets: number[] = []; // by id
  readonly #ids: number[] = []; // by pet
  readonly #seenAt: number[] = []; // by id: the end of the first response that had the pet
  readonly #passed: number[] = []; // by id: the filters of lists that had a higher id, but not this one, as bits
  readonly #keys = new Map<string, KeyTimes>();
  #end = Number.NEGATIVE_INFINITY;

  constructor({ revocationBound = 5 }: CheckerOptions = {}) {
    this.#revocationBound = revocationBound;
  }

  /** Returns the id of a pet that was in a response. */
  idOf(pet: number): number | undefined {
    return this.#ids[pet];
  }

  /** Checks an entry against the previous ones. Throws an Error if its end is before theirs. */
  add(entry: Entry): void {
    if (entry.end < this.#end) throw new Error("The entries are not in the order of their ends.");
    this.#end = entry.end;
    if (entry.operation === "create") this.#create(entry);
    else if (entry.operation === "find") this.#find(entry);
    else if (entry.operation === "list") this.#list(entry);
    else this.#key(entry);
  }

  /** Ends the history: reports keys that were rejected, although nobody revoked them. */
  finish(): void {
    for (const [name, key] of this.#keys) this.#checkRejection(name, key);
  }

  #report(property: Property, text: string): void {
    this.violations[property] += 1;
    if (this.findings.length < maxFindings) this.findings.push(`${property}: ${text}`);
  }

  #create(entry: EntryOf<Create>): void {
    const { pet, id, outcome, conflicting = false, start } = entry;
    const isKnown = (this.#seenAt[this.#ids[pet] ?? -1] ?? Number.POSITIVE_INFINITY) < start;
    if (!conflicting && outcome === "ok" && id !== undefined) this.#see(id, pet, entry);
    if (!conflicting && outcome === "rejected")
      this.#report("idempotency", `${describe(entry)}: the key was rejected with its own body`);
    if (conflicting && outcome === "ok" && isKnown)
      this.#report("idempotency", `${describe(entry)}: the key was accepted with another body`);
  }

  #find(entry: EntryOf<Find>): void {
    const { id, pet, outcome, start } = entry;
    if (outcome === "ok" && pet !== undefined) this.#see(id, pet, entry);
    if (outcome === "rejected" && this.#isSeenBefore(id, start)) this.#reportMissing(id, entry);
  }

  #list(entry: EntryOf<List>): void {
    const { start, outcome, after, status, pets, isLast } = entry;
    if (outcome !== "ok") return;
    const listed = new Set<number>();
    let last = after;
    for (const { id } of pets) {
      if (id <= last) this.#report("unordered", `${describe(entry)}: ${id} follows ${last}`);
      last = Math.max(last, id);
      listed.add(id);
    }
    const end = isLast ? Math.max(this.#pets.length - 1, last) : last;
    for (let id = after + 1; id <= end; id++) {
      if (listed.has(id)) continue;
      const pet = this.#pets[id];
      if (pet === undefined) this.#passed[id] = (this.#passed[id] ?? 0) | (id < last ? bitOf(status) : 0);
      else if (status !== undefined && statusOf(pet) !== status) continue;
      else if (this.#isSeenBefore(id, start)) this.#reportMissing(id, entry);
      else if (id < last) this.#report("skipped", `${describe(entry)}: has ${last}, but not ${id}`);
    }
    for (const { id, pet } of pets) this.#see(id, pet, entry);
  }

  #see(id: number, pet: number, entry: Entry): void {
    const knownId = this.#ids[pet];
    const knownPet = this.#pets[id];
    if (knownId !== undefined && knownId !== id)
      this.#report("duplicated", `${describe(entry)}: pet ${pet} has the ids ${knownId} and ${id}`);
    else if (knownPet !== undefined && knownPet !== pet)
      this.#report("duplicated", `${describe(entry)}: the id ${id} belongs to the pets ${knownPet} and ${pet}`);
    else if (knownId === undefined) this.#addPet(id, pet, entry);
  }

  // From now on, all reads must have the pet.
  #addPet(id: number, pet: number, entry: Entry): void {
    this.#ids[pet] = id;
    this.#pets[id] = pet;
    this.#seenAt[id] = entry.end;
    if (((this.#passed[id] ?? 0) & (bitOf(undefined) | bitOf(statusOf(pet)))) !== 0)
      this.#report("skipped", `${describe(entry)}: an earlier list had passed the id ${id} of pet ${pet}`);
  }

  #isSeenBefore(id: number, time: number): boolean {
    return (this.#seenAt[id] ?? Number.POSITIVE_INFINITY) < time;
  }

  #reportMissing(id: number, entry: Entry): void {
    const seenAt = (this.#seenAt[id] as number).toFixed(1);
    this.#report(
      "missing",
      `${describe(entry)}: pet ${this.#pets[id]} with the id ${id} was in a response at ${seenAt}`,
    );
  }

  #key(entry: EntryOf<KeyCall>): void {
    const { operation, name, outcome, start, end } = entry;
    const never = Number.POSITIVE_INFINITY;
    if (operation === "createKey" && outcome === "ok")
      this.#keys.set(name, { createdAt: end, revocation: never, revokedAt: never, rejectedAt: never });
    const key = this.#keys.get(name);
    if (key === undefined) return;
    if (operation === "revokeKey") {
      key.revocation = Math.min(key.revocation, start);
      if (outcome === "ok") key.revokedAt = Math.min(key.revokedAt, end);
    }
    if (operation !== "useKey") return;
    const invalidSince = Math.min(key.revokedAt, key.rejectedAt);
    if (outcome === "ok" && start > invalidSince + this.#revocationBound)
      this.#report("revoked", `${describe(entry)}: ${name} is invalid since ${invalidSince.toFixed(1)}`);
    if (outcome === "rejected" && start > key.createdAt) key.rejectedAt = Math.min(key.rejectedAt, end);
  }

  // Not before the end of the history: the entry of a revocation follows those of the calls that it affects.
  #checkRejection(name: string, { rejectedAt, revocation }: KeyTimes): void {
    if (rejectedAt < revocation) this.#report("denied", `${name} was rejected at ${rejectedAt.toFixed(1)}`);
  }
}

function bitOf(status: Status | undefined): number {
  return status === undefined ? 1 : 2 << statuses.indexOf(status);
}

// The call, without the pets of a page.
function describe({ start, end, ...call }: Entry): string {
  const text = JSON.stringify(call, (name, value) => (name === "pets" ? value.length : value));
  return `${text} from ${start.toFixed(1)} to ${end.toFixed(1)}`;
}
