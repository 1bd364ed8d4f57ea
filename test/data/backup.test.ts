// petstore backup: writes snapshots, and checks their integrity before they get their final name.
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { backup } from "../../src/data/backup.ts";
import { restore } from "../../src/data/restore.ts";
import { stores, storeWithoutTables } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { openPetTables, petDocument, petsOf } from "../support/pets.ts";
import {
  fill,
  insertPets,
  openWithPets,
  petLine,
  petstoreOn,
  readAllPets,
  replaceInPets,
  stopOnFirstFile,
  tamper,
  toFile,
} from "../support/stores.ts";

for (const [kind, prepare] of Object.entries(stores)) {
  t.test(`${kind}: a backup is a snapshot in one file, also during concurrent creates`, async (t) => {
    const url = await prepare(t);
    const { store, tables } = await openWithPets(t, url, 1_500, fill);
    const place = folder(t);
    const file = join(place, "backup.db");
    const idempotencyKey = (key: string) => ({ caller: 1n, key, digest: new Uint8Array(32) });
    const created: Promise<unknown>[] = [];
    const progress = (phase: string) => {
      if (phase === "copying")
        created.push(petsOf(store).create({ name: "late", categoryId: 0n }, idempotencyKey(`${created.length}`)));
    };
    const { counts } = await backup(tables, file, petDocument, progress);
    t.ok(created.length > 2);
    await Promise.all(created);
    t.match(counts, { keys: 1, pets: 1_500, idempotency: 1_500 });
    t.equal(statSync(file).mode & 0o777, 0o600);
    t.match(await petstoreOn(`sqlite:${file}`, ["check"]), {
      status: 0,
      stdout: /^pets {14}1500$(.*\n)*no problems found$/m,
    });
    const all = await readAllPets(`sqlite:${file}`);
    t.same(
      all.map(({ id }) => Number(id)),
      Array.from({ length: 1_500 }, (_, n) => n + 1),
    );
    const db = new DatabaseSync(file, { readOnly: true });
    const rows = "SELECT count(*) AS n FROM pets LEFT JOIN idempotency ON record_id = id WHERE record_id IS NULL";
    t.equal(db.prepare(rows).get()?.n, 0, "each pet has its Idempotency-Key");
    db.close();
    t.same(readdirSync(place), ["backup.db"], "reading it creates no other file");
  });

  t.test(`${kind}: a backup that is stopped or fails leaves no file`, async (t) => {
    const url = await prepare(t);
    await insertPets(url, 2_500);
    const place = folder(t);
    const args = ["backup", join(place, "it.db")];
    t.match(await stopOnFirstFile(url, args, place), {
      status: 1,
      stderr: /Stopped\. No file was written\.\n$/,
      partialFile: /^it\.db\.partial-/,
    });
    t.same(readdirSync(place), []);
    await tamper(url, kind === "sqlite" ? "DELETE FROM sqlite_sequence" : "SELECT setval('pets_id_seq', 41)");
    t.match(await petstoreOn(url, args), {
      status: 1,
      stderr: /failed the integrity check \(1 problem\): The next id of pets would be \d+, but the highest id is 2500/,
    });
    t.same(readdirSync(place), []);
  });

  t.test(`${kind}: a backup has records that the document does not allow, and a restore keeps them`, async (t) => {
    const [from, url] = [await prepare(t), await prepare(t)];
    await fill(from, 20, 1);
    await tamper(
      from,
      replaceInPets(from, '"name":"', '"nam":"', "id > 8"),
      `UPDATE idempotency SET key = '${"x".repeat(300)}'`,
    );
    const file = join(folder(t), "backup.db");
    const kept = (stderr: string) => {
      t.match(
        stderr,
        /^petstore: 13 rows are invalid, and were kept as they are:\npetstore: pets 9 does not match the/,
      );
      t.match(stderr, /\npetstore: check lists more of them\.\n$/);
      t.equal(stderr.match(/pets \d+ does not match/g)?.length, 10);
    };
    const made = await petstoreOn(from, ["backup", file, "--json"]);
    t.match([made.status, JSON.parse(made.stdout)], [0, { pets: 20, invalidRows: 13 }]);
    kept(made.stderr);
    const restored = await petstoreOn(url, ["restore", file]);
    t.match(restored, { status: 0, stdout: /^pets {14}20$/m });
    kept(restored.stderr);
    t.match(await petstoreOn(url, ["check"]), { status: 1, stderr: /^petstore: pets 9 does not match the schema/ });
  });

  t.test(`${kind}: a backup or restore that is stopped during its integrity check fails with Stopped`, async (t) => {
    const [from, url] = [await prepare(t), await prepare(t)];
    for (const each of [from, url]) await fill(each, 3);
    const file = join(folder(t), "backup.db");
    t.match(await petstoreOn(from, ["backup", file]), { status: 0 });
    const stop = (phase: string) => {
      if (phase === "checking") throw new Error("Stopped.");
    };
    await t.rejects(restore(file, url, { document: petDocument, force: true, progress: stop }), {
      message: /^Stopped\.$/,
    });
    const tables = await openPetTables(url, "readonly");
    await t.rejects(backup(tables, `${file}.not`, petDocument, stop), { message: /^Stopped\.$/ });
    t.notOk(existsSync(`${file}.not`));
    await tables.close();
  });
}

t.test("Rejects stores and files that can't be backed up or restored", async (t) => {
  const url = await stores.sqlite(t);
  const place = folder(t);
  await petstoreOn(url, ["import", "-", "--format", "ndjson"], { input: petLine("Rex").repeat(3) });
  const rejects = async (args: string[], stderr: RegExp) =>
    t.match(await petstoreOn(url, args), { status: 1, stdout: "", stderr }, args.join(" "));
  await rejects(["backup", place], /already exists/);
  await rejects(["restore", join(place, "none.db")], /none\.db can't be opened: ENOENT/);
  writeFileSync(join(place, "text.db"), "no database");
  await rejects(["restore", join(place, "text.db")], /text\.db can't be opened: file is not a database/);
  for (const args of [
    ["backup", "b.db"],
    ["restore", "b.db"],
  ])
    t.match(await petstoreOn("sqlite::memory:", args), {
      status: 1,
      stderr: /^petstore: DATABASE_URL must be sqlite:PATH or /,
    });

  const old = toFile(await storeWithoutTables(t, "sqlite")) as string;
  await rejects(["restore", old], /it lacks the table pets\. Run petstore migrate\.\n$/);
  const unsound = join(place, "unsound.db");
  await petstoreOn(url, ["backup", unsound]);
  await tamper(`sqlite:${unsound}`, "DELETE FROM secret", "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'pets'");
  await rejects(
    ["restore", unsound, "--force", "--yes"],
    /unsound\.db failed the integrity check \(2 problems\): The table secret must have one row/,
  );
});
