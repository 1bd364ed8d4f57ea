// What the figures of /status.json say, as words, tables and lines. It runs in the browser, for the page, and in
// Node, for `petstore status`: both say the same.

/**
 * What /status.json says: lists are of points in time, rates are calls a second, times milliseconds, sizes bytes.
 * @typedef {object} Status
 * @property {string} at
 * @property {{ version: string, contract: string, started: string, workers: number, store: string, reachable: boolean }} service
 * @property {number} step seconds between two points
 * @property {number[]} times
 * @property {Operation[]} operations
 * @property {number[]} refused
 * @property {number[]} failed
 * @property {{ p50: (number | null)[], p99: (number | null)[], pool: { used: number, waiting: number, size: number } | null }} store
 * @property {{ memory: number[], delay: number[], inFlight: number[] }} process
 * @property {{ name: string, calls: number, rate: number }[]} keys
 * @property {Deprecated[] | null} deprecated the next to go first; null where it could not be read
 *
 * @typedef {{ rate: number, failed: number, p50: number | null, p99: number | null }} Now
 * @typedef {{ id: string, method: string, path: string, now: Now, rate: number[], p50: (number | null)[], p99: (number | null)[] }} Operation
 * @typedef {{ operation: string, sunset: string | null, daysLeft: number | null, successor: string | null, calls: number, keys: Caller[] }} Deprecated
 * @typedef {{ name: string, calls: number, last: string }} Caller
 *
 * @typedef {{ label: string, values: (number | null)[], now: number | null }} Line a line of a chart, and its present value
 * @typedef {(value: number | null) => string} Say
 * @typedef {{ title: string, about: string, say: Say, lines: Line[], none: string }} Chart `none`: what to say where nothing was
 * @typedef {{ title: string, heads: string[], texts: number, rows: string[][], none: string }} Table the first `texts` columns are text, the others numbers
 * @typedef {{ state: "well" | "soon" | "bad", text: string }} Verdict
 */

const soon = 30; // days
const unread = "What is deprecated could not be read.";

/** Three digits or so, and no more than a thousandth. @type {Say} */
function number(value) {
  if (value === null) return "–";
  const maximumFractionDigits = Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toLocaleString("en", { maximumFractionDigits });
}

/** A time of day, of seconds since 1970. @type {(seconds: number, timeStyle: "short" | "medium") => string} */
export function clock(seconds, timeStyle) {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB", { timeStyle });
}

/** @type {Say} */
const time = (ms) => (ms !== null && ms >= 1000 ? `${number(ms / 1000)} s` : unit(ms, "ms"));
/** @type {Say} */
const size = (bytes) => unit(bytes === null ? null : bytes / 1e6, "MB");
/** @type {Say} */
const rate = (value) => unit(value, "/s");

/** @type {(value: number | null, name: string) => string} */
function unit(value, name) {
  return value === null ? number(value) : `${number(value)} ${name}`;
}

/** @type {(count: number, what: string) => string} */
function many(count, what) {
  return `${number(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** The sentence that says if all is well. @type {(status: Status) => Verdict} */
export function judge({ service, operations, deprecated }) {
  const wrong = [];
  if (!service.reachable) wrong.push("The store can't be reached.");
  const failing = operations.filter(({ now }) => now.failed > 0);
  const named = failing.map(({ id, now }) => `${id} ${rate(now.failed)}`).join(", ");
  if (failing.length > 0) wrong.push(`Calls failed (5xx) in the last minute: ${named}.`);
  const going = (deprecated ?? []).filter(({ daysLeft }) => daysLeft !== null);
  const missed = going.filter(({ daysLeft, keys }) => Number(daysLeft) <= soon && keys.length > 0);
  const calls = missed.map(
    ({ operation, daysLeft, keys }) =>
      `${operation} ${leave(Number(daysLeft))}, and ${many(keys.length, "key")} called it in the last 30 days.`,
  );
  if (deprecated === null && service.reachable) calls.push(unread);
  if (wrong.length > 0) return { state: "bad", text: [...wrong, ...calls].join(" ") };
  const fine = "the store is reachable, and no call failed in the last minute.";
  const next = going
    .filter((one, index) => !missed.includes(one) && (index === 0 || Number(one.daysLeft) < 0))
    .map(({ operation, daysLeft }) => `${operation} ${leave(Number(daysLeft))}.`);
  if (calls.length > 0) return { state: "soon", text: [...calls, `Else all is well: ${fine}`, ...next].join(" ") };
  return { state: "well", text: [`All is well: ${fine}`, ...next].join(" ") };
}

/** @type {(days: number) => string} */
function leave(days) {
  if (days < 0) return `is ${many(-days, "day")} past its sunset`;
  return days > 0 ? `goes in ${many(days, "day")}` : "may go now";
}

/** What runs, and since when. @type {(status: Status, toTime: (date: Date) => string) => string} */
export function describeService({ service }, toTime) {
  const { version, contract, store, workers, started } = service;
  const name = store === "sqlite" ? "SQLite" : "PostgreSQL";
  return `version ${version}, contract ${contract}, ${name}, ${workers === 1 ? "1 process" : `${workers} processes`}, since ${toTime(new Date(started))}`;
}

/** The state at a glance: what it is, and how much. @type {(status: Status) => [string, string][]} */
export function toFigures({ step, operations, refused, store, process }) {
  /** @type {(part: "rate" | "failed") => number} */
  const all = (part) => operations.reduce((sum, { now }) => sum + now[part], 0);
  const { pool } = store;
  return [
    ["Requests", rate(all("rate"))],
    ["Failed (5xx)", rate(all("failed"))],
    ["Refused (4xx)", rate(lately(refused, step))],
    ["Store, p99", time(last(store.p99))],
    ["Memory", size(last(process.memory))],
    ["Event loop delay", time(last(process.delay))],
    ["In flight", number(last(process.inFlight))],
    .../** @type {[string, string][]} */ (
      pool ? [["Connections (waiting)", `${pool.used} of ${pool.size} (${pool.waiting})`]] : []
    ),
  ];
}

/** @type {(values: (number | null)[]) => number | null} */
const last = (values) => values.at(-1) ?? null;

// The mean of the last minute.
/** @type {(values: number[], step: number) => number} */
function lately(values, step) {
  const minute = values.slice(-60 / step);
  return minute.reduce((sum, value) => sum + value, 0) / Math.max(1, minute.length);
}

/** The last hour as lines. @type {(status: Status) => Chart[]} */
export function toCharts({ step, operations, refused, failed, store, process }) {
  /** @type {(part: "rate" | "p50" | "p99") => Line[]} */
  const each = (part) =>
    operations.map(({ id, now, ...lines }) => ({ label: id, values: lines[part], now: now[part] }));
  /** @type {(label: string, values: (number | null)[]) => Line} */
  const line = (label, values) => ({ label, values, now: last(values) });
  const none = "No calls in the last hour.";
  return [
    { title: "Requests", about: "a second, by operation", say: rate, lines: each("rate"), none },
    {
      title: "Refused and failed",
      about: "a second",
      say: rate,
      lines: [
        { label: "refused (4xx)", values: refused, now: lately(refused, step) },
        { label: "failed (5xx)", values: failed, now: lately(failed, step) },
      ],
      none: "Nothing was refused, and nothing failed, in the last hour.",
    },
    { title: "Time to answer, p50", about: "half of the calls took no longer", say: time, lines: each("p50"), none },
    { title: "Time to answer, p99", about: "99 of 100 calls took no longer", say: time, lines: each("p99"), none },
    {
      title: "Time of the store",
      about: "for a question to it",
      say: time,
      lines: [line("p50", store.p50), line("p99", store.p99)],
      none: "The store was not asked in the last hour.",
    },
    {
      title: "Memory",
      about: "of the service",
      say: size,
      lines: [line("memory", process.memory)],
      none: "No figures yet.",
    },
    {
      title: "Event loop delay",
      about: "p99 of what a turn waits",
      say: time,
      lines: [line("delay", process.delay)],
      none: "No delay in the last hour.",
    },
    {
      title: "In flight",
      about: "calls that are being answered",
      say: number,
      lines: [line("in flight", process.inFlight)],
      none: "Whenever it was counted in the last hour, no call was in flight.",
    },
  ];
}

/** The present values of a chart. @type {(chart: Chart) => string} */
export function describeNow({ say, lines }) {
  return `Now: ${lines.map(({ label, now }) => `${label} ${now === null ? "no call" : say(now)}`).join(", ")}.`;
}

/** A chart in one line: what was highest, and when. @type {(chart: Chart, times: number[]) => string} */
export function summarize({ say, lines, none }, times) {
  if (isEmpty(lines)) return none;
  const tops = lines.map(({ label, values }) => ({ label, top: Math.max(...values.map(Number)), values }));
  const { label, top, values } = tops.reduce((a, b) => (b.top > a.top ? b : a));
  const name = lines.length > 1 ? `${label} ` : "";
  return `Highest: ${name}${say(top)} at ${clock(Number(times[values.indexOf(top)]), "short")}.`;
}

/** Whether there is nothing to draw. @type {(lines: Line[]) => boolean} */
export function isEmpty(lines) {
  return lines.every(({ values }) => values.every((value) => !value));
}

/** What is better read than drawn. @type {(status: Status) => Table[]} */
export function toTables({ operations, keys, deprecated }) {
  const going = deprecated ?? [];
  return [
    {
      title: "Operations, in the last minute",
      heads: ["Operation", "Path", "Calls /s", "Failed /s", "p50, ms", "p99, ms"],
      texts: 2,
      rows: operations.map(({ id, method, path, now: { rate, failed, p50, p99 } }) => [
        id,
        `${method} ${path}`.trim(),
        ...[rate, failed, p50, p99].map(number),
      ]),
      none: "There are no operations.",
    },
    {
      title: "Most active keys, in the last hour",
      heads: ["Key", "Calls", "Now, /s"],
      texts: 1,
      rows: keys.map(({ name, calls, rate }) => [name, number(calls), number(rate)]),
      none: "No key was used in the last hour.",
    },
    {
      title: "Deprecated operations",
      heads: ["Operation", "Sunset", "Use instead", "Days left", "Calls in 30 days"],
      texts: 3,
      rows: going.map(({ operation, sunset, daysLeft, successor, calls }) => [
        operation,
        sunset ?? "not said",
        successor ?? "–",
        number(daysLeft),
        number(calls),
      ]),
      none: deprecated ? "Nothing is deprecated." : unread,
    },
    {
      title: "Who called them, in 30 days",
      heads: ["Operation", "Key", "Last", "Calls"],
      texts: 3,
      rows: going.flatMap(({ operation, keys }) =>
        keys.map(({ name, calls, last }) => [operation, name || "(no key)", last, number(calls)]),
      ),
      none: deprecated
        ? "Nobody called a deprecated operation in the last 30 days."
        : "Who called what is deprecated could not be read.",
    },
  ];
}
