// Two processes serve examples/booking from one store, and are killed again and again, while clients book, pay, change and delete. What was
// acknowledged is stored, and no rule of the bookings is broken.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { checkBookings, type Stored } from "../support/booking/checker.ts";
import { Clients } from "../support/booking/clients.ts";
import type { Server } from "../support/booking/sender.ts";
import { emptyDatabase } from "../support/databases.ts";
import { folder, root } from "../support/files.ts";
import { runOpenApi } from "../support/openapi-command.ts";
import { createRandom } from "../support/random.ts";
import { Serving } from "../support/serving.ts";
import { pause } from "../support/wait.ts";

const clientCount = 16;
const example = join(root, "examples/booking");
const document = join(example, "booking.yaml");
const handlers = join(example, "handlers.ts");

const kinds: Record<string, (t: Test) => Promise<string>> = {
  SQLite: async (t) => join(folder(t), "booking.db"),
  PostgreSQL: emptyDatabase,
};

interface Run {
  readonly handlers: string;
  readonly isEnough: (clients: Clients) => boolean;
  readonly maxSeconds: number;
}

/** Returns what is wrong after many requests, of which two processes answer those that they live to answer. */
async function run(t: Test, data: string, { handlers, isEnough, maxSeconds }: Run) {
  const seed = Number(process.env.HISTORY_SEED ?? Math.floor(Math.random() * 1_000_000));
  const servers: Server[] = [];
  for (const _ of [1, 2]) {
    const serving = new Serving(t, document, data, ["--handlers", handlers]);
    servers.push({ serving, url: await serving.start() });
  }
  const clients = new Clients(servers, seed);
  await clients.begin();
  const { int, chance } = createRandom(seed);
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1_000;
  const isDone = () => isEnough(clients) || seconds() > maxSeconds;
  let kills = 0;
  const killOften = async () => {
    while (!isDone()) {
      await pause(500 + int(1_500));
      const killed = chance(4) ? servers : [servers[int(2)] as Server];
      kills += killed.length;
      await Promise.all(killed.map(restart));
    }
  };
  await Promise.all([...Array.from({ length: clientCount }, (_, client) => clients.run(client, isDone)), killOften()]);
  const duration = seconds();
  await Promise.all(servers.map(({ serving }) => serving.kill()));
  const stored = await read(t, data);
  const problems = [...clients.sender.problems, ...checkBookings(clients.writes, clients.reads, stored)];
  const count = Object.values(stored).reduce((sum, { length }) => sum + length, 0);
  t.comment(
    `${clients.sender.requests} requests in ${Math.round(duration)} s, ${kills} kills, ${count} records, HISTORY_SEED=${seed}`,
  );
  t.comment(Object.fromEntries([...clients.sender.outcomes].sort(([a], [b]) => (a < b ? -1 : 1))));
  return { clients, kills, problems };
}

async function restart(server: Server): Promise<void> {
  await server.serving.kill();
  server.url = undefined;
  server.url = await server.serving.start();
}

/** Returns all that is stored. */
async function read(t: Test, data: string): Promise<Stored> {
  const check = await runOpenApi(["data", "check", document, "--data", data]);
  t.match(check, { code: 0, stdout: /no problems found/ }, "the store has no problem");
  const output = `${folder(t)}/records/`;
  await runOpenApi(["data", "export", document, "--data", data, "--output", output]);
  const records = readdirSync(output).map((file) => {
    const lines = readFileSync(join(output, file), "utf8").split("\n").filter(Boolean);
    return [file.replace(".ndjson", ""), lines.map((line) => JSON.parse(line))] as const;
  });
  return Object.fromEntries(records);
}

for (const [kind, createStore] of Object.entries(kinds)) {
  t.test(
    `${kind}: bookings are kept, and no rule is broken, while processes are killed`,
    { timeout: 180_000 },
    async (t) => {
      const { clients, kills, problems } = await run(t, await createStore(t), {
        handlers,
        isEnough: ({ sender: { requests } }) => requests >= 12_000,
        maxSeconds: 65,
      });
      t.same(problems, []);
      t.ok(kills >= 2 && clients.sender.requests > 500, `${kills} kills, ${clients.sender.requests} requests`);
      for (const outcome of [
        "POST appointments 201",
        "POST appointments 409",
        "POST appointments reschedule 200",
        "POST appointments cancel 200",
        "POST appointments complete 200",
        "POST invoices lines 200",
        "PUT invoices payments 200",
        "POST owners 409",
        "DELETE owners 204",
        "DELETE vets 409",
      ])
        t.ok(clients.sender.outcomes.has(outcome), outcome);
    },
  );

  t.test(`${kind}: without transactions, appointments overlap`, { timeout: 120_000 }, async (t) => {
    const module = join(folder(t), "handlers.mjs");
    writeFileSync(
      module,
      `import * as booking from ${JSON.stringify(handlers)};
      const unsafe = (handler) => (call, store) => handler(call, { transaction: (work) => work(store) });
      export default Object.fromEntries(Object.entries(booking).map(([name, handler]) => [name, unsafe(handler)]));`,
    );
    const isOverlap = (problem: string) => problem.includes("overlap");
    const isEnough = (clients: Clients) => clients.sender.problems.some(isOverlap);
    const { problems } = await run(t, await createStore(t), { handlers: module, isEnough, maxSeconds: 40 });
    const overlaps = problems.filter(isOverlap);
    t.ok(overlaps.length > 0, `${overlaps.length} overlaps of ${problems.length} problems`);
    t.comment(problems.filter((problem) => !overlaps.includes(problem)).slice(0, 10));
  });
}
