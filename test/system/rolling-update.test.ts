// A rolling update behind a load balancer.
import { connect, createServer } from "node:net";
import t, { type Test } from "tap";
import { petstore } from "../support/command.ts";
import { newDatabase } from "../support/databases.ts";
import { service } from "../support/files.ts";
import { send } from "../support/http.ts";
import { startLoad } from "../support/load.ts";
import { startServer } from "../support/processes.ts";
import { until } from "../support/wait.ts";

/** Starts a load balancer that distributes connections like a Service of Kubernetes: round-robin over its endpoints. */
async function startBalancer(t: Test): Promise<{ url: string; endpoints: string[] }> {
  const endpoints: string[] = [];
  let next = 0;
  const server = createServer((client) => {
    const port = new URL(endpoints[next++ % endpoints.length] as string).port;
    const upstream = connect(Number(port), "127.0.0.1");
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`, endpoints };
}

t.test("A rolling update loses no request with preStop, and would lose some without it", async (t) => {
  const database = new URL(await newDatabase(t));
  const created = await petstore({ DATABASE_URL: database.href }, ["keys", "create", "a"]);
  const key = created.stdout.trim();
  // The password is separate, as in compose.yaml.
  const PGPASSWORD = decodeURIComponent(database.password);
  database.password = "";
  const env = { DATABASE_URL: database.href, PGPASSWORD, LOG_LEVEL: "warn" };
  const { url, endpoints } = await startBalancer(t);
  const start = async () => {
    const server = await startServer(t, env, [process.execPath, service]);
    const isReady = async () => ((await fetch(new URL("/readyz", server.url))).ok ? true : undefined);
    await until(isReady, () => "the server is not ready");
    endpoints.push(server.url);
    return server;
  };
  // maxSurge 1, maxUnavailable 0: a new server is ready before an old one ends.
  const old = await Promise.all([start(), start()]);
  const load = startLoad([url], key, 16);
  t.teardown(load.stop);
  const count = () => Object.values(load.tally).reduce((sum, n) => sum + n, 0);
  const serve = async (requests: number) => {
    const target = count() + requests;
    await until(
      () => (count() >= target ? true : undefined),
      () => `the clients stopped: ${JSON.stringify(load.tally)}`,
    );
  };
  for (const server of old) {
    await start();
    await serve(50);
    // preStop delays SIGTERM until the nodes, here the balancer, no longer use the pod.
    endpoints.splice(endpoints.indexOf(server.url), 1);
    await serve(50);
    t.match(await server.end("SIGTERM"), { code: 0 });
  }
  await load.stop();
  t.same(Object.keys(load.tally).sort(), ["200", "201"], JSON.stringify(load.tally));
  t.ok((load.tally["200"] as number) > 100, "clients sent requests");

  // Without preStop, the server ends while the balancer still uses it.
  const early = await start();
  await early.end("SIGTERM");
  const results = await Promise.allSettled(endpoints.map(() => send(url.replace("/v1", "/healthz"), { agent: false })));
  t.same(results.map(({ status }) => status).sort(), ["fulfilled", "fulfilled", "rejected"]);
});
