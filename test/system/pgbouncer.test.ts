// The service behind PgBouncer, whose clients share connections to PostgreSQL.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { longTimeouts } from "../support/conformance.ts";
import { newDatabase } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { openPetStore } from "../support/pets.ts";
import { freePort } from "../support/port.ts";
import { skipWithout } from "../support/programs.ts";
import { start } from "../support/service.ts";
import { until } from "../support/wait.ts";

const skip = skipWithout("pgbouncer", "pgbouncer");

/** Starts PgBouncer in front of a database, and returns the URL of the database behind it. */
async function startPgBouncer(t: Test, url: string, mode: "session" | "transaction"): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const listenPort = await freePort();
  const file = join(folder(t), "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password='${decodeURIComponent(password)}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${mode === "transaction" ? 3 : 20}
ignore_startup_parameters = statement_timeout
`,
  );
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ["--user=nobody"] : [];
  const child: ChildProcess = spawn("pgbouncer", [...user, file], { stdio: ["ignore", "ignore", "pipe"] });
  const exit = once(child, "exit");
  t.teardown(async () => {
    child.kill("SIGINT");
    await exit;
  });
  let log = "";
  child.stderr?.on("data", (chunk) => {
    log += chunk;
  });
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${log}`);
      const socket = connect(listenPort, "127.0.0.1");
      const connected = await once(socket, "connect").catch(() => undefined);
      socket.destroy();
      return connected && true;
    },
    () => `pgbouncer does not listen: ${log}`,
  );
  return `postgres://${username}:x@127.0.0.1:${listenPort}${pathname}`;
}

for (const mode of ["session", "transaction"] as const)
  for (const prepare of [true, false])
    t.test(
      `Serves all requests in ${mode} mode with DATABASE_PREPARE=${prepare ? "on" : "off"}`,
      { skip },
      async (t) => {
        const url = await startPgBouncer(t, await newDatabase(t), mode);
        // Two processes, whose connections take turns on those to PostgreSQL.
        const services = [];
        for (let n = 0; n < 2; n++) {
          const store = await openPetStore(url, { connections: 6, prepare, timeouts: longTimeouts });
          t.teardown(() => store.close());
          services.push(await start(t, { store }));
        }
        const statuses: Record<number, number> = {};
        for (let round = 0; round < 20; round++)
          await Promise.all(
            services.flatMap(({ call }) =>
              [
                call("POST", "/v1/pets", {
                  json: { name: "Rex", categoryId: round },
                  headers: { "idempotency-key": `${round}` },
                }),
                call("POST", "/v1/pets", { json: { name: "Tom", categoryId: round } }),
                call("GET", "/v1/pets/1"),
                call("GET", `/v1/pets?limit=${round + 1}`),
                call("GET", "/v1/pets?status=sold"),
                call("GET", "/readyz"),
              ].map(async (response) => {
                const { status } = await response;
                statuses[status] = (statuses[status] ?? 0) + 1;
              }),
            ),
          );
        const missing = statuses[404] ?? 0; // pet 1, in the first round
        t.match(statuses, { 201: 80 });
        t.equal((statuses[200] ?? 0) + missing, 160, JSON.stringify(statuses));
      },
    );
