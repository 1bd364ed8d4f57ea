// MAX_PETS over PostgreSQL: races for Idempotency-Keys in several workers, and crashes of the database.
import { Agent } from "node:http";
import t, { type Test } from "tap";
import { petstore } from "../support/command.ts";
import { createPet } from "../support/http.ts";
import { query, startPostgres } from "../support/postgres.ts";
import { startServer } from "../support/processes.ts";
import { until } from "../support/wait.ts";

// A server of its own: the other tests of the shared one would fail when it crashes.
const server = await startPostgres();
t.teardown(server.end);

/** Starts the service with a database of its own. */
async function serve(t: Test, database: string, settings: Record<string, string>) {
  await query(server.url("postgres"), `CREATE DATABASE ${database}`);
  const DATABASE_URL = server.url(database);
  const key = (await petstore({ DATABASE_URL }, ["keys", "create", "writer"])).stdout.trim();
  const { url } = await startServer(t, { DATABASE_URL, LOG_LEVEL: "fatal", ...settings });
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  t.teardown(() => agent.destroy());
  const create = async (name: string, idempotencyKey?: string) =>
    (await createPet(url, key, { name, agent, ...(idempotencyKey && { idempotencyKey }) })).status;
  const countPets = async () => Number((await query(DATABASE_URL, "SELECT count(*) AS n FROM petstore.pets"))[0]?.n);
  return { url: DATABASE_URL, create, countPets };
}

t.test("Two workers whose clients race for Idempotency-Keys create MAX_PETS pets", async (t) => {
  const { create, countPets } = await serve(t, "races", { MAX_PETS: "200", WORKERS: "2" });
  const statuses = new Set<number>();
  const run = async (client: number) => {
    for (let round = 0; !statuses.has(507); round++) {
      const key = `${client}-${round}`;
      for (const status of await Promise.all(Array.from({ length: 5 }, () => create(key, key)))) statuses.add(status);
    }
  };
  await Promise.all(Array.from({ length: 40 }, (_, client) => run(client)));
  statuses.delete(503); // a busy machine
  t.same([...statuses].sort(), [201, 507]);
  t.equal(await countPets(), 200);
});

t.test("The store has room for MAX_PETS pets after three crashes of PostgreSQL, each of which skips ids", async (t) => {
  const { url, create, countPets } = await serve(t, "crashes", { MAX_PETS: "60" });
  for (let crash = 0; crash < 3; crash++) {
    t.equal(await create("Rex"), 201);
    const own = "application_name = 'petstore' AND datname = current_database()";
    const [backend] = await query(url, `SELECT pid FROM pg_stat_activity WHERE ${own}`);
    process.kill(backend?.pid as number, "SIGKILL"); // PostgreSQL ends all other connections, and recovers
    await until(
      async () => (await create("Rex").catch(() => 503)) === 201 || undefined,
      () => "PostgreSQL does not recover",
    );
  }
  const [last] = await query(url, "SELECT last_value::int AS id FROM petstore.pets_id_seq");
  t.ok((last?.id as number) > 60, `the last id is ${last?.id}`);
  const statuses: number[] = [];
  while (statuses.at(-1) !== 507) statuses.push(await create("Rex"));
  t.same(new Set(statuses), new Set([201, 507]));
  t.equal(await countPets(), 60);
});
