// petstore restore: restores an empty store from a backup. With --force, it replaces the rows of a store in use.
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { CommandOptions } from "../support/command.ts";
import { openStore } from "../support/conformance.ts";
import { makeEndless } from "../support/crafted-database.ts";
import { emptyDatabase, stores, storeWithoutTables } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { createPet, maxInt64, openPetStore, petsOf } from "../support/pets.ts";
import { query } from "../support/postgres.ts";
import { addKey, start } from "../support/service.ts";
import { countPets, fill, injectFault, petstoreOn, tamper } from "../support/stores.ts";

const idempotencyKey = { caller: 1n, key: "k", digest: new Uint8Array(32) };

/** Backs up a store with a key and the pets 1 to 4; a pet 5 was deleted, and pet 4 has an Idempotency-Key. */
async function makeBackup(t: Test, from: string) {
  const store = await openPetStore(from);
  await addKey(store, "theirs");
  for (const name of ["a", "b", "c"]) await petsOf(store).create({ name, categoryId: maxInt64 });
  const fourth = await petsOf(store).create({ name: "d", categoryId: 0n }, idempotencyKey);
  await petsOf(store).create({ name: "gone", categoryId: 0n });
  await store.close();
  await tamper(from, "DELETE FROM pets WHERE id = 5");
  const file = join(folder(t), "backup.db");
  const made = JSON.parse((await petstoreOn(from, ["backup", file, "--json"])).stdout);
  t.match(made, { keys: 1, pets: 4, idempotency: 1, sha256: /^[0-9a-f]{64}$/ });
  return { file, made, fourth };
}

for (const [kind, prepare] of Object.entries(stores)) {
  t.test(`${kind}: restores an empty store`, async (t) => {
    const [{ file }, url] = [await makeBackup(t, await prepare(t)), await prepare(t)];
    t.match(await petstoreOn(url, ["migrate"]), { status: 0 });
    t.match(await petstoreOn(url, ["restore", file]), { status: 0, stdout: /^pets {14}4$/m });
    const empty = await prepare(t);
    t.match(await petstoreOn(empty, ["migrate"]), { status: 0 });
    const { status, stderr } = await petstoreOn(empty, ["restore", file, "--force"]);
    t.equal(status, 0);
    t.notMatch(stderr, /Replace the data/, "nothing is lost");
  });

  t.test(`${kind}: asks before it replaces data, and changes nothing without a yes`, async (t) => {
    const [{ file }, url] = [await makeBackup(t, await prepare(t)), await prepare(t)];
    await fill(url, 1);
    const store = await openPetStore(url);
    for (let n = 10; n < 32; n++) await addKey(store, `key-${n}`);
    await store.close();
    const restore = (options?: CommandOptions) => petstoreOn(url, ["restore", file, "--force"], options);
    t.match(await restore(), {
      status: 1,
      stderr:
        /^petstore: The database has pets \(1, last id 1\) and keys \(23\).*\n(.*\n)*petstore: Nothing was changed\. Add --yes to confirm/,
    });
    const question = /Replace the data\? \[y\/N\]/;
    for (const input of ["\n", "no\n", "yesterday\n", ""])
      t.match(await restore({ input, isTerminal: true }), { status: 1, stderr: question }, input);
    t.match((await restore()).stderr, /not be valid any more: a, key-10, .*, key-28 and 3 more\.$/m);
    t.equal(await countPets(url), 1);
    let canStop = false;
    await restore({ input: "no\n", isTerminal: true, onStop: () => (canStop = true) });
    t.notOk(canStop, "a signal ends the process before the answer");
    const { status, stderr } = await restore({ input: "yes\n", isTerminal: true });
    t.match({ status, stderr }, { status: 0, stderr: question });
    t.match(
      stderr,
      /checking [^\n]*\r\x1b\[Kpetstore: The database has pets \(1/,
      "the bar is removed before the question",
    );
    t.equal(await countPets(url), 4);
  });

  t.test(`${kind}: a restore that is stopped changes nothing`, async (t) => {
    const [{ file }, url] = [await makeBackup(t, await prepare(t)), await prepare(t)];
    await fill(url, 1);
    const stopped = await petstoreOn(url, ["restore", file, "--force", "--yes"], { onStop: (stop) => stop() });
    t.match(stopped, { status: 1, stdout: "", stderr: /^petstore: Stopped\. Nothing was changed\.\n$/m });
    t.equal(await countPets(url), 1);
  });

  t.test(`${kind}: rejects a restore of a store that is in use, also if its service is idle`, async (t) => {
    const [from, url] = [await prepare(t), await prepare(t)];
    const { file } = await makeBackup(t, from);
    // The connection pool closes all idle connections but one before the restore checks for connections.
    const store = await openPetStore(url, { timeouts: { postgres: { idle: 20 } } });
    await start(t, { store });
    await Promise.all(Array.from({ length: 5 }, () => store.check()));
    const inUse = /in use\. Stop the service.*--force/;
    t.match(await petstoreOn(url, ["restore", file]), { status: 1, stdout: "", stderr: inUse });
    await store.close();
  });

  t.test(`${kind}: replaces the rows of a store only with --force, in one transaction`, async (t) => {
    const [from, url] = [await prepare(t), await prepare(t)];
    const { file, made, fourth } = await makeBackup(t, from);
    await fill(url, 9);
    const full =
      /not empty\. Use --force to replace its data\. It has rows in: keys \(1\), pets \(9\), idempotency \(9\)\./;
    t.match(await petstoreOn(url, ["restore", file]), { status: 1, stdout: "", stderr: full });
    await injectFault(url, 3);
    t.match(await petstoreOn(url, ["restore", file, "--force", "--yes"]), { status: 1, stderr: /injected/ });
    await injectFault(url);
    t.equal(await countPets(url), 9);

    const store = await openPetStore(url);
    const { call, key: old } = await start(t, { store });
    t.match((await call("GET", "/v1/pets?limit=2")).body, [{ name: "Rex 0 🐕" }, { name: "Rex 1 🐕" }]);
    t.equal((await call("GET", "/v1/pets/1")).status, 200);
    const keyNames = (await store.keys.list()).map(({ name }) => name);
    const { status, stdout, stderr } = await petstoreOn(url, ["restore", file, "--force", "--yes", "--json"]);
    t.equal(status, 0);
    t.same(
      stderr.split("\n").slice(0, -1),
      [
        "petstore: The database has pets (9, last id 9) and keys (2).",
        "petstore: The backup has pets (4, last id 5) and keys (1), which replace them.",
        `petstore: These keys will not be valid any more: ${keyNames.join(", ")}.`,
        "petstore: Restored the key theirs, which the database did not have. If it was revoked, revoke it again.",
      ],
      "names the keys that it removes and adds",
    );
    t.same(JSON.parse(stdout), made, "the same checksum");
    t.equal((await call("GET", "/v1/pets", { key: old })).status, 401, "the keys of the backup apply immediately");
    const key = await addKey(store, "new");
    t.match((await call("GET", "/v1/pets?limit=2", { key })).body, [{ name: "a" }, { name: "b" }], "so do its pets");
    t.match((await call("GET", "/v1/pets/1", { key })).body, { name: "a" });
    t.same(await petsOf(store).create({ name: "d", categoryId: 0n }, idempotencyKey), {
      ...fourth,
      outcome: "repeated",
    });
    t.match(await createPet(store, { name: "e", categoryId: 0n }), { id: 10n }, "no id is generated twice");
    t.same(
      (await store.keys.list()).map(({ name }) => name),
      ["new", "theirs"],
    );
    await store.close();
    t.match(await petstoreOn(url, ["backup", file]), {
      status: 1,
      stderr: /backup\.db already exists; choose another name\./,
    });
  });

  t.test(`${kind}: names each revoked key that it restores, or keeps the keys of the store`, async (t) => {
    const url = await prepare(t);
    const store = await openStore(t, url);
    const { call, key, close } = await start(t, { store });
    const leaked = await addKey(store, "leaked");
    const file = join(folder(t), "backup.db");
    t.match(await petstoreOn(url, ["backup", file]), { status: 0 });
    t.match(await petstoreOn(url, ["keys", "revoke", "leaked"]), { status: 0 });
    await petsOf(store).create({ name: "later", categoryId: 0n });
    const recent = await addKey(store, "recent");
    const statuses = async () => {
      const keys = [key, leaked, recent];
      return Promise.all(keys.map(async (key) => (await call("GET", "/v1/pets", { key })).status));
    };

    const kept = await petstoreOn(url, ["restore", file, "--force", "--yes", "--without-keys", "--json"]);
    t.match(
      kept,
      { status: 0, stderr: /^petstore: The database has pets \(\d+, last id \d+\)\.\n.*\n$/ },
      "names no key",
    );
    t.same(await statuses(), [200, 401, 200]);
    t.equal(await countPets(url), 0);

    t.match(await petstoreOn(url, ["restore", file, "--force", "--yes"]), {
      status: 0,
      stderr:
        /valid any more: recent\.\npetstore: Restored the key leaked, which the database did not have\. If it was revoked, revoke it again\.\n$/,
    });
    t.same(await statuses(), [200, 200, 401]);

    const other = await makeBackup(t, await prepare(t));
    t.match(await petstoreOn(url, ["restore", other.file, "--force", "--yes", "--without-keys"]), { status: 0 });
    t.same(await statuses(), [200, 200, 401]);
    t.equal(await countPets(url), 4);
    const repeated = await petsOf(store).create({ name: "d", categoryId: 0n }, idempotencyKey);
    t.match(repeated, { outcome: "created" }, "the Idempotency-Keys of other callers do not apply");
    await close(); // the service writes when keys were used
    const { stdout } = await petstoreOn(url, ["restore", file, "--force", "--yes", "--without-keys"]);
    t.match(stdout, /^keys {14}2$/m);
    t.equal(
      (await petstoreOn(url, ["check"])).stdout,
      `${stdout}no problems found\n`,
      "prints the checksum of the store",
    );
  });

  t.test(`${kind}: creates a store that does not exist, with the checksum of the backup`, async (t) => {
    const { file } = await makeBackup(t, await prepare(t));
    const url = kind === "sqlite" ? await prepare(t) : await emptyDatabase(t);
    const summary = (await petstoreOn(`sqlite:${file}`, ["check"])).stdout.replace("no problems found\n", "");
    t.match(await petstoreOn(url, ["restore", file]), { status: 0, stdout: summary });
    t.match(summary, /^pets {14}4$/m);
    const store = await openPetStore(url);
    t.match(await createPet(store, { name: "e", categoryId: 0n }), { id: 6n }, "no id is generated twice");
    await store.close();
    t.match(await petstoreOn(url, ["check"]), { status: 0 });
  });

  t.test(`${kind}: a service does not exceed MAX_PETS after a restore with --force`, async (t) => {
    const [{ file }, url] = [await makeBackup(t, await prepare(t)), await prepare(t)];
    await fill(url, 6, 0);
    await tamper(url, "DELETE FROM pets WHERE id < 6");
    const store = await openStore(t, url, { maxRecords: 10n });
    t.match(await petstoreOn(url, ["restore", file, "--force", "--yes"]), { status: 0 });
    const pet = { name: "new", categoryId: 0n };
    const created = await Promise.all(Array.from({ length: 9 }, () => petsOf(store).create(pet)));
    t.equal(created.filter(({ outcome }) => outcome === "created").length, 6);
    t.equal(await countPets(url), 10);
  });

  t.test(`${kind}: a rejected restore changes nothing`, async (t) => {
    const { file } = await makeBackup(t, await prepare(t));
    const place = folder(t);
    const unsound = join(folder(t), "unsound.db");
    copyFileSync(file, unsound);
    await tamper(`sqlite:${unsound}`, "UPDATE keys SET hash = X'01', operator = 2");
    const missing = kind === "sqlite" ? `sqlite:${join(place, "new", "petstore.db")}` : await emptyDatabase(t);
    t.match(await petstoreOn(missing, ["restore", unsound]), {
      status: 1,
      stderr: /failed the integrity check \(2 problems\)/,
    });
    t.match(await petstoreOn(missing, ["restore", place]), {
      status: 1,
      stderr: /^petstore: \S+ is a directory\. Specify the file of a backup/,
    });
    if (kind === "sqlite") t.same(readdirSync(place), []);
    else t.same(await query(missing, "SELECT 1 FROM pg_namespace WHERE nspname = 'petstore'"), []);

    const url = await prepare(t);
    await fill(url, 1);
    t.match(
      await petstoreOn(url, ["restore", unsound]),
      { status: 1, stderr: /not empty/ },
      "before the integrity check",
    );
    const crafted = join(folder(t), "crafted.db");
    copyFileSync(file, crafted);
    makeEndless(crafted, "pets");
    t.match(
      await petstoreOn(url, ["restore", crafted, "--force", "--yes"]),
      { status: 1, stderr: /failed the integrity check/ },
      "before a query of the backup, which would not end",
    );
    const name = kind as keyof typeof stores;
    const old = await storeWithoutTables(t, name);
    t.match(await petstoreOn(old, ["check"]), { status: 1, stderr: /it lacks the table pets/ });
    t.match(await petstoreOn(old, ["restore", file]), { status: 0 }, "it has no rows");
  });
}
