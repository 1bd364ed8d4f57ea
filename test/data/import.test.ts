// An import writes batches with a checkpoint. If it is stopped or fails, it resumes without missing or repeating a
// line.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import t, { type Test } from "tap";
import { formats } from "../../src/data/formats/file-formats.ts";
import { importRecords } from "../../src/data/import.ts";
import { openInput } from "../../src/data/input-file.ts";
import { validateInput } from "../../src/data/validate-input.ts";
import type { Tables } from "../../src/store/bulk.ts";
import { stores } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { openPetTables, petResource } from "../support/pets.ts";
import { countPets, injectFault, petLine, petstoreOn, readAllNames } from "../support/stores.ts";

const format = formats.ndjson;
const ignore = () => {};

/** Writes lines to a file, and returns its name. */
function write(t: Test, lines: readonly string[]): string {
  const file = join(folder(t), "pets.ndjson");
  writeFileSync(file, lines.join(""));
  return file;
}

/** Stops an import in its first phase, the validation, or in its second phase, the writing. */
function stopIn(phase: "validation" | "writing") {
  let phases = 0;
  const stopped = phase === "validation" ? 0 : 1;
  return { onStop: (stop: () => void) => void (phases++ === stopped && stop()) };
}

/** Opens and checks a file, and returns what an import needs. */
async function prepareImport(t: Test, lines: string) {
  const input = await openInput(write(t, [lines]), Readable.from([]));
  t.teardown(() => input.close());
  const checked = await validateInput({ input, format, resource: petResource, report: t.fail, progress: ignore });
  return { input, format, resource: petResource, checked };
}

for (const [kind, prepare] of Object.entries(stores)) {
  t.test(`${kind}: an import that is stopped reports its checkpoint, and resumes there`, async (t) => {
    const url = await prepare(t);
    const isBad = (n: number) => n % 500 === 7;
    const all = Array.from({ length: 2_500 }, (_, n) => n);
    const file = write(
      t,
      all.map((n) => (isBad(n) ? "{}\n" : petLine(`${n}`))),
    );
    const names = all.filter((n) => !isBad(n)).map(String);
    const args = ["import", file, "--skip-bad"];
    t.match(await petstoreOn(url, args, stopIn("validation")), {
      status: 1,
      stderr: /: Stopped\. Nothing was imported\.\n$/,
    });
    const checkpoint = "2000 pets were imported, up to line 2004. Use --resume to continue";
    t.match(await petstoreOn(url, args, stopIn("writing")), {
      status: 1,
      stderr: new RegExp(`: Stopped\\. ${checkpoint}\\.\n$`),
    });
    t.same(await readAllNames(url), names.slice(0, 2_000));

    t.match(await petstoreOn(url, args), {
      status: 1,
      stdout: "",
      stderr: /has not finished: 2000 pets were imported.*--resume.*--from-start/,
    });
    t.match(await petstoreOn(url, ["import", file, "--resume"]), {
      status: 1,
      stderr: /Nothing was imported: 5 invalid lines/,
    });
    t.equal(await countPets(url), 2_000);
    t.match(await petstoreOn(url, [...args, "--resume"]), {
      status: 0,
      stdout: /^lines +2500\npets +2495\nbefore +2000\n/,
    });
    t.same(await readAllNames(url), names);
    t.match(await petstoreOn(url, ["check"]), { status: 0, stdout: /^imports {11}1$/m });
  });

  t.test(`${kind}: an input that was imported is imported again only with --from-start`, async (t) => {
    const url = await prepare(t);
    const file = write(t, ["{}\n", petLine("a"), petLine("b")]);
    const args = ["import", file, "--skip-bad"];
    t.match(await petstoreOn(url, args), { status: 0, stdout: /^lines +3\npets +2\nbefore +0\n/ });
    t.match(await petstoreOn(url, [...args, "--resume"]), {
      status: 0,
      stdout: /^lines +3\npets +2\nbefore +2\n/,
      stderr: /The file was already imported\. Nothing was imported\./,
    });
    t.match(await petstoreOn(url, args), {
      status: 1,
      stderr:
        /The file was already imported \(2 pets, [-\d]+ [:\d]+Z\)\. Use --resume to skip it, or --from-start to import it again\.\n$/,
    });
    t.same(await readAllNames(url), ["a", "b"]);
    t.match(await petstoreOn(url, [...args, "--from-start"]), { status: 0 });
    t.same(await readAllNames(url), ["a", "b", "a", "b"]);
    t.match(await petstoreOn(url, ["import", "-", "--format", "ndjson", "--resume"], { input: petLine("new") }), {
      status: 0,
      stderr: /^There was no import to resume\. Imported the whole file\.$/m,
    });
  });

  t.test(`${kind}: an import that fails keeps no part of a batch`, async (t) => {
    const url = await prepare(t);
    await petstoreOn(url, ["migrate"]);
    const names = Array.from({ length: 4_100 }, (_, n) => `${n}`);
    const file = write(t, names.map(petLine));
    await injectFault(url, 1);
    t.match(await petstoreOn(url, ["import", file]), {
      status: 1,
      stderr: /injected.*\. Nothing was imported\.\n$/,
    });
    await injectFault(url, 2_050);
    const failed = /injected.*\. 2000 pets were imported, up to line 2000\. Use --resume/;
    t.match(
      await petstoreOn(url, ["import", file]),
      { status: 1, stderr: failed },
      "without --resume: no checkpoint was written",
    );
    t.same(await readAllNames(url), names.slice(0, 2_000));
    await injectFault(url, 4_050);
    t.match(await petstoreOn(url, ["import", file, "--resume"]), { status: 1, stderr: /injected.*\. 4000 pets were/ });
    await injectFault(url);
    t.match(await petstoreOn(url, ["import", file, "--resume"]), { status: 0, stdout: /^before {12}4000$/m });
    t.same(await readAllNames(url), names);
  });

  t.test(`${kind}: --from-start imports all lines, also after an import that failed`, async (t) => {
    const url = await prepare(t);
    await petstoreOn(url, ["migrate"]);
    const names = Array.from({ length: 2_100 }, (_, n) => `${n}`);
    const file = write(t, names.map(petLine));
    await injectFault(url, 2_050);
    t.match(await petstoreOn(url, ["import", file]), { status: 1, stderr: /2000 pets were imported/ });
    await injectFault(url);
    t.match(await petstoreOn(url, ["import", file]), { status: 1, stderr: /has not finished/ });
    t.match(await petstoreOn(url, ["import", file, "--from-start", "--resume"]), { status: 2 });
    t.match(await petstoreOn(url, ["import", file, "--from-start"]), {
      status: 0,
      stdout: /^pets {14}2100\nbefore {12}0$/m,
    });
    t.same(await readAllNames(url), [...names.slice(0, 2_000), ...names]);
  });

  t.test(`${kind}: rejects an import while another import of the same input writes`, async (t) => {
    const url = await prepare(t);
    const [one, two] = [await openPetTables(url, "create"), await openPetTables(url, "create")];
    const parts = await prepareImport(t, petLine("Rex").repeat(2_100));
    const work = (store: Tables) => importRecords(store, parts, { fromStart: true }, ignore);
    // The other import runs between the first two batches of this one.
    let writes = 0;
    let otherResult: unknown;
    const write: Tables["write"] = async (batch) => {
      if (writes++ === 1) otherResult = await work(two);
      return one.write(batch);
    };
    const message = /^Another process is importing the same file\. 2000 pets were imported/;
    await t.rejects(work({ ...one, write }), { message });
    t.match(otherResult, { records: 2_100, complete: true });
    t.equal(await countPets(url), 4_100, "each import has written the pets that it reports");
    for (const tables of [one, two]) await tables.close();
  });

  t.test(
    `${kind}: detects a committed batch if the response of the store is lost or the stop comes too late`,
    async (t) => {
      const url = await prepare(t);
      const store = await openPetTables(url, "create");
      t.teardown(() => store.close());
      // The store loses the response of a commit, or also fails afterwards; or the stop comes after the last batch.
      const importLines = async (
        lines: string,
        { lostResponse = false, disconnected = false, lateStop = false, resume = false } = {},
      ) => {
        const parts = await prepareImport(t, lines);
        let written = false;
        const faultyStore: Tables = {
          ...store,
          read: async (work) => {
            if (disconnected && written) throw new Error("No connection");
            return store.read(work);
          },
          write: async (work) => {
            await store.write(work);
            written = true;
            if (lostResponse || disconnected) throw new Error("Connection terminated");
            return undefined as never;
          },
        };
        const progress = (done: number, total: number) => {
          if (lateStop && done === total) throw new Error("Stopped");
        };
        return importRecords(faultyStore, parts, { resume }, progress);
      };
      t.match(
        await importLines(petLine("a"), { lostResponse: true }),
        { records: 1, complete: true },
        "the batch was committed",
      );
      t.match(await importLines(petLine("b"), { lateStop: true }), { records: 1, complete: true });
      await t.rejects(importLines(petLine("a")), { message: /was already imported/ });
      const many = petLine("c").repeat(2_100);
      await t.rejects(importLines(many, { lostResponse: true }), {
        message: "Connection terminated. 2000 pets were imported, up to line 2000. Use --resume to continue.",
      });
      t.match(await importLines(many, { resume: true }), { records: 2_100, before: 2_000 });
      await t.rejects(importLines(petLine("d"), { disconnected: true }), {
        message: "Connection terminated. It is unknown whether the last batch was imported. Use --resume to continue.",
      });
      t.match(await importLines(petLine("d"), { resume: true }), { records: 1, before: 1 }, "the batch was committed");
      t.equal(await countPets(url), 2_103);
    },
  );
}
