// Output for people: control characters of databases, files and arguments do not reach the terminal.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import t from "tap";
import { petstore, run } from "../support/command.ts";
import { stores } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { openPetStore, petsOf } from "../support/pets.ts";
import { addKey } from "../support/service.ts";
import { petstoreOn } from "../support/stores.ts";

const hostile = "a\x1b[2J\x9b31m\nb\x7f\r";
const escaped = "a\\u001b[2J\\u009b31m\\u000ab\\u007f\\u000d";

const controlCharacters = /[\0-\x09\x0b-\x1f\x7f-\x9f]/; // all but LF, which ends each line

t.test("Escapes the control characters of a database in tables, and in JSON", async (t) => {
  const url = await stores.sqlite(t);
  const store = await openPetStore(url);
  await addKey(store, hostile);
  await store.close();
  const table = await petstoreOn(url, ["keys", "list"]);
  t.match(table, { status: 0, stderr: "" });
  t.ok(table.stdout.includes(escaped));
  t.notMatch(table.stdout, controlCharacters);
  const json = await petstoreOn(url, ["keys", "list", "--json"]);
  t.ok(JSON.stringify(JSON.parse(json.stdout)).includes(JSON.stringify(hostile)), "JSON has the exact value");
  t.notMatch(json.stdout, controlCharacters);
  t.equal(table.stdout.split("\n").length, 3, "one line for each key");
});

t.test("Escapes the control characters of files, names of files and arguments in errors and warnings", async (t) => {
  const file = join(folder(t), "pets.csv");
  writeFileSync(file, `name,"\x1b[2J\x9b"\n`);
  const settings = { DATABASE_URL: `sqlite:${file}-\x1b[2J.db` };
  const commands = [
    ["import", file],
    ["import", `${file}${hostile}`, "--format", "csv"],
    ["import", `${file}${hostile}`],
    ["import", "-", "--format", "ndjson"],
    ["restore", `${file}${hostile}`],
    ["keys", "revoke", hostile],
    ["keys", "create", hostile],
    [hostile],
  ];
  for (const command of commands) {
    const { stderr } = await petstore(settings, command);
    t.match(stderr, /\\u001b\[2J/, JSON.stringify(command));
    t.notMatch(stderr, controlCharacters);
  }
});

async function exportTo(url: string, isTTY: boolean, format: string) {
  const chunks: Buffer[] = [];
  const stdout = new Writable({ write: (chunk, _, done) => done(void chunks.push(chunk)) });
  const io = { env: { DATABASE_URL: url }, stdin: Readable.from([]), stderr: stdout, onStop: () => {} };
  const status = await run(["export", "--format", format], { ...io, stdout: Object.assign(stdout, { isTTY }) });
  return { status, text: Buffer.concat(chunks).toString() };
}

t.test("An export escapes control characters only on a terminal", async (t) => {
  const url = await stores.sqlite(t);
  const store = await openPetStore(url);
  await petsOf(store).create({ name: hostile, categoryId: 1n });
  await store.close();
  const ndjson = await exportTo(url, true, "ndjson");
  t.match(JSON.parse(ndjson.text), { name: hostile }, "the same value");
  t.notMatch(ndjson.text, controlCharacters);
  const name = escaped.replace("\\u000a", "\n");
  t.same(await exportTo(url, true, "csv"), {
    status: 0,
    text: `id,name,categoryId,status\r\n1,"${name}",1,\r\n`,
  });
  t.same(await exportTo(url, false, "csv"), {
    status: 0,
    text: `id,name,categoryId,status\r\n1,"${hostile}",1,\r\n`,
  });
});
