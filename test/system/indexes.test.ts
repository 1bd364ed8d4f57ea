// Two processes of `openapi-server serve` share a store with an index, and are killed with SIGKILL while clients write.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { indexedThings, readThings, untilIndexed } from "../support/indexed-things.ts";
import { runOpenApi } from "../support/openapi-command.ts";
import { createRandom } from "../support/random.ts";
import { Serving } from "../support/serving.ts";
import { pause } from "../support/wait.ts";

const kinds: Record<string, (t: Test) => Promise<string>> = {
  SQLite: async (t) => join(folder(t), "things.db"),
  PostgreSQL: emptyDatabase,
};

const rounds = 4;
const clientCount = 8;

for (const [kind, createStore] of Object.entries(kinds))
  t.test(`${kind}: pages by an index have all records after kill -9 of processes that write`, async (t) => {
    const file = join(folder(t), "things.yaml");
    writeFileSync(file, indexedThings);
    const data = await createStore(t);
    const servers: { readonly serving: Serving; url: string }[] = [];
    for (const _ of [1, 2]) {
      const serving = new Serving(t, file, data);
      servers.push({ serving, url: await serving.start() });
    }
    const random = createRandom(5);
    let [isDone, writes] = [false, 0];
    const write = async () => {
      const { url } = random.pick(servers);
      const thing = `${url}/things/${1 + random.int(writes + 1)}`;
      const content = {
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ price: random.int(50) }),
      };
      const { status } = await (random.chance(3)
        ? fetch(thing, random.chance(2) ? { method: "PUT", ...content } : { method: "DELETE" })
        : fetch(`${url}/things`, { method: "POST", ...content }));
      if (status < 300) writes++;
    };
    const writeOften = async () => {
      while (!isDone) await write().catch(() => pause(20)); // the process was killed
    };
    const readOften = async () => {
      while (!isDone) {
        const { found } = await readThings(random.pick(servers).url).catch(() => ({ found: undefined }));
        const prices = found?.ascending.map(({ price }) => price) ?? [];
        if (prices.some((price, index) => price < (prices[index - 1] ?? 0))) t.fail("a page is not in order");
        await pause(20);
      }
    };
    const killOften = async () => {
      for (let round = 0; round < rounds; round++) {
        await pause(300 + random.int(700));
        const server = servers[round % 2] as (typeof servers)[number];
        await server.serving.kill();
        server.url = await server.serving.start();
      }
      isDone = true;
    };
    await Promise.all([...Array.from({ length: clientCount }, writeOften), readOften(), killOften()]);
    t.ok(writes > 100, `${writes} writes`);
    for (const isIndexed of [false, true]) {
      if (isIndexed) await untilIndexed(data);
      for (const { url } of servers) {
        const { found, wanted } = await readThings(url);
        t.same(found, wanted, isIndexed ? "with the index" : "at once");
      }
    }
    t.match(await runOpenApi(["data", "check", file, "--data", data]), { code: 0 });
    await Promise.all(servers.map(({ serving }) => serving.kill()));
  });
