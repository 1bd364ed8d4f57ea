// The port between the service and its stores, in terms of the contract. Types only: SQL, drivers and their errors stay
// inside an implementation. It throws `UnavailableError` if its database can't be used, and any other error only for a bug.
import type { MetricsRegistry, RawJson } from "../lib/index.ts";
import type { Condition, Order } from "./query/conditions.ts";

/**
 * How to open a store: `create` creates a missing store and migrates an existing one, `migrate` rejects a missing
 * store, and `readonly` also rejects one of an earlier version, unless it is in SQLite.
 */
export type OpenMode = "create" | "migrate" | "readonly";

/** The state of the service. Its methods are bound and enumerable, so that tracing can wrap them. */
export interface Store {
  readonly kind: "sqlite" | "postgresql";
  readonly keys: KeyStore;
  readonly metrics: StoreMetrics;
  readonly records: Records;
  /**
   * Runs `work` on the records of several collections, and commits all of its changes or, if it rejects, none. Others do not change or
   * delete the records that it finds before the end, and do not delete those of which it reads the position. `work` awaits each call, and
   * should await nothing else: SQLite serves no other call meanwhile. It runs again if another process was faster.
   */
  transaction<T>(work: (records: Records) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Resolves if the store can be used. Rejects with `UnavailableError` otherwise. */
  check(): Promise<void>;
  /** Closes all connections. The store can't be used afterwards. */
  close(): Promise<void>;
}

/** Returns the records of a collection with which the store was opened. Throws an Error for another name. */
export type Records = <R, N extends object = object>(collection: string) => RecordStore<R, N>;

export interface TransactionOptions {
  /** Whether it only deletes records, and so can use the disk space that is reserved for it. The default is false. */
  readonly isDeletion?: boolean;
  /** Whether no other process creates records meanwhile. The default is false. */
  readonly blocksCreates?: boolean;
}

/**
 * Stores the records of one collection. Returns them as JSON: no object is created of a row only to be serialized. R is the type
 * of a record, and N that of a new one.
 */
export interface RecordStore<R = unknown, N extends object = object> {
  /**
   * Returns up to `limit` records in an order, by default that in which they were created: the first after a position, or the last before
   * it. A page ends before the record with which it would have more than `maxBytes`, unless it is its only one. Rejects with a
   * QueryTooSlow if no index has what it selects, and too many records had to be read.
   */
  list(query: RecordQuery): Promise<Page<R>>;
  /** Counts the records that match a query. Takes time in proportion to their number. Rejects with a QueryTooSlow. */
  count(filter?: RecordQuery["filter"], where?: RecordQuery["where"]): Promise<bigint>;
  /**
   * Returns whether the collection has or had records, also if all of them were deleted: whether an id was generated, or a number set.
   */
  hasHadRecords(): Promise<boolean>;
  /** Returns the record with this id, or undefined if it does not exist. */
  find(id: RecordId): Promise<RawJson<R> | undefined>;
  /** Returns the position of a record in lists; undefined if it does not exist. */
  position(id: RecordId): Promise<bigint | undefined>;
  /**
   * Creates a record durably, with an id that the store makes: an int64, or a UUID if ids are texts. Creates at most one record per
   * idempotency key within 24 hours. `scope` is that of the record, if the collection has scopes.
   */
  create(record: N, idempotencyKey?: IdempotencyKey, scope?: string): Promise<CreateResult<R>>;
  /**
   * Creates a record with an id, or replaces the one that has it: by what `edit` returns for it, or for undefined. Atomic, like
   * `change`. The ids that the store makes later are higher. Throws an Error for a number below 1 or above `maxNumber`, and for a
   * text that is empty, too long or not valid.
   */
  put(id: RecordId, edit: (record: RawJson<R> | undefined) => N): Promise<PutResult<R>>;
  /**
   * Replaces a record by what `edit` returns for it, without its id; undefined leaves it as it is. Atomic: no other change comes
   * between. `edit` runs again if another process was faster, and what it throws rejects the call.
   */
  change(id: RecordId, edit: (record: RawJson<R>) => N | undefined): Promise<ChangeResult<R>>;
  /** Deletes a record, if `isAllowed` returns true for it. Atomic, like `change`. Its id is not generated again. */
  remove(id: RecordId, isAllowed?: (record: RawJson<R>) => boolean): Promise<ChangeResult<R>>;
  /**
   * Deletes up to `limit` records of a scope, and of those below it, and returns their number. Only for a collection with scopes.
   */
  removeBelow(scope: string, limit: number): Promise<number>;
}

/** The id of a record: an int64 that the store has generated, or a text. In a collection with scopes, it is the address. */
export type RecordId = bigint | string;

/** The record after a change, before its deletion, or as it was left; or none has this id. */
export type ChangeResult<R> =
  | { readonly outcome: "changed" | "unchanged"; readonly record: RawJson<R> }
  | { readonly outcome: "missing" };

/** The record that was created or replaced. The store is full if the collection has the maximum number of records. */
export type PutResult<R> =
  | { readonly outcome: "created" | "changed"; readonly record: RawJson<R> }
  | { readonly outcome: "full" };

/** Where a record is in an order: its number in that of creation, which is its id if that is an int64, or else the bytes of its values. */
export type Position = bigint | Uint8Array;

/** Records in an order. */
export interface Page<R> {
  readonly records: RawJson<R[]>;
  /** The number of the first record; undefined if the page is empty. */
  readonly first: bigint | undefined;
  /** The number of the last record; undefined if the page is empty. */
  readonly last: bigint | undefined;
  /** The position of the first record, before which the previous page ends; undefined if the page is empty. */
  readonly start: Position | undefined;
  /** The position of the last record, after which the next page begins; undefined if the page is empty. */
  readonly end: Position | undefined;
  /** Whether more records match: after the page, or before it if it was read backwards. */
  readonly more: boolean;
  /** Whether it has fewer than `limit` records because of its size. */
  readonly isShort: boolean;
}

/** The position that a page begins after, or ends before: that of a record of a page in the same order. */
export type PagePosition = { readonly after: Position } | { readonly before: Position };

/** A selection of records: those that match the filters and conditions, after or before a position. Without one, from the first. */
export interface RecordQuery {
  readonly limit: number;
  readonly position?: PagePosition | undefined;
  /** The number of records to skip. Takes time in proportion to it. */
  readonly offset?: number | undefined;
  /** The default is 4 MiB. */
  readonly maxBytes?: number | undefined;
  /** The values by the names of the collection's filters. An undefined value selects all records. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  /** What the records match, too. */
  readonly where?: readonly Condition[] | undefined;
  /** The members by which they are ordered, before the order of creation. */
  readonly orderBy?: readonly Order[] | undefined;
}

/** The identity of a create: the id of the caller, the value of Idempotency-Key, and a digest of the body. */
export interface IdempotencyKey {
  readonly caller: bigint;
  readonly key: string;
  readonly digest: Uint8Array;
}

/**
 * A new record, the record that an earlier call with the same key and body created, as it was then, or a conflict: the key was
 * used with another body. The store is full if the collection has the maximum number of records.
 */
export type CreateResult<R> =
  | { outcome: "created" | "repeated"; id: RecordId; record: RawJson<R> }
  | { outcome: "conflict" }
  | { outcome: "full" };

/** An API key. The store contains only the hash of the key, not the key itself. */
export interface Key {
  readonly id: bigint;
  readonly name: string;
  /** Whether the key grants access to the metrics. */
  readonly operator: boolean;
  readonly createdAt: Date;
  readonly expiresAt?: Date | undefined;
  readonly lastUsedAt?: Date | undefined;
  /** The end of the grace period of the secret that the last rotation replaced, even if it has ended. */
  readonly previousExpiresAt?: Date | undefined;
  /** The scopes of the document's security schemes that it has. Undefined for all. */
  readonly scopes?: readonly string[] | undefined;
}

/** The API keys, by their SHA-256 in hexadecimal. */
export interface KeyStore {
  /** Adds a key. Returns false if the name is taken. */
  create(name: string, hash: string, options?: KeyOptions): Promise<boolean>;
  /** Returns all keys, in order of name. */
  list(): Promise<Key[]>;
  /** Returns the key with this hash, also if it has expired, or with this previous hash within its grace period. */
  find(hash: string): Promise<Key | undefined>;
  /**
   * Replaces the hash of a key. The previous one is valid until `previousExpiresAt`, and the one before it is no longer valid.
   * Returns false if the key has been revoked or rotated since it was read.
   */
  rotate(key: Pick<Key, "id" | "previousExpiresAt">, hash: string, previousExpiresAt: Date): Promise<boolean>;
  /** Deletes a key. Returns false if no key has this name. */
  revoke(name: string): Promise<boolean>;
  /** Records the times of the last use, by the id of the key. */
  touch(uses: ReadonlyMap<bigint, Date>): Promise<void>;
}

/** The properties of a key that have a default. */
export interface KeyOptions {
  readonly expiresAt?: Date | undefined;
  readonly operator?: boolean;
  /** Without a space. The default is all. */
  readonly scopes?: readonly string[] | undefined;
}

/**
 * A method of the store, as the metrics name it, such as `pets_find` of the collection `pets`. `expire` is the deletion of expired
 * idempotency records, and `index` the update of indexes.
 */
export type StoreMethod =
  | `${string}_${keyof RecordStore}`
  | `keys_${keyof KeyStore}`
  | "transaction"
  | "index"
  | "check"
  | "expire";

/** The metrics of a store since it was opened. */
export interface StoreMetrics {
  /** Registers the durations of queries, the sizes of batches and the state of the connection pool. */
  register(registry: MetricsRegistry): void;
}
