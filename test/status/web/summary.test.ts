// The status as sentences, key metrics and tables: src/status/web/summary.js.
import t from "tap";
import type { DeprecatedOperation, Status } from "../../../src/status/schema.ts";
import {
  assessHealth,
  describeService,
  toKeyMetrics,
  toTables as toTablesWith,
} from "../../../src/status/web/summary.js";
import { exampleStatus as status } from "../../support/status-page.ts";

const toTables = (shown: Status) => toTablesWith(shown, (date) => date.toISOString());
const [getPet] = status.deprecated as [DeprecatedOperation];
const withDeprecated = (...deprecated: DeprecatedOperation[]): Status => ({ ...status, deprecated });
const withDaysLeft = (daysLeft: number | null, keys = getPet.keys) => withDeprecated({ ...getPet, daysLeft, keys });
const past = { ...getPet, daysLeft: -1, keys: [] };
const unread: Status = { ...status, deprecated: null };
const fine = "The database is reachable, and no request failed with 5xx in the last minute.";

t.test("Reports a healthy service, with the next sunset or those that have passed", async (t) => {
  for (const [shown, sunsets] of [
    [withDaysLeft(1475), " getPet reaches its sunset in 1,475 days."],
    [withDaysLeft(null), ""],
    [withDaysLeft(1, []), " getPet reaches its sunset in 1 day."],
    [
      withDeprecated({ ...past, operation: "feedPet", daysLeft: -1200 }, past, getPet),
      " feedPet is 1,200 days past its sunset. getPet is 1 day past its sunset.",
    ],
  ] as const)
    t.same(assessHealth(shown), { state: "ok", text: `Healthy. ${fine}${sunsets}` });
});

t.test("Warns if a deprecated operation that keys still call is near or past its sunset", async (t) => {
  for (const [shown, warning, sunsets] of [
    [withDaysLeft(1), "getPet reaches its sunset in 1 day, and 1 key called it in the last 30 days.", ""],
    [
      withDaysLeft(-2, [...getPet.keys, ...getPet.keys]),
      "getPet is 2 days past its sunset, and 2 keys called it in the last 30 days.",
      "",
    ],
    [withDaysLeft(0), "getPet reaches its sunset today, and 1 key called it in the last 30 days.", ""],
    [
      withDeprecated(past, { ...getPet, operation: "feedPet", daysLeft: 3 }),
      "feedPet reaches its sunset in 3 days, and 1 key called it in the last 30 days.",
      " getPet is 1 day past its sunset.",
    ],
    [unread, "The calls of deprecated operations could not be read.", ""],
  ] as const)
    t.same(assessHealth(shown), { state: "warning", text: `${warning} ${fine}${sunsets}` });
});

t.test("Reports that the database is not reachable, and the operations that failed", async (t) => {
  const service = { ...status.service, reachable: false };
  t.same(assessHealth({ ...unread, service }), { state: "error", text: "The database is not reachable." });
  const failing = status.operations.map((one) => ({ ...one, now: { ...one.now, failed: 0.25 } }));
  t.same(assessHealth({ ...withDaysLeft(1), operations: failing, service }), {
    state: "error",
    text: "The database is not reachable. Requests failed (5xx) in the last minute: listPets 0.25 /s. getPet reaches its sunset in 1 day, and 1 key called it in the last 30 days.",
  });
});

t.test("Counts the rejected requests by status, with their share of all", async (t) => {
  const operations = status.operations.map((one) => ({ ...one, now: { ...one.now, rate: 8 } }));
  const statuses = [
    { status: "429", rate: 3 },
    { status: "503", rate: 1 },
    { status: "404", rate: 1 },
  ];
  const shown = { ...withDaysLeft(null), operations, statuses };
  t.equal(assessHealth(shown).text, `Healthy. ${fine} 50 % of the requests were rejected (4xx): 429 3 /s, 404 1 /s.`);
  t.same(toTables(shown)[1]?.rows, [
    ["429", "3", "37.5 %"],
    ["503", "1", "12.5 %"],
    ["404", "1", "12.5 %"],
  ]);
});

t.test("Lists the last errors with their codes and request ids", async (t) => {
  const failure = { at: "2026-11-21T16:40:00.000Z", operation: "listPets", status: 429, code: "", id: "3f1c" };
  const { rows = [] } = toTables({ ...status, failures: [failure] })[2] ?? {};
  t.match(rows, [[failure.at, "listPets", "429", "–", "3f1c"]]);
});

t.test("Describes the service, and its metrics with their units", async (t) => {
  t.equal(
    describeService(status, (date) => date.toISOString()),
    "version 1.0.0, API version 1.1.0, PostgreSQL, 4 processes, started 2026-11-21T15:00:00.000Z",
  );
  t.same(Object.fromEntries(toKeyMetrics(status)), {
    Requests: "1 /s",
    "Failed (5xx)": "0 /s",
    "Rejected (4xx)": "1 /s",
    "Database latency, p99": "1.23 s",
    CPU: "35.4 %",
    Memory: "123 MB",
    "Event loop delay": "0 ms",
    "Requests in flight": "12",
    "Database connections": "1 of 10 (2 waiting)",
  });
  const started = { ...status, times: [], process: { cpu: [], memory: [], delay: [], inFlight: [] }, rejected: [] };
  t.match(
    Object.fromEntries(toKeyMetrics(started)),
    { Memory: "–", "Rejected (4xx)": "0 /s" },
    "before the first point of the time series",
  );
});

t.test("Tabulates deprecated operations and their callers", async (t) => {
  const [, , , , deprecated, callers] = toTables({
    ...status,
    deprecated: [{ ...getPet, sunset: null, daysLeft: null, successor: null }],
  });
  t.same(deprecated?.rows, [["getPet", "not set", "–", "–", "3"]]);
  t.same(callers?.rows, [["getPet", "(no key)", "2026-11-21", "3"]]);
  t.same(toTables(withDaysLeft(-5))[4]?.rows, [["getPet", "2030-12-05", "/pets", "-5", "3"]]);
  t.same(
    toTables(unread)
      .slice(4)
      .map(({ emptyText }) => emptyText),
    Array(2).fill("The calls of deprecated operations could not be read."),
  );
});
