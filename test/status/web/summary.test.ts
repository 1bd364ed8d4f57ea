// The status as sentences, key metrics and tables: src/status/web/summary.js.
import t from "tap";
import type { DeprecatedOperation, Status } from "../../../src/status/schema.ts";
import { assessHealth, describeService, toKeyMetrics, toTables } from "../../../src/status/web/summary.js";
import { exampleStatus as status } from "../../support/status-page.ts";

const [getPet] = status.deprecated as [DeprecatedOperation];
const withDeprecated = (...deprecated: DeprecatedOperation[]): Status => ({ ...status, deprecated });
const withDaysLeft = (daysLeft: number | null, keys = getPet.keys) => withDeprecated({ ...getPet, daysLeft, keys });
const past = { ...getPet, daysLeft: -1, keys: [] };
const unread: Status = { ...status, deprecated: null };
const fine = "the store is reachable, and no call failed in the last minute.";

t.test("Reports that all is well, with the next sunset or those that have passed", async (t) => {
  for (const [shown, sunsets] of [
    [withDaysLeft(1475), " getPet goes in 1,475 days."],
    [withDaysLeft(null), ""],
    [withDaysLeft(1, []), " getPet goes in 1 day."],
    [
      withDeprecated({ ...past, operation: "feedPet", daysLeft: -1200 }, past, getPet),
      " feedPet is 1,200 days past its sunset. getPet is 1 day past its sunset.",
    ],
  ] as const)
    t.same(assessHealth(shown), { state: "ok", text: `All is well: ${fine}${sunsets}` });
});

t.test("Warns if a deprecated operation that keys still call is near or past its sunset", async (t) => {
  for (const [shown, warning, sunsets] of [
    [withDaysLeft(1), "getPet goes in 1 day, and 1 key called it in the last 30 days.", ""],
    [
      withDaysLeft(-2, [...getPet.keys, ...getPet.keys]),
      "getPet is 2 days past its sunset, and 2 keys called it in the last 30 days.",
      "",
    ],
    [withDaysLeft(0), "getPet may go now, and 1 key called it in the last 30 days.", ""],
    [
      withDeprecated(past, { ...getPet, operation: "feedPet", daysLeft: 3 }),
      "feedPet goes in 3 days, and 1 key called it in the last 30 days.",
      " getPet is 1 day past its sunset.",
    ],
    [unread, "What is deprecated could not be read.", ""],
  ] as const)
    t.same(assessHealth(shown), { state: "warning", text: `${warning} Else all is well: ${fine}${sunsets}` });
});

t.test("Reports that the store can't be reached, and the operations that failed", async (t) => {
  const service = { ...status.service, reachable: false };
  t.same(assessHealth({ ...unread, service }), { state: "error", text: "The store can't be reached." });
  const failing = status.operations.map((one) => ({ ...one, now: { ...one.now, failed: 0.25 } }));
  t.same(assessHealth({ ...withDaysLeft(1), operations: failing, service }), {
    state: "error",
    text: "The store can't be reached. Calls failed (5xx) in the last minute: listPets 0.25 /s. getPet goes in 1 day, and 1 key called it in the last 30 days.",
  });
});

t.test("Describes the service, and its metrics with their units", async (t) => {
  t.equal(
    describeService(status, (date) => date.toISOString()),
    "version 1.0.0, contract 1.1.0, PostgreSQL, 4 processes, since 2026-11-21T15:00:00.000Z",
  );
  t.same(Object.fromEntries(toKeyMetrics(status)), {
    Requests: "1 /s",
    "Failed (5xx)": "0 /s",
    "Refused (4xx)": "1 /s",
    "Store, p99": "1.23 s",
    Memory: "123 MB",
    "Event loop delay": "0 ms",
    "In flight": "12",
    "Connections (waiting)": "1 of 10 (2)",
  });
  const started = { ...status, times: [], process: { memory: [], delay: [], inFlight: [] }, refused: [] };
  t.match(
    Object.fromEntries(toKeyMetrics(started)),
    { Memory: "–", "Refused (4xx)": "0 /s" },
    "before the first point of the time series",
  );
});

t.test("Tabulates deprecated operations and their callers", async (t) => {
  const [, , deprecated, callers] = toTables({
    ...status,
    deprecated: [{ ...getPet, sunset: null, daysLeft: null, successor: null }],
  });
  t.same(deprecated?.rows, [["getPet", "not said", "–", "–", "3"]]);
  t.same(callers?.rows, [["getPet", "(no key)", "2026-11-21", "3"]]);
  t.same(toTables(withDaysLeft(-5))[2]?.rows, [["getPet", "2030-12-05", "/pets", "-5", "3"]]);
  t.same(
    toTables(unread)
      .slice(2)
      .map(({ emptyText }) => emptyText),
    ["What is deprecated could not be read.", "Who called what is deprecated could not be read."],
  );
});
