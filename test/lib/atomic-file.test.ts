// Atomic files: on any file system and with any name, a file is complete or does not exist.
import fs, { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import t, { type Test } from "tap";
import { writeAtomically } from "../../src/lib/atomic-file.ts";
import { stores } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { fill, petstoreOn } from "../support/stores.ts";

const url = await stores.sqlite(t);
await fill(url, 3);

/** Creates a folder, and changes to it until the test ends. */
function enterFolder(t: Test): string {
  const [before, place] = [process.cwd(), folder(t)];
  process.chdir(place);
  t.teardown(() => process.chdir(before));
  return place;
}

/** Makes functions of `fs.promises` fail until the test ends. */
function breakFunctions(t: Test, ...names: ("link" | "rename")[]): void {
  const before = { ...fs.promises };
  for (const name of names)
    fs.promises[name] = async () => {
      throw Object.assign(new Error(`no ${name}`), { code: "EPERM" });
    };
  syncBuiltinESMExports();
  t.teardown(() => {
    Object.assign(fs.promises, before);
    syncBuiltinESMExports();
  });
}

t.test("Backs up to files of names that SQLite gives another meaning, and restores them", async (t) => {
  const place = enterFolder(t);
  for (const name of [":memory:", "file:x?mode=memory", "file::memory:"]) {
    t.match(await petstoreOn(url, ["backup", name]), { status: 0 }, name);
    t.same(readdirSync(place), [name]);
    for (const file of [name, join(place, name)]) {
      const to = await stores.sqlite(t);
      t.match(await petstoreOn(to, ["restore", file]), { status: 0, stdout: /^pets {14}3$/m });
    }
    rmSync(join(place, name));
  }
});

t.test("Rejects an empty name, and creates no folder", async (t) => {
  const place = enterFolder(t);
  t.match(await petstoreOn(url, ["backup", ""]), { status: 1, stderr: /is there already/ });
  t.match(await petstoreOn(url, ["export", "--output", ""]), { status: 1, stderr: /is not a regular file/ });
  t.match(await petstoreOn(url, ["restore", ""]), { status: 1, stderr: /is a folder/ });
  t.match(await petstoreOn(url, ["backup", "none/it.db"]), {
    status: 1,
    stderr: /^petstore: There is no folder \S+none\.\n$/,
  });
  t.same(readdirSync(place), []);
});

t.test("Keeps the mode of a file that it replaces", async (t) => {
  const file = join(enterFolder(t), "it.csv");
  writeFileSync(file, "", { mode: 0o640 });
  t.match(await petstoreOn(url, ["export", "--output", "it.csv"]), { status: 0 });
  t.equal(statSync(file).mode & 0o777, 0o640);
});

t.test("Does not overwrite a file that another process creates at the same time", async (t) => {
  const place = folder(t);
  const file = join(place, "it.db");
  const work = writeAtomically(
    file,
    async (partial) => {
      writeFileSync(partial, "ours");
      writeFileSync(file, "theirs");
    },
    { anew: true },
  );
  await t.rejects(work, { message: /it\.db can't be made: EEXIST/ });
  t.same(readdirSync(place), ["it.db"]);
  t.equal(readFileSync(file, "utf8"), "theirs");
});

t.test("Creates a file on a file system without hard links", async (t) => {
  const place = enterFolder(t);
  breakFunctions(t, "link");
  t.match(await petstoreOn(url, ["backup", "it.db"]), { status: 0 });
  t.same(readdirSync(place), ["it.db"]);
  t.equal(statSync("it.db").mode & 0o777, 0o600);
  t.match(await petstoreOn(`sqlite:${join(place, "it.db")}`, ["check"]), { status: 0, stdout: /^pets {14}3$/m });
});

t.test("Leaves nothing behind if neither a link nor a rename is possible", async (t) => {
  const place = enterFolder(t);
  breakFunctions(t, "link", "rename");
  t.match(await petstoreOn(url, ["backup", "it.db"]), {
    status: 1,
    stderr: /petstore: \S+it\.db can't be made: no rename\.\n$/,
  });
  t.same(readdirSync(place), []);
  t.notOk(existsSync("it.db"));
});
