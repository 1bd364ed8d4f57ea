// A failover of PostgreSQL under load, with synchronous replication: the primary is lost, and the standby is promoted.
import t, { type Test } from "tap";
import { petstore } from "../support/command.ts";
import type { StoredPet } from "../support/http.ts";
import { assertAllStored, startLoad } from "../support/load.ts";
import { startNetwork } from "../support/network.ts";
import { type Postgres, query, startReplicatedPostgres } from "../support/postgres.ts";
import { startServer } from "../support/processes.ts";
import { until } from "../support/wait.ts";

delete process.env.PGCONNECT_TIMEOUT; // the timeouts of production

const maxGap = 30_000; // milliseconds; generous, for slow machines

interface Failover {
  readonly primary: Postgres;
  readonly standby: Postgres;
  /** DATABASE_URL of the service and the tools. */
  readonly url: string;
  /** Sends new connections to the standby. */
  readonly redirect?: () => void;
}

/** Runs the service under load while the primary is lost. Asserts that no create is lost or happens twice. */
async function failOver(t: Test, { primary, standby, url, redirect = () => {} }: Failover): Promise<void> {
  const settings = { DATABASE_URL: url, LOG_LEVEL: "fatal" };
  const key = (await petstore(settings, ["keys", "create", "a"])).stdout.trim();
  const server = await startServer(t, settings);
  const load = startLoad([server.url], key, 16);
  t.teardown(load.stop);
  const acknowledges = async (n: number) => {
    const before = load.acknowledged.size;
    await until(
      () => (load.acknowledged.size >= before + n ? true : undefined),
      () => `creates don't succeed: ${JSON.stringify(load.tally)}`,
    );
  };
  await acknowledges(100);
  t.match(await query(primary.url("postgres"), "SELECT sync_state FROM pg_stat_replication"), [{ sync_state: "sync" }]);
  await primary.sendCommand("lose");
  const lost = performance.now();
  await query(standby.url("postgres"), "SELECT pg_promote()");
  const promoted = performance.now();
  redirect();
  await acknowledges(1);
  const [gap, recovery] = [performance.now() - lost, performance.now() - promoted].map(Math.round) as [number, number];
  t.comment(`no create for ${gap} ms; the first one ${recovery} ms after the promotion`);
  t.ok(gap < maxGap, `creates succeed after ${gap} ms`);
  await acknowledges(200);
  await load.stop();
  t.same(Object.keys(load.tally).sort(), ["200", "201", "503"], JSON.stringify(load.tally));
  assertAllStored(
    t,
    (await query(
      standby.url("postgres"),
      "SELECT record ->> 'name' AS name, id::text AS id FROM petstore.pets",
    )) as unknown as StoredPet[],
    load.acknowledged,
  );
  t.match(await server.end("SIGTERM"), { code: 0 }, "it did not crash");
}

t.test("loses no acknowledged create when a proxy sends connections to the promoted standby", async (t) => {
  const { primary, standby } = await startReplicatedPostgres(t);
  const network = await startNetwork(t, primary.url("postgres"));
  const redirect = () => {
    network.target = standby.url("postgres");
  };
  await failOver(t, { primary, standby, url: network.url, redirect });
});

t.test("loses no acknowledged create when DATABASE_URL lists both servers", async (t) => {
  const { primary, standby } = await startReplicatedPostgres(t);
  const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
  const url = `${primary.url("postgres").replace(/@[^/]*/, `@${hosts}`)}?target_session_attrs=read-write`;
  await failOver(t, { primary, standby, url });

  const run = (args: string[], input = "") => petstore({ DATABASE_URL: url }, args, { input });
  t.match(await run(["migrate"]), { status: 0 });
  t.match(await run(["check"]), { status: 0 });
  const { status, stdout } = await run(["export", "--without-ids"]);
  t.equal(status, 0);
  t.match(await run(["import", "-", "--format", "ndjson", "--json"], stdout), { status: 0 });
});
