// Summarizes the status as sentences, key metrics and tables. The page runs it in the browser, and `petstore status` in
// Node, so that both show the same.
import { latest, meanOfLastMinute } from "./chart-data.js";
import { formatBytes, formatCount, formatDuration, formatNumber, formatPercent, formatRate } from "./format.js";

/** @import { Status } from "../schema.ts" */

/** @typedef {{ state: "ok" | "warning" | "error", text: string }} Health */
/**
 * The first `textColumns` columns are text, the others numbers. `emptyText` replaces a table without rows.
 * @typedef {{ title: string, headings: string[], textColumns: number, rows: string[][], emptyText: string }} Table
 */

const sunsetWarning = 30; // days
const deprecationsUnavailable = "The calls of deprecated operations could not be read.";

/**
 * Assesses the health of the service. It is an error if the store is unreachable or calls failed with 5xx, and a
 * warning if keys still call an operation shortly before its sunset or after it. 4xx are the callers' errors, and counted.
 * @type {(status: Status) => Health}
 */
export function assessHealth(status) {
  const { service, operations, deprecated } = status;
  const errors = [];
  if (!service.reachable) errors.push("The database is not reachable.");
  const failing = operations.filter(({ now }) => now.failed > 0);
  const failures = failing.map(({ id, now }) => `${id} ${formatRate(now.failed)}`).join(", ");
  if (failing.length > 0) errors.push(`Requests failed (5xx) in the last minute: ${failures}.`);

  const sunsets = (deprecated ?? []).flatMap(({ operation, daysLeft, keys }) =>
    daysLeft === null ? [] : { sunset: `${operation} ${describeSunset(daysLeft)}`, daysLeft, callers: keys.length },
  );
  const urgent = sunsets.filter(({ daysLeft, callers }) => daysLeft <= sunsetWarning && callers > 0);
  const warnings = urgent.map(
    ({ sunset, callers }) => `${sunset}, and ${formatCount(callers, "key")} called it in the last 30 days.`,
  );
  if (deprecated === null && service.reachable) warnings.push(deprecationsUnavailable);
  const rejections = describeRejections(status);
  if (errors.length > 0) return { state: "error", text: [...errors, ...rejections, ...warnings].join(" ") };

  // The next sunset, and those that have passed.
  const notices = sunsets
    .filter((one, index) => !urgent.includes(one) && (index === 0 || one.daysLeft < 0))
    .map(({ sunset }) => `${sunset}.`);
  const ok = "The database is reachable, and no request failed with 5xx in the last minute.";
  const rest = [...rejections, ...notices];
  if (warnings.length > 0) return { state: "warning", text: [...warnings, ok, ...rest].join(" ") };
  return { state: "ok", text: [`Healthy. ${ok}`, ...rest].join(" ") };
}

/** @type {(status: Pick<Status, "operations" | "statuses">) => string[]} */
function describeRejections({ operations, statuses }) {
  const rejected = statuses.filter(({ status }) => status.startsWith("4"));
  if (rejected.length === 0) return [];
  const share = formatPercent(rejected.reduce((sum, { rate }) => sum + rate, 0) / totalRate(operations));
  const list = rejected.map(({ status, rate }) => `${status} ${formatRate(rate)}`).join(", ");
  return [`${share} of the requests were rejected (4xx): ${list}.`];
}

/** @type {(operations: Status["operations"]) => number} */
function totalRate(operations) {
  return operations.reduce((sum, { now }) => sum + now.rate, 0);
}

/** @type {(daysLeft: number) => string} */
function describeSunset(daysLeft) {
  if (daysLeft < 0) return `is ${formatCount(-daysLeft, "day")} past its sunset`;
  return daysLeft > 0 ? `reaches its sunset in ${formatCount(daysLeft, "day")}` : "reaches its sunset today";
}

/**
 * Describes the versions, store and processes of the service, and when it was started.
 * @type {(status: Status, formatTime: (date: Date) => string) => string}
 */
export function describeService({ service }, formatTime) {
  const { version, contract, store, workers, started } = service;
  const storeName = store === "sqlite" ? "SQLite" : "PostgreSQL";
  const processes = workers === 1 ? "1 process" : `${workers} processes`;
  return `version ${version}, API version ${contract}, ${storeName}, ${processes}, started ${formatTime(new Date(started))}`;
}

/** Returns the most important metrics: labels, and values with units. @type {(status: Status) => [string, string][]} */
export function toKeyMetrics({ step, operations, rejected, store, process }) {
  /** @type {(metric: "rate" | "failed") => number} */
  const sum = (metric) => operations.reduce((sum, { now }) => sum + now[metric], 0);
  const { pool } = store;
  /** @type {[string, string][]} */
  const connections = pool ? [["Database connections", `${pool.used} of ${pool.size} (${pool.waiting} waiting)`]] : [];
  return [
    ["Requests", formatRate(sum("rate"))],
    ["Failed (5xx)", formatRate(sum("failed"))],
    ["Rejected (4xx)", formatRate(meanOfLastMinute(rejected, step))],
    ["Database latency, p99", formatDuration(latest(store.p99))],
    ["CPU", formatPercent(latest(process.cpu))],
    ["Memory", formatBytes(latest(process.memory))],
    ["Event loop delay", formatDuration(latest(process.delay))],
    ["Requests in flight", formatNumber(latest(process.inFlight))],
    ...connections,
  ];
}

/**
 * Returns the tables of operations, of errors, of active keys, and of deprecated operations.
 * @type {(status: Status, formatTime: (date: Date) => string) => Table[]}
 */
export function toTables({ operations, statuses, failures, keys, deprecated }, formatTime) {
  const deprecatedOperations = deprecated ?? [];
  return [
    {
      title: "Operations in the last minute",
      headings: ["Operation", "Path", "Calls/s", "Failed/s", "p50 (ms)", "p99 (ms)"],
      textColumns: 2,
      rows: operations.map(({ id, method, path, now: { rate, failed, p50, p99 } }) => [
        id,
        `${method} ${path}`.trim(),
        ...[rate, failed, p50, p99].map(formatNumber),
      ]),
      emptyText: "There are no operations.",
    },
    {
      title: "Errors in the last minute",
      headings: ["Status", "Responses/s", "Share of all"],
      textColumns: 1,
      rows: statuses.map(({ status, rate }) => [
        status,
        formatNumber(rate),
        formatPercent(rate / totalRate(operations)),
      ]),
      emptyText: "No request was rejected (4xx) or failed (5xx) in the last minute.",
    },
    {
      title: "Last errors",
      headings: ["Time", "Operation", "Status", "Code", "Request id"],
      textColumns: 5,
      rows: failures.map(({ at, operation, status, code, id }) => [
        formatTime(new Date(at)),
        operation,
        `${status}`,
        code || "–",
        id,
      ]),
      emptyText: "No request was rejected or failed since the service was started.",
    },
    {
      title: "Most active keys in the last hour",
      headings: ["Key", "Requests", "Requests/s now"],
      textColumns: 1,
      rows: keys.map(({ name, calls, rate }) => [name, formatNumber(calls), formatNumber(rate)]),
      emptyText: "No key was used in the last hour.",
    },
    {
      title: "Deprecated operations",
      headings: ["Operation", "Sunset", "Use instead", "Days left", "Calls in 30 days"],
      textColumns: 3,
      rows: deprecatedOperations.map(({ operation, sunset, daysLeft, successor, calls }) => [
        operation,
        sunset ?? "not set",
        successor ?? "–",
        formatNumber(daysLeft),
        formatNumber(calls),
      ]),
      emptyText: deprecated ? "No operation is deprecated." : deprecationsUnavailable,
    },
    {
      title: "Callers in the last 30 days",
      headings: ["Operation", "Key", "Last call", "Calls"],
      textColumns: 3,
      rows: deprecatedOperations.flatMap(({ operation, keys }) =>
        keys.map(({ name, calls, last }) => [operation, name || "(no key)", last, formatNumber(calls)]),
      ),
      emptyText: deprecated ? "No calls of deprecated operations in the last 30 days." : deprecationsUnavailable,
    },
  ];
}
