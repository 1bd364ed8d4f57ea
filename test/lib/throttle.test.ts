// Throttling of recurring log messages, and results that calls share.
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { shareResult, throttle } from "../../src/lib/throttle.ts";

t.test("Calls the callback at once, and drops further calls until the interval is over", async (t) => {
  const calls: unknown[][] = [];
  const interval = 50;
  const log = throttle((...args: unknown[]) => calls.push(args), interval);
  const start = performance.now();
  log("first", 1);
  log("second", 2);
  // On a machine that stood still for the interval, the second call was not dropped.
  if (performance.now() - start < interval) t.same(calls, [["first", 1]]);
  await sleep(interval + 10);
  calls.length = 0;
  log("third", 3);
  t.same(calls, [["third", 3]]);
});

t.test("Drops the calls of the first milliseconds, if it is told to", async (t) => {
  const calls: string[] = [];
  const log = throttle((text: string) => calls.push(text), 60_000, 50);
  log("first");
  await sleep(60);
  log("second");
  log("third");
  t.same(
    calls.filter((text) => text !== "first"),
    ["second"],
  );
});

t.test("Throttles each function separately", async (t) => {
  const calls: string[] = [];
  const logs = [throttle((text: string) => calls.push(text)), throttle((text: string) => calls.push(text))];
  for (const log of [...logs, ...logs]) log("failed");
  t.same(calls, ["failed", "failed"]);
});

t.test("Runs the work once at a time, and shares its result until it expires", async (t) => {
  const runs: PromiseWithResolvers<string>[] = [];
  const maxAge = 50; // milliseconds
  const read = shareResult(() => {
    const run = Promise.withResolvers<string>();
    runs.push(run);
    return run.promise;
  }, maxAge);
  const first = [read(), read()];
  await sleep(maxAge + 10);
  first.push(read());
  t.equal(runs.length, 1, "also if the work takes longer than that");
  const start = performance.now();
  runs[0]?.resolve("first");
  t.same(await Promise.all(first), ["first", "first", "first"]);
  const again = read();
  // On a machine that stood still for that time, the work runs again.
  if (performance.now() - start < maxAge) t.equal(await again, "first");
  again.catch(() => {});
  await sleep(maxAge + 10);
  const second = read();
  runs.at(-1)?.reject(new Error("second"));
  await t.rejects(second, { message: "second" });
});
