// Throttling of recurring log messages.
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { throttle } from "../../src/lib/throttle.ts";

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

t.test("Throttles each function separately", async (t) => {
  const calls: string[] = [];
  const logs = [throttle((text: string) => calls.push(text)), throttle((text: string) => calls.push(text))];
  for (const log of [...logs, ...logs]) log("failed");
  t.same(calls, ["failed", "failed"]);
});
