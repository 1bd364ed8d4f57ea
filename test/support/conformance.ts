// Runs the conformance suite over each kind of store, and adapts it to their SQL.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import t, { type Test } from "tap";
import type { OpenOptions, StoreTimeouts } from "../../src/store/open.ts";
import type { IdempotencyKey, Store } from "../../src/store/port.ts";
import { stores } from "./databases.ts";
import { type NewPet, openPetStore } from "./pets.ts";
import { query } from "./postgres.ts";
import { queryStore, toFile } from "./stores.ts";
import { until } from "./wait.ts";

/** A kind of store, with the SQL that differs between the kinds. */
export interface Kind {
  readonly name: keyof typeof stores;
  /** `inject` makes every insertion of an idempotency record fail, until `remove`. */
  readonly failure: { readonly inject: string; readonly remove: string };
  /** Returns the number of write transactions so far. */
  countCommits(url: string): Promise<number>;
}

export const kinds: readonly Kind[] = [
  {
    name: "sqlite",
    failure: {
      inject: "CREATE TRIGGER failure BEFORE INSERT ON idempotency BEGIN SELECT RAISE(ABORT, 'injected'); END",
      remove: "DROP TRIGGER failure",
    },
    // The last page of each commit has the size of the database in its header:
    // https://www.sqlite.org/fileformat.html#the_wal
    async countCommits(url) {
      const wal = readFileSync(`${toFile(url)}-wal`);
      const frames = Array.from({ length: Math.floor((wal.length - 32) / 4_120) }, (_, n) => 32 + n * 4_120);
      return frames.filter((frame) => wal.readUInt32BE(frame + 4) > 0).length;
    },
  },
  {
    name: "postgres",
    failure: {
      inject: "ALTER TABLE idempotency ADD CONSTRAINT injected CHECK (false)",
      remove: "ALTER TABLE idempotency DROP CONSTRAINT injected",
    },
    countCommits: async (url) => (await query(url, "SELECT DISTINCT xmin::text FROM petstore.pets")).length,
  },
];

/** Timeouts for a busy machine, on which PostgreSQL can exceed the defaults. For tests that do not test timeouts. */
export const longTimeouts: StoreTimeouts = {
  sqlite: { busy: 30_000 },
  postgres: { connect: 30_000, statement: 30_000, query: 30_000 },
};

/** Opens a store for pets, and closes it when the test ends. */
export async function openStore(t: Pick<Test, "teardown">, url: string, options: OpenOptions = {}): Promise<Store> {
  const store = await openPetStore(url, { timeouts: longTimeouts, ...options });
  t.teardown(() => store.close());
  return store;
}

/** Waits until a store can be used. */
export const untilUsable = (store: Store) =>
  until(
    () =>
      store.check().then(
        () => true,
        () => false,
      ),
    "the store can't be used",
  );

/** A store under test. */
export interface StoreUnderTest {
  readonly kind: Kind;
  readonly store: Store;
  readonly url: string;
  /** Opens the same store again, as another process does, and closes it when the test ends. */
  open(options?: OpenOptions): Promise<Store>;
  /** See `queryStore`. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  countCommits(): Promise<number>;
}

/** Declares a test for each kind of store. The store is empty when `work` begins. */
export function testStores(title: string, work: (t: Test, store: StoreUnderTest) => Promise<unknown>): void {
  for (const kind of kinds)
    t.test(`${kind.name}: ${title}`, async (t) => {
      const url = await stores[kind.name](t);
      const open = (options?: OpenOptions) => openStore(t, url, options);
      const query = (sql: string) => queryStore(url, sql);
      await work(t, { kind, url, store: await open(), open, query, countCommits: () => kind.countCommits(url) });
    });
}

/** A pet to create. */
export const rex: NewPet = { name: "Rex", categoryId: 7n };

/** Computes the SHA-256 of a text. */
export const digest = (text: string) => createHash("sha256").update(text).digest();

/** The first call with an Idempotency-Key. */
export const idempotentCall: IdempotencyKey = { caller: 1n, key: "k", digest: digest("a") };
