// petstore keys: creates, lists and revokes API keys.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { generateKey } from "../../src/operate/keys/api-keys.ts";
import { petstore } from "../support/command.ts";
import { stores } from "../support/databases.ts";
import { folder } from "../support/files.ts";
import { openPetStore } from "../support/pets.ts";
import { minimalPet, start } from "../support/service.ts";
import { until } from "../support/wait.ts";

t.test("Creates, lists and revokes keys", async (t) => {
  const settings = { DATABASE_URL: await stores.sqlite(t) };
  const keys = (...args: string[]) => petstore(settings, ["keys", ...args]);
  t.match(
    await keys("create", "alice"),
    { status: 0, stdout: /^psk_[\w-]{43}\n$/, stderr: "" },
    "stdout has the key alone",
  );
  t.match(await keys("create", "bob", "--expires", "90d"), { status: 0 });
  const created = JSON.parse((await keys("create", "carol", "--operator", "--json")).stdout);
  t.match(created, { name: "carol", key: /^psk_[\w-]{43}$/, operator: true, expires: null });
  t.match(await keys("create", "bob"), {
    status: 1,
    stdout: "",
    stderr: "petstore: A key named bob already exists. Revoke it, or choose another name.\n",
  });
  t.match(await keys("list"), {
    status: 0,
    stdout:
      /^NAME {3}ROLE {6}CREATED {12}EXPIRES {12}LAST USED {2}PREVIOUS KEY UNTIL\nalice {2}client {4}\d{4}-\d\d-\d\d \d\d:\d\dZ {2}never {14}never {6}–\nbob {4}.*never {6}–\ncarol {2}operator .*never {6}–\n$/,
  });
  const [alice, bob] = JSON.parse((await keys("list", "--json")).stdout);
  t.match(alice, { name: "alice", expires: null, lastUsed: null });
  const days = (Date.parse(bob.expires) - Date.parse(bob.created)) / 86_400_000;
  t.ok(Math.abs(days - 90) < 0.0001, "90d are 90 days");
  t.match(await keys("revoke", "bob"), {
    status: 0,
    stdout: "Revoked the client key bob, which was never used.\n",
    stderr: "",
  });
  const store = await openPetStore(settings.DATABASE_URL);
  const [used] = await store.keys.list();
  await store.keys.touch(new Map([[used?.id as bigint, new Date("2026-11-23T10:20:30Z")]]));
  await store.close();
  t.match(await keys("revoke", "alice"), {
    stdout: "Revoked the client key alice, which was last used at 2026-11-23 10:20Z.\n",
  });
  const revoked = JSON.parse((await keys("revoke", "carol", "--json")).stdout);
  t.match(revoked, { name: "carol", operator: true, lastUsed: null });
  t.match(await keys("revoke", "bob"), { status: 1, stderr: "petstore: There is no key named bob.\n" });
});

t.test("Rotates a key: a running service accepts both until the grace period ends", async (t) => {
  const url = await stores.sqlite(t);
  const keys = (...args: string[]) => petstore({ DATABASE_URL: url }, ["keys", ...args]);
  const first = (await keys("create", "alice", "--expires", "1h")).stdout.trim();
  const service = await start(t, { store: await openPetStore(url) });
  const create = async (key: string) =>
    (await service.call("POST", "/v1/pets", { key, json: minimalPet, headers: { "idempotency-key": "one" } })).text;
  const status = async (key: string) => (await service.call("GET", "/v1/pets", { key })).status;
  const pet = await create(first);
  const rotated = await keys("rotate", "alice", "--grace", "12h");
  t.match(rotated, {
    status: 0,
    stdout: /^psk_[\w-]{43}\n$/,
    stderr: /^petstore: The previous key is valid until .*Z\.\n$/,
  });
  const second = rotated.stdout.trim();
  t.not(second, first);
  t.same(await Promise.all([first, second].map(status)), [200, 200]);
  t.equal(await create(second), pet, "a retry with the new key does not create a second pet");
  const [listed] = JSON.parse((await keys("list", "--json")).stdout);
  t.equal(listed.previousExpires, listed.expires, "the grace period ends with the key");
  t.match(await keys("list"), { stdout: /^alice .*Z$/m });

  const third = JSON.parse((await keys("rotate", "alice", "--grace", "0", "--json")).stdout);
  t.match(third, { name: "alice", key: /^psk_/, operator: false, expires: listed.expires, previousExpires: /Z$/ });
  await until(
    async () => (await status(second)) === 401,
    () => "the previous key is still valid",
  );
  t.same(await Promise.all([first, second, third.key].map(status)), [401, 401, 200]);
  await keys("rotate", "alice");
  t.match(
    (await keys("rotate", "alice")).stderr,
    /until .*\npetstore: The key that the last rotation replaced is no longer valid, .*\n$/,
  );

  // Another process rotates the key while the command, which has read it, waits for the lock.
  const other = new DatabaseSync(url.slice("sqlite:".length));
  other.exec("BEGIN IMMEDIATE; UPDATE keys SET previous_expires_at = 1 WHERE name = 'alice'");
  const late = keys("rotate", "alice", "--grace", "1h");
  await sleep(1_000);
  other.exec("COMMIT");
  other.close();
  const stderr = /^petstore: The key alice was rotated or revoked by another command at the same time\./;
  t.match(await late, { status: 1, stdout: "", stderr });

  t.match(await keys("rotate", "bob"), { status: 1, stdout: "", stderr: "petstore: There is no key named bob.\n" });
  const store = await openPetStore(url);
  await store.keys.create("carol", generateKey().hash, { expiresAt: new Date(1) });
  await store.close();
  t.match(await keys("rotate", "carol"), {
    status: 1,
    stderr: "petstore: The key carol has expired. Revoke it, and create a new one.\n",
  });
});

t.test("Exits with 2 if the command line is wrong", async (t) => {
  const settings = { DATABASE_URL: await stores.sqlite(t) };
  for (const args of [
    ["create"],
    ["create", "a b"],
    ["create", "x", "--expires", "soon"],
    ["rotate"],
    ["rotate", "x", "--grace", "soon"],
    ["create", "x", "--expires", "0d"],
    ["create", "x", "--expires", "101y"],
    ["create", "-x"],
    ["create", "x", "y"],
    ["nope"],
    ["list", "--nope"],
    [],
  ])
    t.match(await petstore(settings, ["keys", ...args]), { status: 2, stdout: "", stderr: /./ }, args.join(" "));
});

t.test("Rejects a name that breaks the rule", async (t) => {
  const settings = { DATABASE_URL: await stores.sqlite(t) };
  for (const name of ["a b", ".a", "", "a\nb", "é", "a".repeat(65)]) {
    const { status, stderr } = await petstore(settings, ["keys", "create", name]);
    t.equal(status, 2, name);
    t.match(
      stderr,
      /^petstore: the name '.*' is not valid\. A name has 1 to 64 letters, digits or \. _ - @, and begins /s,
    );
  }
  t.match(await petstore(settings, ["keys", "list"]), { status: 1 }, "creates no store");
  for (const name of ["_", "a".repeat(64), "0.b_c-d@e"])
    t.match(await petstore(settings, ["keys", "create", name]), { status: 0 }, name);
});

t.test("Reads settings from a file, below those of the environment", async (t) => {
  const [used, other] = [await stores.sqlite(t), await stores.sqlite(t)];
  const file = join(folder(t), "petstore.env");
  writeFileSync(file, `# of the systemd unit\nDATABASE_URL=${used}\nWORKERS="2"\n`);
  const args = ["--environment-file", file, "keys"];
  t.match(await petstore({}, [...args, "create", "alice"]), { status: 0 });
  t.match((await petstore({ DATABASE_URL: used }, ["keys", "list"])).stdout, /alice/);
  t.match(await petstore({ DATABASE_URL: other }, [...args, "create", "bob"]), { status: 0 });
  t.notMatch((await petstore({ DATABASE_URL: used }, ["keys", "list"])).stdout, /bob/);
  const withHash = `sqlite:${join(folder(t), "p#1.db")}`;
  writeFileSync(
    file,
    `; as systemd reads it\nDATABASE_URL=${withHash} \n#DATABASE_URL=${other}\nRATE_LIMIT='100/60s' # a comment\n`,
  );
  t.match(await petstore({ DATABASE_URL: "" }, [...args, "create", "carol"]), { status: 0 });
  t.match((await petstore({ DATABASE_URL: withHash }, ["keys", "list"])).stdout, /carol/, "a # in a value");
  t.match(await petstore({}, ["--environment-file", `${file}x`, "keys", "list"]), {
    status: 1,
    stderr: /^petstore: The file of --environment-file can't be read: ENOENT/,
  });
});

t.test("Asks before it creates a database because DATABASE_URL is not set", async (t) => {
  const before = process.cwd();
  process.chdir(folder(t)); // the default is a path below the current folder
  t.teardown(() => process.chdir(before));
  const create = (args: string[] = [], options = {}) => petstore({}, ["keys", "create", "alice", ...args], options);
  t.match(await create(), {
    status: 1,
    stdout: "",
    stderr: /DATABASE_URL is not set, and sqlite:data\/petstore\.db does not exist\..*Add --yes to confirm/s,
  });
  t.match(await create([], { input: "n\n", isTerminal: true }), { status: 1, stdout: "" });
  t.equal(existsSync("data"), false);
  t.match(await create([], { input: "y\n", isTerminal: true }), { status: 0, stdout: /^psk_/ });
  t.match(await petstore({}, ["keys", "create", "bob"]), { status: 0, stderr: "" }, "the database exists");
  process.chdir(folder(t));
  t.match(await create(["--yes"]), { status: 0, stdout: /^psk_/ });
});

t.test("Rejects a database that does not exist, and one in memory", async (t) => {
  t.match(await petstore({ DATABASE_URL: `sqlite:${join(folder(t), "nested/lost.db")}` }, ["keys", "list"]), {
    status: 1,
    stderr: /^petstore: The database .*lost\.db can't be opened: ENOENT/,
  });
  t.match(await petstore({ DATABASE_URL: "sqlite::memory:" }, ["keys", "create", "x"]), {
    status: 1,
    stderr: /^petstore: DATABASE_URL must be sqlite:PATH or /,
  });
});

t.test("A running service accepts a new key and rejects a revoked key at once", async (t) => {
  const settings = { DATABASE_URL: await stores.sqlite(t) };
  const store = await openPetStore(settings.DATABASE_URL);
  const { call, app } = await start(t, { store });
  const key = (await petstore(settings, ["keys", "create", "guest"])).stdout.trim();
  t.equal((await call("GET", "/v1/pets", { key })).status, 200);
  await petstore(settings, ["keys", "revoke", "guest"]);
  await sleep(10); // milliseconds; keys are cached for 5
  t.equal((await call("GET", "/v1/pets", { key })).status, 401);
  await app.close();
  await store.close();
});
