// Several hosts in DATABASE_URL, and servers that reject writes.
import t, { type Test } from "tap";
import type { Store } from "../../../src/store/port.ts";
import { Hosts } from "../../../src/store/postgres/hosts.ts";
import { petstore } from "../../support/command.ts";
import { idempotentCall, openStore, rex, untilUsable } from "../../support/conformance.ts";
import { newDatabase } from "../../support/databases.ts";
import { readMetric } from "../../support/metrics.ts";
import { startNetwork } from "../../support/network.ts";
import { petsOf } from "../../support/pets.ts";
import { disconnect, query } from "../../support/postgres.ts";
import { until } from "../../support/wait.ts";

const closed = "127.0.0.1:9"; // a port without a server
const writable = "target_session_attrs=read-write";

const hostOf = (url: string) => new URL(url).host;

/** Returns the URL with other hosts. */
const onHosts = (url: string, ...hosts: string[]) => url.replace(/@[^/]*/, `@${hosts}`);

/** Makes the database read-only, or writable again, for new connections. */
const setReadOnly = (url: string, value: "on" | "off") =>
  query(
    `${url}?options=-c%20default_transaction_read_only=off`,
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = ${value}`,
  );

t.test("Skips hosts that can't be reached, in the service and the tools", async (t) => {
  const url = await newDatabase(t);
  const hosts = onHosts(url, closed, hostOf(url));
  const store = await openStore(t, hosts);
  await store.check();
  t.match(await petstore({ DATABASE_URL: hosts }, ["check"]), { status: 0 });
});

t.test("Reports the failures of all hosts", async (t) => {
  const hosts = onHosts("postgres://petstore:secret%20word@host/x", closed, "127.0.0.1:10");
  const { status, stderr } = await petstore({ DATABASE_URL: hosts }, ["migrate"]);
  t.equal(status, 1);
  t.equal(
    stderr,
    "petstore: The database postgres://127.0.0.1:9,127.0.0.1:10/x can't be opened: connect ECONNREFUSED 127.0.0.1:9; connect ECONNREFUSED 127.0.0.1:10.\n",
  );
});

t.test("Rejects an unsupported target_session_attrs", async (t) => {
  t.throws(() => new Hosts("postgres://a/x?target_session_attrs=standby"), {
    message: "target_session_attrs must be any or read-write",
  });
  t.equal(new Hosts("postgres://a/x?sslmode=disable&target_session_attrs=any").current.slice(0, 14), "postgres://a/x");
});

t.test("Connects to the next host if the current one fails", async (t) => {
  const url = await newDatabase(t);
  const [first, second] = [await startNetwork(t, url), await startNetwork(t, url)];
  const hosts = onHosts(url, hostOf(first.url), hostOf(second.url));
  const store = await openStore(t, hosts, { connections: 2 });
  await store.check();
  for (const [failed, restored] of [
    [first, second],
    [second, first],
  ] as const) {
    failed.target = onHosts(url, closed);
    restored.target = url;
    await disconnect(url);
    await untilUsable(store);
  }
});

t.test("Rejects read-only servers if target_session_attrs is read-write", async (t) => {
  const url = await newDatabase(t);
  const hosts = `${onHosts(url, closed, hostOf(url))}?${writable}`;
  const store = await openStore(t, hosts);
  await store.check();
  await setReadOnly(url, "on");
  await disconnect(url);
  await until(
    () =>
      store.check().then(
        () => undefined,
        ({ cause }) => /read-only/.test(cause?.message) || undefined,
      ),
    "the store accepts a read-only server",
  );
  const { stderr } = await petstore({ DATABASE_URL: hosts }, ["migrate"]);
  t.match(stderr, `connect ECONNREFUSED ${closed}; the server ${hostOf(url)} is read-only.\n`);
  await setReadOnly(url, "off");
  await untilUsable(store);
  t.match(await petsOf(store).create(rex), { outcome: "created" });
});

/** Opens a store with 4 connections, whose sessions then become read-only. */
async function openReadOnlySessions(t: Test, attributes: string): Promise<Store> {
  const url = await newDatabase(t);
  await query(
    url,
    `CREATE FUNCTION make_read_only() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN PERFORM set_config('default_transaction_read_only', 'on', false); RETURN NULL; END $$;
     CREATE TRIGGER make_read_only AFTER INSERT ON petstore.keys EXECUTE FUNCTION make_read_only()`,
  );
  const store = await openStore(t, `${url}?target_session_attrs=${attributes}`, { connections: 4 });
  await Promise.all(["0a", "0b", "0c", "0d"].map((hash) => store.keys.create(hash, hash)));
  t.equal(readMetric(store, "store_pool_connections_idle"), 4);
  await query(url, "DROP TRIGGER make_read_only ON petstore.keys");
  return store;
}

const message = "The database is read-only.";

t.test("Closes all connections to a server that is read-only if target_session_attrs is read-write", async (t) => {
  const store = await openReadOnlySessions(t, "read-write");
  await Promise.all(["a", "b"].map((name) => t.rejects(store.keys.create(name, "00"), { message })));
  t.match(await petsOf(store).create(rex, { ...idempotentCall, key: "a" }), { outcome: "created" });
});

t.test("Keeps the connections to a read-only server if target_session_attrs is any", async (t) => {
  const store = await openReadOnlySessions(t, "any");
  await t.rejects(store.keys.create("a", "00"), { message });
  t.equal(
    readMetric(store, "store_pool_connections_idle"),
    3,
    "the pool closes only the connection of the failed query",
  );
});
