// Numbers, units and times as text: src/status/web/format.js.
import t from "tap";
import { formatBytes, formatCount, formatDuration, formatNumber, formatRate } from "../../../src/status/web/format.js";

t.test("Formats numbers with three significant digits, and null as a dash", async (t) => {
  for (const [value, text] of [
    [0, "0"],
    [0.00049, "0"],
    [0.0123, "0.012"],
    [1.2345, "1.23"],
    [98.76, "98.8"],
    [12_345.6, "12,346"],
    [null, "–"],
  ] as const)
    t.equal(formatNumber(value), text);
});

t.test("Formats values with their units", async (t) => {
  t.equal(formatRate(0.25), "0.25 /s");
  t.equal(formatBytes(123_456_789), "123 MB");
  t.equal(formatBytes(null), "–");
  t.equal(formatDuration(999), "999 ms");
  t.equal(formatDuration(1_234), "1.23 s");
  t.equal(formatCount(1, "key"), "1 key");
  t.equal(formatCount(1_200, "key"), "1,200 keys");
});
