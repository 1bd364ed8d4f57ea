// The pets in PostgreSQL. Concurrent creates, and concurrent gets, share one query.
//
// PostgreSQL generates ids before it commits, so that without a lock, a pet could become visible after a pet with a
// higher id. A client that has paged past the higher id would never see it. Creates therefore lock the only row of
// petstore.secret: pets become visible in the order of their ids.
import { type RawJson, UnavailableError } from "../../lib/index.ts";
import { Batcher, busyMessage } from "../batcher.ts";
import type { PetLimit } from "../pet-limit.ts";
import type { CreateResult, IdempotencyKey, NewPet, Page, Pet, PetQuery, PetStore } from "../port.ts";
import { idempotencyWindow, newPetColumns, toColumnFilter, toPage, toPageStart, toPetJson, toPetRow } from "../rows.ts";
import { batchLimits, type ConnectionPool } from "./connection-pool.ts";
import { IdempotencyRetention } from "./idempotency-retention.ts";

// Each attempt fails only if other calls have used the ids meanwhile that a count had permitted.
const maxAttempts = 10;

interface Create {
  readonly pet: NewPet;
  readonly idempotencyKey: IdempotencyKey | undefined;
}

/** Implements the pets of the PostgreSQL store. */
export class PostgresPets implements PetStore {
  readonly #pool: ConnectionPool;
  readonly #retention: IdempotencyRetention;
  readonly #finds = new Batcher<bigint, RawJson<Pet> | undefined>(batchLimits, (ids) => this.#findAll(ids));
  readonly #inserts = new Batcher<Create, bigint | undefined>(batchLimits, (creates) => this.#insertAll(creates));
  readonly #limit: PetLimit;
  readonly #countPets: () => Promise<void>;

  /** `countPets` updates `limit`. */
  constructor(pool: ConnectionPool, limit: PetLimit, countPets: () => Promise<void>) {
    this.#pool = pool;
    this.#limit = limit;
    this.#countPets = countPets;
    this.#retention = new IdempotencyRetention(pool);
  }

  readonly list = async ({ limit, position, ...filter }: PetQuery): Promise<Page> => {
    const { columns, values } = toColumnFilter(filter);
    const { direction, id } = toPageStart(position);
    return toPage(await this.#pool.listPets(columns, direction, ...values, id, limit + 1), limit, direction);
  };

  readonly find = (id: bigint): Promise<RawJson<Pet> | undefined> => this.#finds.add(id);

  readonly create = async (pet: NewPet, idempotencyKey?: IdempotencyKey): Promise<CreateResult> => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const id = this.#limit.isFull ? undefined : await this.#inserts.add({ pet, idempotencyKey });
      if (id !== undefined) return { outcome: "created", id, pet: toPetJson(toPetRow(id, pet)) };
      const repeated = idempotencyKey && (await this.#repeat(pet, idempotencyKey));
      if (repeated !== undefined) return repeated;
      // The idempotency record has expired since, or the row of petstore.secret, which creates lock, is missing.
      if (this.#limit.maxId === null) break;
      if (!this.#limit.isFull) await this.#countPets();
      if (this.#limit.isFull) return { outcome: "full" };
    }
    throw new UnavailableError(busyMessage);
  };

  async #findAll(ids: readonly bigint[]): Promise<(RawJson<Pet> | undefined)[]> {
    this.#pool.metrics.observeBatch("pets_find", ids.length);
    const rows = await this.#pool.findPets([...new Set(ids)]);
    const pets = new Map(rows.map((row) => [row[0], toPetJson(row)]));
    return ids.map((id) => pets.get(id));
  }

  // Returns the ids; undefined for a create whose idempotency key was used before, also by an earlier create of the batch, and
  // for the creates for which there is no room.
  async #insertAll(creates: readonly Create[]): Promise<(bigint | undefined)[]> {
    this.#pool.metrics.observeBatch("pets_create", creates.length);
    const now = Date.now();
    const usedKeys = new Set<string>();
    const unique = creates.filter(({ idempotencyKey }) => {
      const name = idempotencyKey && `${idempotencyKey.caller} ${idempotencyKey.key}`;
      return name === undefined || (!usedKeys.has(name) && usedKeys.add(name));
    });
    const column = (read: (create: Create) => unknown) => unique.map((create) => read(create) ?? null);
    const rows = await this.#pool.query(
      "create",
      column(({ idempotencyKey }) => idempotencyKey?.caller),
      column(({ idempotencyKey }) => idempotencyKey?.key),
      column(({ idempotencyKey }) => idempotencyKey?.digest),
      now,
      now - idempotencyWindow,
      ...newPetColumns.map(({ field }) => column(({ pet }) => pet[field])),
      this.#limit.maxId,
    );
    this.#retention.deleteExpired(now - idempotencyWindow, usedKeys.size);
    const ids = new Map(rows.map(({ id, ordinal }) => [unique[Number(ordinal) - 1], id as bigint]));
    return creates.map((create) => ids.get(create));
  }

  // Returns undefined if the key was not used. The digest proves that the pet is the same as in the first call.
  async #repeat(pet: NewPet, { caller, key, digest }: IdempotencyKey): Promise<CreateResult | undefined> {
    const [record] = await this.#pool.query("findRecord", caller, key, Date.now() - idempotencyWindow);
    if (record === undefined) return undefined;
    if (Buffer.compare(record.digest as Uint8Array, digest) !== 0) return { outcome: "conflict" };
    const id = record.pet_id as bigint;
    return { outcome: "repeated", id, pet: toPetJson(toPetRow(id, pet)) };
  }
}
