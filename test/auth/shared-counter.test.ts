// The counter of several processes: what happens while it fails.
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { connectToPrimaryCounter } from "../../src/auth/primary-counter.ts";
import { type SharedCounter, withFallback } from "../../src/auth/shared-counter.ts";
import { TokenBuckets } from "../../src/http/token-bucket.ts";

function create(shared: SharedCounter) {
  const time = { now: 0 };
  const errors: string[] = [];
  const clock = () => time.now;
  const local = new TokenBuckets({ count: 2, seconds: 60 }, clock);
  const counter = withFallback(shared, { local, clock, onError: (error) => errors.push((error as Error).message) });
  return { time, errors, counter };
}

t.test("Counts with other processes, and for one second after a failure for itself", async (t) => {
  let asked = 0;
  let isBroken = false;
  const { time, errors, counter } = create({
    take: async () => {
      asked += 1;
      if (isBroken) throw new Error("broken");
      return { allowed: true, used: 42 };
    },
  });
  t.same(await counter.take("a"), { allowed: true, used: 42 });
  isBroken = true;
  t.same(await Promise.all([counter.take("a"), counter.take("a"), counter.take("a")]), [
    { allowed: true, used: 1 },
    { allowed: true, used: 2 },
    { allowed: false, used: 2 },
  ]);
  t.same(errors, ["broken"], "reported once");
  isBroken = false;
  time.now = 999;
  t.match(await counter.take("b"), { allowed: true, used: 1 });
  t.equal(asked, 4);
  time.now = 1_000;
  t.match(await counter.take("b"), { used: 42 });
});

t.test("Counts for itself if the other process does not respond", async (t) => {
  const { errors, counter } = create({ take: () => sleep(60_000, { allowed: false, used: 0 }, { ref: false }) });
  const start = performance.now();
  t.same(await counter.take("a"), { allowed: true, used: 1 });
  t.ok(performance.now() - start < 5_000);
  t.same(errors, ["The shared counter does not respond."]);
});

t.test("A worker ignores what the primary counts too late", async (t) => {
  const counter = connectToPrimaryCounter();
  const listener = process.listeners("message").at(-1) as NodeJS.MessageListener;
  t.teardown(() => process.off("message", listener));
  const respond = (id: number, used: number) =>
    listener({ counted: { id, states: [{ allowed: true, used }] } }, undefined);
  const state = counter.take("a");
  listener({}, undefined); // another message
  respond(1, 1);
  respond(1, 2);
  t.same(await state, { allowed: true, used: 1 });
});
