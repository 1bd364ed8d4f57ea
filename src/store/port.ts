// What the service asks of a store, in the terms of the contract. Types only: SQL, drivers and
// their errors stay inside an implementation, which throws `Unavailable` (src/http/errors.ts) where it
// can't be reached, and otherwise only on a bug.
import type { components, operations } from "../generated/openapi.ts";
import type { Histogram } from "../lib/index.ts";

/** An animal of the store. */
export type Pet = components["schemas"]["Pet"];
/** An animal to add. */
export type NewPet = components["schemas"]["NewPet"];
/** Whether an animal can be bought. */
export type PetStatus = components["schemas"]["PetStatus"];

/** How to open a store: it is made where there is none, brought to this version where it is older, or left as it is. */
export type OpenMode = "make" | "update" | "look";

/** The timeouts of a store, in milliseconds. After all but the last one, a call fails with `Unavailable`. */
export interface StoreTimeouts {
  /** For a lock that another process holds on the SQLite file. */
  readonly lock: number;
  /** For a connection to PostgreSQL, new or from the pool. */
  readonly connect: number;
  /** For a statement: PostgreSQL cancels it then. */
  readonly statement: number;
  /** For PostgreSQL's answer to a statement. */
  readonly answer: number;
  /** After which PostgreSQL's pool closes an idle connection, if it is not the last one. */
  readonly idle: number;
}

/** Everything that the service keeps. */
export interface Store {
  readonly pets: PetStore;
  readonly keys: KeyStore;
  readonly deprecated: DeprecatedCalls;
  readonly metrics: StoreMetrics;
  /** 32 random bytes, made with the store and the same for all that share it. Signs cursors. */
  readonly secret: Uint8Array;
  /** Resolves where the store can be reached, rejects with `Unavailable` where not. */
  check(): Promise<void>;
  /** Ends all work. The store can't be used afterwards. */
  close(): Promise<void>;
}

/** The animals. */
export interface PetStore {
  /** Up to `limit` pets in order of id. */
  list(query: PetQuery): Promise<Page>;
  /** The pet with the id, if there is one. */
  find(id: bigint): Promise<Pet | undefined>;
  /** Adds a pet, durably. With `once`, at most one for its caller and key within 24 hours. */
  create(pet: NewPet, once?: IdempotencyKey): Promise<CreateResult>;
}

/** Pets in order of id, and whether more follow. A store may give out the same one again for the same query, while it is exact. */
export interface Page {
  readonly pets: readonly Readonly<Pet>[];
  readonly more: boolean;
}

/** Which pets to list: those that the document's filters let through, with an id above `after`. */
export type PetQuery = Omit<operations["listPets"]["parameters"]["query"], "cursor"> & {
  readonly after?: bigint | undefined;
};

/** What makes two creations the same one: the caller's id, its Idempotency-Key, and a digest of the body. */
export interface IdempotencyKey {
  readonly caller: bigint;
  readonly key: string;
  readonly digest: Uint8Array;
}

/** A pet that was made now, one that the same call made before, or a key used with another body. */
export type CreateResult = { outcome: "created" | "repeated"; pet: Pet } | { outcome: "conflict" };

/** An API key as the store knows it: never the key itself. */
export interface Key {
  readonly id: bigint;
  readonly name: string;
  /** Whether it opens what is for those who run the service. */
  readonly operator: boolean;
  readonly createdAt: Date;
  readonly expiresAt?: Date | undefined;
  readonly lastUsedAt?: Date | undefined;
}

/** The API keys, by the SHA-256 of each, in hexadecimal. */
export interface KeyStore {
  /** Adds a key. False where the name is taken. */
  create(name: string, hash: string, more?: { expiresAt?: Date | undefined; operator?: boolean }): Promise<boolean>;
  /** All keys, in order of name. */
  list(): Promise<Key[]>;
  /** The key with that hash, expired or not. */
  find(hash: string): Promise<Key | undefined>;
  /** Removes a key. False where there is none of that name. */
  revoke(name: string): Promise<boolean>;
  /** Notes when keys were last used, by id. */
  touch(uses: ReadonlyMap<bigint, Date>): Promise<void>;
}

/** How often one key called one deprecated operation on one day. */
export interface DailyCalls {
  readonly operation: string;
  /** The key's name; empty where the operation needs no credential and none was sent. */
  readonly key: string;
  /** In UTC, as days since 1970. */
  readonly day: bigint;
  readonly count: bigint;
}

/** The number of days, including today, for which calls of deprecated operations are kept. */
export const retentionDays = 30n;

/** Who still calls what is going away. Counted by the key's name, which outlives the key. */
export interface DeprecatedCalls {
  /** Adds to what was counted, and forgets what is before the day `since`. */
  add(calls: readonly DailyCalls[], since: bigint): Promise<void>;
  /** All that was counted from the day `since` on, the last day first, in no order within it. */
  list(since: bigint): Promise<DailyCalls[]>;
}

/** A method of the store, as its figures name it; and `forget`, what it does about old records by itself. */
export type StoreMethod =
  | `pets_${keyof PetStore}`
  | `keys_${keyof KeyStore}`
  | `deprecated_${keyof DeprecatedCalls}`
  | "check"
  | "forget";

/** What the store has counted since it was opened. What it gave from memory is in none of it. */
export interface StoreMetrics {
  /** The seconds that its database took for each question: a statement, or the transaction of all that is written together. */
  readonly querySeconds: ReadonlyMap<StoreMethod, Histogram>;
  /** For how many calls each was, where calls go together. */
  readonly batchCalls: ReadonlyMap<StoreMethod, Histogram>;
  /** The connections to a database that has several: in use, idle, at most; and how many questions wait for one. */
  pool(): { readonly used: number; readonly idle: number; readonly waiting: number; readonly max: number } | undefined;
}
