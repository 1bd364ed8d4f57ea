// An import reads its input twice, to validate it and to write it, and detects changes in between.
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import t from "tap";
import { formats } from "../../src/data/formats/file-formats.ts";
import { importRecords } from "../../src/data/import.ts";
import { openInput } from "../../src/data/input-file.ts";
import { validateInput } from "../../src/data/validate-input.ts";
import { stores } from "../support/databases.ts";
import { bin, folder } from "../support/files.ts";
import { openPetTables, petResource } from "../support/pets.ts";
import { countPets, petLine, petstoreOn, readAllNames } from "../support/stores.ts";

const format = formats.ndjson;
const ignore = () => {};

t.test("Rejects an input that changes after its validation, before it writes a changed line", async (t) => {
  const url = await stores.sqlite(t);
  const store = await openPetTables(url, "create");
  const file = join(folder(t), "pets.ndjson");
  const text = petLine("old").repeat(2_500);
  const changes: Record<string, () => void> = {
    altered: () => writeFileSync(file, text.replace(/old(?!.*old)/s, "new")),
    longer: () => appendFileSync(file, petLine("new")),
    shorter: () => writeFileSync(file, text.slice(0, -petLine("old").length)),
    "longer, after a whole number of chunks": () => appendFileSync(file, "\n"),
  };
  for (const [description, change] of Object.entries(changes)) {
    const padding = description.includes("chunks") ? " ".repeat(65_536 - (text.length % 65_536) - 1) : "";
    writeFileSync(file, text + (padding && `${padding}\n`));
    const input = await openInput(file, Readable.from([]));
    const checked = await validateInput({ input, format, resource: petResource, report: ignore, progress: ignore });
    change();
    const parts = { input, format, resource: petResource, checked };
    const message = /^The file changed during the import\. \d+ pets were imported/;
    const before = await countPets(url);
    await t.rejects(importRecords(store, parts, { fromStart: true }, ignore), { message }, description);
    t.notOk((await readAllNames(url)).slice(before).includes("new"));
    await input.close();
  }
  await store.close();
});

t.test("Reports an input that can't be read", async (t) => {
  const url = await stores.sqlite(t);
  const place = folder(t);
  const rejects = async (args: string[], stderr: RegExp, status = 1) =>
    t.match(await petstoreOn(url, ["import", ...args]), { status, stdout: "", stderr }, args.join(" "));
  await rejects(["-"], /the format of - is unknown: use --format ndjson or csv/, 2);
  await rejects(["pets.json"], /use --format ndjson or csv/, 2);
  await rejects(["pets.csv", "--format", "xml"], /Allowed choices are ndjson, csv/, 2);
  await rejects([], /missing required argument 'file'/, 2);
  await rejects([join(place, "none.csv")], /none\.csv can't be read: ENOENT/);
  await rejects([place, "--format", "csv"], /can't be read: EISDIR/);
  t.match(await petstoreOn("sqlite::memory:", ["import", bin, "--format", "csv"]), {
    status: 1,
    stderr: /^petstore: DATABASE_URL must be sqlite:PATH or /,
  });

  const { TMPDIR } = process.env;
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  process.env.TMPDIR = join(place, "none");
  await rejects(["-", "--format", "csv"], /^petstore: Standard input can't be read: ENOENT/);
});
