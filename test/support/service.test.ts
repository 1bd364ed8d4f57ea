// The helpers that start the service and commands: they use each option and setting, or throw an Error.
import t from "tap";
import { petstore } from "./command.ts";
import { stores } from "./databases.ts";
import { readMetric } from "./metrics.ts";
import { openPetStore } from "./pets.ts";
import { addKey, minimalPet, type Options, start } from "./service.ts";
import { countPets } from "./stores.ts";

for (const [kind, create] of Object.entries(stores))
  t.test(`${kind}: the service opens the store of DATABASE_URL`, async (t) => {
    const url = await create(t);
    const { call, create: createPet, store } = await start(t, { settings: { DATABASE_URL: url, MAX_PETS: "1" } });
    await createPet(minimalPet);
    t.equal(await countPets(url), 1);
    t.match(await call("POST", "/v1/pets", { json: minimalPet }), { status: 507 }, "MAX_PETS applies");
    const key = await addKey(store, "operator", undefined, true);
    const name = kind === "sqlite" ? "sqlite" : "postgresql";
    t.match(await call("GET", "/status.json", { key }), { body: { store: name } });
  });

t.test("the pool of DATABASE_URL has the size of DATABASE_POOL", async (t) => {
  const settings = { DATABASE_URL: await stores.postgres(t), DATABASE_POOL: "3", DATABASE_PREPARE: "off" };
  const { store } = await start(t, { settings });
  t.equal(readMetric(store, "store_pool_connections_max"), 3);
});

t.test("LOG_LEVEL sets the level of the log", async (t) => {
  for (const [LOG_LEVEL, count] of [
    ["info", 1],
    ["warn", 0],
  ] as const) {
    const { call, logs, close } = await start(t, { settings: { LOG_LEVEL } });
    await call("GET", "/v1/pets");
    await close();
    t.equal(logs.filter(({ msg }) => msg === "request completed").length, count, LOG_LEVEL);
  }
});

t.test("an option or a setting without effect is an error", async (t) => {
  const store = await openPetStore("sqlite::memory:");
  t.teardown(() => store.close());
  const rejects = (options: object, message: string) =>
    t.rejects(start(t, options as Options), { message }, JSON.stringify(options));
  await rejects({ settings: { PORT: "3001" } }, "these settings have no effect here: PORT");
  for (const [name, value] of Object.entries({
    DATABASE_URL: "sqlite::memory:",
    DATABASE_POOL: "3",
    DATABASE_PREPARE: "off",
    MAX_PETS: "1",
  }))
    await t.rejects(start(t, { store, settings: { [name]: value } }), {
      message: new RegExp(`no effect here: ${name}`),
    });
  await rejects({ settings: { RATELIMIT: "1/1s", PROT: "1" } }, "there are no such settings: RATELIMIT, PROT");
  await rejects({ setings: {} }, "there are no such options: setings");
  await t.rejects(petstore({ DATABASE: "sqlite::memory:" } as object, ["check"]), { message: /no such settings/ });
});

t.test("a call with two bodies or two credentials is an error", async (t) => {
  const { call } = await start(t);
  await t.rejects(call("POST", "/v1/pets", { json: minimalPet, body: "{}" }), { message: /either a body or json/ });
  const headers = { authorization: "Bearer x" };
  await t.rejects(call("GET", "/v1/pets", { key: "x", headers }), { message: /either a key or authorization/ });
  t.match(await call("GET", "/v1/pets", { key: null, headers }), { status: 401 });
});
