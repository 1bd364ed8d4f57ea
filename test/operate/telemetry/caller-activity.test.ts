// Counts by key in src/operate/telemetry/caller-activity.ts.
import t from "tap";
import { CallerActivity } from "../../../src/operate/telemetry/caller-activity.ts";

t.test("Counts the keys that were used in the last five minutes", async (t) => {
  let now = 1_000;
  const callers = new CallerActivity("petstore", () => now);
  const inUse = () => callers.metrics()[0]?.values[0]?.value;
  for (const name of ["a", "b", "a"]) callers.recordUse(name);
  t.equal(inUse(), 2);
  now = 200_000;
  callers.recordUse("b");
  now = 302_500;
  t.equal(inUse(), 1);
});

t.test("Counts calls of deprecated operations for up to 1,000 keys, and the rest as (other)", async (t) => {
  const callers = new CallerActivity("petstore");
  for (let n = 0; n < 1_500; n++) callers.recordDeprecatedCalls("getPet", `key ${n}`, 2);
  callers.recordDeprecatedCalls("getPet", "key 3", 1);
  const values = callers.metrics()[1]?.values ?? [];
  const count = (key: string) => values.find(({ labels }) => labels.key === key)?.value;
  t.same(
    [values.length, count("key 3"), count("key 999"), count("key 1000"), count("(other)")],
    [1_001, 3, 2, undefined, 1_000],
  );
});
