// Atomic files: a file is complete or does not exist, on any file system and with any name.
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

/** Creates a folder, and makes it the working directory until the test ends. */
function enterFolder(t: Test): string {
  const [previous, path] = [process.cwd(), folder(t)];
  process.chdir(path);
  t.teardown(() => process.chdir(previous));
  return path;
}

/** Makes functions of `fs.promises` fail until the test ends. */
function breakFunctions(t: Test, ...names: ("link" | "rename")[]): void {
  const originals = { ...fs.promises };
  for (const name of names)
    fs.promises[name] = async () => {
      throw Object.assign(new Error(`no ${name}`), { code: "EPERM" });
    };
  syncBuiltinESMExports();
  t.teardown(() => {
    Object.assign(fs.promises, originals);
    syncBuiltinESMExports();
  });
}

t.test("Backs up to files whose names SQLite gives another meaning, and restores them", async (t) => {
  const path = enterFolder(t);
  for (const name of [":memory:", "file:x?mode=memory", "file::memory:"]) {
    t.match(await petstoreOn(url, ["backup", name]), { status: 0 }, name);
    t.same(readdirSync(path), [name]);
    for (const file of [name, join(path, name)]) {
      const to = await stores.sqlite(t);
      t.match(await petstoreOn(to, ["restore", file]), { status: 0, stdout: /^pets {14}3$/m });
    }
    rmSync(join(path, name));
  }
});

t.test("Rejects an empty name, and creates no folder", async (t) => {
  const path = enterFolder(t);
  t.match(await petstoreOn(url, ["backup", ""]), { status: 1, stderr: /already exists/ });
  t.match(await petstoreOn(url, ["export", "--output", ""]), { status: 1, stderr: /is not a regular file/ });
  t.match(await petstoreOn(url, ["restore", ""]), {
    status: 1,
    stderr: /is a directory. Specify the file of a backup/,
  });
  t.match(await petstoreOn(url, ["backup", "none/it.db"]), {
    status: 1,
    stderr: /^petstore: The directory \S+none does not exist\.\n$/,
  });
  t.same(readdirSync(path), []);
});

t.test("Keeps the mode of a file that it replaces", async (t) => {
  const file = join(enterFolder(t), "it.csv");
  writeFileSync(file, "", { mode: 0o640 });
  t.match(await petstoreOn(url, ["export", "--output", "it.csv"]), { status: 0 });
  t.equal(statSync(file).mode & 0o777, 0o640);
});

t.test("Does not overwrite a file that another process creates at the same time", async (t) => {
  const path = folder(t);
  const file = join(path, "it.db");
  const writing = writeAtomically(
    file,
    async (partial) => {
      writeFileSync(partial, "ours");
      writeFileSync(file, "theirs");
    },
    { exclusive: true },
  );
  await t.rejects(writing, { message: /it\.db can't be created: EEXIST/ });
  t.same(readdirSync(path), ["it.db"]);
  t.equal(readFileSync(file, "utf8"), "theirs");
});

t.test("Creates a file on a file system without hard links", async (t) => {
  const path = enterFolder(t);
  breakFunctions(t, "link");
  t.match(await petstoreOn(url, ["backup", "it.db"]), { status: 0 });
  t.same(readdirSync(path), ["it.db"]);
  t.equal(statSync("it.db").mode & 0o777, 0o600);
  t.match(await petstoreOn(`sqlite:${join(path, "it.db")}`, ["check"]), { status: 0, stdout: /^pets {14}3$/m });
});

t.test("Leaves nothing behind if neither a link nor a rename is possible", async (t) => {
  const path = enterFolder(t);
  breakFunctions(t, "link", "rename");
  t.match(await petstoreOn(url, ["backup", "it.db"]), {
    status: 1,
    stderr: /petstore: \S+it\.db can't be created: no rename\.\n$/,
  });
  t.same(readdirSync(path), []);
  t.notOk(existsSync("it.db"));
});
