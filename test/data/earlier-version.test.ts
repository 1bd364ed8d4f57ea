// SQLite stores of earlier versions, which commands that only read can read without a migration.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { latestVersion } from "../../src/store/migrations.ts";
import { migrate } from "../../src/store/sqlite/sqlite-migrations.ts";
import { folder } from "../support/files.ts";
import { collections } from "../support/pets.ts";
import { petInSql, petstoreOn, readAllNames } from "../support/stores.ts";

const versions = Array.from({ length: latestVersion - 1 }, (_, index) => index + 1);

function createStore(t: Test, version: number) {
  const file = join(folder(t), "pets.db");
  const db = new DatabaseSync(file);
  migrate(db, collections, version);
  db.exec("INSERT INTO keys (name, hash, created_at) VALUES ('bob', randomblob(32), 2), ('alice', randomblob(32), 1)");
  db.exec(`INSERT INTO pets (id, record) VALUES (7, ${petInSql(`sqlite:${file}`, { id: 7 })})`);
  return { file, url: `sqlite:${file}`, db };
}

for (const version of versions) {
  t.test(`A backup of version ${version} is checked, exported and restored, and stays as it is`, async (t) => {
    const { file, url, db } = createStore(t, version);
    db.close();
    const bytes = readFileSync(file);
    t.match(await petstoreOn("sqlite:none.db", ["check", url]), { status: 0, stdout: "no problems found" });
    t.match(await petstoreOn(url, ["export"]), { status: 0, stdout: /^\{"id":7,.*\}\n$/ });
    const target = `sqlite:${join(folder(t), "restored.db")}`;
    for (const args of [
      ["restore", file],
      ["restore", file, "--force", "--yes"],
    ])
      t.match(await petstoreOn(target, args), { status: 0, stdout: /^keys +2\npets +1\n/ });
    t.same(await readAllNames(target), ["Rex"]);
    t.match(await petstoreOn(target, ["keys", "rotate", "alice"]), { status: 0 }, "the target has this version");
    t.same(readFileSync(file), bytes);
    t.same(readdirSync(dirname(file)), ["pets.db"]);
  });

  t.test(`A service of version ${version} can use its store while it is read`, async (t) => {
    const { url, db } = createStore(t, version);
    t.teardown(() => db.close());
    db.exec("PRAGMA journal_mode = WAL; UPDATE keys SET last_used_at = 3");
    t.match(await petstoreOn(url, ["keys", "list"]), { status: 0, stdout: /^NAME.*\nalice .*\nbob .*\n$/ });
    const file = join(folder(t), "pets.backup");
    t.match(await petstoreOn(url, ["backup", file]), { status: 0, stdout: /^keys +2\npets +1\n/ });
    t.equal(db.prepare("PRAGMA user_version").get()?.user_version, version);
    t.match(await petstoreOn(`sqlite:${file}`, ["keys", "revoke", "bob"]), { status: 0 });
  });
}
