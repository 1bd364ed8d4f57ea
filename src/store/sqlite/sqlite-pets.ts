// The pets in SQLite. Each read is a single statement, so it never misses what another process has committed before.
import type { RawJson } from "../../lib/index.ts";
import { type PetCount, PetLimit } from "../pet-limit.ts";
import type { CreateResult, IdempotencyKey, NewPet, Page, Pet, PetQuery, PetStore } from "../port.ts";
import {
  idempotencyWindow,
  newPetColumns,
  type PetRow,
  toColumnFilter,
  toPage,
  toPageStart,
  toPetJson,
  toPetRow,
} from "../rows.ts";
import type { Statements } from "./sqlite-statements.ts";
import type { TransactionScheduler } from "./transactions.ts";

/** Implements the pets of the SQLite store. */
export class SqlitePets implements PetStore {
  readonly #transactions: TransactionScheduler;
  readonly #statements: Statements;
  readonly #limit: PetLimit;

  /** Counts the pets, if there is a maximum number; null sets no limit. */
  constructor(transactions: TransactionScheduler, statements: Statements, maxPets: bigint | null) {
    this.#transactions = transactions;
    this.#statements = statements;
    this.#limit = new PetLimit(maxPets);
    if (maxPets !== null) this.#count();
  }

  readonly list = (query: PetQuery): Promise<Page> => this.#transactions.read("pets_list", () => this.#list(query));

  readonly find = (id: bigint): Promise<RawJson<Pet> | undefined> =>
    this.#transactions.read("pets_find", () => this.#find(id));

  readonly create = (pet: NewPet, idempotencyKey?: IdempotencyKey): Promise<CreateResult> =>
    this.#transactions.write("pets_create", () =>
      idempotencyKey === undefined ? this.#create(pet) : this.#createOnce(pet, idempotencyKey),
    );

  #list({ limit, position, ...filter }: PetQuery): Page {
    const { columns, values } = toColumnFilter(filter);
    const { direction, id } = toPageStart(position);
    const rows = this.#statements.list(columns, direction).all(...values, id, limit + 1);
    return toPage(rows as unknown as PetRow[], limit, direction);
  }

  #find(id: bigint): RawJson<Pet> | undefined {
    const row = this.#statements.find.get(id) as PetRow | undefined;
    return row && toPetJson(row);
  }

  #create(pet: NewPet, onCreated?: (id: bigint) => void): CreateResult {
    if (!this.#hasRoom()) return { outcome: "full" };
    const values = newPetColumns.map(({ field }) => pet[field] ?? null);
    const id = BigInt(this.#statements.create.run(...values).lastInsertRowid);
    onCreated?.(id);
    return { outcome: "created", id, pet: toPetJson(toPetRow(id, pet)) };
  }

  #hasRoom(): boolean {
    if (this.#limit.maxId === null) return true;
    const lastId = this.#statements.lastPetId.get()?.lastId as bigint;
    if (lastId < this.#limit.maxId) return true;
    if (this.#limit.isFull) return false;
    this.#count();
    return lastId < this.#limit.maxId;
  }

  #count(): void {
    const start = performance.now();
    this.#limit.update(this.#statements.countPets.get() as unknown as PetCount, start);
  }

  #createOnce(pet: NewPet, { caller, key, digest }: IdempotencyKey): CreateResult {
    const { deleteExpiredRecords, findRecord, saveRecord } = this.#statements;
    const now = Date.now();
    deleteExpiredRecords.run(now - idempotencyWindow);
    const record = findRecord.get(caller, key, now - idempotencyWindow);
    if (record === undefined) return this.#create(pet, (id) => saveRecord.run(caller, key, digest, id, now));
    if (Buffer.compare(record.digest as Uint8Array, digest) !== 0) return { outcome: "conflict" };
    const id = record.pet_id as bigint;
    return { outcome: "repeated", id, pet: toPetJson(toPetRow(id, pet)) };
  }
}
