// The check of the file of an open SQLite store: writes after the file was moved, replaced or removed.
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { UnavailableError } from "../../../src/lib/problem.ts";
import { openStore, rex } from "../../support/conformance.ts";
import { folder } from "../../support/files.ts";
import { listPets, openPetStore, petsOf } from "../../support/pets.ts";
import { pause } from "../../support/wait.ts";

function checkpoint(file: string): void {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

/**
 * Opens a store and creates a pet. Returns checks of the store's behaviour while its file is in place and while it is
 * missing.
 */
async function openWatched(t: Test, file = join(folder(t), "data/petstore.db")) {
  const store = await openStore(t, `sqlite:${file}`);
  const unavailable = {
    constructor: UnavailableError,
    message: "The database file was removed or replaced.",
    cause: { message: `${file} or its -wal file is not the one that was opened: put it back, or restart the service` },
  };
  const fails = async (reason: string) => {
    await pause(110); // the -wal file is checked every 100 ms
    await t.rejects(store.check(), unavailable, reason);
    await t.rejects(petsOf(store).create(rex), unavailable, reason);
    t.match(await listPets(store, { limit: 1 }), { pets: [rex] }, "reads still work");
  };
  const works = async () => {
    await store.check();
    t.match(await petsOf(store).create(rex), { outcome: "created" });
  };
  await works();
  return { file, store, fails, works };
}

t.test("Acknowledges no write to a file that was moved, replaced or removed", async (t) => {
  const { file, fails, works } = await openWatched(t);
  renameSync(file, `${file}.away`);
  await fails("moved");
  copyFileSync(`${file}.away`, file);
  await fails("replaced");
  renameSync(`${file}.away`, file);
  await works();
  renameSync(`${file}-wal`, `${file}-wal.away`);
  await fails("without its -wal file");
  writeFileSync(`${file}-wal`, "");
  await fails("with another -wal file");
  renameSync(`${file}-wal.away`, `${file}-wal`);
  await works();
  checkpoint(file);
  await pause(110);
  await works();
  rmSync(file);
  await fails("removed");
});

/** Makes a symbolic link lead to another target, as `ln -sfn` does. */
function retarget(link: string, target: string): void {
  rmSync(link, { force: true });
  symlinkSync(target, link);
}

t.test("Acknowledges no write if a symbolic link in the path leads to another file, or is missing", async (t) => {
  const place = folder(t);
  for (const name of ["one", "two"]) {
    await (await openPetStore(`sqlite:${join(place, name, "petstore.db")}`)).close();
    mkdirSync(join(place, name, "nested"));
  }
  for (const { link, target, path } of [
    { link: "link.db", target: "petstore.db", path: "link.db" },
    { link: "folder", target: "", path: "folder/petstore.db" },
    { link: "nested", target: "nested", path: "nested/../petstore.db" },
  ]) {
    const leadTo = (store: string) => retarget(join(place, link), join(place, store, target));
    leadTo("one");
    const { fails, works } = await openWatched(t, `${place}/${path}`); // `join` would remove `..`
    leadTo("two");
    await fails(`${path}: another file`);
    leadTo("one");
    await works();
    rmSync(join(place, link));
    await fails(`${path}: missing`);
  }
});

t.test("Acknowledges no write if the path leads to the file under another name", async (t) => {
  const place = folder(t);
  const [link, file] = [join(place, "link.db"), join(place, "one.db")];
  symlinkSync(file, link);
  const { fails, works } = await openWatched(t, link);
  renameSync(file, join(place, "two.db"));
  retarget(link, "two.db");
  await fails("moved, with its link");
  renameSync(join(place, "two.db"), file);
  retarget(link, file);
  await works();
});

t.test("Never retries a committed write if it can't stat the file", async (t) => {
  const { file, store, works } = await openWatched(t);
  const away = `${dirname(file)}.away`;
  renameSync(dirname(file), away);
  symlinkSync(dirname(file), dirname(file)); // stat fails with ELOOP
  const results = await Promise.allSettled([rex, rex, rex].map((pet) => petsOf(store).create(pet)));
  t.same(
    results.map((result) => result.status === "rejected" && result.reason instanceof UnavailableError),
    [true, true, true],
  );
  rmSync(dirname(file));
  renameSync(away, dirname(file));
  const { pets } = await listPets(store, { limit: 100 });
  t.equal(pets.length, 1 + 3, "each was created once");
  await works();
});
