// petstore export: consistent snapshots, byte-identical to the imported file, and written atomically.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { exportRecords } from "../../src/data/export.ts";
import { formats } from "../../src/data/formats/file-formats.ts";
import type { Filter } from "../../src/store/records.ts";
import { emptyDatabase, stores } from "../support/databases.ts";
import { exportedText, statusOf } from "../support/exports.ts";
import { folder } from "../support/files.ts";
import { petCollection, petResource, petsOf, statusList } from "../support/pets.ts";
import {
  countPets,
  fill,
  insertPets,
  openWithPets,
  petLine,
  petstoreOn,
  replaceInPets,
  stopOnFirstFile,
  tamper,
} from "../support/stores.ts";

for (const [kind, prepare] of Object.entries(stores)) {
  for (const [name, format] of Object.entries(formats))
    t.test(`${kind}: an export as ${name} is byte-identical to the imported file`, async (t) => {
      const url = await prepare(t);
      const file = join(folder(t), `PETS.${name.toUpperCase()}`);
      const numbers = Array.from({ length: 2_400 }, (_, n) => n);
      const text = exportedText(format, numbers, true);
      writeFileSync(file, text);
      const { status, stdout } = await petstoreOn(url, ["import", file, "--json"]);
      t.equal(status, 0);
      t.match(JSON.parse(stdout), { pets: 2_400, before: 0, bad: 0, sha256: /^[0-9a-f]{64}$/, problems: [] });
      t.equal((await petstoreOn(url, ["export", "--without-ids", "--format", name])).stdout, text);

      const all = (await petstoreOn(url, ["export", "--format", name])).stdout;
      t.equal(all, exportedText(format, numbers));
      const output = join(folder(t), `all.${name}`);
      writeFileSync(output, "old content");
      const written = await petstoreOn(url, ["export", "--output", output, "--json"]);
      t.match(JSON.parse(written.stdout), { pets: 2_400, sha256: /^[0-9a-f]{64}$/ });
      t.equal(readFileSync(output, "utf8"), all, "the file extension selects the format");
      const sold = numbers.filter((n) => statusOf(n) === "sold");
      t.match(await petstoreOn(url, ["export", "--filter", "status=sold", "--output", output]), {
        status: 0,
        stdout: new RegExp(`^pets {14}${sold.length}\\nsha256 {12}[0-9a-f]{64}\\n$`),
      });
      t.equal(readFileSync(output, "utf8"), exportedText(format, sold));
      t.match(await petstoreOn(url, ["import", output]), {
        status: 1,
        stderr: `petstore: Another record of pets has the id ${(sold[0] as number) + 1}. Nothing was imported.\n`,
      });
      t.same(readdirSync(join(output, "..")), [`all.${name}`], "no other file is left");
    });

  t.test(`${kind}: rejects an export of a store that does not exist, and does not create it`, async (t) => {
    const url = kind === "sqlite" ? await prepare(t) : await emptyDatabase(t);
    for (const name of Object.keys(formats))
      t.match(await petstoreOn(url, ["export", "--format", name]), {
        status: 1,
        stdout: "",
        stderr: /can't be opened: (ENOENT|it has not been migrated)/,
      });
    t.equal(await countPets(url), 0);
  });

  t.test(`${kind}: an export is a snapshot of the pets, also during concurrent creates`, async (t) => {
    const url = await prepare(t);
    const { store, tables } = await openWithPets(t, url, 1_500);
    const [filter] = petCollection.filters as [Filter];
    for (const match of [undefined, { filter, value: "sold" }]) {
      const before = await countPets(url);
      let text = "";
      const write = async (some: string) => {
        text += some;
        if (some === "") return; // the header is written before the first read
        await petsOf(store).create({ name: "late", categoryId: 0n, status: "sold" });
      };
      const selection = { format: formats.ndjson, resource: petResource, match };
      const { records } = await exportRecords(tables, selection, write, () => {});
      t.equal(records, before);
      t.equal(text.split("\n").length - 1, before);
      t.ok((await countPets(url)) > before);
    }
  });

  t.test(`${kind}: an export that is stopped leaves no file`, async (t) => {
    const url = await prepare(t);
    await insertPets(url, 3_500);
    const place = folder(t);
    t.match(await stopOnFirstFile(url, ["export", "--output", join(place, "it.ndjson")], place), {
      status: 1,
      stderr: /Stopped\. No file was written\.\n$/,
      partialFile: /^it\.ndjson\.partial-/,
    });
    t.same(readdirSync(place), []);
  });

  t.test(`${kind}: exports a store that fails the integrity check`, async (t) => {
    const url = await prepare(t);
    await fill(url, 3);
    await tamper(url, replaceInPets(url, '"status":"sold"', '"status":"lost"', "id = 2"));
    t.match(await petstoreOn(url, ["export"]), { status: 0, stdout: /"status":"lost"/ });
  });
}

t.test("Creates a file that only its owner can read, and keeps the mode of an existing one", async (t) => {
  const url = await stores.sqlite(t);
  await fill(url, 1);
  const output = join(folder(t), "all.csv");
  const exportedMode = async () => {
    t.match(await petstoreOn(url, ["export", "--output", output]), { status: 0 });
    return statSync(output).mode & 0o777;
  };
  t.equal(await exportedMode(), 0o600);
  chmodSync(output, 0o640);
  t.equal(await exportedMode(), 0o640);
});

t.test("Rejects invalid options, stores and output files", async (t) => {
  const url = await stores.sqlite(t);
  const place = folder(t);
  const rejects = async (args: string[], stderr: RegExp, status = 1) =>
    t.match(await petstoreOn(url, ["export", ...args]), { status, stdout: "", stderr }, args.join(" "));
  await rejects([], /can't be opened: ENOENT/);
  await petstoreOn(url, ["import", "-", "--format", "ndjson"], { input: petLine("Rex") });
  const option = "option '--filter <name=value>':";
  await rejects(["--filter", "status=lost"], new RegExp(`${option} .*'status' must be one of: ${statusList}\\.\n$`), 2);
  await rejects(["--filter", "name=Rex"], new RegExp(`${option} pets can be filtered by: status\n$`), 2);
  await rejects(["--resource", "toys"], /option '--resource <name>' must be one of: pets\n$/, 2);
  await rejects(["--json"], /'--json' requires option '--output <file>'/, 2);
  await rejects(["--output", place], /is not a regular file/);
  await rejects(["--output", join(place, "none", "a.csv")], /The directory \S+none does not exist\.$/m);
  t.match(await petstoreOn("sqlite::memory:", ["export"]), {
    status: 1,
    stderr: /^petstore: DATABASE_URL must be sqlite:PATH or /,
  });
});
