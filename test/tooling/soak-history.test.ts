// The checker of histories, with histories made by hand. Times are in milliseconds.
import t from "tap";
import type { Call, Entry, Outcome, Property } from "../support/soak/history.ts";
import { HistoryChecker } from "../support/soak/history-checker.ts";
import type { Status } from "../support/soak/numbered-pets.ts";

type Times = [start: number, end: number];

const entry = ([start, end]: Times, call: Call, outcome: Outcome = "ok"): Entry => ({ ...call, start, end, outcome });
const create = (times: Times, pet: number, id: number) => entry(times, { operation: "create", pet, id });
const find = (times: Times, id: number, pet: number) => entry(times, { operation: "find", id, pet });
const notFound = (times: Times, id: number) => entry(times, { operation: "find", id }, "rejected");

// A page, as ids with the numbers of their pets.
const list = (
  times: Times,
  pets: Record<number, number>,
  { after = 0, status, isLast = true }: { after?: number; status?: Status; isLast?: boolean } = {},
) => {
  const seen = Object.entries(pets).map(([id, pet]) => ({ id: Number(id), pet }));
  return entry(times, { operation: "list", after, status, pets: seen, isLast });
};

const retry = (times: Times, pet: number, outcome: Outcome, conflicting = false) =>
  entry(times, { operation: "create", pet, conflicting }, outcome);
const key = (operation: "createKey" | "revokeKey" | "useKey", times: Times, outcome: Outcome = "ok") =>
  entry(times, { operation, name: "a" }, outcome);

/** Returns the numbers of violations that are not 0. */
function check(history: readonly Entry[]): Partial<Record<Property, number>> {
  const checker = new HistoryChecker();
  for (const one of history) checker.add(one);
  checker.finish();
  return Object.fromEntries(Object.entries(checker.violations).filter(([, count]) => count > 0));
}

// The statuses of the pets 0 to 3 are available, pending, sold, none.
const histories: Record<string, { history: Entry[]; expected?: Partial<Record<Property, number>> }> = {
  "Accepts reads that have an acknowledged pet": {
    history: [create([0, 2], 0, 1), find([3, 4], 1, 0), list([3, 5], { 1: 0 })],
  },
  "Accepts reads without a pet whose create had not ended when they started": {
    history: [create([0, 5], 0, 1), notFound([4, 6], 1), list([5, 7], {})],
  },
  "Reports a lookup that does not find an acknowledged pet": {
    history: [create([0, 2], 0, 1), notFound([3, 4], 1)],
    expected: { missing: 1 },
  },
  "Reports a page without an acknowledged pet": {
    history: [create([0, 1], 0, 1), create([0, 2], 1, 2), create([0, 3], 2, 3), list([4, 5], { 1: 0, 3: 2 })],
    expected: { missing: 1 },
  },
  "Reports a last page that ends before an acknowledged pet": {
    history: [create([0, 1], 0, 1), create([0, 2], 1, 2), list([4, 5], { 1: 0 })],
    expected: { missing: 1 },
  },
  "Accepts a page that ends before an acknowledged pet if another page follows": {
    history: [create([0, 1], 0, 1), create([0, 2], 1, 2), list([4, 5], { 1: 0 }, { isLast: false })],
  },
  "Accepts a page that begins after an acknowledged pet": {
    history: [create([0, 1], 0, 1), create([0, 2], 1, 2), list([4, 5], { 2: 1 }, { after: 1 })],
  },
  "Accepts a list of another status without an acknowledged pet": {
    history: [create([0, 1], 0, 1), list([4, 5], {}, { status: "sold" })],
  },
  "Reports a list of its status without an acknowledged pet": {
    history: [create([0, 1], 0, 1), list([4, 5], {}, { status: "available" })],
    expected: { missing: 1 },
  },
  "Accepts that a create with an unknown outcome has no effect, or takes effect later": {
    history: [retry([0, 1], 0, "unknown"), notFound([2, 3], 1), find([4, 5], 1, 0), find([6, 7], 1, 0)],
  },
  "Reports a pet with an unknown outcome that disappears after a read has found it": {
    history: [retry([0, 1], 0, "unknown"), find([2, 3], 1, 0), notFound([4, 5], 1)],
    expected: { missing: 1 },
  },
  "Reports a page without a pet that another page had": {
    history: [list([0, 1], { 1: 0, 2: 1 }), list([2, 3], { 1: 0 })],
    expected: { missing: 1 },
  },
  "Reports a page that is older than an overlapping page which ended before it started": {
    history: [list([0, 4], { 1: 0 }), list([1, 5], {}), list([4.5, 6], {})],
    expected: { missing: 1 },
  },
  "Ignores a read with an unknown outcome": {
    history: [
      create([0, 1], 0, 1),
      entry([2, 3], { operation: "list", after: 0, pets: [], isLast: true }, "unknown"),
      entry([2, 4], { operation: "find", id: 1 }, "unknown"),
    ],
  },
  "Reports a pet that appears after a list has passed its id": {
    history: [list([0, 1], { 1: 0, 3: 2 }), create([0, 2], 1, 2)],
    expected: { skipped: 1 },
  },
  "Reports a pet that a list of its status has passed": {
    history: [list([0, 1], { 1: 1, 3: 5 }, { status: "pending" }), create([0, 2], 9, 2)],
    expected: { skipped: 1 },
  },
  "Accepts a pet after a list of another status has passed its id": {
    history: [list([0, 1], { 1: 1, 3: 5 }, { status: "pending" }), create([0, 2], 3, 2)],
  },
  "Reports a page that has a higher id, but not that of a concurrent create": {
    history: [create([0, 2], 1, 2), list([1, 3], { 1: 0, 3: 2 })],
    expected: { skipped: 1 },
  },
  "Reports a pet with two ids": {
    history: [create([0, 1], 0, 1), create([2, 3], 0, 2)],
    expected: { duplicated: 1 },
  },
  "Reports a second pet of a create that was sent again after an unknown outcome": {
    history: [retry([0, 1], 0, "unknown"), create([2, 3], 0, 1), list([4, 5], { 1: 0, 2: 0 })],
    expected: { duplicated: 1 },
  },
  "Reports an id of two pets": {
    history: [create([0, 1], 0, 1), create([2, 3], 1, 1)],
    expected: { duplicated: 1 },
  },
  "Reports a page that is not in order, or begins at or before its cursor": {
    history: [
      entry([0, 1], {
        operation: "list",
        after: 1,
        pets: [
          { id: 1, pet: 0 },
          { id: 3, pet: 2 },
          { id: 2, pet: 1 },
        ],
        isLast: true,
      }),
    ],
    expected: { unordered: 2 },
  },
  "Accepts that a key returns its pet for the same body, and rejects another body": {
    history: [create([0, 1], 0, 1), create([2, 3], 0, 1), retry([4, 5], 0, "rejected", true)],
  },
  "Reports a key that accepts another body": {
    history: [create([0, 1], 0, 1), retry([2, 3], 0, "ok", true)],
    expected: { idempotency: 1 },
  },
  "Accepts a key with another body while its own create has no response yet": {
    history: [retry([0, 1], 0, "unknown"), retry([2, 3], 0, "ok", true)],
  },
  "Reports a key that rejects its own body": {
    history: [create([0, 1], 0, 1), retry([2, 3], 0, "rejected")],
    expected: { idempotency: 1 },
  },
  "Accepts a revoked API key for 5 ms": {
    history: [key("createKey", [0, 1]), key("revokeKey", [2, 10]), key("useKey", [15, 30])],
  },
  "Reports a revoked API key that is accepted later": {
    history: [key("createKey", [0, 1]), key("revokeKey", [2, 10]), key("useKey", [15.1, 30])],
    expected: { revoked: 1 },
  },
  "Reports an API key that is accepted after it was rejected, although the outcome of the revocation is unknown": {
    history: [
      key("createKey", [0, 1]),
      key("revokeKey", [2, 3], "unknown"),
      key("useKey", [4, 5]),
      key("useKey", [6, 7], "rejected"),
      key("useKey", [13, 14]),
    ],
    expected: { revoked: 1 },
  },
  "Accepts that an API key is rejected during its revocation": {
    history: [key("createKey", [0, 1]), key("useKey", [2, 4], "rejected"), key("revokeKey", [3, 5])],
  },
  "Reports an API key that is rejected before its revocation": {
    history: [key("createKey", [0, 1]), key("useKey", [2, 3], "rejected"), key("revokeKey", [4, 5])],
    expected: { denied: 1 },
  },
  "Reports an API key that is rejected without a revocation": {
    history: [key("createKey", [0, 1]), key("useKey", [2, 3], "rejected")],
    expected: { denied: 1 },
  },
  "Accepts any response to an API key whose creation had not ended": {
    history: [key("useKey", [0, 1], "rejected"), key("createKey", [0, 2]), key("useKey", [1, 3], "rejected")],
  },
};

for (const [title, { history, expected = {} }] of Object.entries(histories))
  t.test(title, async (t) => {
    t.same(check(history), expected);
  });

t.test("Throws an Error if the entries are not in the order of their ends", async (t) => {
  t.throws(() => check([find([0, 2], 1, 0), find([0, 1], 1, 0)]), { message: /order of their ends/ });
});

t.test("Finds the page that lacks one of 10,000 acknowledged pets", async (t) => {
  const history: Entry[] = [];
  for (let n = 0; n < 10_000; n++) history.push(create([n, n + 0.5], n, n + 1));
  for (let after = 0; after < 10_000; after += 100) {
    const ids = Array.from({ length: 100 }, (_, index) => after + 1 + index).filter((id) => id !== 5_050);
    const pets = Object.fromEntries(ids.map((id) => [id, id - 1]));
    history.push(list([10_000 + after, 10_001 + after], pets, { after, isLast: after === 9_900 }));
  }
  t.same(check(history), { missing: 1 });
});

t.test("Describes the call, and the response that it contradicts", async (t) => {
  const checker = new HistoryChecker();
  for (const one of [create([0, 2], 0, 1), list([3, 4], { 2: 1 })]) checker.add(one);
  const call = '{"operation":"list","after":0,"pets":1,"isLast":true,"outcome":"ok"} from 3.0 to 4.0';
  t.same(checker.findings, [`missing: ${call}: pet 0 with the id 1 was in a response at 2.0`]);
});
