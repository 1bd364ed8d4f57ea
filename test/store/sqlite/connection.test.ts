// Opens files as SQLite stores, and rejects those that it can't open.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { latestVersion } from "../../../src/store/migrations.ts";
import { rex } from "../../support/conformance.ts";
import { folder } from "../../support/files.ts";
import { openPetStore, openPetTables, petsOf } from "../../support/pets.ts";
import { skipWithout } from "../../support/programs.ts";

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

t.test("Creates the folders of the file", async (t) => {
  const file = join(folder(t), "nested/deeper/petstore.db");
  await (await openPetStore(`sqlite:${file}`)).close();
  t.ok(existsSync(file));
});

t.test("Opens a relative path as the system does, also if SQLite gives it another meaning", async (t) => {
  const [path, cwd] = [folder(t), process.cwd()];
  process.chdir(path);
  t.teardown(() => process.chdir(cwd));
  mkdirSync("target/nested", { recursive: true });
  symlinkSync("target/nested", "link");
  for (const name of ["file:other.db?mode=rwc", "link/../petstore.db"]) {
    const store = await openPetStore(`sqlite:${name}`);
    t.match(await petsOf(store).create(rex), { outcome: "created" }, name);
    await store.close();
  }
  t.same(readdirSync("."), ["file:other.db?mode=rwc", "file:other.db?mode=rwc-reserve", "link", "target"]);
  t.same(readdirSync("target"), ["nested", "petstore.db", "petstore.db-reserve"]);
});

t.test("Distrusts the schema of a file, and checks each page that a tool reads", async (t) => {
  const url = `sqlite:${join(folder(t), "petstore.db")}`;
  const { close } = DatabaseSync.prototype;
  t.teardown(() => Object.assign(DatabaseSync.prototype, { close }));
  const found: unknown[] = [];
  DatabaseSync.prototype.close = function () {
    const read = (pragma: string) => Number(this.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
    found.push([read("trusted_schema"), read("cell_size_check")]);
    close.call(this);
  };
  await (await openPetStore(url)).close();
  await (await openPetTables(url, "readonly")).close();
  t.same(found, [
    [0, 0],
    [0, 1],
  ]);
});

t.test("Rejects a file that it can't open, with the reason", async (t) => {
  const path = folder(t);
  const rejects = (name: string, message: RegExp) =>
    t.rejects(openPetStore(`sqlite:${join(path, name)}`), { message }, name);
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
  await (await openPetStore(`sqlite:${join(path, "newer")}`)).close();
  execute(join(path, "newer"), "PRAGMA user_version = 99");
  const newer = `its schema version is 99, but this release supports at most ${latestVersion}\\. Use a newer release`;
  await rejects("newer", new RegExp(newer));
  await rejects("text/below", /can't be opened/);
  mkdirSync(join(path, "locked"));
  chmodSync(path, 0o755);
  chmodSync(join(path, "locked"), 0o555);
  await asNobody(() =>
    rejects("locked/petstore.db", /locked\/petstore\.db can't be opened: EACCES: permission denied/),
  );
});

// SQLite as Debian has it removes the -wal file with its last connection. That of Node leaves it.
t.test(
  "Another connection of the process does not end the locks of a store, so that other programs leave its commits",
  { skip: skipWithout("python3", "python3") },
  async (t) => {
    const file = join(folder(t), "petstore.db");
    const store = await openPetStore(`sqlite:${file}`);
    t.teardown(() => store.close());
    await (await openPetStore(`sqlite:${file}`)).close();
    const wal = statSync(`${file}-wal`).ino;
    const read = 'db = sqlite3.connect(sys.argv[1]); db.execute("SELECT count(*) FROM pets").fetchone(); db.close()';
    execFileSync("python3", ["-c", `import sqlite3, sys; ${read}`, file]);
    t.equal(statSync(`${file}-wal`).ino, wal);
    t.match(await petsOf(store).create(rex), { outcome: "created" });
    await store.check();
  },
);
