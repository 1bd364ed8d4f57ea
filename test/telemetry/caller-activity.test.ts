// Calls by key in src/telemetry/caller-activity.ts.
import t from "tap";
import { CallerActivity } from "../../src/telemetry/caller-activity.ts";

t.test("Ranks keys by their calls in the last hour, with up to 1,000 names in each interval", async (t) => {
  const callers = new CallerActivity(0);
  for (let n = 0; n < 1_500; n++) callers.recordCalls(`key ${n}`, 1, 1_000);
  callers.recordCalls("key 7", 20, 2_000);
  const [first, second, ...rest] = callers.mostActive(10_000);
  t.same(first, { name: "(other)", calls: 500, rate: 50 });
  t.same(second, { name: "key 7", calls: 21, rate: 2.1 });
  t.same([rest.length, rest[0]?.calls], [8, 1]);
  const inUse = (now: number) => callers.metrics(now)[0]?.values[0]?.value;
  t.equal(inUse(10_000), 1_500, "all called in the last five minutes");
  callers.recordCalls("key 1", 1, 200_000);
  t.equal(inUse(302_500), 1, "one called in the last five minutes");
  for (let step = 1; step <= 6; step++) callers.startInterval(step * 10_000);
  t.equal(callers.mostActive(70_000)[0]?.rate, 7.143, "the rate of the last minute and of the current interval");
  callers.startInterval(70_000);
  t.match(callers.mostActive(70_000)[0], { name: "(other)", calls: 500, rate: 0 });
  for (let step = 8; step <= 360; step++) callers.startInterval(step * 10_000);
  t.equal(callers.mostActive(3_600_000)[0]?.calls, 500);
  callers.startInterval(3_610_000);
  t.same(callers.mostActive(3_610_000), [], "calls older than an hour are removed");
});

t.test("Counts calls of deprecated operations for up to 1,000 keys, and the rest as (other)", async (t) => {
  const callers = new CallerActivity(0);
  for (let n = 0; n < 1_500; n++) callers.recordDeprecatedCalls("getPet", `key ${n}`, 2);
  callers.recordDeprecatedCalls("getPet", "key 3", 1);
  const values = callers.metrics(0)[1]?.values ?? [];
  const count = (key: string) => values.find(({ labels }) => labels.key === key)?.value;
  t.same(
    [values.length, count("key 3"), count("key 999"), count("key 1000"), count("(other)")],
    [1_001, 3, 2, undefined, 1_000],
  );
});
