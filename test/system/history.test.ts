// Two processes of `openapi-server serve` share a store, and are killed again and again. Clients create, change and delete records below
// records meanwhile. There is an order of all calls that explains each response: no record is lost, doubled, stale, or below another one
// than its own, and no change is lost or partial.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { Clients, type Server } from "../support/history/clients.ts";
import { historyDocument } from "../support/history/document.ts";
import { checkHistory } from "../support/history/record-model.ts";
import { runOpenApi } from "../support/openapi-command.ts";
import { createRandom } from "../support/random.ts";
import { Serving } from "../support/serving.ts";
import { pause } from "../support/wait.ts";

// On a busy machine, a start takes seconds, and fewer calls and kills are enough.
const minSeconds = 10;
const maxSeconds = 25;
const wanted = { calls: 1_000, kills: 6 };
const maxCalls = 8_000;
const clientCount = 8;

const kinds: Record<string, (t: Test) => Promise<string>> = {
  SQLite: async (t) => join(folder(t), "shelves.db"),
  PostgreSQL: emptyDatabase,
};

for (const [kind, createStore] of Object.entries(kinds))
  t.test(`${kind}: one order explains all responses while processes are killed`, { timeout: 180_000 }, async (t) => {
    const seed = Number(process.env.HISTORY_SEED ?? Math.floor(Math.random() * 1_000_000));
    const file = join(folder(t), "shelves.yaml");
    writeFileSync(file, historyDocument);
    const data = await createStore(t);
    const servers: (Server & { readonly serving: Serving })[] = [];
    for (const _ of [1, 2]) {
      const serving = new Serving(t, file, data);
      servers.push({ serving, url: await serving.start() });
    }
    const clients = new Clients(servers, seed);
    const start = performance.now();
    let kills = 0;
    const isDone = () => {
      const seconds = (performance.now() - start) / 1_000;
      const { length } = clients.calls;
      const isEnough = seconds > minSeconds && length >= wanted.calls && kills >= wanted.kills;
      return isEnough || seconds > maxSeconds || length >= maxCalls;
    };
    const { int, chance } = createRandom(seed);
    const killOften = async () => {
      while (!isDone()) {
        await pause(200 + int(600));
        const found = await Promise.race([clients.nextDelete(), pause(500)]);
        const [first, second] = found === servers[1] ? servers.toReversed() : servers;
        await pause(int(Math.ceil(clients.deletionTime)));
        const killed = chance(4) ? [first, second] : [first];
        kills += killed.length;
        await Promise.all(killed.map((one) => restart(one as (typeof servers)[number])));
      }
    };
    await Promise.all([
      ...Array.from({ length: clientCount }, (_, client) => clients.run(client, isDone)),
      killOften(),
    ]);

    const check = await runOpenApi(["data", "check", file, "--data", data]);
    t.match(check, { code: 0, stdout: /no problems found/ }, "the store has no problem");
    await clients.readAll();
    const { calls } = clients;
    t.ok(kills >= 2, `${kills} kills`);
    t.ok(
      calls.length > 200,
      `${calls.length} calls, ${calls.filter(({ response }) => !response).length} without a response`,
    );
    const outcomes = new Set(calls.map(({ method, response }) => `${method} ${response?.status}`));
    for (const one of ["create 201", "create 404", "create 409", "delete 204", "get 200", "list 200", "patch 200"])
      t.ok(outcomes.has(one), one);
    t.same(checkHistory(calls), [], `HISTORY_SEED=${seed} makes the same choices, at other times`);
    await Promise.all(servers.map(({ serving }) => serving.kill()));
  });

async function restart(server: Server & { readonly serving: Serving }): Promise<void> {
  await server.serving.kill();
  server.url = undefined;
  server.url = await server.serving.start();
}
