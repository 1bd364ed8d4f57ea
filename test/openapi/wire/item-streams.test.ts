// The flow of a stream of items: it yields to other work, and reads no more items than its reader takes.
import { setImmediate as immediate } from "node:timers/promises";
import t from "tap";
import { discardStream, ItemStream } from "../../../src/openapi/wire/item-streams.ts";

const create = (items: AsyncIterable<unknown> | Iterable<unknown>, check = (item: unknown) => item) =>
  new ItemStream("application/jsonl", items, check);

function* countTo(end: number) {
  for (let n = 0; n < end; n++) yield n;
}
async function* countLater(end: number) {
  for (let n = 0; n < end; n++) yield n;
}
function* promises(end: number) {
  for (let n = 0; n < end; n++) yield Promise.resolve(n);
}

for (const [name, items] of Object.entries({ synchronous: countTo, asynchronous: countLater, promises }))
  t.test(`Writes all items of an iterable, and lets other work run meanwhile: ${name}`, async (t) => {
    let turns = 0;
    let isRunning = true;
    const work = () => {
      turns += 1;
      if (isRunning) setImmediate(work);
    };
    work();
    let text = "";
    for await (const chunk of create(items(60_000))) text += chunk;
    isRunning = false;
    t.equal(text, `${Array.from({ length: 60_000 }, (_, n) => n).join("\n")}\n`);
    t.ok(turns > 5, `${turns} turns of the event loop`);
  });

t.test("Reads no items that nobody takes", async (t) => {
  for (const generate of [countTo, countLater]) {
    let read = 0;
    const stream = create(generate(1e9), (item) => {
      read += 1;
      return item;
    });
    stream.read();
    for (let n = 0; n < 200; n++) await immediate();
    const before = read;
    for (let n = 0; n < 200; n++) await immediate();
    t.equal(read, before, "the buffer is full");
    t.ok(read < 100_000, `${read} items`);
    while (read === before) {
      stream.read();
      await immediate();
    }
    stream.destroy();
  }
});

t.test("Sends an item before it waits for the next one", async (t) => {
  const { promise: second, resolve } = Promise.withResolvers<void>();
  async function* items() {
    yield 1;
    await second;
    yield 2;
  }
  const reader = create(items())[Symbol.asyncIterator]();
  t.equal(String((await reader.next()).value), "1\n");
  resolve();
  t.equal(String((await reader.next()).value), "2\n");
  t.ok((await reader.next()).done);
});

t.test("Returns the iterable when it is destroyed, whatever that throws", async (t) => {
  const failures = [
    () => undefined,
    () => {
      throw new Error("synchronous");
    },
    () => Promise.reject(new Error("asynchronous")),
  ];
  for (const fail of failures) {
    let returned = 0;
    const iterator = {
      next: () => ({ value: 1, done: false }),
      return() {
        returned += 1;
        return fail() as never;
      },
    };
    const stream = create({ [Symbol.iterator]: () => iterator });
    stream.read();
    await immediate();
    stream.destroy();
    await immediate();
    t.equal(returned, 1);
    stream.end();
    t.ok(stream.destroyed);
  }
});

t.test("Does not return an iterable that has ended, or that has thrown", async (t) => {
  for (const next of [
    () => ({ value: undefined, done: true }),
    () => {
      throw new Error("broken");
    },
  ]) {
    let returned = 0;
    const iterator = {
      next,
      return() {
        returned += 1;
        return { value: undefined, done: true };
      },
    };
    const stream = create({ [Symbol.iterator]: () => iterator } as never).on("error", () => {});
    stream.resume();
    await immediate();
    await immediate();
    stream.destroy();
    await immediate();
    t.equal(returned, 0);
  }
});

t.test("Sends the items before one that is invalid, or before a failure", async (t) => {
  function* failing() {
    yield 1;
    yield 2;
    throw new Error("broken");
  }
  const check = (item: unknown) => {
    if (item === 3) throw new Error("invalid");
    return item;
  };
  for (const [items, reason] of [
    [failing(), /broken/],
    [[1, 2, 3, 4], /invalid/],
  ] as const) {
    let text = "";
    const read = async () => {
      for await (const chunk of create(items, check)) text += chunk;
    };
    await t.rejects(read(), reason);
    t.equal(text, "1\n2\n");
  }
});

t.test("Returns a generator that is not read", async (t) => {
  let events = "";
  const items = {
    next: () => ({ value: 1, done: false }),
    return() {
      events += "returned";
      return { value: undefined, done: true };
    },
    [Symbol.iterator]: () => items,
  };
  create(items).destroy();
  await immediate();
  t.equal(events, "returned");
  discardStream(items);
  t.equal(events, "returnedreturned");
});
