// The search of an order of calls, with a register that has one value.
import t from "tap";
import { findContradiction, type Model } from "./linearizability.ts";

interface Call {
  readonly name: "write" | "read";
  readonly value: number;
  readonly start: number;
  readonly end: number;
}

const register: Model<Call, number> = {
  initial: 0,
  serialize: String,
  apply: (state, { name, value }) => (name === "write" ? value : value === state ? state : undefined),
};

const write = (value: number, start: number, end = Number.POSITIVE_INFINITY): Call => ({
  name: "write",
  value,
  start,
  end,
});
const read = (value: number, start: number, end: number): Call => ({ name: "read", value, start, end });
const find = (...calls: Call[]) => findContradiction(calls, register);

t.test("Concurrent calls have any order, and those that follow each other have that one", async (t) => {
  t.equal(find(), undefined);
  t.equal(find(write(1, 1, 5), read(0, 2, 3), read(1, 3, 4)), undefined);
  t.equal(find(write(1, 1, 5), write(2, 1, 5), read(1, 6, 7)), undefined);
  t.equal(find(read(1, 6, 7), write(2, 1, 5), write(1, 1, 5)), undefined, "the order of the array does not matter");
  t.match(find(write(1, 1, 2), read(0, 3, 4)), { next: [read(0, 3, 4)], state: 1, isProven: true }, "a stale read");
  t.match(
    find(write(1, 1, 5), read(1, 2, 3), read(0, 3.5, 4)),
    { next: [read(0, 3.5, 4)] },
    "back to the value before",
  );
  t.match(find(write(1, 1, 5), write(2, 1, 5), read(1, 6, 7), read(2, 6, 7)), { isProven: true }, "two values");
});

t.test("A call without a response takes effect at any time after its start, once, or not at all", async (t) => {
  t.equal(find(write(1, 1), read(0, 2, 3), read(0, 4, 5)), undefined);
  t.equal(find(write(1, 1), read(0, 2, 3), read(1, 4, 5), read(1, 6, 7)), undefined);
  t.match(find(write(1, 4), read(1, 2, 3)), { next: [read(1, 2, 3)], state: 0 }, "not before");
  t.match(find(write(1, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7), read(1, 8, 9)), {
    next: [read(1, 8, 9)],
    isProven: true,
  });
});

t.test("A history with many concurrent calls is decided", async (t) => {
  const rounds = Array.from({ length: 100 }, (_, round) => {
    const at = round * 100;
    const writes = Array.from({ length: 6 }, (_, n) => write(at + n, at + n, at + 20));
    return [...writes, read(at + 3, at + 21, at + 22), write(-at, at + 23), read(at + 3, at + 24, at + 25)];
  });
  t.equal(find(...rounds.flat()), undefined);
});
