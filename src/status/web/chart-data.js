// Converts the time series of the status into charts, and describes charts as text.
import { formatBytes, formatDuration, formatNumber, formatRate, formatTimeOfDay } from "./format.js";

/** @import { Status } from "../schema.ts" */
/** @import { Format } from "./format.js" */

/**
 * One line of a chart. `values` has one value for each time of the status.
 * @typedef {{ label: string, values: (number | null)[], current: number | null }} Series
 */
/**
 * A chart of the last hour. `emptyText` replaces a chart without data.
 * @typedef {{ title: string, subtitle: string, format: Format, series: Series[], emptyText: string }} Chart
 */

/** Returns the charts of a status, in the order of the page. @type {(status: Status) => Chart[]} */
export function toCharts(status) {
  return [...toRequestCharts(status), ...toResourceCharts(status)];
}

/** @type {(status: Status) => Chart[]} */
function toRequestCharts({ step, operations, refused, failed }) {
  /** @type {(metric: "rate" | "p50" | "p99") => Series[]} */
  const byOperation = (metric) =>
    operations.map((operation) => ({ label: operation.id, values: operation[metric], current: operation.now[metric] }));
  const emptyText = "No calls in the last hour.";
  return [
    {
      title: "Requests",
      subtitle: "a second, by operation",
      format: formatRate,
      series: byOperation("rate"),
      emptyText,
    },
    {
      title: "Refused and failed",
      subtitle: "a second",
      format: formatRate,
      series: [
        { label: "refused (4xx)", values: refused, current: meanOfLastMinute(refused, step) },
        { label: "failed (5xx)", values: failed, current: meanOfLastMinute(failed, step) },
      ],
      emptyText: "Nothing was refused, and nothing failed, in the last hour.",
    },
    {
      title: "Time to answer, p50",
      subtitle: "half of the calls took no longer",
      format: formatDuration,
      series: byOperation("p50"),
      emptyText,
    },
    {
      title: "Time to answer, p99",
      subtitle: "99 of 100 calls took no longer",
      format: formatDuration,
      series: byOperation("p99"),
      emptyText,
    },
  ];
}

/** @type {(status: Status) => Chart[]} */
function toResourceCharts({ store, process }) {
  /** @type {(label: string, values: (number | null)[]) => Series} */
  const toSeries = (label, values) => ({ label, values, current: latest(values) });
  return [
    {
      title: "Time of the store",
      subtitle: "for a question to it",
      format: formatDuration,
      series: [toSeries("p50", store.p50), toSeries("p99", store.p99)],
      emptyText: "The store was not asked in the last hour.",
    },
    {
      title: "Memory",
      subtitle: "of the service",
      format: formatBytes,
      series: [toSeries("memory", process.memory)],
      emptyText: "No figures yet.",
    },
    {
      title: "Event loop delay",
      subtitle: "p99 of what a turn waits",
      format: formatDuration,
      series: [toSeries("delay", process.delay)],
      emptyText: "No delay in the last hour.",
    },
    {
      title: "In flight",
      subtitle: "calls that are being answered",
      format: formatNumber,
      series: [toSeries("in flight", process.inFlight)],
      emptyText: "Whenever it was counted in the last hour, no call was in flight.",
    },
  ];
}

/** Returns the last value, or null before the first one. @type {(values: (number | null)[]) => number | null} */
export function latest(values) {
  return values.at(-1) ?? null;
}

/**
 * Returns the mean of the last minute, or 0 before the first value. `step` is the number of seconds between two values.
 * @type {(values: number[], step: number) => number}
 */
export function meanOfLastMinute(values, step) {
  const minute = values.slice(-60 / step);
  return minute.reduce((sum, value) => sum + value, 0) / Math.max(1, minute.length);
}

/** Returns whether all values are zero or missing. @type {(chart: Chart) => boolean} */
export function isEmpty({ series }) {
  return series.every(({ values }) => values.every((value) => !value));
}

/** Describes the current values. @type {(chart: Chart) => string} */
export function describeCurrentValues({ format, series }) {
  const values = series.map(({ label, current }) => `${label} ${current === null ? "no call" : format(current)}`);
  return `Now: ${values.join(", ")}.`;
}

/** Describes the highest value and its time. @type {(chart: Chart, times: number[]) => string} */
export function describeMaximum(chart, times) {
  if (isEmpty(chart)) return chart.emptyText;
  const maxima = chart.series.map(({ label, values }) => ({ label, max: Math.max(...values.map(Number)), values }));
  const { label, max, values } = maxima.reduce((a, b) => (b.max > a.max ? b : a));
  const name = maxima.length > 1 ? `${label} ` : "";
  return `Highest: ${name}${chart.format(max)} at ${formatTimeOfDay(Number(times[values.indexOf(max)]), "short")}.`;
}
