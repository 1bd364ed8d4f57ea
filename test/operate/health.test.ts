// /readyz: checks of the store, which concurrent calls share.
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { UnavailableError } from "../../src/lib/problem.ts";
import { openPetStore } from "../support/pets.ts";
import { start } from "../support/service.ts";

const sharedFor = 1_000; // milliseconds

t.test("1,000 concurrent calls of /readyz check the store once", async (t) => {
  const store = await openPetStore("sqlite::memory:");
  t.teardown(() => store.close());
  let checks = 0;
  const check = async () => {
    checks += 1;
    await store.check();
  };
  const { call } = await start(t, { store: { ...store, check } });
  const before = performance.now();
  const responses = await Promise.all(Array.from({ length: 1_000 }, () => call("GET", "/readyz", { key: null })));
  t.same(new Set(responses.map(({ status }) => status)), new Set([200]));
  t.ok(checks <= 1 + (performance.now() - before) / sharedFor, `${checks} checks`);
});

t.test("/readyz shares a failure for one second, and then checks the store again", async (t) => {
  const store = await openPetStore("sqlite::memory:");
  t.teardown(() => store.close());
  let failure: Error | undefined = new UnavailableError("The store is gone.");
  const check = async () => {
    if (failure) throw failure;
  };
  const { call } = await start(t, { store: { ...store, check } });
  const before = performance.now();
  t.match(await call("GET", "/readyz"), { status: 503, body: { code: "unavailable", message: /gone/ } });
  failure = undefined;
  const { status } = await call("GET", "/readyz");
  // On a machine that stood still for a second, the failure has expired.
  if (performance.now() - before < sharedFor) t.equal(status, 503);
  await sleep(sharedFor + 10);
  t.match(await call("GET", "/readyz"), { status: 200 });
});
