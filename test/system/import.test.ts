// Imports as processes: killed, stopped by a signal, and beside a service that creates pets.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { stores } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { assertAllStored, startLoad } from "../support/load.ts";
import { openPetStore } from "../support/pets.ts";
import { startServer } from "../support/processes.ts";
import { startCommand } from "../support/running-command.ts";
import { addKey } from "../support/service.ts";
import { countPets, petLine, petstoreOn, readAllNames, readAllPets } from "../support/stores.ts";
import { pause, until } from "../support/wait.ts";

/**
 * Writes `count` lines to a file: pets with their line numbers as names, and invalid lines for which `isBad` is true.
 */
function writePets(t: Test, count: number, isBad = (_: number) => false) {
  const file = join(folder(t), "pets.ndjson");
  const lines = Array.from({ length: count }, (_, n) => n);
  writeFileSync(file, lines.map((n) => (isBad(n) ? "{}\n" : petLine(`${n}`))).join(""));
  return { file, names: lines.filter((n) => !isBad(n)).map(String) };
}

for (const [kind, prepare] of Object.entries(stores)) {
  t.test(`${kind}: an import that is killed has committed whole batches, and resumes after them`, async (t) => {
    const url = await prepare(t);
    const { file, names } = writePets(t, 40_000, (n) => n % 1_000 === 7);
    const args = ["import", file, "--skip-bad"];
    const kills: number[] = [];
    for (let before = 0; kills.length < 3 && before < 0.75 * names.length; before = kills.at(-1) as number) {
      const { child, exit } = startCommand(url, [...args, "--resume"]);
      // At a random time after another batch was committed.
      while (child.exitCode === null && (await countPets(url)) <= before) await pause(5);
      await pause(Math.random() * 40);
      child.kill("SIGKILL");
      await exit();
      const imported = await readAllNames(url);
      t.same(imported, names.slice(0, imported.length), `the first ${imported.length} pets`);
      kills.push(imported.length);
    }
    const last = kills.at(-1) as number;
    t.ok(kills.length > 1 && last < names.length, `it was killed after ${kills} pets`);
    t.match(await petstoreOn(url, args), { status: 1, stderr: /An import of the file has not finished: / });
    t.match(await petstoreOn(url, [...args, "--resume"]), {
      status: 0,
      stdout: new RegExp(`^lines +40000\npets +39960\nbefore +${last}\n`),
    });
    t.same(await readAllNames(url), names);
    t.match(await petstoreOn(url, ["check"]), { status: 0, stdout: /^imports {11}1$/m });
  });

  t.test(`${kind}: an import stops on SIGTERM, and reports its checkpoint`, async (t) => {
    const url = await prepare(t);
    const { file, names } = writePets(t, 30_000);
    const { child, exit } = startCommand(url, ["import", file]);
    await until(
      async () => (await countPets(url)) || undefined,
      () => "nothing is imported",
    );
    child.kill("SIGTERM");
    const { code, stderr } = await exit();
    t.equal(code, 1);
    const [, imported, line] =
      /Stopped\. (\d+) pets were imported, up to line (\d+)\. Use --resume to continue\.\n$/.exec(stderr) ?? [];
    t.ok(imported === line && Number(imported) % 2_000 === 0 && Number(imported) < 30_000, stderr);
    t.same(await readAllNames(url), names.slice(0, Number(imported)));
  });

  t.test(`${kind}: a service rejects and loses no creates during an import`, async (t) => {
    const url = await prepare(t);
    const server = await startServer(t, { DATABASE_URL: url, LOG_LEVEL: "error" });
    const store = await openPetStore(url);
    const load = startLoad([server.url], await addKey(store, "a"), 16);
    t.teardown(load.stop);
    const { file, names } = writePets(t, 30_000);
    const { code, stderr } = await startCommand(url, ["import", file]).exit();
    await load.stop();
    t.equal(code, 0, stderr);
    t.same(load.rejections, []);
    t.same(Object.keys(load.tally).sort(), ["200", "201"], "no other status");
    const all = await readAllPets(url);
    const isImported = ({ name }: { name: string }) => /^\d+$/.test(name);
    t.same(
      all.filter(isImported).map(({ name }) => name),
      names,
      "in the order of the file",
    );
    const createdByService = all.filter((pet) => !isImported(pet)).map(({ name, id }) => ({ name, id: `${id}` }));
    assertAllStored(t, createdByService, load.acknowledged);
    t.ok(load.acknowledged.size > 50, `${load.acknowledged.size} were created during the import`);
    t.equal(new Set(all.map(({ id }) => id)).size, all.length);
    await store.close();
  });
}
