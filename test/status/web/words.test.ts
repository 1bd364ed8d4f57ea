// The sentences, tables and lines of the status: src/status/web/words.js.
import t from "tap";
import {
  describeService,
  judge,
  type Status,
  summarize,
  toCharts,
  toFigures,
  toTables,
} from "../../../src/status/web/words.js";

const operation = { id: "listPets", method: "GET", path: "/pets", rate: [1], p50: [2], p99: [null] };
const now = { rate: 1, failed: 0, p50: 0.8, p99: null };
const keys = [{ name: "", calls: 3, last: "2026-11-21" }];
const getPet = { operation: "getPet", sunset: "2030-12-05", daysLeft: 1475, successor: "/pets", calls: 3, keys };
const status: Status = {
  at: "2026-11-21T16:40:00.000Z",
  service: {
    version: "1.0.0",
    contract: "1.1.0",
    started: "2026-11-21T15:00:00.000Z",
    workers: 4,
    store: "postgresql",
    reachable: true,
  },
  step: 10,
  times: [1_795_278_000],
  operations: [{ ...operation, now }],
  refused: [1],
  failed: [0],
  store: { p50: [1], p99: [1234], pool: { used: 1, waiting: 2, size: 10 } },
  process: { memory: [123_456_789], delay: [0], inFlight: [12] },
  keys: [],
  deprecated: [getPet],
};
const withDeprecated = (...deprecated: NonNullable<Status["deprecated"]>): Status => ({ ...status, deprecated });
const withDaysLeft = (daysLeft: number | null, callers = keys) =>
  withDeprecated({ ...getPet, daysLeft, keys: callers });
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
    t.same(judge(shown), { state: "well", text: `All is well: ${fine}${sunsets}` });
});

t.test("Warns if a deprecated operation that keys still call is near or past its sunset", async (t) => {
  for (const [shown, warning, sunsets] of [
    [withDaysLeft(1), "getPet goes in 1 day, and 1 key called it in the last 30 days.", ""],
    [
      withDaysLeft(-2, [...keys, ...keys]),
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
    t.same(judge(shown), { state: "soon", text: `${warning} Else all is well: ${fine}${sunsets}` });
});

t.test("Reports that the store can't be reached, and the operations that failed", async (t) => {
  const service = { ...status.service, reachable: false };
  t.same(judge({ ...unread, service }), { state: "bad", text: "The store can't be reached." });
  const failing = [{ ...operation, now: { ...now, failed: 0.25 } }];
  t.same(judge({ ...withDaysLeft(1), operations: failing, service }), {
    state: "bad",
    text: "The store can't be reached. Calls failed (5xx) in the last minute: listPets 0.25 /s. getPet goes in 1 day, and 1 key called it in the last 30 days.",
  });
});

t.test("Describes the service, and its metrics with their units", async (t) => {
  t.equal(
    describeService(status, (date) => date.toISOString()),
    "version 1.0.0, contract 1.1.0, PostgreSQL, 4 processes, since 2026-11-21T15:00:00.000Z",
  );
  t.same(Object.fromEntries(toFigures(status)), {
    Requests: "1 /s",
    "Failed (5xx)": "0 /s",
    "Refused (4xx)": "1 /s",
    "Store, p99": "1.23 s",
    Memory: "123 MB",
    "Event loop delay": "0 ms",
    "In flight": "12",
    "Connections (waiting)": "1 of 10 (2)",
  });
  const [requests, , , p99, , , delay] = toCharts(status).map((chart) => summarize(chart, status.times));
  t.match(requests, /^Highest: 1 \/s at \d\d:\d\d\.$/);
  t.equal(p99, "No calls in the last hour.");
  t.equal(delay, "No delay in the last hour.");
  const begun = { ...status, times: [], process: { memory: [], delay: [], inFlight: [] }, refused: [] };
  t.match(Object.fromEntries(toFigures(begun)), { Memory: "–", "Refused (4xx)": "0 /s" }, "before the first point");
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
      .map(({ none }) => none),
    ["What is deprecated could not be read.", "Who called what is deprecated could not be read."],
  );
});
