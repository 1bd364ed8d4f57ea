// PostgreSQL as it is in operation: it stops, breaks off, is slow, is new, is somebody else's; and
// several services share it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import pg from "pg";
import { generate } from "selfsigned";
import t, { type Test } from "tap";
import { Unavailable } from "../src/errors.ts";
import { openStore } from "../src/store/open.ts";
import { statements } from "../src/store/postgres-statements.ts";
import { newDatabase } from "./support/databases.ts";
import { folder } from "./support/files.ts";
import { holdsAll, type Kept, type Load, startLoad } from "./support/load.ts";
import { query, startPostgres } from "./support/postgres.ts";
import { petstoreProcess as petstore, startServer } from "./support/processes.ts";
import { addKey, start } from "./support/service.ts";
import { until } from "./support/wait.ts";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const rex = { name: "Rex", categoryId: 7n };

const readPets = async (url: string) =>
  (await query(url, "SELECT name, id::text AS id FROM petstore.pets")) as unknown as Kept[];

/** What clients may see of a database that is away: 2xx and 503 in the one shape, soon. */
function holdsRefusals(t: Test, { tally, refusals }: Load): void {
  t.match(Object.keys(tally).sort(), ["200", "201", "503"], JSON.stringify(tally));
  t.same(
    refusals.filter(({ status, retryAfter, body }) => {
      const { code, message, status: same } = JSON.parse(body);
      return status !== 503 || same !== 503 || code !== "unavailable" || !message || retryAfter !== "1";
    }),
    [],
  );
  const slowest = Math.max(...refusals.map(({ ms }) => ms));
  t.ok(slowest < 2_000, `the slowest took ${Math.round(slowest)} ms`);
}

t.test("the database stops under load, in order and as in a crash, and comes back", async (t) => {
  const database = await startPostgres();
  t.teardown(database.end);
  const url = database.url("postgres");
  const settings = { DATABASE_URL: url, LOG_LEVEL: "fatal" };
  const key = petstore(settings, "keys", "create", "a").stdout.trim();
  const server = await startServer(t, settings);
  const origin = new URL(server.url).origin;
  const load = startLoad([server.url], key);
  for (const order of ["stop", "kill"] as const) {
    await wait(700);
    await database.tell(order);
    await wait(700);
    t.equal((await fetch(`${origin}/healthz`)).status, 200);
    const ready = await fetch(`${origin}/readyz`);
    t.match({ status: ready.status, body: await ready.json() }, { status: 503, body: { code: "unavailable" } });
    t.equal(ready.headers.get("retry-after"), "1");
    await database.tell("start");
    const back = Date.now();
    while ((await fetch(`${origin}/readyz`)).status !== 200) await wait(20);
    t.ok(Date.now() - back < 5_000, `ready again after ${Date.now() - back} ms`);
  }
  await wait(700);
  await load.stop();
  holdsRefusals(t, load);
  holdsAll(t, await readPets(url), load.acknowledged);
  t.match(await server.end("SIGTERM"), { code: 0 }, "it did not crash");
});

t.test("connections that are terminated in the middle of their work lose nothing", async (t) => {
  const url = await newDatabase(t);
  const settings = { DATABASE_URL: url, LOG_LEVEL: "fatal" };
  const key = petstore(settings, "keys", "create", "a").stdout.trim();
  const server = await startServer(t, settings);
  const load = startLoad([server.url], key);
  for (let n = 0; n < 20; n++) {
    await wait(50);
    await query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'");
  }
  await load.stop();
  holdsRefusals(t, load);
  holdsAll(t, await readPets(url), load.acknowledged);
});

t.test("where all connections are taken, calls do not queue without end", async (t) => {
  const url = await newDatabase(t);
  const store = await openStore(url, { connections: 2 });
  const service = await start(t, { store });
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  await blocker.query("BEGIN; LOCK TABLE petstore.pets IN ACCESS EXCLUSIVE MODE");
  const began = Date.now();
  const paths = ["", "&status=available", "&status=pending", "&status=sold"].flatMap((filter) =>
    Array.from({ length: 100 }, (_, n) => `/v1/pets?limit=${n + 1}${filter}`),
  );
  const answers = await Promise.all(paths.map((path) => service.call("GET", path)));
  t.ok(Date.now() - began < 4_000, `all were answered after ${Date.now() - began} ms`);
  t.ok(answers.every(({ status, headers }) => status === 503 && headers["retry-after"] === "1"));
  const lists = Array.from({ length: 400 }, (_, n) => store.pets.list({ limit: 1, after: BigInt(n) }));
  const said = (await Promise.allSettled(lists)).map((one) => one.status === "rejected" && one.reason.message);
  t.ok(said.includes("The store is busy."), "some at once");
  t.ok(said.includes("The store is too slow."), "some when the database gave up");
  await blocker.query("ROLLBACK");
  t.match(await service.call("GET", "/v1/pets"), { status: 200 });
  await blocker.end();
  await service.app.close();
  await store.close();
  await t.rejects(
    store.check(),
    { message: /pool after calling end/ },
    "to use a closed store is a bug, and not hidden",
  );
});

/** A wire to the database that can be cut, or go dead. */
async function startWire(t: Test, to: string) {
  const { hostname, port } = new URL(to);
  const wire = {
    url: "",
    /** What to do with a connection when it carries this statement. */
    cut: undefined as { statement: string; when: "before" | "after" } | undefined,
    dead: false,
  };
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    let doomed = false;
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    near.on("data", (bytes) => {
      const hit = wire.cut && bytes.includes(wire.cut.statement);
      if (hit && wire.cut?.when === "before") return end();
      doomed ||= hit === true;
      if (!wire.dead) far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (doomed) end();
      else if (!wire.dead) near.write(bytes);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(to);
  url.port = String((server.address() as AddressInfo).port);
  wire.url = url.href;
  return wire;
}

t.test("a create whose connection is cut is made once, and its repetition finds it", async (t) => {
  const url = await newDatabase(t);
  const wire = await startWire(t, url);
  const store = await openStore(wire.url);
  const service = await start(t, { store });
  const create = (key: string) =>
    service.call("POST", "/v1/pets", { json: { name: key, categoryId: 1 }, headers: { "idempotency-key": key } });
  for (const when of ["before", "after"] as const)
    for (let n = 0; n < 5; n++) {
      wire.cut = { statement: "create", when };
      t.match(await create(`${when}-${n}`), { status: 503, headers: { "retry-after": "1" } });
      wire.cut = undefined;
      t.equal((await readPets(url)).filter(({ name }) => name === `${when}-${n}`).length, when === "before" ? 0 : 1);
      t.match(await create(`${when}-${n}`), { status: 201, body: { name: `${when}-${n}` } });
    }
  t.equal((await readPets(url)).length, 10, "none is there twice");
  await service.app.close();
  await store.close();
});

t.test("a network that swallows everything is a 503 within two seconds, and no reason to restart", async (t) => {
  const url = await newDatabase(t);
  const wire = await startWire(t, url);
  const store = await openStore(wire.url, { connections: 2 });
  const service = await start(t, { store });
  const timed = async () => {
    const began = Date.now();
    const { status } = await service.call("GET", "/v1/pets");
    return { status, ms: Date.now() - began };
  };
  t.match(await timed(), { status: 200 });
  wire.dead = true;
  const answers = await Promise.all(Array.from({ length: 50 }, timed));
  t.same(
    answers.filter(({ status, ms }) => status !== 503 || ms > 2_000),
    [],
  );
  wire.dead = false;
  const began = Date.now();
  while ((await timed()).status !== 200) t.ok(Date.now() - began < 5_000);
  await service.app.close();
  await store.close();
});

t.test("SIGTERM ends the service also where the database hangs", async (t) => {
  const wire = await startWire(t, await newDatabase(t));
  const settings = { DATABASE_URL: wire.url, LOG_LEVEL: "fatal" };
  const server = await startServer(t, settings);
  t.match(server.out.stderr, /\nThere is no key yet: make one with npx petstore keys create NAME\n$/);
  await fetch(new URL("/readyz", server.url)); // over a connection that stays open
  wire.dead = true;
  const { code, ms } = await server.end("SIGTERM");
  t.equal(code, 0);
  t.ok(ms < 10_000, `it took ${ms} ms`);
});

t.test("two services over one database are one service, also when one is killed under load", async (t) => {
  const url = await newDatabase(t);
  const settings = { DATABASE_URL: url, LOG_LEVEL: "fatal" };
  const key = petstore(settings, "keys", "create", "a").stdout.trim();
  const [one, two] = await Promise.all([startServer(t, settings), startServer(t, settings)]);
  const call = async (server: typeof one, path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...init.headers };
    const answer = await fetch(`${server.url}${path}`, { ...init, headers });
    return { status: answer.status, body: await answer.text(), link: answer.headers.get("link") };
  };
  const post = (server: typeof one, name: string, idempotencyKey: string) =>
    call(server, "/pets", {
      method: "POST",
      body: JSON.stringify({ name, categoryId: 1 }),
      headers: { "idempotency-key": idempotencyKey },
    });
  const made = await Promise.all(Array.from({ length: 20 }, (_, n) => post(n % 2 ? one : two, "Rex", "race")));
  t.equal(new Set(made.map(({ status, body }) => `${status} ${body}`)).size, 1, "a race makes one pet");
  const { id } = JSON.parse(made[0]?.body ?? "");
  t.match(await call(two, `/pets/${id}`), { status: 200, body: made[0]?.body });
  await post(one, "Tom", "tom");
  const { link } = await call(one, "/pets?limit=1");
  const next = /cursor=[^>&]+/.exec(link ?? "")?.[0];
  t.match(
    await call(two, `/pets?limit=1&${next}`),
    { status: 200, body: /"Tom"/ },
    "a page of one leads on at the other",
  );

  const load = startLoad([one.url, two.url], key);
  await wait(700);
  await one.end("SIGKILL");
  await wait(700);
  await load.stop();
  t.match(Object.keys(load.tally), ["200", "201", /^E[A-Z]+$/, /^E[A-Z]+$/].slice(0, Object.keys(load.tally).length));
  holdsAll(
    t,
    (await readPets(url)).filter(({ name }) => name !== "Rex" && name !== "Tom"),
    load.acknowledged,
  );

  petstore(settings, "keys", "revoke", "a");
  t.match(await call(two, "/pets"), { status: 401 }, "a revocation holds at once");
});

t.test("ten processes may start at once on an empty database", async (t) => {
  const url = await newDatabase(t);
  const stores = await Promise.all(Array.from({ length: 10 }, () => openStore(url)));
  t.equal(new Set(stores.map(({ secret }) => Buffer.from(secret).toString("hex"))).size, 1);
  for (const store of stores) await store.close();
  t.equal((await query(url, "SELECT version FROM petstore.migrations")).length, 2);
  t.match(petstore({ DATABASE_URL: url }, "migrate"), { status: 0, stdout: "", stderr: "" }, "done already");
  const strict = await newDatabase(t);
  await query(
    strict,
    `ALTER DATABASE ${new URL(strict).pathname.slice(1)} SET default_transaction_isolation = serializable`,
  );
  for (const store of await Promise.all(Array.from({ length: 10 }, () => openStore(strict)))) await store.close();
  const fresh = await newDatabase(t);
  t.match(petstore({ DATABASE_URL: fresh }, "keys", "list"), { status: 1, stderr: /it has no pet store/ });
  t.match(petstore({ DATABASE_URL: fresh }, "migrate"), { status: 0 });
  t.match(petstore({ DATABASE_URL: fresh }, "keys", "list"), { status: 0, stdout: /^NAME/ });
});

t.test("what can't be opened is refused in one line, which holds no password", async (t) => {
  const url = await newDatabase(t);
  const { hostname, port, username, pathname } = new URL(url);
  const refused = async (address: string, message: RegExp) => {
    const { status, stderr } = petstore({ DATABASE_URL: address }, "serve");
    t.match({ status, stderr }, { status: 1, stderr: message }, String(message));
    t.match(stderr, /^petstore: The database postgres:\/\/[\w.]+:\d+\/\w* can't be opened: .*\n$/);
    t.notMatch(stderr, /secret/);
  };
  await refused("postgres://petstore:secret%20word@127.0.0.1:9/x", /connect ECONNREFUSED 127\.0\.0\.1:9/);
  await refused("postgres://petstore:secret%20word@localhost:9/x", /connect ECONNREFUSED/);
  await refused(`postgres://${username}:secret@${hostname}:${port}${pathname}`, /password authentication failed/);
  const odd = "postgres://127.0.0.1:9?secret@127.0.0.1:9/x"; // a user, a port, and a password that begins it anew
  await refused(odd, /connect ECONNREFUSED/);
  await refused(
    `postgres://${username}@${hostname}:${port}${pathname}`,
    /it asks for a password: give it in the URL, in PGPASSWORD or in ~\/\.pgpass/,
  );
  await refused(`${url}_not`, /database "\w+" does not exist/);
  await refused(`${url}?sslmode=verify-full`, /does not support SSL/);

  await query(url, "CREATE SCHEMA petstore");
  await query(url, "CREATE TABLE petstore.songs (title text)");
  await refused(url, /its schema petstore belongs to another program/);
  await query(url, "DROP TABLE petstore.songs");
  const store = await openStore(url); // into a schema that somebody made for us
  await store.close();
  await query(url, "INSERT INTO petstore.migrations VALUES (99, now())");
  await refused(url, /it is of version 99, made by a newer release; this one knows up to 2/);
  await query(url, `CREATE DATABASE ${pathname.slice(1)}_latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  t.teardown(() => query(url, `DROP DATABASE ${pathname.slice(1)}_latin WITH (FORCE)`));
  await refused(`${url}_latin`, /its encoding is LATIN1, and must be UTF8/);
});

t.test("a migration that fails leaves nothing", async (t) => {
  const url = await newDatabase(t);
  await query(url, "CREATE SCHEMA petstore; CREATE VIEW pg_temp.x AS SELECT 1");
  await query(url, "CREATE SEQUENCE petstore.secret"); // in the way of the last table
  await t.rejects(openStore(url), { message: /can't be opened: relation "secret" already exists/ });
  t.same(await query(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'petstore'"), []);
  await query(url, "DROP SEQUENCE petstore.secret");
  await (await openStore(url)).close();
});

t.test("one that only reads and writes needs no right to change the schema", async (t) => {
  const url = await newDatabase(t);
  await (await openStore(url)).close();
  const role = `petstore_test_role_${Math.random().toString(36).slice(2)}`;
  await query(url, `CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
  await query(url, `GRANT USAGE ON SCHEMA petstore TO ${role}`);
  await query(url, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA petstore TO ${role}`);
  await query(url, `GRANT USAGE ON ALL SEQUENCES IN SCHEMA petstore TO ${role}`);
  const other = new URL(url);
  other.username = role;
  other.password = "x";
  const store = await openStore(other.href);
  const service = await start(t, { store });
  t.match(await service.call("POST", "/v1/pets", { json: { name: "Rex", categoryId: 1 } }), { status: 201 });
  await service.app.close();
  await store.close();
  await query(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

t.test("each statement finds its rows by an index, in a store of any size", async (t) => {
  const url = await newDatabase(t);
  await (await openStore(url)).close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    INSERT INTO petstore.pets (name, category_id, status)
      SELECT 'Rex', n, CASE n % 3 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' END FROM generate_series(1, 20000) AS n;
    INSERT INTO petstore.keys (name, hash, created_at) SELECT n, n::text::bytea, 0 FROM generate_series(1, 5000) AS n;
    INSERT INTO petstore.idempotency (caller, key, digest, pet_id, created_at)
      SELECT n % 9, n, '', n, n FROM generate_series(1, 20000) AS n;
    INSERT INTO petstore.deprecated_calls (operation, key, day, count)
      SELECT 'getPet', n / 100, n % 100, n FROM generate_series(1, 20000) AS n;
    ANALYZE;
    SET plan_cache_mode = force_generic_plan`);
  for (const [name, text] of Object.entries(statements)) {
    await client.query(`PREPARE "${name}" AS ${text}`);
    const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
    const nothing = Array.from({ length: count }, () => "NULL").join(", ");
    const { rows } = await client.query(`EXPLAIN EXECUTE "${name}"${count ? `(${nothing})` : ""}`);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    const scanned = [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table]) => table);
    const whole = name === "listKeys" ? ["keys"] : ["secret"]; // all keys, and a table of one row
    t.ok(
      scanned.every((table) => whole.includes(table as string)),
      `${name}:\n${plan}`,
    );
    if (/^list|^find/.test(name)) t.notMatch(plan, /Sort|Filter/, `${name} sorts nothing, and passes nothing over`);
  }
  await client.end();
});

t.test("a failure that is no fault of the surroundings is not hidden", async (t) => {
  const url = await newDatabase(t);
  const closed = await openStore(url);
  await closed.close();
  await t.rejects(closed.check(), { message: /after calling end on the pool/ });
  const store = await openStore(url);
  await query(url, "ALTER TABLE petstore.pets RENAME TO animals");
  await t.rejects(store.pets.find(1n), { code: "42P01" });
  await query(url, "ALTER TABLE petstore.animals RENAME TO pets");
  const odd = { toPostgres: () => (undefined as unknown as string).length };
  await t.rejects(store.pets.find(odd as unknown as bigint), TypeError);
  await query(url, "CREATE TABLE petstore.kept AS TABLE petstore.secret; DELETE FROM petstore.secret");
  const once = { caller: 1n, key: "k", digest: new Uint8Array(32) };
  for (const way of [undefined, once])
    await t.rejects(store.pets.create(rex, way), new Unavailable("The store is busy."), "nobody can have a turn");
  await query(url, "INSERT INTO petstore.secret TABLE petstore.kept");
  t.match(await store.pets.create(rex, once), { outcome: "created", pet: rex });
  await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
  await query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'");
  await wait(100);
  await t.rejects(store.pets.create(rex), new Unavailable("The store is read-only."));
  await store.close();
});

t.test("the tests' own PostgreSQL leaves no process and no folder, also where they are killed", async (t) => {
  const module = JSON.stringify(new URL("./support/postgres.ts", import.meta.url).href);
  const script = `const { startPostgres, query } = await import(${module});
    const { url } = await startPostgres();
    const [{ data_directory }] = await query(url("postgres"), "SHOW data_directory");
    console.log(data_directory);
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  const [line] = await once(child.stdout, "data");
  const data = String(line).trim();
  const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  t.ok(process.kill(pid, 0), "it runs");
  child.kill("SIGKILL");
  await until(
    () => (existsSync(dirname(data)) ? undefined : true),
    () => `${data} is still there`,
  );
  t.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

t.test("TLS, by sslmode", async (t) => {
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
  await wait(300);
  const root = join(folder(t), "root.crt");
  writeFileSync(root, certificate.cert);
  const store = await openStore(`${plain}?sslmode=verify-full&sslrootcert=${root}`);
  await addKey(store, "a");
  const encrypted = await query(
    plain,
    "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'petstore'",
  );
  t.same(encrypted, [{ ssl: true }]);
  await store.close();
  await t.rejects(
    openStore(`${plain}?sslmode=verify-full`),
    { message: /can't be opened: self-signed certificate/ },
    "who can't be verified is not trusted",
  );
});
