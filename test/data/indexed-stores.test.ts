// Import, restore and copy of records whose collection has an index.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { indexedThings, readThings, untilIndexed } from "../support/indexed-things.ts";
import { runOpenApi, startOpenApi } from "../support/openapi-command.ts";
import { until } from "../support/wait.ts";

const kinds: Record<string, (t: Test) => Promise<string>> = {
  SQLite: async (t) => join(folder(t), "things.db"),
  PostgreSQL: emptyDatabase,
};

const lines = (count: number, prime: number) =>
  Array.from({ length: count }, (_, n) => `${JSON.stringify({ price: (n * prime) % 97 })}\n`).join("");

for (const [kind, createStore] of Object.entries(kinds))
  t.test(`${kind}: pages by an index have what was imported, restored and copied`, async (t) => {
    const place = folder(t);
    const [file, first, second, backup] = ["things.yaml", "first.ndjson", "second.ndjson", "all.backup"].map((name) =>
      join(place, name),
    ) as [string, string, string, string];
    writeFileSync(file, indexedThings);
    writeFileSync(first, lines(250, 31));
    writeFileSync(second, lines(300, 57));
    const data = await createStore(t);
    const run = async (...args: readonly string[]) =>
      t.match(await runOpenApi(["data", ...args]), { code: 0 }, args[0] as string);
    const check = async (url: string, store: string, count: number) => {
      for (const isIndexed of [false, true]) {
        if (isIndexed) await untilIndexed(store);
        const { things, found, wanted } = await readThings(url);
        t.equal(things.length, count);
        t.same(found, wanted, isIndexed ? "with the index" : "at once");
      }
    };
    await run("import", file, first, "--data", data);
    const { url } = await startOpenApi(t, ["serve", file, "--data", data]);
    await check(url, data, 250);
    await run("backup", file, backup, "--data", data);
    await run("import", file, second, "--data", data);
    await check(url, data, 550);
    await run("restore", file, backup, "--data", data, "--force", "--yes");
    await check(url, data, 250);

    const target = await createStore(t);
    const before = await startOpenApi(t, ["serve", file, "--data", target]);
    await untilIndexed(target);
    before.stop();
    const to = target.startsWith("postgres:") ? target : `sqlite:${target}`;
    const copy = () => runOpenApi(["data", "copy", file, "--from", `sqlite:${backup}`, "--to", to]);
    await until(async () => (await copy()).code === 0, "the store is in use");
    const after = await startOpenApi(t, ["serve", file, "--data", target]);
    await check(after.url, target, 250);
  });
