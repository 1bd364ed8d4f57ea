// The file of the SQLite store: opening it, and writes after it was moved, replaced or removed.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { Unavailable } from "../../../src/lib/unavailable.ts";
import { openStore } from "../../../src/store/open.ts";
import { latestVersion } from "../../../src/store/sqlite/migrations.ts";
import { rex } from "../../support/conformance.ts";
import { folder } from "../../support/files.ts";
import { pause } from "../../support/wait.ts";

function execute(file: string, statement: string): void {
  const db = new DatabaseSync(file);
  db.exec(statement);
  db.close();
}

// Root may write everywhere. Opening is synchronous: nothing else runs meanwhile.
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}

t.test("creates the folders of the file", async (t) => {
  const file = join(folder(t), "nested/deeper/petstore.db");
  await (await openStore(`sqlite:${file}`)).close();
  t.ok(existsSync(file));
});

t.test("rejects a file that it can't open, with the reason", async (t) => {
  const path = folder(t);
  const rejects = (name: string, message: RegExp) =>
    t.rejects(openStore(`sqlite:${join(path, name)}`), { message }, name);
  writeFileSync(join(path, "text"), "this is no database, but a text of some length".repeat(100));
  await rejects("text", /text can't be opened: file is not a database/);
  execute(join(path, "foreign"), "CREATE TABLE songs (title TEXT)");
  const before = readFileSync(join(path, "foreign"));
  await rejects("foreign", /belongs to another program/);
  t.ok(readFileSync(join(path, "foreign")).equals(before), "another program's file is unchanged");
  t.notOk(existsSync(join(path, "foreign-wal")));
  for (const pragma of ["application_id = 1234", "user_version = 1"]) {
    execute(join(path, pragma), `PRAGMA ${pragma}`);
    await rejects(pragma, /belongs to another program/);
  }
  await (await openStore(`sqlite:${join(path, "newer")}`)).close();
  execute(join(path, "newer"), "PRAGMA user_version = 99");
  const newer = `it is of version 99, made by a newer release; this one knows up to ${latestVersion}`;
  await rejects("newer", new RegExp(newer));
  await rejects("text/below", /can't be opened/);
  mkdirSync(join(path, "locked"));
  chmodSync(path, 0o755);
  chmodSync(join(path, "locked"), 0o555);
  await asNobody(() =>
    rejects("locked/petstore.db", /locked\/petstore\.db can't be opened: EACCES: permission denied/),
  );
});

/** A store with one pet, and checks of its behaviour while its file is in place and while it is missing. */
async function openWatched(t: Test) {
  const file = join(folder(t), "data/petstore.db");
  const store = await openStore(`sqlite:${file}`);
  t.teardown(() => store.close());
  const unavailable = {
    constructor: Unavailable,
    message: "The store's file was removed or replaced.",
    cause: { message: `${file} or its -wal is not what was opened: put that back, or start the service anew` },
  };
  const fails = async (reason: string) => {
    await pause(110); // the log is looked at every 100 ms
    await t.rejects(store.check(), unavailable, reason);
    await t.rejects(store.pets.create(rex), unavailable, reason);
    t.match(await store.pets.list({ limit: 1 }), { pets: [rex] }, "reads still work");
  };
  const works = async () => {
    await store.check();
    t.match(await store.pets.create(rex), { outcome: "created" });
  };
  await works();
  return { file, store, fails, works };
}

t.test("acknowledges no write to a file that was moved, replaced or removed", async (t) => {
  const { file, fails, works } = await openWatched(t);
  renameSync(file, `${file}.away`);
  await fails("moved");
  copyFileSync(`${file}.away`, file);
  await fails("replaced");
  renameSync(`${file}.away`, file);
  await works();
  renameSync(`${file}-wal`, `${file}-wal.away`);
  await fails("without its log");
  writeFileSync(`${file}-wal`, "");
  await fails("with another log");
  renameSync(`${file}-wal.away`, `${file}-wal`);
  await works();
  execute(file, "PRAGMA wal_checkpoint(TRUNCATE)");
  await pause(110);
  await works();
  rmSync(file);
  await fails("removed");
});

t.test("never repeats a committed write because it can't see the file", async (t) => {
  const { file, store, works } = await openWatched(t);
  const away = `${dirname(file)}.away`;
  renameSync(dirname(file), away);
  symlinkSync(dirname(file), dirname(file)); // stat fails with ELOOP
  const results = await Promise.allSettled([rex, rex, rex].map((pet) => store.pets.create(pet)));
  t.same(
    results.map((result) => result.status === "rejected" && result.reason instanceof Unavailable),
    [true, true, true],
  );
  rmSync(dirname(file));
  renameSync(away, dirname(file));
  const { pets } = await store.pets.list({ limit: 100 });
  t.equal(pets.length, 1 + 3, "each was created once");
  await works();
});
