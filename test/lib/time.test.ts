// Throttling of recurring log messages, results that calls share, timeouts of operations, and timestamps.
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { UnavailableError } from "../../src/lib/problem.ts";
import { formatTime, shareResult, throttle, withTimeout } from "../../src/lib/time.ts";

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

t.test("Throttling can start with the first interval: its calls are dropped", async (t) => {
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

const tooLate = "The store did not respond.";

t.test("Settles as the operation does if it is in time", async (t) => {
  t.equal(await withTimeout(Promise.resolve(1), 10_000, tooLate), 1);
  await t.rejects(withTimeout(Promise.reject(new RangeError("failed")), 10_000, tooLate), new RangeError("failed"));
});

t.test("Leaves no timer behind", async (t) => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = countTimers();
  const operation = withTimeout(new Promise((resolve) => setImmediate(resolve)), 10_000, tooLate);
  t.equal(countTimers(), before + 1);
  await operation;
  t.equal(countTimers(), before);
});

t.test("Rejects with UnavailableError after the timeout", async (t) => {
  const error: unknown = await withTimeout(new Promise(() => {}), 10, tooLate).catch((error) => error);
  t.type(error, UnavailableError);
  t.match(error, { message: tooLate });
});

t.test("Handles a rejection of the operation after the timeout", async (t) => {
  const { promise, reject } = Promise.withResolvers<never>();
  await t.rejects(withTimeout(promise, 10, tooLate), { message: tooLate });
  // An unhandled rejection would end the process of the test.
  reject(new Error("too late"));
  await new Promise((resolve) => setImmediate(resolve));
});

t.test("Formats times to the minute, in UTC", async (t) => {
  t.equal(formatTime(new Date("2030-12-05T13:45:59.999Z")), "2030-12-05 13:45Z");
  t.equal(formatTime(new Date("2030-12-05T00:30:00+02:00")), "2030-12-04 22:30Z");
});
