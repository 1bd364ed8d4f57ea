// The pets in SQLite, with caches for pets and for full pages.
import type { CreateResult, IdempotencyKey, NewPet, Page, Pet, PetQuery, PetStore } from "../port.ts";
import type { QueryMetrics } from "../query-metrics.ts";
import { idempotencyWindow, newPetColumns, toPage, toPet } from "../rows.ts";
import type { ReadCache } from "./cache.ts";
import type { Statements } from "./statements.ts";
import type { TransactionScheduler } from "./transactions.ts";

const maxCachedPets = 10_000;
const maxCachedPages = 100; // of up to 100 pets each

/** Implements the pets of the SQLite store. */
export class SqlitePets implements PetStore {
  readonly #transactions: TransactionScheduler;
  readonly #statements: Statements;
  readonly #metrics: QueryMetrics;
  // No write clears these caches: a pet never changes, and a new pet comes after every cached page. An operation that
  // changes or deletes pets must clear both.
  readonly #cachedPets: ReadCache<Pet>; // by id
  readonly #cachedPages: ReadCache<Page>; // by cursor, limit and status

  constructor(transactions: TransactionScheduler, statements: Statements, metrics: QueryMetrics) {
    this.#transactions = transactions;
    this.#statements = statements;
    this.#metrics = metrics;
    this.#cachedPets = transactions.createCache(maxCachedPets);
    this.#cachedPages = transactions.createCache(maxCachedPages);
  }

  readonly list = (query: PetQuery): Promise<Page> => this.#transactions.read(() => this.#list(query));

  readonly find = (id: bigint): Promise<Pet | undefined> => this.#transactions.read(() => this.#find(id));

  readonly create = (pet: NewPet, idempotencyKey?: IdempotencyKey): Promise<CreateResult> =>
    this.#transactions.write("pets_create", () =>
      idempotencyKey === undefined
        ? { outcome: "created", pet: this.#insert(pet) }
        : this.#createOnce(pet, idempotencyKey),
    );

  #list({ limit, after = 0n, ...filter }: PetQuery): Page {
    const { status, ...others } = filter;
    others satisfies Record<string, never>; // fails to compile if the document adds a filter that has no query here
    const cacheKey = `${after} ${limit} ${status}`;
    const cached = this.#cachedPages.get(cacheKey);
    if (cached !== undefined) return cached;
    const start = performance.now();
    const { list, listByStatus } = this.#statements;
    const rows = status === undefined ? list.all(after, limit + 1) : listByStatus.all(status, after, limit + 1);
    this.#metrics.observeQuery("pets_list", start);
    const page = toPage(rows, limit);
    if (page.more) this.#cachedPages.set(cacheKey, page); // the next create may extend the last page
    return page;
  }

  #find(id: bigint): Pet | undefined {
    const cached = this.#cachedPets.get(`${id}`);
    if (cached !== undefined) return cached;
    const start = performance.now();
    const pet = this.#read(id);
    this.#metrics.observeQuery("pets_find", start);
    if (pet !== undefined) this.#cachedPets.set(`${id}`, Object.freeze(pet));
    return pet;
  }

  #read(id: bigint): Pet | undefined {
    return toPet(this.#statements.find.get(id));
  }

  #insert(pet: NewPet): Pet {
    const values = newPetColumns.map(({ field }) => pet[field] ?? null);
    const id = BigInt(this.#statements.create.run(...values).lastInsertRowid);
    return toPet({ ...pet, id }) as Pet;
  }

  #createOnce(pet: NewPet, { caller, key, digest }: IdempotencyKey): CreateResult {
    const { deleteExpiredRecords, findRecord, saveRecord } = this.#statements;
    const now = Date.now();
    deleteExpiredRecords.run(now - idempotencyWindow);
    const record = findRecord.get(caller, key, now - idempotencyWindow);
    if (record === undefined) {
      const created = this.#insert(pet);
      saveRecord.run(caller, key, digest, created.id, now);
      return { outcome: "created", pet: created };
    }
    if (Buffer.compare(record.digest as Uint8Array, digest) !== 0) return { outcome: "conflict" };
    // Not cached: if this transaction fails, another pet may get the id.
    return { outcome: "repeated", pet: this.#read(record.pet_id as bigint) as Pet };
  }
}
