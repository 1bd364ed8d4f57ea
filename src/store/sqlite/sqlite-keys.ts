// The API keys in SQLite.
import type { Key, KeyStore } from "../port.ts";
import { toKey } from "../rows.ts";
import type { Statements } from "./sqlite-statements.ts";
import type { TransactionScheduler } from "./transactions.ts";

/** Implements the API keys of the SQLite store. */
export class SqliteKeys implements KeyStore {
  readonly #transactions: TransactionScheduler;
  readonly #statements: Statements;

  constructor(transactions: TransactionScheduler, statements: Statements) {
    this.#transactions = transactions;
    this.#statements = statements;
  }

  readonly create: KeyStore["create"] = (name, hash, { expiresAt, operator = false, scopes } = {}) =>
    this.#transactions.write("keys_create", () => {
      const expires = expiresAt?.getTime() ?? null;
      return (
        this.#statements.createKey.run(name, hash, Date.now(), expires, Number(operator), scopes?.join(" ") ?? null)
          .changes === 1n
      );
    });

  readonly list = (): Promise<Key[]> =>
    this.#transactions.read("keys_list", () => this.#statements.listKeys.all().map((row) => toKey(row) as Key));

  readonly find = (hash: string): Promise<Key | undefined> =>
    this.#transactions.read("keys_find", () => toKey(this.#statements.findKey.get(hash, Date.now())));

  readonly rotate: KeyStore["rotate"] = (key, hash, previousExpiresAt) => {
    const known = key.previousExpiresAt?.getTime() ?? null;
    return this.#transactions.write(
      "keys_rotate",
      () => this.#statements.rotateKey.run(previousExpiresAt.getTime(), hash, key.id, known).changes === 1n,
    );
  };

  readonly revoke = (name: string): Promise<boolean> =>
    this.#transactions.write("keys_revoke", () => this.#statements.revokeKey.run(name).changes === 1n);

  readonly touch = (uses: ReadonlyMap<bigint, Date>): Promise<void> =>
    this.#transactions.write("keys_touch", () => {
      for (const [id, usedAt] of uses) this.#statements.touchKey.run(usedAt.getTime(), id);
    });
}
