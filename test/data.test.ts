// petstore import, export, backup, restore: nothing is lost, doubled or altered on the way in or out, over both stores.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import t, { type Test } from "tap";
import { backup, restore } from "../src/backup.ts";
import { checkInput } from "../src/check-input.ts";
import { readDocument } from "../src/document.ts";
import { exportPets } from "../src/export.ts";
import { type Format, fields, formats } from "../src/formats.ts";
import { importPets } from "../src/import.ts";
import { openInput } from "../src/input.ts";
import { toLines } from "../src/lines.ts";
import { openStore, openTables } from "../src/store/open.ts";
import type { NewPet } from "../src/store/store.ts";
import type { Tables } from "../src/store/tables.ts";
import { newDatabase } from "./support/databases.ts";
import { folder } from "./support/files.ts";
import { holdsAll, startLoad } from "./support/load.ts";
import { query } from "./support/postgres.ts";
import { startServer } from "./support/processes.ts";
import { addKey } from "./support/service.ts";

t.setTimeout(480_000); // it runs some two hundred commands, each a process
const bin = new URL("../src/bin.js", import.meta.url).pathname;
const document = await readDocument();
const most = 2n ** 63n - 1n;
const stores: Record<string, (t: Test) => Promise<string>> = {
  sqlite: async (t) => `sqlite:${join(folder(t), "petstore.db")}`,
  postgres: newDatabase,
};

/** Runs the command to its end, and says no word of how far it was. */
function run(url: string, args: string[], input: string | Buffer = "", environment: Record<string, string> = {}) {
  const env = { ...process.env, DATABASE_URL: url, ...environment };
  const child = spawnSync(process.execPath, [bin, ...args], { env, input, maxBuffer: 2 ** 28 });
  const stderr = child.stderr.toString().replaceAll(/^(checking|importing|exporting|copying|comparing): .*\n/gm, "");
  return { status: child.status, stdout: child.stdout.toString(), stderr };
}

/** Starts the command, and gives it to who wants to disturb it. */
function begin(url: string, ...args: string[]) {
  const child = spawn(process.execPath, [bin, ...args], { env: { ...process.env, DATABASE_URL: url } });
  const exit = once(child, "exit");
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return { child, exit: async () => ({ code: (await exit)[0] as number | null, stderr }) };
}

/** The pets of a store, in order of id. */
async function petsIn(url: string): Promise<{ id: bigint; name: string }[]> {
  const store = await openTables(url, "look");
  const lines: string[] = [];
  await exportPets(
    store,
    { format: formats.ndjson },
    async (text) => lines.push(...text.split("\n").slice(0, -1)),
    () => {},
  );
  await store.close();
  return lines.map((line) => JSON.parse(line));
}

const namesIn = async (url: string) => (await petsIn(url)).map(({ name }) => name);

const statuses = ["available", "pending", "sold", undefined] as const;
const nasty = [
  "",
  "🐕",
  ' "quoted", ',
  "=1+1",
  "a\r\nb\n",
  "\r",
  "\u2028",
  "\ufeff",
  "'; --",
  "x".repeat(1_000),
  "\t",
  '"',
  "null",
];

/** Lines of pets as an export writes them. */
function linesOf(format: Format, count: number, name = (n: number) => nasty[n] ?? `Rex ${n}`): string {
  const pets = Array.from({ length: count }, (_, n) =>
    format.toLine(fields.slice(1), [name(n), n % 2 ? BigInt(n) - most : most - BigInt(n), statuses[n % 4] ?? null]),
  );
  return format.head(fields.slice(1)) + pets.join("");
}

const pet = (name: string) => `{"name":"${name}","categoryId":1}\n`;

t.test("what a form writes it reads again, however its bytes come", async (t) => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", " ", "a", "🐕", "\u2028", "="), maxLength: 30 }),
  );
  const anyPet = fc.record({
    name: text.filter((name) => !name.includes("\0")),
    categoryId: fc.bigInt({ min: -most - 1n, max: most }),
    status: fc.constantFrom(...statuses),
  });
  for (const format of Object.values(formats))
    await fc.assert(
      fc.asyncProperty(fc.array(anyPet), fc.infiniteStream(fc.integer({ min: 1, max: 40 })), async (pets, sizes) => {
        const rows = pets.map(({ name, categoryId, status }) => [name, categoryId, status ?? null]);
        const names = fields.slice(1);
        const bytes = Buffer.from(format.head(names) + rows.map((row) => format.toLine(names, row)).join(""));
        const chunks = async function* () {
          for (let at = 0; at < bytes.length; ) {
            const { value } = sizes.next();
            yield bytes.subarray(at, at + value);
            at += value;
          }
        };
        const read = format.buildRead(document);
        const found: (NewPet | undefined)[] = [];
        let expected = 1;
        for await (const lines of toLines(chunks(), 65_536, format.buildEnds()))
          for (const { number, bytes } of lines) {
            t.equal(number, expected);
            expected += (bytes as Buffer).toString().split("\n").length;
            found.push(read(bytes as Buffer));
          }
        const all = found.filter((pet) => pet !== undefined).map((pet) => ({ status: undefined, ...pet }));
        t.same(
          all,
          pets.map((pet) => ({ ...pet })),
        );
      }),
      { numRuns: 50 },
    );
});

for (const [kind, prepare] of Object.entries(stores)) {
  for (const [name, format] of Object.entries(formats))
    t.test(`${kind}: what was imported as ${name} is exported as it was, to the byte`, async (t) => {
      const url = await prepare(t);
      const file = join(folder(t), `PETS.${name.toUpperCase()}`);
      const text = linesOf(format, 5_000);
      writeFileSync(file, text);
      const { status, stdout } = run(url, ["import", file, "--json"]);
      t.equal(status, 0);
      t.match(JSON.parse(stdout), { pets: 5_000, before: 0, bad: 0, sha256: /^[0-9a-f]{64}$/, problems: [] });
      t.equal(run(url, ["export", "--without-ids", "--format", name]).stdout, text);

      const all = run(url, ["export", "--format", name]).stdout;
      t.ok(all.startsWith(name === "csv" ? "id,name,categoryId,status\r\n1,," : '{"id":1,"name":"","categoryId":'));
      const output = join(folder(t), `all.${name}`);
      writeFileSync(output, "what was there before");
      const written = run(url, ["export", "--output", output, "--json"]);
      t.match(JSON.parse(written.stdout), { pets: 5_000, sha256: /^[0-9a-f]{64}$/ });
      t.equal(readFileSync(output, "utf8"), all, "the form follows from the ending");
      const sold = run(url, ["export", "--status", "sold", "--output", output]);
      t.match(sold, { status: 0, stdout: /^pets {14}1250\nsha256 {12}[0-9a-f]{64}\n$/ });
      const part = readFileSync(output, "utf8");
      t.ok(
        part
          .split(/\r?\n/)
          .slice(name === "csv" ? 1 : 0, -1)
          .every((line) => line.includes("sold")),
      );
      t.match(run(url, ["import", output]).stderr, /'id'.*name, categoryId, status/, "ids are the service's to give");
      t.same(readdirSync(join(output, "..")), [`all.${name}`], "nothing is left beside");
      const empty = run(await prepare(t), ["export", "--format", name]);
      t.match(empty, { status: 1, stdout: "", stderr: /can't be opened/ }, "no store is made");
    });

  t.test(`${kind}: one bad line keeps all out, and each is said with its number`, async (t) => {
    const url = await prepare(t);
    run(url, ["migrate"]);
    const good = '{"name":"Rex","categoryId":7}';
    const bad: [string | Buffer, string][] = [
      ['{"name":"Rex","categoryId":"7"}', "the field 'categoryId' must be an integer"],
      ['{"name":"Rex","categoryId":9223372036854775808}', "the field 'categoryId' must be an integer from"],
      ['{"name":"Rex","categoryId":1.5}', "the field 'categoryId' must be an integer"],
      ['{"name":"Rex"}', "it must have the field 'categoryId'"],
      ['{"name":"Rex","categoryId":7,"id":1}', "it has the unknown field 'id'"],
      ['{"name":"Rex","categoryId":7,"status":"lost"}', "the field 'status' must be one of: available, pending, sold"],
      ['{"name":"Rex","categoryId":7,"status":null}', "the field 'status' must be"],
      ['{"name":"\\u0000","categoryId":7}', "the field 'name' must be text of Unicode without NUL"],
      ['{"name":"\\ud800","categoryId":7}', "it can't be read as JSON: it has half of a surrogate pair"],
      ['{"name":"a","name":"b","categoryId":7}', "it can't be read as JSON: it has an object with the same name twice"],
      [Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('","categoryId":7}')]), "it must be UTF-8"],
      [`{"name":"${"x".repeat(1_001)}","categoryId":7}`, "the field 'name' must have at most 1000 characters"],
      [`${good.slice(0, -1)}${" ".repeat(65_536)}}`, "it must have at most 65536 bytes"],
      ["[]", "it must be an object"],
      [`${good}\r${good}`, "it can't be read as JSON"],
    ];
    // Line 1 is good, 2 is empty, 3 ends with CRLF, 4 has as many bytes as a line may have; then one bad, one good, and so on.
    const long = `${good}${" ".repeat(65_536 - good.length)}\r\n`;
    const parts = [`${good}\n\n${good}\r\n${long}`, ...bad.flatMap(([line]) => [line, `\n${good}\n`])];
    const input = Buffer.concat(parts.map((part) => Buffer.from(part)));
    const refused = run(url, ["import", "-", "--format", "ndjson"], input);
    t.match(refused, { status: 1, stdout: "" });
    const said = refused.stderr.split("\n");
    for (const [index, [, why]] of bad.entries())
      t.ok(said[index]?.startsWith(`line ${5 + 2 * index}: ${why}`), `${said[index]}`);
    t.match(said.slice(bad.length), [
      /^petstore: No pet was imported: 15 bad lines\. --skip-bad imports the 18 good ones\./,
      "",
    ]);
    t.same(await namesIn(url), []);

    const skipped = run(url, ["import", "-", "--format", "ndjson", "--skip-bad"], input);
    t.match(skipped, { status: 0, stdout: /^lines {13}34\npets {14}18\nbefore {12}0\nbad {15}15\n/ });
    t.same(await namesIn(url), Array(18).fill("Rex"));
    const all = run(url, ["import", "-", "--format", "ndjson", "--skip-bad"], "{\n".repeat(23));
    t.equal(all.stderr.match(/^line \d+: /gm)?.length, 23, "each that is passed over is said");
    const seen = run(
      url,
      ["import", "-", "--format", "ndjson"],
      '{"name":"a","categoryId":1,"\\u001b]0;x\\u0007":1}\n',
    ).stderr;
    t.match(seen, "'\\u001b]0;x\\u0007'", "what would do something on a terminal is shown");
    const many = run(url, ["import", "-", "--format", "ndjson", "--json"], "{\n".repeat(23));
    t.match(JSON.parse(many.stdout), { lines: 23, pets: 0, bad: 23 });
    t.match(many.stderr, /^(line \d+: .*\n){20}and 3 more\npetstore: No pet was imported: 23 bad lines/);
    t.equal((await namesIn(url)).length, 18);
  });

  t.test(`${kind}: an import that was killed goes on just there, and each line is one pet`, async (t) => {
    const url = await prepare(t);
    const file = join(folder(t), "pets.ndjson");
    const count = 40_000;
    // Some are bad, and are passed over each time.
    const lines = Array.from({ length: count }, (_, n) => (n % 1_000 === 7 ? "{}\n" : pet(`${n}`)));
    writeFileSync(file, lines.join(""));
    const names = Array.from({ length: count }, (_, n) => `${n}`).filter((_, n) => n % 1_000 !== 7);
    const args = ["import", file, "--skip-bad"];
    const kills: number[] = [];
    for (let before = 0; kills.length < 3 && before < count / 2; before = kills.at(-1) as number) {
      const { child, exit } = begin(url, ...args, "--resume");
      // At any moment after a batch or some more was written.
      while (child.exitCode === null && (await countPets(url)) <= before) await pause(5);
      await pause(Math.random() * 40);
      child.kill("SIGKILL");
      await exit();
      const there = await namesIn(url);
      t.same(there, names.slice(0, there.length), `the first ${there.length}`);
      kills.push(there.length);
    }
    t.ok(kills.length > 1 && (kills.at(-1) as number) < names.length, `it was killed with ${kills} there`);
    const again = run(url, args);
    t.match(again, {
      status: 1,
      stdout: "",
      stderr: /begun, and is not finished: \d+ pets are there.*--resume.*--from-start/,
    });
    t.match(run(url, ["import", file, "--resume"]), { status: 1, stderr: /No pet was imported: 40 bad lines/ });
    t.equal((await namesIn(url)).length, kills.at(-1));
    t.match(run(url, [...args, "--resume"]), {
      status: 0,
      stdout: new RegExp(`^lines +40000\npets +39960\nbefore +${kills.at(-1)}\n`),
    });
    t.same(await namesIn(url), names);
    t.match(
      run(url, [...args, "--resume"]),
      { status: 0, stdout: /^lines +40000\npets +39960\nbefore +39960\n/, stderr: /nothing was left to do/ },
      "done already",
    );
    t.equal((await namesIn(url)).length, names.length);
    t.match(run(url, ["check"]), { status: 0, stdout: /^imports {11}1$/m });
    t.match(run(url, args), {
      status: 1,
      stderr:
        /This input was imported before, [-\d]+ [:\d]+Z: 39960 pets\. All of them once more are with --from-start\.\n$/,
    });
    t.equal((await namesIn(url)).length, names.length);
    t.match(run(url, [...args, "--from-start"]), { status: 0 });
    t.same(await namesIn(url), [...names, ...names], "who wants them once more says so");
  });

  t.test(`${kind}: an import that is told to stop, or fails, says how far it is`, async (t) => {
    const url = await prepare(t);
    const file = join(folder(t), "pets.ndjson");
    const names = Array.from({ length: 30_000 }, (_, n) => `${n}`);
    writeFileSync(file, names.map(pet).join(""));
    const { child, exit } = begin(url, "import", file);
    while ((await countPets(url)) === 0) await pause(5);
    child.kill("SIGTERM");
    const { code, stderr } = await exit();
    t.equal(code, 1);
    const [, there, line] =
      /Stopped\. (\d+) pets are there, of the lines up to (\d+); the same with --resume goes on after them\.\n$/.exec(
        stderr,
      ) ?? [];
    t.ok(there === line && Number(there) % 2_000 === 0 && Number(there) < 30_000, stderr);
    t.same(await namesIn(url), names.slice(0, Number(there)));

    await fault(url, 20_000);
    const failed = run(url, ["import", file, "--resume"]);
    t.match(failed, {
      status: 1,
      stderr: /injected.*\. 18000 pets are there, of the lines up to 18000; the same with --resume goes/,
    });
    t.same(await namesIn(url), names.slice(0, 18_000), "no part of a batch is there");
    await fault(url);
    t.match(run(url, ["import", file, "--resume"]), { status: 0 });
    t.same(await namesIn(url), names);

    const other = await prepare(t);
    run(other, ["migrate"]);
    await fault(other, 1);
    t.match(run(other, ["import", file]), { status: 1, stderr: /injected.*\. Nothing was imported\.\n$/ });
    await fault(other);
    t.match(run(other, ["import", file]), { status: 0 }, "so there is nothing to go on with");
  });

  t.test(`${kind}: --from-start begins again`, async (t) => {
    const url = await prepare(t);
    const file = join(folder(t), "pets.jsonl");
    const names = Array.from({ length: 3_000 }, (_, n) => `${n}`);
    writeFileSync(file, names.map(pet).join(""));
    run(url, ["migrate"]);
    await fault(url, 2_500);
    t.match(run(url, ["import", file]), { status: 1, stderr: /2000 pets are there/ });
    await fault(url);
    t.match(run(url, ["import", file]), { status: 1, stderr: /not finished/ });
    t.match(run(url, ["import", file, "--from-start", "--resume"]), { status: 2 });
    t.match(run(url, ["import", file, "--from-start"]), { status: 0, stdout: /^pets {14}3000\nbefore {12}0$/m });
    t.same(await namesIn(url), [...names.slice(0, 2_000), ...names]);
    t.match(run(url, ["import", "-", "--format", "ndjson", "--resume"], pet("new")), {
      status: 0,
      stderr: /^Nothing was begun of this input: it began at its first line\.$/m,
    });
  });

  t.test(`${kind}: while a service creates pets an import adds its own, and none is refused or lost`, async (t) => {
    const url = await prepare(t);
    const server = await startServer(t, { DATABASE_URL: url, LOG_LEVEL: "error" });
    const store = await openStore(url);
    const load = startLoad([server.url], await addKey(store, "a"), 16);
    const file = join(folder(t), "pets.ndjson");
    const names = Array.from({ length: 30_000 }, (_, n) => `imported ${n}`);
    writeFileSync(file, names.map(pet).join(""));
    const { exit } = begin(url, "import", file);
    const lengths = new Set<number>();
    const imported = /^imported /;
    const { code, stderr } = await exit();
    lengths.add(await countPets(url));
    await load.stop();
    t.equal(code, 0, stderr);
    t.same(load.refusals, []);
    t.same(Object.keys(load.tally).sort(), ["200", "201"], "none failed");
    const all = await petsIn(url);
    t.same(
      all.map(({ name }) => name).filter((name) => imported.test(name)),
      names,
      "in order",
    );
    const kept = all.filter(({ name }) => !imported.test(name)).map(({ name, id }) => ({ name, id: `${id}` }));
    holdsAll(t, kept, load.acknowledged);
    t.ok(load.acknowledged.size > 50, `${load.acknowledged.size} were created meanwhile`);
    t.equal(new Set(all.map(({ id }) => id)).size, all.length);
    await store.close();
  });

  t.test(`${kind}: an export is of one moment`, async (t) => {
    const url = await prepare(t);
    const store = await openStore(url);
    await Promise.all(
      Array.from({ length: 1_500 }, (_, n) => store.pets.create({ name: `${n}`, categoryId: 0n, status: "sold" })),
    );
    const tables = await openTables(url, "look");
    for (const status of [undefined, "sold"]) {
      const before = await countPets(url);
      let text = "";
      const write = async (some: string) => {
        text += some;
        if (some === "") return; // the head: nothing was read yet
        await store.pets.create({ name: "late", categoryId: 0n, status: "sold" });
      };
      const { pets } = await exportPets(tables, { format: formats.ndjson, status }, write, () => {});
      t.equal(pets, before);
      t.equal(text.split("\n").length - 1, before);
      t.ok((await countPets(url)) > before);
    }
    await tables.close();
    await store.close();
  });

  t.test(`${kind}: two imports of the same input at once`, async (t) => {
    const url = await prepare(t);
    const file = join(folder(t), "pets.ndjson");
    writeFileSync(file, pet("Rex").repeat(5_000));
    const [one, two] = [await openTables(url, "make"), await openTables(url, "make")];
    const format = formats.ndjson;
    const input = await openInput(file, process.stdin);
    const checked = await checkInput(
      input,
      format,
      document,
      () => {},
      () => {},
    );
    const work = (store: Tables) =>
      importPets(store, { input, format, document, checked }, { fromStart: true }, () => {});
    // The other one comes between the first two batches of this one.
    let writes = 0;
    let others: unknown;
    const write: Tables["write"] = async (batch) => {
      if (writes++ === 1) others = await work(two);
      return one.write(batch);
    };
    const message = /^Another process imports the same input\. 2000 pets are there/;
    await t.rejects(work({ ...one, write }), { message });
    t.match(others, { pets: 5_000, complete: true });
    t.equal(await countPets(url), 7_000, "each did what it says");
    for (const tables of [one, two]) await tables.close();
    await input.close();
  });

  t.test(`${kind}: a backup under load is of one moment, and comes back as it was`, async (t) => {
    const url = await prepare(t);
    const server = await startServer(t, { DATABASE_URL: url, LOG_LEVEL: "error" });
    const store = await openStore(url);
    const key = await addKey(store, "a");
    const load = startLoad([server.url], key, 16);
    const place = folder(t);
    for (const name of ["one.db", "two.db"]) {
      const before = new Map(load.acknowledged);
      const file = join(place, name);
      const { exit } = begin(url, "backup", file);
      t.match(await exit(), { code: 0 });
      const after = new Map(load.acknowledged);

      t.same(
        readdirSync(place).filter((other) => other.startsWith(name)),
        [name],
        "one file",
      );
      t.equal(statSync(file).mode & 0o777, 0o600);
      t.match(run(url, ["check", `sqlite:${file}`]), { status: 0, stdout: /^sound$/m });
      const all = await petsIn(`sqlite:${file}`);
      const kept = new Map(all.map(({ name, id }) => [name, `${id}`]));
      holdsAll(
        t,
        [...kept].map(([name, id]) => ({ name, id })),
        before,
      );
      const last = Number(all.at(-1)?.id);
      const missing = [...after].filter(([name, id]) => Number(id) <= last && kept.get(name) !== id);
      t.same(missing, [], `no gap up to ${last}`);
      const db = new DatabaseSync(file, { readOnly: true });
      const rows = "SELECT count(*) AS n FROM pets LEFT JOIN idempotency ON pet_id = id WHERE pet_id IS NULL";
      t.equal(db.prepare(rows).get()?.n, 0, "each pet with its Idempotency-Key");
      db.close();
      t.same(
        readdirSync(place).filter((other) => other.startsWith(name)),
        [name],
        "still one file",
      );
    }
    await load.stop();
    t.same(load.refusals, []);
    t.same(Object.keys(load.tally).sort(), ["200", "201"]);
    await store.close();

    const [file, again] = [join(place, "two.db"), await prepare(t)];
    const inventory = run(url, ["check", `sqlite:${file}`]).stdout.replace("sound\n", "");
    const { status, stdout } = run(again, ["restore", file]);
    t.match({ status, stdout }, { status: 0, stdout: inventory }, "the counts and the checksum of the backup");
    const restored = await startServer(t, { DATABASE_URL: again, LOG_LEVEL: "error" });
    const { acknowledged, ...rest } = startLoad([restored.url], key, 2);
    while (acknowledged.size < 3) await pause(5);
    await rest.stop();
    t.same(Object.keys(rest.tally).sort(), ["200", "201"], "its keys hold");
    t.match(run(again, ["check"]), { status: 0 });
  });

  t.test(`${kind}: a store that has something, or is in use, is restored only by force`, async (t) => {
    const [from, url] = [await prepare(t), await prepare(t)];
    const once = { caller: 1n, key: "k", digest: new Uint8Array(32) };
    const source = await openStore(from);
    await addKey(source, "theirs");
    for (const name of ["a", "b", "c"]) await source.pets.create({ name, categoryId: most });
    const fourth = await source.pets.create({ name: "d", categoryId: 0n }, once);
    await source.pets.create({ name: "gone", categoryId: 0n });
    await source.close();
    await harm(from, "DELETE FROM pets WHERE id = 5");
    const file = join(folder(t), "backup.db");
    const made = run(from, ["backup", file, "--json"]);
    t.match(JSON.parse(made.stdout), { keys: 1, pets: 4, idempotency: 1, sha256: /^[0-9a-f]{64}$/ });

    // A service that nobody has asked anything yet.
    const idle = await startServer(t, { DATABASE_URL: url, LOG_LEVEL: "error" });
    if (kind === "postgres") await pause(10_500); // its pool keeps what is idle for ten seconds, but for one connection
    t.match(run(url, ["restore", file]), { status: 1, stdout: "", stderr: /in use: stop its service.*--force/ });
    const store = await openStore(url);
    const key = await addKey(store, "ours");
    const headers = { authorization: `Bearer ${key}` };
    const list = async () => (await fetch(`${idle.url}/pets?limit=2`, { headers })).json();
    const create = (name: string) => store.pets.create({ name, categoryId: 0n });
    for (let n = 1; n <= 9; n++) await create(`old ${n}`);
    t.match(await list(), [{ name: "old 1" }, { name: "old 2" }]);
    await store.close();
    await idle.end("SIGTERM");

    const full = /not empty, and is replaced only with --force: it has \d rows in keys, 9 rows in pets\./;
    t.match(run(url, ["restore", file]), { status: 1, stdout: "", stderr: full });
    await fault(url, 3);
    t.match(run(url, ["restore", file, "--force"]), { status: 1, stderr: /injected/ });
    await fault(url);
    t.equal((await namesIn(url)).length, 9, "all or nothing");

    const busy = await startServer(t, { DATABASE_URL: url, LOG_LEVEL: "error" });
    const ask = (path: string, authorization: string) => fetch(`${busy.url}${path}`, { headers: { authorization } });
    const first = await ask("/pets?limit=2", headers.authorization);
    t.match(await first.json(), [{ name: "old 1" }, { name: "old 2" }]);
    t.equal((await ask("/pets/1", headers.authorization)).status, 200);
    const { status, stdout } = run(url, ["restore", file, "--force", "--json"]);
    t.equal(status, 0);
    t.same(JSON.parse(stdout), JSON.parse(made.stdout), "the same checksum");
    t.equal((await ask("/pets", headers.authorization)).status, 401, "the keys are those of the backup, at once");
    const back = await openStore(url);
    const bearer = `Bearer ${await addKey(back, "new")}`;
    t.match(await (await ask("/pets?limit=2", bearer)).json(), [{ name: "a" }, { name: "b" }], "so are the pets");
    t.match(await (await ask("/pets/1", bearer)).json(), { name: "a" });
    t.same(await back.pets.create({ name: "d", categoryId: 0n }, once), { ...fourth, outcome: "repeated" });
    t.match(await back.pets.create({ name: "e", categoryId: 0n }), { pet: { id: 10n } }, "no id comes twice");
    t.same(
      (await back.keys.list()).map(({ name }) => name),
      ["new", "theirs"],
    );
    await back.close();
    await busy.end("SIGTERM");

    t.match(run(url, ["backup", file]), { status: 1, stderr: /backup\.db is there already, and is left as it is/ });
    const third = await prepare(t);
    t.match(run(third, ["restore", file]), { status: 0, stdout: /^pets {14}4$/m }, "made where there is none");
    const last = await openStore(third);
    t.match(await last.pets.create({ name: "e", categoryId: 0n }), { pet: { id: 6n } }, "no id comes twice");
    await last.close();
  });

  t.test(`${kind}: a backup or export that fails, is stopped or killed leaves no file`, async (t) => {
    const url = await prepare(t);
    const pets = join(folder(t), "pets.ndjson");
    writeFileSync(pets, linesOf(formats.ndjson, 60_000));
    run(url, ["import", pets]);
    const place = folder(t);
    const makers = {
      backup: ["backup", join(place, "it.db")],
      export: ["export", "--output", join(place, "it.ndjson")],
    };
    for (const [what, args] of Object.entries(makers)) {
      const attempt = async (signal: NodeJS.Signals) => {
        const { child, exit } = begin(url, ...args);
        while (readdirSync(place).every((name) => !name.includes("partial"))) await pause(1);
        child.kill(signal);
        return exit();
      };
      t.match(await attempt("SIGINT"), { code: 1, stderr: /Stopped\. Nothing was kept\.\n$/ }, what);
      t.same(readdirSync(place), []);
      await attempt("SIGKILL");
      const left = readdirSync(place);
      t.ok(left.length > 0 && left.every((name) => name.startsWith("it.") && name.includes(".partial-")), `${left}`);
      t.match(run(url, args), { status: 0 }, "the next one goes its way");
      for (const name of readdirSync(place)) rmSync(join(place, name));
    }
    const { exit } = begin(url, ...makers.backup);
    while (readdirSync(place).length === 0) await pause(1);
    writeFileSync(join(place, "it.db"), "somebody else's");
    t.match(await exit(), { code: 1, stderr: /EEXIST/ });
    t.same(readdirSync(place), ["it.db"]);
    t.equal(readFileSync(join(place, "it.db"), "utf8"), "somebody else's");
    rmSync(join(place, "it.db"));
    await harm(url, "UPDATE pets SET status = 'lost' WHERE id = 7");
    t.match(run(url, makers.backup), {
      status: 1,
      stderr: /not sound, as petstore check says \(1 problem\): pets 7 is not/,
    });
    t.same(readdirSync(place), []);
    t.match(run(url, ["export"]), { status: 0 });
  });
}

t.test("CSV is written as RFC 4180 has it", async (t) => {
  const line = (...values: (string | bigint | null)[]) => formats.csv.toLine(fields, values);
  t.equal(formats.csv.head(fields), "id,name,categoryId,status\r\n");
  t.equal(line(1n, " Rex ", -1n, null), "1, Rex ,-1,\r\n");
  for (const name of ["a,b", "a\rb", "a\nb", "\r\n"]) t.equal(line(1n, name, 0n, "sold"), `1,"${name}",0,sold\r\n`);
  t.equal(line(1n, '"a"', 0n, "sold"), '1,"""a""",0,sold\r\n');
});

t.test("CSV: heads, and lines that are not as RFC 4180 has them", async (t) => {
  const url = await (stores.sqlite as (t: Test) => Promise<string>)(t);
  const csv = (input: string, ...args: string[]) => run(url, ["import", "-", "--format", "csv", ...args], input);
  const must = "the first line must name the columns, of name, categoryId, status.";
  for (const [head, why] of [
    ["name,categoryId,colour", `There is the unknown column 'colour': ${must}`],
    ["name,status", `The column 'categoryId' is missing: ${must}`],
    ["name,categoryId,name", `The column 'name' is there twice: ${must}`],
    ["__proto__,name,categoryId", `There is the unknown column '__proto__': ${must}`],
    ["name;categoryId", `There is the unknown column 'name;categoryId': ${must}`],
  ])
    t.match(csv(`${head}\nRex,1\n`, "--skip-bad"), { status: 1, stdout: "", stderr: `petstore: ${why}\n` });
  const lines = [
    '\ufeff"categoryId",name',
    "1,a",
    "",
    "0x10,bad",
    '2,"b\nb"',
    "3",
    '4,5" nail',
    '5,"a"b',
    "1e3,bad",
    "9223372036854775807, c ",
    "-9223372036854775808,",
    "9223372036854775808,bad",
    ",bad",
    '6,""""',
    '7,"of',
    'two lines"x',
    "8",
  ];
  const { status, stdout, stderr } = csv(lines.join("\n"), "--skip-bad");
  t.match({ status, stdout }, { status: 0, stdout: /^lines {13}18\npets {14}5\nbefore {12}0\nbad {15}9\n/ });
  const integer = "the column 'categoryId' must be an integer from … to …, in plain decimal digits";
  const unquoted = "it is not CSV in its field 2: a field with quotes stands in quotes, each of its own twice";
  t.same(stderr.replaceAll(/from -\d+ to \d+/g, "from … to …").split("\n"), [
    `line 4: ${integer}`,
    "line 7: it must have 2 fields, as its head has, and has 1",
    `line 8: ${unquoted}`,
    `line 9: ${unquoted}`,
    `line 10: ${integer}`,
    `line 13: ${integer}`,
    `line 14: ${integer}`,
    `lines 16 to 17: ${unquoted}`,
    "line 18: it must have 2 fields, as its head has, and has 1",
    `There is no store yet at ${url.slice("sqlite:".length)}: it is made.`,
    "",
  ]);
  t.same(await namesIn(url), ["a", "b\nb", " c ", "", '"']);
  t.match(csv("status,name,categoryId\n,Tom,1\nsold,Tim,2\nlost,Tam,3"), {
    status: 1,
    stderr: /^line 4: the column 'status' must be one of/,
  });
  t.match(csv("status,name,categoryId\r\n,Tom,1\r\nsold,Tim,2"), { status: 0 });
  const last = run(url, ["export", "--without-ids"]).stdout.split("\n").slice(-3);
  t.same(last, ['{"name":"Tom","categoryId":1}', '{"name":"Tim","categoryId":2,"status":"sold"}', ""]);
  t.match(csv(""), { status: 1, stderr: "petstore: The input is empty: its first line must name the columns.\n" });
  t.match(csv('name,"categoryId"x\nname,categoryId\nA,1\n', "--skip-bad"), {
    status: 1,
    stderr: /^petstore: The line is not CSV in its field 2: .*twice: the first line must name the columns/,
  });

  // A quote that nobody closes would take all that follows along.
  const there = (await namesIn(url)).length;
  for (const input of ['name,categoryId\nA,1\n"B,2\nC,3\n', `name,categoryId\n"A,1\n${"B,2\n".repeat(50_000)}`]) {
    const line = input.startsWith("name,categoryId\nA") ? 3 : 2;
    t.match(csv(input, "--skip-bad"), {
      status: 1,
      stdout: "",
      stderr: `petstore: The quotes that open in line ${line}, or after it, are never closed.\n`,
    });
  }
  t.equal((await namesIn(url)).length, there, "and nothing is imported");
});

t.test("an answer that is lost, and a stop that comes too late, say what is there", async (t) => {
  const document = await readDocument();
  for (const prepare of Object.values(stores)) {
    const url = await prepare(t);
    const store = await openTables(url, "make");
    t.teardown(() => store.close());
    const importAgain = async (lines: string, { lost = false, gone = false, late = false, resume = false } = {}) => {
      const file = join(folder(t), "pets.ndjson");
      writeFileSync(file, lines);
      const input = await openInput(file, process.stdin);
      const checked = await checkInput(input, formats.ndjson, document, t.fail, () => {});
      let written = false;
      const over: Tables = {
        ...store,
        read: async (work) => {
          if (gone && written) throw new Error("No connection");
          return store.read(work);
        },
        write: async (work) => {
          await store.write(work);
          written = true;
          if (lost || gone) throw new Error("Connection terminated");
          return undefined as never;
        },
      };
      const progress = (done: number, total: number) => {
        if (late && done === total) throw new Error("Stopped");
      };
      const parts = { input, format: formats.ndjson, document, checked };
      return importPets(over, parts, { resume }, progress).finally(input.close);
    };
    t.match(await importAgain(pet("a"), { lost: true }), { pets: 1, complete: true }, "the whole was there");
    t.match(await importAgain(pet("b"), { late: true }), { pets: 1, complete: true });
    await t.rejects(importAgain(pet("a")), { message: /was imported before/ }, "nobody gets it twice");
    const many = pet("c").repeat(2_500);
    await t.rejects(importAgain(many, { lost: true }), {
      message:
        "Connection terminated. 2000 pets are there, of the lines up to 2000; the same with --resume goes on after them.",
    });
    t.match(await importAgain(many, { resume: true }), { pets: 2_500, before: 2_000 });
    await t.rejects(importAgain(pet("d"), { gone: true }), {
      message: "Connection terminated. Whether the last batch is there is not known: the same with --resume finds out.",
    });
    t.match(await importAgain(pet("d"), { resume: true }), { pets: 1, before: 1 }, "it was");
    t.equal((await namesIn(url)).length, 2_503);
  }
});

t.test("a line of any length takes no more memory than another", async (t) => {
  const url = await (stores.sqlite as (t: Test) => Promise<string>)(t);
  const temporary = folder(t);
  const telling = 'process.on("exit", () => console.error("most:", process.resourceUsage().maxRSS))';
  const tight = [
    "--max-old-space-size=48",
    `--import=data:text/javascript,${telling}`,
    bin,
    "import",
    "-",
    "--skip-bad",
    "--format",
  ];
  for (const [format, ...parts] of [
    ["ndjson", pet("a"), "x", `\n${pet("b")}`],
    ["csv", 'name,categoryId\na,1\n"b', 'x"",\n', '",2\nc,3\n'],
  ] as const) {
    const [before = "", middle = "", after = ""] = parts;
    const env = { ...process.env, DATABASE_URL: url, TMPDIR: temporary };
    const child = spawn(process.execPath, [...tight, format], { env });
    const exit = once(child, "exit");
    let error = "";
    child.stderr.on("data", (chunk) => {
      error += chunk;
    });
    child.stdin.write(before);
    const block = Buffer.from(middle.repeat(1_000_000 / middle.length));
    for (let n = 0; n < 150; n++) if (!child.stdin.write(block)) await once(child.stdin, "drain");
    t.same(readdirSync(temporary), [], "what it keeps meanwhile has no name");
    child.stdin.end(after);
    t.same((await exit)[0], 0, error);
    t.match(error, /^(line 2|lines 3 to 30000003): it must have at most 65536 bytes$/m);
    const most = Number(/most: (\d+)/.exec(error)?.[1]);
    t.ok(most < 200_000, `${most} kB`);
  }
  t.same(await namesIn(url), ["a", "b", "a", "c"]);
});

t.test(
  "an input that is changed between check and write is noticed, before any of what is new is written",
  async (t) => {
    const url = await (stores.sqlite as (t: Test) => Promise<string>)(t);
    const store = await openTables(url, "make");
    const file = join(folder(t), "pets.ndjson");
    const format = formats.ndjson;
    const text = pet("old").repeat(6_000);
    const changes: Record<string, () => void> = {
      altered: () => writeFileSync(file, text.replace(/old(?!.*old)/s, "new")),
      longer: () => appendFileSync(file, pet("new")),
      shorter: () => writeFileSync(file, text.slice(0, -pet("old").length)),
      "longer, from a whole number of chunks on": () => appendFileSync(file, "\n"),
    };
    for (const [what, change] of Object.entries(changes)) {
      const whole = what.includes("chunks") ? " ".repeat(65_536 - (text.length % 65_536) - 1) : "";
      writeFileSync(file, text + (whole && `${whole}\n`));
      const input = await openInput(file, process.stdin);
      const checked = await checkInput(
        input,
        format,
        document,
        () => {},
        () => {},
      );
      change();
      const parts = { input, format, document, checked };
      const message = /^The input was changed while it was read\. \d+ pets are there/;
      const before = await countPets(url);
      await t.rejects(
        importPets(store, parts, { fromStart: true }, () => {}),
        { message },
        what,
      );
      t.notOk((await namesIn(url)).slice(before).includes("new"));
      await input.close();
    }
    await store.close();
  },
);

t.test("what can't be read, written or understood is said", async (t) => {
  const url = await (stores.sqlite as (t: Test) => Promise<string>)(t);
  const place = folder(t);
  const wrong = (args: string[], stderr: RegExp, status = 1) =>
    t.match(run(url, args), { status, stdout: "", stderr }, args.join(" "));
  wrong(["import", "-"], /the format of - is not told by its ending: give --format ndjson or csv/, 2);
  wrong(["import", "pets.json"], /give --format ndjson or csv/, 2);
  wrong(["import", "pets.csv", "--format", "xml"], /Allowed choices are ndjson, csv/, 2);
  wrong(["import"], /missing required argument 'file'/, 2);
  wrong(["import", join(place, "none.csv")], /none\.csv can't be read: ENOENT/);
  wrong(["import", place, "--format", "csv"], /can't be read: EISDIR/);
  wrong(["export"], /can't be opened: ENOENT/);
  t.match(run(url, ["import", "-", "--format", "csv"], "", { TMPDIR: join(place, "none") }), {
    status: 1,
    stderr: /^petstore: Standard input can't be read: ENOENT/,
  });
  run(url, ["import", "-", "--format", "ndjson"], pet("Rex").repeat(5_000));
  wrong(["export", "--status", "lost"], /option '--status <status>' must be one of: available, pending, sold\n$/, 2);
  wrong(["export", "--json"], /'--json' is for --output/, 2);
  wrong(["export", "--output", place], /is not a regular file/);
  wrong(["export", "--output", join(place, "none", "a.csv")], /There is no folder \S+none\.$/m);
  wrong(["backup", place], /is there already/);
  wrong(["restore", join(place, "none.db")], /none\.db can't be opened: ENOENT/);
  writeFileSync(join(place, "text.db"), "no database");
  wrong(["restore", join(place, "text.db")], /text\.db can't be opened: file is not a database/);
  for (const args of [["import", bin, "--format", "csv"], ["export"], ["backup", "b.db"], ["restore", "b.db"]])
    t.match(run("sqlite::memory:", args), { status: 1, stderr: /^petstore: DATABASE_URL must be sqlite:PATH or / });

  const old = join(place, "old.db");
  run(url, ["backup", old]);
  await harm(`sqlite:${old}`, "PRAGMA user_version = 1");
  wrong(
    ["restore", old],
    /is of version 1, and this release has 2: let petstore migrate bring it, or a copy of it, there/,
  );
  const unsound = join(place, "unsound.db");
  run(url, ["backup", unsound]);
  await harm(`sqlite:${unsound}`, "UPDATE pets SET status = 'lost' WHERE id < 3");
  wrong(["restore", unsound, "--force"], /unsound\.db is not sound, as petstore check says \(2 problems\): pets 1/);

  // The reader of a pipe goes away; a disk is full; a file is read through a pipe.
  const shell = (text: string) =>
    spawnSync("bash", ["-c", text], { env: { ...process.env, DATABASE_URL: url }, encoding: "utf8" });
  const petstore = `${process.execPath} ${bin}`;
  t.match(shell(`set -o pipefail; ${petstore} export | head -1`), {
    status: 0,
    stdout: '{"id":1,"name":"Rex","categoryId":1}\n',
    stderr: "",
  });
  t.match(shell(`${petstore} export > /dev/full`), {
    status: 1,
    stderr: /petstore: Standard output can't be written: ENOSPC/,
  });
  t.match(shell(`${petstore} import <(echo '{"name":"Tom","categoryId":1}') --format ndjson`), {
    status: 0,
    stdout: /^pets {14}1$/m,
  });
  t.match(shell(`${petstore} export --without-ids | ${petstore} import - --format ndjson`), {
    status: 0,
    stdout: /^pets {14}5001$/m,
  });
});

async function countPets(url: string): Promise<number> {
  if (!url.startsWith("sqlite:")) {
    const there = await query(url, "SELECT to_regclass('petstore.imports') AS it");
    return there[0]?.it ? Number((await query(url, "SELECT count(*) AS n FROM petstore.pets"))[0]?.n) : 0;
  }
  const file = url.slice("sqlite:".length);
  if (!existsSync(file)) return 0;
  const db = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  try {
    return Number(db.prepare("SELECT count(*) AS n FROM pets").get()?.n);
  } catch {
    return 0; // it is being made
  } finally {
    db.close();
  }
}

/** Does something to the database itself, as nobody should. */
async function harm(url: string, text: string): Promise<void> {
  if (!url.startsWith("sqlite:")) return void (await query(url, text.replace(/(?<=UPDATE |FROM )/, "petstore.")));
  const db = new DatabaseSync(url.slice("sqlite:".length));
  db.exec(text);
  db.close();
}

/** Lets a row fail, or none any more. */
async function fault(url: string, id?: number): Promise<void> {
  if (!url.startsWith("sqlite:")) {
    await query(url, "ALTER TABLE petstore.pets DROP CONSTRAINT IF EXISTS injected");
    if (id) await query(url, `ALTER TABLE petstore.pets ADD CONSTRAINT injected CHECK (id <> ${id}) NOT VALID`);
    return;
  }
  const db = new DatabaseSync(url.slice("sqlite:".length));
  db.exec("DROP TRIGGER IF EXISTS fault");
  if (id)
    db.exec(
      `CREATE TRIGGER fault BEFORE INSERT ON pets WHEN new.id = ${id} BEGIN SELECT RAISE(ABORT, 'injected'); END`,
    );
  db.close();
}

// backup and restore, reviewed

/** A store with a key and as many pets, each with its Idempotency-Key, and a backup of it. */
async function backedUp(t: Test, count: number): Promise<{ from: string; file: string }> {
  const from = await (stores.sqlite as (t: Test) => Promise<string>)(t);
  await fill(from, count);
  const file = join(folder(t), "backup.db");
  t.match(run(from, ["backup", file]), { status: 0 });
  return { from, file };
}

async function fill(url: string, count: number): Promise<void> {
  const store = await openStore(url);
  await addKey(store, "a");
  const once = (n: number) => ({ caller: 1n, key: `${n}`, digest: new Uint8Array(32) });
  for (let left = count; left > 0; left -= 500)
    await Promise.all(
      Array.from({ length: Math.min(left, 500) }, (_, n) =>
        store.pets.create({ name: `Rex ${left - n}`, categoryId: 1n }, once(left - n)),
      ),
    );
  await store.close();
}

for (const [kind, prepare] of Object.entries(stores)) {
  t.test(`${kind}: a restore that is refused changes nothing, and says so at once`, async (t) => {
    const { file } = await backedUp(t, 3);
    const unsound = join(folder(t), "unsound.db");
    copyFileSync(file, unsound);
    await harm(`sqlite:${unsound}`, "UPDATE pets SET status = 'lost' WHERE id < 3");
    const place = folder(t);
    const none = kind === "sqlite" ? `sqlite:${join(place, "new", "petstore.db")}` : await prepare(t);
    t.match(run(none, ["restore", unsound]), { status: 1, stderr: /not sound.*\(2 problems\)/ });
    t.match(run(none, ["restore", place]), {
      status: 1,
      stderr: /^petstore: \S+ is a folder: name the file of a backup/,
    });
    if (kind === "sqlite") t.same(readdirSync(place), []);
    else t.same(await query(none, "SELECT 1 FROM pg_namespace WHERE nspname = 'petstore'"), []);

    const url = await prepare(t);
    await fill(url, 1);
    t.match(run(url, ["restore", unsound]), { status: 1, stderr: /not empty/ }, "before the backup is read");
    const old = kind === "sqlite" ? "PRAGMA user_version = 1" : "DELETE FROM migrations WHERE version = 2";
    await harm(url, old);
    for (const args of [[], ["--force"]])
      t.match(run(url, ["restore", file, ...args]), { status: 1, stderr: /is of version 1, and this release has 2/ });
    t.match(run(url, ["check"]), { status: 1, stderr: /is of version 1/ }, "it still is");
  });

  t.test(`${kind}: a backup or restore that is stopped while it checks says just that`, async (t) => {
    const { file } = await backedUp(t, 3);
    const url = await prepare(t);
    await fill(url, 3);
    const stop = (doing: string) => {
      if (doing === "checking") throw new Error("Stopped.");
    };
    await t.rejects(restore(file, url, document, true, stop), { message: /^Stopped\.$/ });
    const tables = await openTables(url, "look");
    await t.rejects(backup(tables, `${file}.not`, document, stop), { message: /^Stopped\.$/ });
    t.notOk(existsSync(`${file}.not`));
    await tables.close();
  });

  t.test(`${kind}: who leaves off reading a table can read another`, async (t) => {
    const url = await prepare(t);
    await fill(url, 2_500);
    const tables = await openTables(url, "look");
    await tables.read(async (source) => {
      for (let times = 0; times < 2; times++)
        for await (const rows of source.rows("pets")) {
          t.equal(rows.length, 1_000);
          break;
        }
    });
    await tables.close();
  });
}

t.test(
  "postgres: a restore by force takes nothing from a backup that is being made, and waits for no long one",
  async (t) => {
    const { file } = await backedUp(t, 3);
    const url = await newDatabase(t);
    await fill(url, 40);
    const [tables, store] = [await openTables(url, "look"), await openStore(url)];
    await tables.read(async (source) => {
      t.equal(await source.count("pets"), 40);
      const { exit } = begin(url, "restore", file, "--force");
      const outcome = exit();
      const names: string[] = [];
      for (let left = false; !left; ) {
        names.push(`meanwhile ${names.length}`);
        await store.pets.create({ name: names.at(-1) as string, categoryId: 0n });
        left = await Promise.race([outcome.then(() => true), pause(20, false)]);
      }
      t.match(await outcome, { code: 1, stderr: /Others use the store, for a backup.*Nothing was changed\.\n$/ });
      t.equal(await source.count("idempotency"), 40);
      t.same((await namesIn(url)).slice(40), names, "creates went on");
    });
    await store.close();

    // The other way round: who reads waits for who replaces, and sees what is there then.
    const other = await openTables(url, "update");
    let read: Promise<number[]> | undefined;
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ACCESS SHARE%'";
    await other.write(
      async (target) => {
        read = tables.read(async (source) => [await source.count("idempotency"), await source.count("pets")]);
        const isWaiting = async () => (await query(url, `${waits} AND datname = current_database()`)).length > 0;
        for (let looks = 0; looks < 400 && !(await isWaiting()); looks++) await pause(5);
        for (const name of ["idempotency", "pets"] as const) await target.remove(name);
        await target.add("pets", [[9n, "new", 0n, null]]);
      },
      { alone: true },
    );
    t.same(await read, [0, 1]);
    const short = tables.read(async (source) => [await source.count("pets"), await pause(1_000)]);
    await other.write((target) => target.remove("pets"), { alone: true });
    await short;
    t.same(await namesIn(url), [], "a short one is waited for");
    await query(url, "DROP TABLE petstore.imports");
    await t.rejects(
      tables.read(async () => {}),
      { message: /imports.*does not exist/ },
      "what can't be locked is said",
    );
    for (const each of [tables, other]) await each.close();
  },
);

t.test("postgres: what a service counts during a restore by force waits for its end", async (t) => {
  const { file } = await backedUp(t, 5_000);
  const url = await newDatabase(t);
  await fill(url, 1);
  const other = await openTables(url, "update");
  let counted: Promise<unknown> | undefined;
  const count = (doing: string) => {
    if (doing === "copying")
      counted ??= query(
        url,
        "INSERT INTO petstore.deprecated_calls (operation, key, day, count) VALUES ('x', 'a', 1, 1)",
      );
  };
  t.match(await restore(file, url, document, true, count), { counts: { pets: 5_000, deprecated_calls: 0 } });
  await counted;
  t.equal(await other.read((source) => source.count("deprecated_calls")), 1);
  await other.close();
});

t.test("postgres: a store is not copied to itself", async (t) => {
  const url = await newDatabase(t);
  await fill(url, 1);
  const { status, stderr } = run(url, ["copy", "--from", url, "--to", url]);
  t.match({ status, stderr }, { status: 1, stderr: "petstore: The two stores are the same.\n" });
});

t.test("a file of any name, in a folder that is there, on any file system", async (t) => {
  const { from, file } = await backedUp(t, 3);
  const place = folder(t);
  const cwd = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: place, env: { ...process.env, DATABASE_URL: from }, encoding: "utf8" });
  for (const name of [":memory:", "file:x?mode=memory", "file::memory:"]) {
    t.match(cwd(bin, "backup", name), { status: 0 }, name);
    t.same(readdirSync(place), [name]);
    const to = `sqlite:${join(folder(t), "petstore.db")}`;
    t.match(run(to, ["restore", join(place, name)]), { status: 0, stdout: /^pets {14}3$/m });
    rmSync(join(place, name));
  }
  writeFileSync(join(place, ":memory:"), readFileSync(file));
  t.match(
    spawnSync(process.execPath, [bin, "restore", ":memory:"], {
      cwd: place,
      env: { ...process.env, DATABASE_URL: `sqlite:${join(place, "it.db")}` },
      encoding: "utf8",
    }),
    { status: 0, stdout: /^pets {14}3$/m },
  );
  rmSync(join(place, "it.db"));
  rmSync(join(place, ":memory:"));
  t.match(cwd(bin, "backup", ""), { status: 1, stderr: /is there already/ });
  t.match(cwd(bin, "export", "--output", ""), { status: 1, stderr: /is not a regular file/ });
  t.match(cwd(bin, "restore", ""), { status: 1, stderr: /is a folder/ });
  t.match(cwd(bin, "backup", "none/it.db"), { status: 1, stderr: /^petstore: There is no folder \S+none\.\n$/ });
  t.same(readdirSync(place), [], "none is made");

  writeFileSync(join(place, "it.csv"), "", { mode: 0o640 });
  t.match(cwd(bin, "export", "--output", "it.csv"), { status: 0 });
  t.equal(statSync(join(place, "it.csv")).mode & 0o777, 0o640, "it keeps its mode");
  rmSync(join(place, "it.csv"));

  const failing = (...names: string[]) => {
    const fail = names.map(
      (name) =>
        `fs.promises.${name} = async () => { throw Object.assign(new Error("no ${name}"), { code: "EPERM" }) };`,
    );
    const text = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module"; ${fail.join(" ")} syncBuiltinESMExports();`;
    return `--import=data:text/javascript,${encodeURIComponent(text)}`;
  };
  t.match(cwd(failing("link", "rename"), bin, "backup", "it.db"), {
    status: 1,
    stderr: /petstore: \S+it\.db can't be made: no rename\.\n$/,
  });
  t.same(readdirSync(place), []);
  t.match(cwd(failing("link"), bin, "backup", "it.db"), { status: 0 });
  t.equal(statSync(join(place, "it.db")).mode & 0o777, 0o600);
  t.match(run(`sqlite:${join(place, "it.db")}`, ["check"]), { status: 0, stdout: /^pets {14}3$/m });
});

t.test("where there is no more room, it is said where", async (t) => {
  const { from, file } = await backedUp(t, 5_000);
  const place = folder(t);
  const limited = (url: string, ...args: string[]) =>
    spawnSync(
      "bash",
      ["-c", 'ulimit -f 100; trap "" XFSZ; unset NODE_OPTIONS; exec "$@"', "bash", process.execPath, bin, ...args],
      {
        env: { ...process.env, DATABASE_URL: url },
        encoding: "utf8",
      },
    );
  t.match(limited(from, "backup", join(place, "it.db")), {
    status: 1,
    stderr: /^petstore: \S+it\.db\S*: .*(disk|full)/m,
  });
  t.match(limited(from, "export", "--output", join(place, "it.ndjson")), {
    status: 1,
    stderr: /it\.ndjson can't be made: EFBIG/,
  });
  t.same(readdirSync(place), []);
  const to = `sqlite:${join(place, "to.db")}`;
  t.match(limited(to, "restore", file), { status: 1, stderr: /^petstore: \S+to\.db: .*(disk|full)/m });
  t.equal(await countPets(to), 0);
  t.match(run(to, ["restore", file]), { status: 0 });
});
