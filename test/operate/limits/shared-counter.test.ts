// The counter of several processes: what happens while it fails.
import { mock } from "node:test";
import t, { type Test } from "tap";
import { connectToPrimaryCounter } from "../../../src/operate/limits/primary-counter.ts";
import { type Attempts, FallbackCounter, type SharedCounter } from "../../../src/operate/limits/shared-counter.ts";
import { type BucketState, TokenBuckets } from "../../../src/operate/limits/token-bucket.ts";

const limit = { count: 10, seconds: 60 };

/** Creates the counter of one of two processes. The other side counts in buckets of its own, while it responds. */
function create(t: Test) {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.teardown(() => mock.timers.reset());
  const clock = () => 0;
  const buckets = new TokenBuckets(limit, clock);
  const other = {
    state: "responds" as "responds" | "rejects" | "hangs",
    waiting: [] as (() => void)[],
    added: [] as Attempts[],
  };
  const respond = async <T>(work: () => T): Promise<T> => {
    if (other.state === "rejects") throw new Error("broken");
    if (other.state === "hangs") await new Promise<void>((resolve) => other.waiting.push(resolve));
    return work();
  };
  const shared: SharedCounter = {
    processes: 2,
    take: (client) => respond(() => buckets.take(client)),
    add: (attempts) =>
      respond(() => {
        other.added.push(attempts);
        for (const [client, count] of attempts) buckets.add(client, count);
      }),
  };
  const errors: string[] = [];
  const onError = (error: unknown) => void errors.push((error as Error).message);
  const counter = new FallbackCounter({ shared, local: new TokenBuckets(limit, clock), onError });
  const take = async (client: string, count: number): Promise<string> => {
    const states: BucketState[] = [];
    for (let n = 0; n < count; n++) states.push(await counter.take(client));
    return states.map(({ allowed }) => (allowed ? "+" : "-")).join("");
  };
  const recover = async () => {
    other.state = "responds";
    for (const resolve of other.waiting.splice(0)) resolve();
    await settle();
  };
  return { counter, other, buckets, errors, take, recover };
}

/** Waits for promises, and for timers that are due. */
async function settle(ms = 0) {
  for (let n = 0; n < 3; n++) await new Promise(setImmediate);
  mock.timers.tick(ms);
  for (let n = 0; n < 3; n++) await new Promise(setImmediate);
}

t.test("Continues with the last state that it knows, within its share", async (t) => {
  const { counter, other, errors, take } = create(t);
  t.equal(await take("a", 4), "++++");
  other.state = "rejects";
  t.equal(await take("a", 5), "+++--", "half of the 6 that are left");
  t.equal(await take("b", 7), "+++++--", "half of 10, because it knows nothing of this client");
  t.same(errors.slice(0, 1), ["broken"]);
  t.equal(counter.counted, 12);
});

t.test("Reports what it has allowed, and uses the shared counter again", async (t) => {
  const { counter, other, errors, take, recover } = create(t);
  t.equal(await take("a", 4), "++++");
  other.state = "rejects";
  t.equal(await take("a", 4), "+++-");
  await settle(1_000); // a second report, which fails as well
  await recover();
  await settle(999);
  t.equal(other.added.length, 0);
  await settle(1);
  t.same(other.added[0], new Map([["a", 3]]));
  t.equal(errors.length, 3, "for the attempt and two reports");
  t.equal(await take("a", 4), "+++-", "4 + 3 were allowed before");
  t.equal(counter.counted, 4);
});

t.test("Counts for itself if the shared counter does not respond within 1 s", async (t) => {
  const { counter, other, buckets, errors, take, recover } = create(t);
  t.equal(await take("a", 8), "++++++++");
  other.state = "hangs";
  const states = Promise.all([counter.take("a"), counter.take("a"), counter.take("b")]);
  await settle(999);
  t.same(errors, []);
  await settle(1);
  t.match(await states, [{ allowed: true }, { allowed: false }, { allowed: true }]);
  t.same(errors, ["The shared counter does not respond."], "reported once");
  t.equal(await take("b", 1), "+", "without a wait");
  await recover();
  // It has counted all attempts that were only late, also the rejected one, which is taken back.
  t.match(buckets.take("a"), { allowed: true, used: 10 });
  t.match(buckets.take("b"), { allowed: true, used: 3 });
  t.equal(await take("b", 8), "+++++++-");
});

t.test("Counts no attempt twice that the shared counter rejects too late", async (t) => {
  const { counter, other, buckets, recover } = create(t);
  buckets.add("a", 10);
  other.state = "hangs";
  const state = counter.take("a");
  await settle(1_000);
  t.match(await state, { allowed: true }, "this process did not know that no attempt is left");
  await recover();
  t.match(buckets.take("a"), { allowed: false, used: 11 });
});

t.test("A worker ignores what the primary counts too late", async (t) => {
  const counter = connectToPrimaryCounter(2);
  const listener = process.listeners("message").at(-1) as NodeJS.MessageListener;
  t.teardown(() => process.off("message", listener));
  const respond = (id: number, used: number) =>
    listener({ counted: { id, states: [{ allowed: true, used }] } }, undefined);
  const state = counter.take("a");
  await new Promise(setImmediate);
  listener({}, undefined); // another message
  respond(1, 1);
  respond(1, 2);
  t.same(await state, { allowed: true, used: 1 });
});
