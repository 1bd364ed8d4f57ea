// Services as processes over one store: kill -9, a hanging database, two services over one database, and TLS.
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { generate } from "selfsigned";
import t from "tap";
import { petstore } from "../support/command.ts";
import { newDatabase } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import type { StoredPet } from "../support/http.ts";
import { assertAllStored, type Load, startLoad } from "../support/load.ts";
import { startNetwork } from "../support/network.ts";
import { openPetStore } from "../support/pets.ts";
import { query, startPostgres } from "../support/postgres.ts";
import { petstoreProcess, type Server, startServer } from "../support/processes.ts";
import { addKey } from "../support/service.ts";
import { until } from "../support/wait.ts";

const createKey = async (settings: Record<string, string>) =>
  (await petstore(settings, ["keys", "create", "writer"])).stdout.trim();

const acknowledges = ({ acknowledged, tally }: Load, n: number) =>
  until(
    () => (acknowledged.size >= n ? true : undefined),
    () => `creates don't succeed: ${JSON.stringify(tally)}`,
  );

t.test("SQLite stores every acknowledged pet exactly once, after four times kill -9 under load", async (t) => {
  const file = join(folder(t), "petstore.db");
  const settings = { DATABASE_URL: `sqlite:${file}`, LOG_LEVEL: "silent" };
  const key = await createKey(settings);
  const acknowledged = new Map<string, string>();
  for (let round = 0; round < 4; round++) {
    const { url, end } = await startServer(t, settings);
    const load = startLoad([url], key);
    await acknowledges(load, 50);
    await end("SIGKILL");
    await load.stop();
    for (const [name, id] of load.acknowledged) acknowledged.set(name, id);
  }
  const db = new DatabaseSync(file);
  assertAllStored(
    t,
    db.prepare("SELECT record ->> 'name' AS name, CAST(id AS TEXT) AS id FROM pets").all() as unknown as StoredPet[],
    acknowledged,
  );
  t.equal(db.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok");
  db.close();
});

t.test("petstore serve reports in one line why the database can't be opened, and exits with 1", async (t) => {
  t.same(petstoreProcess({ DATABASE_URL: "postgres://petstore:secret%20word@127.0.0.1:9/x" }, "serve"), {
    status: 1,
    stdout: "",
    stderr: "petstore: The database postgres://127.0.0.1:9/x can't be opened: connect ECONNREFUSED 127.0.0.1:9.\n",
  });
});

t.test("SIGTERM ends the service while PostgreSQL hangs", async (t) => {
  const network = await startNetwork(t, await newDatabase(t));
  const server = await startServer(t, { DATABASE_URL: network.url, LOG_LEVEL: "fatal" });
  t.match(server.out.stderr, /\nThere is no API key yet\. Create one: npx petstore keys create NAME\n$/);
  await fetch(new URL("/readyz", server.url)); // opens a connection
  network.losesData = true;
  const { code, ms } = await server.end("SIGTERM");
  t.equal(code, 0);
  t.ok(ms < 10_000, `it took ${ms} ms`);
});

t.test("Two services over one PostgreSQL act as one, also when one is killed under load", async (t) => {
  const url = await newDatabase(t);
  const settings = { DATABASE_URL: url, LOG_LEVEL: "fatal" };
  const key = await createKey(settings);
  const [one, two] = await Promise.all([startServer(t, settings), startServer(t, settings)]);
  const call = async (server: Server, path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...init.headers };
    const response = await fetch(`${server.url}${path}`, { ...init, headers });
    return { status: response.status, body: await response.text(), link: response.headers.get("link") };
  };
  const post = (server: Server, name: string, idempotencyKey: string) => {
    const headers = { "idempotency-key": idempotencyKey };
    return call(server, "/pets", { method: "POST", body: JSON.stringify({ name, categoryId: 1 }), headers });
  };
  const created = await Promise.all(Array.from({ length: 20 }, (_, n) => post(n % 2 ? one : two, "Rex", "race")));
  t.equal(new Set(created.map(({ status, body }) => `${status} ${body}`)).size, 1, "a race creates one pet");
  const { id } = JSON.parse(created[0]?.body ?? "");
  t.match(await call(two, `/pets/${id}`), { status: 200, body: created[0]?.body });
  await post(one, "Tom", "tom");
  const { link } = await call(one, "/pets?limit=1");
  const cursor = /cursor=[^>&]+/.exec(link ?? "")?.[0];
  const next = await call(two, `/pets?limit=1&${cursor}`);
  t.match(next, { status: 200, body: /"Tom"/ }, "a cursor of one service is valid at the other");

  const load = startLoad([one.url, two.url], key);
  await acknowledges(load, 50);
  await one.end("SIGKILL");
  await acknowledges(load, load.acknowledged.size + 50);
  await load.stop();
  t.match(Object.keys(load.tally), ["200", "201", /^E[A-Z]+$/, /^E[A-Z]+$/].slice(0, Object.keys(load.tally).length));
  const pets = (await query(
    url,
    "SELECT record ->> 'name' AS name, id::text AS id FROM petstore.pets",
  )) as unknown as StoredPet[];
  assertAllStored(
    t,
    pets.filter(({ name }) => name !== "Rex" && name !== "Tom"),
    load.acknowledged,
  );

  await petstore(settings, ["keys", "revoke", "writer"]);
  t.match(await call(two, "/pets"), { status: 401 }, "a revocation takes effect at once");
});

t.test("Connects to PostgreSQL over TLS and verifies its certificate, as sslmode requires", async (t) => {
  const database = await startPostgres();
  t.teardown(database.end);
  const plain = database.url("postgres");
  const [{ data_directory: data }] = (await query(plain, "SHOW data_directory")) as [{ data_directory: string }];
  const { uid, gid } = statSync(data);
  const certificate = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  const files = { "server.crt": certificate.cert, "server.key": certificate.private };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(data, name), content, { mode: 0o600 });
    if (process.getuid?.() === 0) chownSync(join(data, name), uid, gid);
  }
  await query(plain, "ALTER SYSTEM SET ssl = on");
  await query(plain, "SELECT pg_reload_conf()");
  await until(
    async () => ((await query(plain, "SHOW ssl"))[0]?.ssl === "on" ? true : undefined),
    () => "TLS is not on",
  );
  const root = join(folder(t), "root.crt");
  writeFileSync(root, certificate.cert);
  const store = await openPetStore(`${plain}?sslmode=verify-full&sslrootcert=${root}`);
  await addKey(store, "a");
  const encrypted = await query(
    plain,
    "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'petstore'",
  );
  t.same(encrypted, [{ ssl: true }]);
  await store.close();
  await t.rejects(
    openPetStore(`${plain}?sslmode=verify-full`),
    { message: /can't be opened: self-signed certificate/ },
    "a certificate that can't be verified is not trusted",
  );
});
