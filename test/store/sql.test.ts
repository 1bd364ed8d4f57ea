// The diagnostics channel on which the stores publish their statements.
import { AsyncLocalStorage } from "node:async_hooks";
import { type Statement, sharedBy, sql } from "../../src/store/sql.ts";
import { rex, testStores } from "../support/conformance.ts";

testStores("publishes each statement in the async context of the calls that it serves", async (t, { kind, store }) => {
  const call = new AsyncLocalStorage<number>();
  const callThrice = (work: () => Promise<unknown>) => Promise.all([1, 2, 3].map((n) => call.run(n, work)));
  await callThrice(() => store.pets.create(rex)); // its context must not leak into later calls
  const published: [verb: string | undefined, calls: unknown][] = [];
  const start = ({ text }: Statement) => {
    const verb = /BEGIN|INSERT|SELECT|COMMIT/.exec(text.replace(/^\s*WITH.*?(?=INSERT)/s, ""))?.[0];
    published.push([verb, sharedBy()?.map((inCall) => inCall(() => call.getStore())) ?? call.getStore()]);
  };
  sql.subscribe({ start });
  t.teardown(() => sql.unsubscribe({ start }));
  await callThrice(() => store.pets.create(rex));
  const all = [1, 2, 3];
  const inserts = all.map((n) => ["INSERT", n]);
  const writes = { sqlite: [["BEGIN", all], ...inserts, ["COMMIT", all]], postgres: [["INSERT", all]] };
  t.same(published.splice(0), writes[kind.name]);
  await callThrice(() => store.pets.list({ limit: 20 }));
  await callThrice(() => store.pets.find(1n));
  // SQLite caches the pet, but not the page, which is not full.
  const [lists, find] = [all.map((n) => ["SELECT", n]), ["SELECT", 1]];
  const reads = {
    sqlite: [...lists, find],
    postgres: [
      ["SELECT", all],
      ["SELECT", all],
    ],
  };
  t.same(published.splice(0), reads[kind.name]);
  sql.unsubscribe({ start });
  await callThrice(() => store.pets.create(rex));
  t.same(published, [], "nothing after unsubscribe");
});
