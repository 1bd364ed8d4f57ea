// The queue of requests, with a manual clock and real immediates.
import { setImmediate as nextTick } from "node:timers/promises";
import t from "tap";
import { FairQueue } from "../../../src/http/load/fair-queue.ts";

/** Creates a queue whose tick has taken 5 ms, so that further requests wait. */
function createBusy() {
  const time = { now: 0 };
  const queue = new FairQueue(() => time.now);
  const order: string[] = [];
  const enter = (client: string, name: string, isKnown = true) =>
    queue.enter(client, isKnown).then(() => order.push(name));
  queue.isBusy();
  time.now += 5;
  return { time, queue, order, enter };
}

t.test("Starts requests immediately in the first 5 ms of a tick", async (t) => {
  const time = { now: 0 };
  const queue = new FairQueue(() => time.now);
  for (; time.now < 5; time.now++) t.equal(queue.isBusy(), false, `after ${time.now} ms`);
  t.equal(queue.isBusy(), true);
  const waiting = queue.enter("client", true);
  t.equal(queue.size, 1);
  time.now += 7;
  t.equal(await waiting, 7, "resolves to the milliseconds that it has waited");
  t.equal(queue.size, 0);
  await nextTick();
  t.equal(queue.isBusy(), false, "in the next tick");
});

t.test("Starts the requests of all clients in turn, and those of a client in order", async (t) => {
  const { order, enter } = createBusy();
  const flood = ["a1", "a2", "a3", "a4", "a5"].map((name) => enter("a", name));
  await Promise.all([...flood, enter("b", "b1"), enter("b", "b2"), enter("c", "c1")]);
  t.same(order, ["a1", "b1", "c1", "a2", "b2", "a3", "a4", "a5"]);
});

t.test("Starts every other request for a client with a credential, however many others wait", async (t) => {
  const { order, enter } = createBusy();
  const flood = Array.from({ length: 5 }, (_, n) => enter(`network ${n}`, `n${n}`, false));
  await Promise.all([...flood, enter("key", "k1"), enter("key", "k2"), enter("another key", "l1")]);
  t.same(order, ["k1", "n0", "l1", "n1", "k2", "n2", "n3", "n4"]);
});

t.test("Divides the time between the clients, and not the number of requests", async (t) => {
  const { time, order, enter } = createBusy();
  const enterExpensive = async (name: string) => {
    await enter("a", name);
    time.now += 4;
  };
  const loop = enterExpensive("a1").then(() => enterExpensive("a2"));
  const cheap = Array.from({ length: 6 }, (_, n) => enter("b", `b${n + 1}`));
  await Promise.all([...cheap, loop]);
  t.same(order, ["a1", "b1", "b2", "b3", "b4", "b5", "b6", "a2"], "although a has no other request in the queue");
});

t.test("Does not start a request before those in the queue, also if the event loop has time", async (t) => {
  const { queue, enter } = createBusy();
  for (let n = 0; n < 40; n++) enter("a", `${n}`);
  await nextTick();
  t.not(queue.size, 0);
  t.ok(queue.isBusy());
});

t.test("Starts at most 32 requests in a tick, and fewer if they take 5 ms", async (t) => {
  const { time, queue, enter } = createBusy();
  for (let n = 0; n < 70; n++) enter("a", `${n}`);
  await nextTick();
  t.equal(queue.size, 70 - 32);
  for (let n = 0; n < 10; n++) {
    const slow = queue.enter("slow", true);
    slow.then(() => {
      time.now += 5;
    });
  }
  const sizes: number[] = [];
  for (let n = 0; n < 30 && queue.size > 0; n++) {
    await nextTick();
    sizes.push(queue.size);
  }
  t.equal(queue.size, 0);
  t.ok(sizes.length >= 10, `a slow request ends the slice: ${sizes}`);
});

t.test("Starts requests for as long as all else in a tick took, up to 10 ms", async (t) => {
  const { time, queue } = createBusy();
  let started = 0;
  for (let n = 0; n < 30; n++)
    queue.enter("client", true).then(() => {
      started += 1;
      time.now += 2;
    });
  const starts: number[] = [];
  for (const others of [0, 6, 40]) {
    await nextTick();
    started = 0;
    time.now += others; // such as data that arrives
    await nextTick();
    starts.push(started);
  }
  t.same(starts, [1, 3, 5], "after 0, 6 and 40 ms");
});

t.test("Counts a time in which the process stands still as 50 ms of waiting", async (t) => {
  const { time, queue } = createBusy();
  const waiting = queue.enter("client", true);
  time.now += 60_000;
  t.equal(await waiting, 50);
});

t.test("Shares the time between new connections and the requests in the queue", async (t) => {
  const { time, queue } = createBusy();
  const started: number[] = [];
  for (let n = 0; n < 6; n++)
    queue.enter("client", true).then(() => {
      started.push(time.now);
      time.now += 4;
    });
  for (let tick = 0; tick < 6; tick++) {
    queue.recordConnection();
    await nextTick();
    time.now += 1;
  }
  t.same(started, [5, 13], "a request of 4 ms, then no request for 4 ms");
  await nextTick();
  t.equal(started.length, 3, "without a new connection, the next request starts at once");
});
