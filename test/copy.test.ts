// petstore copy: from one store to another, there and back, all or nothing.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { makeKey } from "../src/auth.ts";
import { copy } from "../src/copy.ts";
import { openStore, openTables } from "../src/store/open.ts";
import type { Once } from "../src/store/store.ts";
import { newDatabase } from "./support/databases.ts";
import { folder } from "./support/files.ts";
import { query } from "./support/postgres.ts";
import { petstoreProcess as petstore } from "./support/processes.ts";
import { addKey, start } from "./support/service.ts";
import { until } from "./support/wait.ts";

const root = new URL("..", import.meta.url).pathname;
const copyStore = (from: string, to: string) => petstore({}, "copy", "--from", from, "--to", to);
const sqlite = (t: Test) => `sqlite:${join(folder(t), "petstore.db")}`;
const database = (url: string) => new DatabaseSync(url.slice("sqlite:".length));

/** A store with as many pets, made fast. */
async function fill(url: string, count: number): Promise<void> {
  await (await openStore(url)).close();
  database(url).exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO pets (name, category_id, status) SELECT 'Rex ' || i, i, 'sold' FROM n`);
}

t.test("a store moves there and back, with all that it has", async (t) => {
  const from = sqlite(t);
  const store = await openStore(from);
  const key = await addKey(store, "a", new Date("2031-01-02T03:04:05.678Z"));
  const once: Once = { caller: 1n, key: "k", digest: new Uint8Array([0, 1, 255]) };
  const names = ["", "🐕\u0001", 'a "quoted" \\ {name}, NULL', "\n\r\t", "x".repeat(1_000)];
  for (const name of names) await store.pets.create({ name, categoryId: -(2n ** 63n) });
  for (let n = 0; n < 2_500; n++) await store.pets.create({ name: `${n}`, categoryId: 2n ** 63n - 1n, status: "sold" });
  const first = await store.pets.create({ name: "last", categoryId: 0n }, once);
  // Sorted by bytes there and here, whatever the locale of the database.
  const calls = ["b", "a", "B", "ä", "_"].map((key) => ({ operation: "getPet", key, day: 20_000n, count: 1n }));
  await store.deprecated.add(calls, 0n);
  const { pets } = await store.pets.list({ limit: 100 });
  const service = await start(t, { store });
  const { headers } = await service.call("GET", "/v1/pets?limit=3", { key });
  const next = /<([^>]+)>/.exec(headers.link ?? "")?.[1] as string;
  const page = (await service.call("GET", next, { key })).text;
  await service.app.close();
  await store.close();
  // An id that was given out is not given out again, also where its pet is gone.
  database(from).exec(
    "INSERT INTO pets (id, name, category_id) VALUES (5000, 'gone', 0); DELETE FROM pets WHERE id = 5000",
  );

  const middle = await newDatabase(t);
  const back = sqlite(t);
  const there = copyStore(from, middle);
  t.match(there, {
    status: 0,
    stdout:
      /^keys {14}2\npets {14}2506\nidempotency {7}1\ndeprecated_calls {2}5\nimports {11}0\nsha256 {12}[0-9a-f]{64}\n$/,
  });
  t.match(there.stderr, /^copying: 2,514 of 2,514 rows, [\d,]+\/s, 0 s left\ncomparing: 2,514 of 2,514 rows/m);
  t.match(copyStore(middle, back), { status: 0, stdout: there.stdout }, "the same checksum");

  for (const url of [middle, back]) {
    const store = await openStore(url);
    t.same((await store.pets.list({ limit: 100 })).pets, pets);
    t.same(await store.pets.create({ name: "x", categoryId: 0n }, once), { ...first, outcome: "repeated" });
    t.match(await store.pets.create({ name: "new", categoryId: 0n }), { pet: { id: 5001n } }, "the next id");
    const service = await start(t, { store });
    t.equal((await service.call("GET", next, { key })).text, page, "keys and cursors hold");
    const [known] = await store.keys.list();
    t.same([known?.name, known?.expiresAt], ["a", new Date("2031-01-02T03:04:05.678Z")]);
    await service.app.close();
    await store.close();
  }
});

t.test("an empty store moves, too, and its first id is 1", async (t) => {
  for (const [from, to] of [
    [sqlite(t), await newDatabase(t)],
    [await newDatabase(t), sqlite(t)],
  ] as const) {
    petstore({ DATABASE_URL: from }, "migrate");
    t.match(copyStore(from, to), { status: 0, stdout: /^pets {14}0$/m });
    const store = await openStore(to);
    t.match(await store.pets.create({ name: "x", categoryId: 0n }), { pet: { id: 1n } });
    await store.close();
  }
});

t.test("what can't be copied is refused", async (t) => {
  const [from, full] = [sqlite(t), sqlite(t)];
  await fill(from, 3);
  await fill(full, 2);
  t.match(copyStore(from, full), {
    status: 1,
    stdout: "",
    stderr: "petstore: The store to copy to is not empty: it has 2 rows in pets.\n",
  });
  t.match(copyStore(from, from.replace(":", ":/.")), { status: 1, stderr: "petstore: The two stores are the same.\n" });
  t.match(copyStore(`${from}.not`, full), { status: 1, stderr: /can't be opened: ENOENT/ });
  for (const wrong of ["sqlite::memory:", "postgress://shop:hunter2@h/x", "postgres://shop:hunter2@h:99999/x"])
    t.match(copyStore(full, wrong), {
      status: 1,
      stderr: "petstore: --to must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.\n",
    });
  t.match(copyStore(await newDatabase(t), full), { status: 1, stderr: /it has no pet store/ });
  t.match(petstore({}, "copy", "--from", from), { status: 2 });
  const typo = petstore({}, "copy", "--form", "postgres://shop:hunter2@h/x");
  t.match(typo, { status: 2 });
  t.notMatch(petstore({}, "copy", "postgres://shop:hunter2@h/x").stderr + typo.stderr, /hunter2/);
});

t.test("what fails half-way leaves the other store empty, and a second run succeeds", async (t) => {
  const from = sqlite(t);
  await fill(from, 3_000);
  const [file, url] = [sqlite(t), await newDatabase(t)];
  for (const to of [file, url]) petstore({ DATABASE_URL: to }, "migrate");
  database(file).exec(
    "CREATE TRIGGER fault BEFORE INSERT ON pets WHEN new.id = 2500 BEGIN SELECT RAISE(ABORT, 'injected'); END",
  );
  await query(url, "ALTER TABLE petstore.pets ADD CONSTRAINT injected CHECK (id <> 2500)");
  const count = async (to: string) => {
    const tables = await openTables(to, "update");
    const counts = await tables.read(async (source) => [await source.count("pets"), await source.lastId("pets")]);
    await tables.close();
    return counts;
  };
  for (const to of [file, url]) {
    t.match(copyStore(from, to), { status: 1, stdout: "", stderr: /^petstore: .*injected/m });
    t.same(await count(to), [0, 0n]);
  }
  database(file).exec("DROP TRIGGER fault");
  await query(url, "ALTER TABLE petstore.pets DROP CONSTRAINT injected");
  for (const to of [file, url]) t.match(copyStore(from, to), { status: 0, stdout: /^pets {14}3000$/m });
});

t.test("a copy that is killed leaves the other store empty", async (t) => {
  const from = sqlite(t);
  await fill(from, 200_000);
  const to = await newDatabase(t);
  const child = spawn(process.execPath, [join(root, "src/bin.js"), "copy", "--from", from, "--to", to]);
  const working = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'INSERT INTO petstore.pets%'";
  for (let found = 0; found === 0; ) found = (await query(to, working)).length;
  child.kill("SIGKILL");
  await once(child, "exit");
  t.same(await query(to, "SELECT 1 FROM petstore.pets LIMIT 1"), []);
  t.match(copyStore(from, to), { status: 0, stdout: /^pets {14}200000$/m });
});

t.test("a copy that is not the same is not kept", async (t) => {
  const from = sqlite(t);
  await fill(from, 10);
  const to = await newDatabase(t);
  petstore({ DATABASE_URL: to }, "migrate");
  await query(
    to,
    `CREATE FUNCTION alter_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.name = lower(new.name); RETURN new; END $$;
     CREATE TRIGGER other BEFORE INSERT ON petstore.pets FOR EACH ROW EXECUTE FUNCTION alter_it()`,
  );
  t.match(copyStore(from, to), {
    status: 1,
    stderr: /petstore: The copy is not the same as what was to be copied\. Nothing was kept\.\n$/,
  });
  t.same(await query(to, "SELECT 1 FROM petstore.pets"), []);
});

t.test("a store that was written to meanwhile is not copied", async (t) => {
  for (const from of [sqlite(t), await newDatabase(t)]) {
    const store = await openStore(from);
    for (let n = 0; n < 10; n++) await store.pets.create({ name: `${n}`, categoryId: 0n });
    const key = makeKey();
    await store.keys.create("a", key.hash);
    const to = from.startsWith("sqlite:") ? await newDatabase(t) : sqlite(t);
    const attempt = async (write: () => Promise<unknown>, when: "before" | "after") => {
      const [source, target] = [await openTables(from, "update"), await openTables(to, "make")];
      // Just after the copy began to look at the store, or when it has all of it.
      const read: typeof source.read = (work) =>
        source.read(async (tables) => {
          await tables.count("keys");
          if (when === "before") await write();
          const result = await work(tables);
          if (when === "after") await write();
          return result;
        });
      let reads = 0; // the first one only asks whether the stores are two
      const once: typeof source.read = (work) => (reads++ === 1 ? read(work) : source.read(work));
      const copied = await copy({ ...source, read: once }, target, () => {}).catch((error: Error) => error.message);
      const left = await target.read(async (tables) => [await tables.count("pets"), await tables.count("keys")]);
      const last = await target.read((tables) => tables.lastId("pets"));
      await source.close();
      await target.close();
      return { copied, left, last };
    };
    const nothing = [0, 0];
    const pet = () => store.pets.create({ name: "late", categoryId: 0n });
    for (const when of ["before", "after"] as const)
      t.match(
        await attempt(pet, when),
        { copied: /written to meanwhile \(1 more pets\)/, left: nothing, last: 0n },
        `a pet, ${when}`,
      );
    t.match(await attempt(() => store.keys.create("b", makeKey().hash), "after"), {
      copied: /meanwhile/,
      left: nothing,
    });
    const swap = async () => (await store.keys.revoke("b")) && (await store.keys.create("c", makeKey().hash));
    t.match(await attempt(swap, "after"), { copied: /meanwhile/, left: nothing }, "a key for another");
    t.match(await attempt(() => store.check(), "after"), { copied: { counts: { pets: 12, keys: 2 } }, left: [12, 2] });
    await store.close();
  }
});

t.test("petstore copy that is told to stop says so, and leaves the other store empty", async (t) => {
  const from = sqlite(t);
  await fill(from, 200_000);
  const to = sqlite(t);
  petstore({ DATABASE_URL: to }, "migrate");
  const child = spawn(process.execPath, [join(root, "src/bin.js"), "copy", "--from", from, "--to", to]);
  await until(
    () => {
      try {
        database(to).exec("BEGIN IMMEDIATE; ROLLBACK");
      } catch {
        return true; // it is at work
      }
      return undefined;
    },
    () => "it does not begin",
  );
  const exit = once(child, "exit");
  child.kill("SIGINT");
  t.equal(await text(child.stderr), "petstore: Stopped. Nothing was kept.\n");
  t.same((await exit)[0], 1);
  t.match(copyStore(from, to), { status: 0 });
});

t.test("on a terminal there is a bar", async (t) => {
  const from = sqlite(t);
  await fill(from, 400_000);
  const command = `exec ${process.execPath} ${join(root, "src/bin.js")} copy --from ${from} --to ${sqlite(t)}`;
  const child = spawn("script", ["-qefc", command, "/dev/null"]);
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  await once(child, "exit");
  await until(
    () => (out.includes("sha256") ? true : undefined),
    () => out,
  );
  t.match(out, /\r\x1b\[Kcopying {3}█+░+ [\d,]+ of 400,000 rows, [\d,]+\/s, \d+ s left/);
  t.match(out, /\r\x1b\[Kcomparing █+/);
  t.match(out, /\r\x1b\[Kkeys {14}0\r\npets {14}400000\r\n/, "it leaves no trace");
});
