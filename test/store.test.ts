// What every store must do, run over each; then what is the embedded store's own.

import { AsyncLocalStorage } from "node:async_hooks";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { constants, DatabaseSync } from "node:sqlite";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import t, { type Test } from "tap";
import { makeKey } from "../src/auth.ts";
import { Unavailable } from "../src/errors.ts";
import { inBatches } from "../src/store/batches.ts";
import { openStore } from "../src/store/open.ts";
import { type Statement, sharedBy, sql } from "../src/store/sql.ts";
import { statements } from "../src/store/sqlite.ts";
import { inspect, migrate } from "../src/store/sqlite-migrations.ts";
import type { Created, NewPet, Once, Pet, Store } from "../src/store/store.ts";
import { newDatabase } from "./support/databases.ts";
import { folder } from "./support/files.ts";
import { holdsAll, type Kept, startLoad } from "./support/load.ts";
import { query } from "./support/postgres.ts";
import { petstoreProcess as petstore, startServer } from "./support/processes.ts";
import { start } from "./support/service.ts";

/** Opens the same store again each time that it is called. */
type Open = () => Promise<Store>;

interface Kind {
  /** The address of an empty store, gone when the test ends. */
  prepare(t: Test): Promise<string>;
  /** Asks the database itself, behind the store's back. */
  ask(url: string, sql: string): Promise<Record<string, unknown>[]>;
  /** Makes each new record of an Idempotency-Key fail, and lets it be again. */
  faults: readonly [string, string];
  /** What stands before the name of a table. */
  place: string;
  /** Makes the store say that it is of the version before. */
  before: string;
  /** How many transactions have written so far. */
  commits(url: string): Promise<number>;
}

const stores: Record<string, Kind> = {
  sqlite: {
    prepare: async (t) => `sqlite:${join(folder(t), "nested/petstore.db")}`,
    ask: async (url, sql) => new DatabaseSync(url.slice("sqlite:".length)).prepare(sql).all(),
    faults: [
      "CREATE TRIGGER fault BEFORE INSERT ON idempotency BEGIN SELECT RAISE(ABORT, 'injected'); END",
      "DROP TRIGGER fault",
    ],
    place: "",
    before: "PRAGMA user_version = 1",
    // In the log a page that a commit ends with has the database's size in its header: https://www.sqlite.org/fileformat.html#the_wal
    async commits(url) {
      const log = readFileSync(`${url.slice("sqlite:".length)}-wal`);
      const frames = Array.from({ length: Math.floor((log.length - 32) / 4_120) }, (_, n) => 32 + n * 4_120);
      return frames.filter((frame) => log.readUInt32BE(frame + 4) > 0).length;
    },
  },
  postgres: {
    prepare: newDatabase,
    ask: (url, sql) => query(url, sql.replaceAll(/(?<=(FROM|INTO|UPDATE) )(?=\w)/g, "petstore.")),
    faults: [
      "ALTER TABLE petstore.idempotency ADD CONSTRAINT injected CHECK (false)",
      "ALTER TABLE petstore.idempotency DROP CONSTRAINT injected",
    ],
    place: "petstore.",
    before: "DELETE FROM migrations WHERE version = 2",
    commits: async (url) => (await query(url, "SELECT DISTINCT xmin::text FROM petstore.pets")).length,
  },
};

const rex: NewPet = { name: "Rex", categoryId: 7n };
const digest = (text: string) => createHash("sha256").update(text).digest();

t.test("calls in batches", async (t) => {
  const sent: number[][] = [];
  const call = inBatches<number, string>({ together: 3, waiting: 5 }, async (items) => {
    sent.push([...items]);
    await turn();
    if (items.includes(7)) throw new Error("seven");
    if (items.includes(9)) throw new Unavailable("nine");
    return items.map((item) => `${item}`);
  });
  const ask = async (...items: number[]) =>
    (await Promise.allSettled(items.map(call))).map((one) =>
      one.status === "fulfilled" ? one.value : one.reason.message,
    );
  t.same(await ask(1, 2, 3, 4, 5, 6), ["1", "2", "3", "4", "5", "The store is busy."]);
  t.same(
    sent.splice(0),
    [
      [1, 2, 3],
      [4, 5],
    ],
    "so many together, in their order",
  );
  t.same(await ask(6, 7, 8), ["6", "seven", "8"], "one fails alone");
  t.same(sent.splice(0), [[6, 7, 8], [6, 7], [6], [7], [8]], "and is found by halves");
  t.same(await ask(8, 9, 10, 11), ["nine", "nine", "nine", "nine"], "what can't be reached is not tried again");
  t.same(sent.splice(0), [[8, 9, 10]]);
  t.same(await ask(7, 9, 10, 11), ["seven", "nine", "nine", "nine"], "nor where it goes away meanwhile");
  t.same(sent.splice(0), [[7, 9, 10], [7, 9], [7], [9]]);
  t.same(await ask(1), ["1"]);
  const first = ask(1);
  await turn();
  const later = ask(2, 3);
  t.same([await first, await later], [["1"], ["2", "3"]]);
  t.same(sent.splice(1), [[1], [2, 3]], "what comes meanwhile goes together next");
});

for (const [name, { prepare, ask, faults, place, before, commits }] of Object.entries(stores)) {
  const withStore = (title: string, work: (t: Test, store: Store, open: Open, url: string) => Promise<unknown>) =>
    t.test(`${name}: ${title}`, async (t) => {
      const url = await prepare(t);
      const open = () => openStore(url);
      const store = await open();
      await work(t, store, open, url).finally(() => store.close());
    });

  withStore("pets are kept exactly, and their order is that of their ids", async (t, store, open) => {
    t.equal(await store.pets.find(1n), undefined);
    t.same(await store.pets.list({ limit: 5 }), { pets: [], more: false });
    const made = [
      rex,
      { ...rex, status: "sold" as const },
      { name: "🐕\u0001", categoryId: -(2n ** 63n) },
      { name: "", categoryId: 2n ** 63n - 1n },
    ];
    for (const [index, pet] of made.entries())
      t.same(await store.pets.create(pet), { outcome: "created", pet: { id: BigInt(index + 1), ...pet } });
    const { pets, more } = await store.pets.list({ limit: 4 });
    t.same(
      pets,
      made.map((pet, index) => ({ id: BigInt(index + 1), ...pet })),
    );
    t.equal(more, false);
    t.same(
      (await store.pets.list({ limit: 2, after: 1n })).pets.map(({ id }) => id),
      [2n, 3n],
    );
    t.match(await store.pets.list({ limit: 3 }), { more: true });
    t.same(
      (await store.pets.list({ limit: 9, status: "sold" })).pets.map(({ id }) => id),
      [2n],
    );
    t.same(await store.pets.list({ limit: 9, status: "sold", after: 2n }), { pets: [], more: false });
    t.equal(await store.pets.find(2n ** 63n - 1n), undefined);
    const again = await open();
    t.same((await again.pets.list({ limit: 4 })).pets, pets, "also for who opens the store later");
    t.same(again.secret, store.secret, "who shares the store shares its secret");
    t.equal(store.secret.length, 32);
    await again.close();
  });

  withStore("any int64 and any text come back as they were", async (t, store) => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        fc.string({ unit: "binary" }),
        async (categoryId, text) => {
          const name = text.replaceAll("\0", "");
          const created = await store.pets.create({ name, categoryId });
          const pet = created.outcome === "created" ? await store.pets.find(created.pet.id) : undefined;
          return pet?.name === name && pet.categoryId === categoryId;
        },
      ),
      { numRuns: 200 },
    );
    t.pass();
  });

  withStore("pages miss nothing and repeat nothing while pets are added", async (t, store, open) => {
    const other = await open();
    for (let n = 0; n < 50; n++) await store.pets.create(rex);
    const seen: bigint[] = [];
    for (let page = await store.pets.list({ limit: 7 }); ; ) {
      seen.push(...page.pets.map(({ id }) => id));
      if (!page.more) break;
      if (seen.length < 70) await other.pets.create(rex);
      page = await store.pets.list({ limit: 7, after: seen.at(-1) });
    }
    t.same(
      seen,
      Array.from({ length: seen.length }, (_, index) => BigInt(index + 1)),
    );
    t.ok(seen.length > 50);
    await other.close();
  });

  withStore("who reads the list to its end while many write misses nothing", async (t, store, open) => {
    const others = await Promise.all([open(), open()]);
    let going = true;
    const writers = Array.from({ length: 12 }, async (_, n) => {
      const { pets } = [store, ...others][n % 3] as Store;
      for (let made = 0; going; made++, await new Promise(setImmediate))
        await pets.create(rex, made % 3 === 0 ? { caller: BigInt(n), key: `${made}`, digest: digest("a") } : undefined);
    });
    const seen: bigint[] = [];
    const read = async () => {
      const { pets } = await store.pets.list({ limit: 100, after: seen.at(-1) });
      seen.push(...pets.map(({ id }) => id));
      return pets.length;
    };
    for (const until = Date.now() + 1_500; Date.now() < until; await new Promise(setImmediate)) await read();
    going = false;
    await Promise.all(writers);
    while ((await read()) > 0);
    const all: bigint[] = [];
    for (let page = await store.pets.list({ limit: 100 }); ; ) {
      all.push(...page.pets.map(({ id }) => id));
      if (!page.more) break;
      page = await store.pets.list({ limit: 100, after: all.at(-1) });
    }
    t.ok(all.length > 100, `${all.length} pets`);
    t.same(seen, all);
    for (const other of others) await other.close();
  });

  withStore("a record of an Idempotency-Key is forgotten after 24 hours", async (t, store, _, url) => {
    const once = { caller: 1n, key: "k", digest: digest("a") };
    await store.pets.create(rex, once);
    const age = (hours: number) => ask(url, `UPDATE idempotency SET created_at = ${Date.now() - hours * 3_600_000}`);
    const count = async (where: string) =>
      Number((await ask(url, `SELECT count(*) AS n FROM idempotency WHERE ${where}`))[0]?.n);
    await age(23.9);
    t.match(await store.pets.create(rex, once), { outcome: "repeated" });
    await age(24);
    t.match(await store.pets.create(rex, { ...once, digest: digest("b") }), { outcome: "created" });
    t.equal(await count("1 = 1"), 1);
    for (let n = 0; n < 5; n++) await store.pets.create(rex, { ...once, caller: 9n, key: `k${n}` });
    await age(25);
    t.match(
      await store.pets.create(rex, { ...once, caller: 9n, key: "k4" }),
      { outcome: "created" },
      "also one that still waits to be removed",
    );
    for (let n = 0; n < 20; n++) await store.pets.create(rex, { ...once, key: `other ${n}` });
    t.equal(await count(`created_at < ${Date.now() - 3_600_000}`), 0, "all go in the end");

    const together = (key: string) =>
      Promise.all(Array.from({ length: 300 }, (_, n) => store.pets.create(rex, { ...once, key: `${key} ${n}` })));
    await together("many");
    await age(25);
    await together("more");
    for (let n = 0; n < 20; n++) await store.pets.create(rex, { ...once, key: `last ${n}` });
    t.equal(await count(`created_at < ${Date.now() - 3_600_000}`), 0, "also of many that come together");
  });

  withStore("what fails half-way leaves nothing", async (t, store, _, url) => {
    const once = { caller: 1n, key: "k", digest: digest("a") };
    await ask(url, faults[0]);
    await t.rejects(store.pets.create(rex, once), { message: /injected/ });
    t.same(await store.pets.list({ limit: 1 }), { pets: [], more: false });
    await ask(url, faults[1]);
    t.match(await store.pets.create(rex, once), { outcome: "created" });
  });

  withStore("creates that come together are written together", async (t, store, _, url) => {
    const before = await commits(url);
    const pets = Array.from({ length: 64 }, (_, n) => ({ ...rex, name: `pet ${n}` }));
    const made = await Promise.all(pets.map((pet) => store.pets.create(pet)));
    const few = (await commits(url)) - before;
    t.ok(few > 0 && few <= 4, `64 pets in ${few} commits`);
    t.same(
      made.map((created) => created.outcome === "created" && created.pet),
      pets.map((pet, index) => ({ id: BigInt(index + 1), ...pet })),
      "each caller gets its own, in the order of the calls",
    );
  });

  withStore("of creates that come together one fails alone", async (t, store, _, url) => {
    const once = { caller: 1n, key: "k", digest: digest("a") };
    await ask(url, faults[0]);
    const made = await Promise.allSettled([1, 2, 3, 4].map((n) => store.pets.create(rex, n === 2 ? once : undefined)));
    t.same(
      made.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled", "fulfilled"],
    );
    t.match(made[1], { reason: { message: /injected/ } });
    await ask(url, faults[1]);
    t.equal((await store.pets.list({ limit: 9 })).pets.length, 3);
  });

  withStore("a key that comes twice at once makes one pet", async (t, store) => {
    const once = { caller: 1n, key: "k", digest: digest("a") };
    const made = await Promise.all([
      store.pets.create(rex, once),
      store.pets.create(rex, { ...once, digest: digest("b") }),
      store.pets.create(rex, once),
      store.pets.create(rex),
    ]);
    t.same(
      made.map(({ outcome }) => outcome),
      ["created", "conflict", "repeated", "created"],
    );
    t.equal((await store.pets.list({ limit: 9 })).pets.length, 2);
  });

  withStore(
    "what another process wrote is seen at once, however often it was read before",
    async (t, store, open, url) => {
      const { hash } = makeKey();

      await store.keys.create("a", hash);
      for (let n = 0; n < 3; n++) await store.pets.create({ ...rex, status: "sold" });
      const queries = [{ limit: 2 }, { limit: 2, status: "sold" as const }, { limit: 1, after: 1n }];
      const read = async () => {
        const pages = await Promise.all(queries.map((query) => store.pets.list(query)));
        return pages.map(({ pets, more }) => [...pets.map(({ id, name }) => `${id} ${name}`), more]);
      };
      const other = await open();
      for (const name of ["Rex", "Tom", "Ann"]) {
        await ask(url, `UPDATE pets SET name = '${name}' WHERE id = 2`);
        await turn(); // to hear of what another process did takes one
        for (let n = 0; n < 3; n++) {
          const one = ["1 Rex", `2 ${name}`, true];
          t.same(await read(), [one, one, [`2 ${name}`, true]]);
          t.match(await store.pets.find(2n), { name });
          t.match(await store.keys.find(hash), { name: "a" });
        }
      }
      const added = await other.pets.create(rex);
      t.match(await store.pets.list({ limit: 1, after: 3n }), { pets: [{ id: 4n }] });
      t.match(added, { pet: { id: 4n } });
      t.equal(await other.keys.revoke("a"), true);
      t.equal(await store.keys.find(hash), undefined, "a revoked key is none");
      await other.close();
    },
  );

  withStore("a page is nobody's to change", async (t, store) => {
    for (let n = 0; n < 3; n++) await store.pets.create(rex);
    const { pets } = await store.pets.list({ limit: 2 });
    t.throws(() => (pets as Pet[]).push(pets[0] as Pet), TypeError);
    t.throws(() => Object.assign(pets[0] as Pet, { name: "Tom" }), TypeError);
  });

  withStore("what it wrote itself is seen at once, whatever it remembers", async (t, store) => {
    const { hash } = makeKey();
    t.equal(await store.keys.find(hash), undefined);
    await store.keys.create("a", hash);
    const id = (await store.keys.find(hash))?.id as bigint;
    const at = new Date("2027-01-01T00:00:00Z");
    await store.keys.touch(new Map([[id, at]]));
    t.same((await store.keys.find(hash))?.lastUsedAt, at);
    await store.keys.revoke("a");
    t.equal(await store.keys.find(hash), undefined);
    for (let n = 1n; n < 130n; n++) {
      await store.pets.create(rex);
      const { pets, more } = await store.pets.list({ limit: 1, after: n - 2n });
      t.same([pets.map(({ id }) => id), more], n === 1n ? [[1n], false] : [[n - 1n], true]);
    }
    for (let n = 0n; n < 128n; n++)
      t.match(await store.pets.list({ limit: 1, after: n }), { pets: [{ id: n + 1n }], more: true }, `${n}, again`);
  });

  withStore("a repeated key makes one pet", async (t, store, open, url) => {
    const once: Once = { caller: 1n, key: "k", digest: digest("a") };
    const first = (await store.pets.create(rex, once)) as Exclude<Created, { outcome: "conflict" }>;
    t.match(first, { outcome: "created", pet: rex });
    t.same(await store.pets.create(rex, once), { outcome: "repeated", pet: first.pet });
    t.same(await store.pets.create(rex, { ...once, digest: digest("b") }), { outcome: "conflict" });
    t.match(await store.pets.create(rex, { ...once, caller: 2n }), { outcome: "created" });
    t.match(await store.pets.create(rex, { ...once, key: "K" }), { outcome: "created" }, "keys differ by case");
    const other = await open();
    const both = Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other));
    await Promise.all(both.map((one) => one.check())); // all that it takes is open: they do race
    const race = async (caller: bigint) => {
      const outcomes = await Promise.all(
        both.map((one) => one.pets.create(rex, { caller, key: "race", digest: digest("c") })),
      );
      return outcomes.filter(({ outcome }) => outcome === "created").length;
    };
    const callers = Array.from({ length: 30 }, (_, n) => BigInt(n + 3));
    for (const age of ["new", "expired"]) {
      const made: number[] = [];
      for (const caller of callers) made.push(await race(caller));
      t.same(
        made,
        callers.map(() => 1),
        `also in races of two that share the store, with ${age} records`,
      );
      await ask(url, `UPDATE idempotency SET created_at = ${Date.now() - 25 * 3_600_000}`);
    }
    t.equal((await store.pets.list({ limit: 100 })).pets.length, 3 + 2 * callers.length);
    await other.close();
  });

  withStore("keys", async (t, store, open) => {
    const [a, b] = [makeKey(), makeKey()];
    const expiresAt = new Date("2030-01-02T03:04:05.678Z");
    t.equal(await store.keys.create("b", b.hash, { expiresAt }), true);
    t.equal(await store.keys.create("a", a.hash, { operator: true }), true);
    t.equal(await store.keys.create("a", makeKey().hash), false, "a name is taken once");
    const found = await store.keys.find(a.hash);
    t.match(found, { name: "a", id: BigInt, expiresAt: undefined, lastUsedAt: undefined });
    t.ok(Math.abs((found?.createdAt.getTime() ?? 0) - Date.now()) < 60_000);
    t.equal(await store.keys.find(makeKey().hash), undefined);
    // Not t.match, which takes any Date for any other.
    t.same(
      (await store.keys.list()).map(({ name, operator, expiresAt }) => [name, operator, expiresAt]),
      [
        ["a", true, undefined],
        ["b", false, expiresAt],
      ],
      "in order of name",
    );
    const usedAt = new Date("2027-01-01T00:00:00Z");
    await store.keys.touch(new Map([[found?.id as bigint, usedAt]]));
    await store.keys.touch(new Map([[found?.id as bigint, new Date(0)]]));
    const other = await open();
    t.same((await other.keys.find(a.hash))?.lastUsedAt, usedAt, "the last use never goes back");
    t.equal(await other.keys.revoke("a"), true);
    t.equal(await other.keys.revoke("a"), false);
    t.equal(await store.keys.find(a.hash), undefined, "a revocation elsewhere holds here");
    t.equal(await store.keys.create("a", makeKey().hash), true);
    t.ok(((await store.keys.list())[0]?.id ?? 0n) > (found?.id as bigint), "an id is never given twice");
    await other.close();
  });

  withStore("calls of deprecated operations add up, by day, operation and key", async (t, store, open) => {
    const other = await open();
    const call = (key: string, day: bigint, count: bigint) => ({ operation: "getPet", key, day, count });
    await store.deprecated.add([call("b", 100n, 1n), call("a", 100n, 2n), call("a", 101n, 2n ** 53n)], 90n);
    await other.deprecated.add([call("a", 101n, 1n), { ...call("a", 101n, 7n), operation: "listPets" }], 90n);
    const list = async (since: bigint) =>
      (await store.deprecated.list(since)).sort(
        (a, b) => Number(b.day - a.day) || (`${a.operation} ${a.key}` < `${b.operation} ${b.key}` ? -1 : 1),
      );
    t.same(await list(101n), [call("a", 101n, 2n ** 53n + 1n), { ...call("a", 101n, 7n), operation: "listPets" }]);
    t.same((await list(90n)).slice(2), [call("a", 100n, 2n), call("b", 100n, 1n)]);
    t.same(
      (await list(90n)).map(({ day }) => day),
      [101n, 101n, 100n, 100n],
      "the last day first",
    );
    await other.deprecated.add([], 101n);
    t.equal((await list(0n)).length, 2, "what is older is forgotten");
    await other.close();
  });

  withStore(
    "a store of the version before is brought to this one with all that it has",
    async (t, store, open, url) => {
      const key = makeKey();
      await store.keys.create("a", key.hash);
      const { pet } = (await store.pets.create(rex)) as { pet: Pet };
      for (const table of ["deprecated_calls", "imports"]) await ask(url, `DROP TABLE ${place}${table}`);
      await ask(url, `ALTER TABLE ${place}keys DROP COLUMN operator`);
      await ask(url, before);
      const now = await open();
      t.match(await now.keys.find(key.hash), { name: "a", operator: false });
      t.same(await now.pets.find(pet.id), pet);
      t.same(await now.deprecated.list(0n), []);
      await now.close();
    },
  );
}

for (const [name, { prepare }] of Object.entries(stores))
  t.test(`${name}: each statement is told to who listens, in the context of the calls that it is for`, async (t) => {
    const store = await openStore(await prepare(t));
    t.teardown(() => store.close());
    const call = new AsyncLocalStorage<number>();
    const calls = (work: () => Promise<unknown>) => Promise.all([1, 2, 3].map((n) => call.run(n, work)));
    await calls(() => store.pets.create(rex)); // whose context is not that of any later one
    const heard: [verb: string | undefined, calls: unknown][] = [];
    const start = ({ text }: Statement) => {
      const verb = /BEGIN|INSERT|SELECT|COMMIT/.exec(text.replace(/^\s*WITH.*?(?=INSERT)/s, ""))?.[0];
      heard.push([verb, sharedBy()?.map((inCall) => inCall(() => call.getStore())) ?? call.getStore()]);
    };
    sql.subscribe({ start });
    t.teardown(() => sql.unsubscribe({ start }));
    await calls(() => store.pets.create(rex));
    const all = [1, 2, 3];
    const own = all.map((n) => ["INSERT", n]);
    const [transaction, once] = [[["BEGIN", all], ...own, ["COMMIT", all]], [["INSERT", all]]];
    t.same(heard.splice(0), name === "sqlite" ? transaction : once);
    await calls(() => store.pets.list({ limit: 20 }));
    await calls(() => store.pets.find(1n));
    const reads =
      name === "sqlite"
        ? [
            ["SELECT", 1],
            ["SELECT", 2],
            ["SELECT", 3],
            ["SELECT", 1],
          ]
        : [
            ["SELECT", all],
            ["SELECT", all],
          ]; // a page that is not full is not kept
    t.same(heard.splice(0), reads);
    sql.unsubscribe({ start });
    await calls(() => store.pets.create(rex));
    t.same(heard, []);
  });

t.test("sqlite: WAL, synchronous, strict tables, and an index for each query", async (t) => {
  const file = join(folder(t), "petstore.db");
  const store = await openStore(`sqlite:${file}`);
  const db = new DatabaseSync(file);
  t.equal(db.prepare("PRAGMA journal_mode").get()?.journal_mode, "wal");
  const tables = db
    .prepare("SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'")
    .all();
  t.ok(tables.length === 6 && tables.every(({ strict }) => strict === 1), "all tables are strict");
  for (const query of Object.values(statements)) {
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${query}`)
      .all()
      .map(({ detail }) => String(detail));
    const whole = /FROM (secret|keys ORDER BY name)$/.test(query);
    t.ok(whole || !plan.some((step) => step.startsWith("SCAN")), `${query}: ${plan}`);
    t.notMatch(String(plan), /TEMP B-TREE/, "nothing is sorted");
  }

  // What the connection itself says: it is told by no other one.
  const witness = `const { DatabaseSync } = require("node:sqlite"); const close = DatabaseSync.prototype.close;
    DatabaseSync.prototype.close = function () { console.error(this.prepare("PRAGMA synchronous").get().synchronous); close.call(this); };`;
  const preload = join(folder(t), "witness.cjs");
  writeFileSync(preload, witness);
  const { stderr } = petstore(
    { DATABASE_URL: `sqlite:${file}`, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require ${preload}` },
    "keys",
    "list",
  );
  t.equal(stderr, "2n\n", "synchronous is FULL");
  await store.close();
});

t.test("sqlite: what can't be opened is refused with the reason", async (t) => {
  const path = folder(t);
  const refused = (name: string, message: RegExp) =>
    t.rejects(openStore(`sqlite:${join(path, name)}`), { message }, name);
  writeFileSync(join(path, "text"), "this is no database, but a text of some length".repeat(100));
  await refused("text", /text can't be opened: file is not a database/);
  new DatabaseSync(join(path, "foreign")).exec("CREATE TABLE songs (title TEXT)");
  const before = readFileSync(join(path, "foreign"));
  await refused("foreign", /belongs to another program/);
  t.ok(readFileSync(join(path, "foreign")).equals(before), "another program's file is left as it was");
  t.notOk(existsSync(join(path, "foreign-wal")));
  for (const pragma of ["application_id = 1234", "user_version = 1"]) {
    new DatabaseSync(join(path, pragma)).exec(`PRAGMA ${pragma}`);
    await refused(pragma, /belongs to another program/);
  }
  await (await openStore(`sqlite:${join(path, "newer")}`)).close();
  new DatabaseSync(join(path, "newer")).exec("PRAGMA user_version = 99");
  await refused("newer", /it is of version 99, made by a newer release; this one knows up to 2/);
  await refused("text/below", /can't be opened/);
  mkdirSync(join(path, "locked"));
  chmodSync(path, 0o755);
  chmodSync(join(path, "locked"), 0o555);
  // Root may write everywhere: who runs this as root does it as nobody.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const script = `import("${new URL("../src/store/open.ts", import.meta.url)}").then(({ openStore }) => openStore("sqlite:${path}/locked/petstore.db")).catch((error) => console.log(error.message))`;
  const env = { PATH: process.env.PATH };
  const { stdout } = spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], {
    encoding: "utf8",
    env,
    cwd: "/",
    ...nobody,
  });
  t.match(stdout, /locked\/petstore\.db can't be opened: EACCES: permission denied/);
});

t.test("sqlite: a store that is closed while a write waits says so", async (t) => {
  const store = await openStore(`sqlite:${join(folder(t), "petstore.db")}`);
  await store.pets.list({ limit: 1 });
  const waiting = store.pets.create(rex);
  await store.close();
  await t.rejects(waiting, { constructor: Unavailable, message: "The store is closed." });
});

t.test("sqlite: nothing is acknowledged that goes into a file which is not there any more", async (t) => {
  const file = join(folder(t), "petstore.db");
  const store = await openStore(`sqlite:${file}`);
  const refused = {
    constructor: Unavailable,
    message: "The store's file was removed or replaced.",
    cause: { message: `${file} or its -wal is not what was opened: put that back, or start the service anew` },
  };
  const lost = async (what: string) => {
    await pause(110); // the log is looked at now and then
    await t.rejects(store.check(), refused, what);
    await t.rejects(store.pets.create(rex), refused, what);
    t.match(await store.pets.list({ limit: 1 }), { pets: [rex] }, "what was there can be read");
  };
  const found = async () => {
    await store.check();
    t.match(await store.pets.create(rex), { outcome: "created" });
  };
  await found();
  renameSync(file, `${file}.away`);
  await lost("moved away");
  copyFileSync(`${file}.away`, file);
  await lost("replaced");
  renameSync(`${file}.away`, file);
  await found();
  renameSync(`${file}-wal`, `${file}-wal.away`);
  await lost("without its log");
  writeFileSync(`${file}-wal`, "");
  await lost("with another log");
  renameSync(`${file}-wal.away`, `${file}-wal`);
  await found();
  new DatabaseSync(file).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  await pause(110);
  await found();
  // Whatever keeps it from being looked at: a commit that was made must not be tried again.
  const made = (await store.pets.list({ limit: 100 })).pets.length;
  const away = `${dirname(file)}.away`;
  renameSync(dirname(file), away);
  symlinkSync(dirname(file), dirname(file));
  const several = await Promise.allSettled([rex, rex, rex].map((pet) => store.pets.create(pet)));
  t.same(
    several.map((one) => one.status === "rejected" && one.reason instanceof Unavailable),
    [true, true, true],
  );
  rmSync(dirname(file));
  renameSync(away, dirname(file));
  const { pets } = await store.pets.list({ limit: 100 });
  t.equal(pets.length, made + 3, "none was made more than once");
  await found();
  rmSync(file);
  await lost("removed");
  await store.close();
});

t.test("sqlite: another process's lock holds up writers alone, and is a 503 in the end", async (t) => {
  const file = join(folder(t), "petstore.db");
  const store = await openStore(`sqlite:${file}`);
  const service = await start(t, { store });
  const create = () => service.call("POST", "/v1/pets", { json: { name: "x", categoryId: 1 } });
  const blocker = new DatabaseSync(file);
  blocker.exec("BEGIN IMMEDIATE");
  const waiting = create();
  for (let n = 0; n < 20; n++) t.match(await service.call("GET", "/v1/pets"), { status: 200, body: [] });
  blocker.exec("COMMIT");
  t.match(await waiting, { status: 201 }, "a writer waits for the lock");
  blocker.exec("BEGIN IMMEDIATE");
  t.match(await create(), {
    status: 503,
    headers: { "retry-after": "1" },
    body: { code: "unavailable", message: "The store is locked by another process. Try again." },
  });
  blocker.exec("COMMIT");
  t.match(await create(), { status: 201 });
  await service.app.close();
  await store.close();
  await t.rejects(store.check(), { code: "ERR_INVALID_STATE" }, "to use a closed store is a bug, and not hidden");
});

t.test("sqlite: a store that is locked for writing can be opened", async (t) => {
  const file = join(folder(t), "petstore.db");
  await (await openStore(`sqlite:${file}`)).close();
  const blocker = new DatabaseSync(file);
  blocker.exec("BEGIN IMMEDIATE");
  const store = await openStore(`sqlite:${file}`);
  t.same(await store.keys.list(), []);
  await store.close();
});

t.test("sqlite: a migration that fails leaves nothing", async (t) => {
  const db = new DatabaseSync(join(folder(t), "petstore.db"));
  const denied = constants.SQLITE_INSERT;
  db.setAuthorizer((action, table) =>
    action === denied && table === "secret" ? constants.SQLITE_DENY : constants.SQLITE_OK,
  );
  t.throws(() => migrate(db), { message: /not authorized/ });
  t.same(db.prepare("SELECT name FROM sqlite_schema").all(), []);
  db.setAuthorizer(null);
  migrate(db);
  t.equal(inspect(db), 2);
});

t.test("sqlite: of a key only its SHA-256 is kept, in a file that its owner alone can read", async (t) => {
  const file = join(folder(t), "petstore.db");
  const key = petstore({ DATABASE_URL: `sqlite:${file}` }, "keys", "create", "a").stdout.trim();
  const db = new DatabaseSync(file);
  t.same(Buffer.from(db.prepare("SELECT hash FROM keys").get()?.hash as Uint8Array), digest(key));
  const text = JSON.stringify(
    ["pets", "keys", "idempotency", "secret"].map((table) => db.prepare(`SELECT * FROM ${table}`).all()),
  );
  t.notMatch(text, key);
  t.equal(statSync(file).mode & 0o777, 0o600);
});

t.test("sqlite: every pet that was answered is there once, after kill -9 under load, four times", async (t) => {
  const file = join(folder(t), "petstore.db");
  const settings = { DATABASE_URL: `sqlite:${file}`, LOG_LEVEL: "silent" };
  const key = petstore(settings, "keys", "create", "writer").stdout.trim();
  const acknowledged = new Map<string, string>();
  for (let round = 0; round < 4; round++) {
    const { url, end } = await startServer(t, settings);
    const load = startLoad([url], key);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await end("SIGKILL");
    await load.stop();
    for (const [name, id] of load.acknowledged) acknowledged.set(name, id);
  }
  const db = new DatabaseSync(file);
  t.ok(acknowledged.size > 100, `${acknowledged.size} were answered`);
  holdsAll(t, db.prepare("SELECT name, CAST(id AS TEXT) AS id FROM pets").all() as unknown as Kept[], acknowledged);
  t.equal(db.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok");
});
