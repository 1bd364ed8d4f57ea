// Converts the time series of the status into charts, and describes charts as text.
import {
  formatBytes,
  formatDuration,
  formatNumber,
  formatPercent,
  formatPeriod,
  formatRate,
  formatTimeOfDay,
} from "./format.js";

/** @import { Status } from "../schema.ts" */
/** @import { Format } from "./format.js" */

/**
 * One line of a chart. `values` has one value for each time of the status.
 * @typedef {{ label: string, values: (number | null)[], current: number | null }} Series
 */
/**
 * A chart without its period. `emptyText` replaces one without data.
 * @typedef {{ title: string, subtitle: string, format: Format, series: Series[], emptyText: string }} ChartOfHour
 */
/** A chart of the last `seconds`. @typedef {ChartOfHour & { seconds: number }} Chart */

/**
 * Returns the charts of a status in the order of the page, and their times: those of the last `minutes`, at most 60.
 * @type {(status: Status, minutes: number) => { charts: Chart[], times: number[] }}
 */
export function toCharts(status, minutes) {
  const start = Number(status.times.at(-1)) - minutes * 60;
  const first = Math.max(
    0,
    status.times.findIndex((time) => time >= start),
  );
  const charts = [...toRequestCharts(status, minutes), ...toResourceCharts(status, minutes)].map((chart) => ({
    ...chart,
    seconds: minutes * 60,
    series: chart.series.map((one) => ({ ...one, values: one.values.slice(first) })),
  }));
  return { charts, times: status.times.slice(first) };
}

/** @type {(status: Status, minutes: number) => ChartOfHour[]} */
function toRequestCharts({ step, operations, rejected, failed }, minutes) {
  /** @type {(metric: "rate" | "p50" | "p99") => Series[]} */
  const byOperation = (metric) =>
    operations.map((operation) => ({ label: operation.id, values: operation[metric], current: operation.now[metric] }));
  const emptyText = `No requests in the last ${formatPeriod(minutes)}.`;
  return [
    {
      title: "Requests",
      subtitle: "per second, by operation",
      format: formatRate,
      series: byOperation("rate"),
      emptyText,
    },
    {
      title: "Errors",
      subtitle: "per second",
      format: formatRate,
      series: [
        { label: "rejected (4xx)", values: rejected, current: meanOfLastMinute(rejected, step) },
        { label: "failed (5xx)", values: failed, current: meanOfLastMinute(failed, step) },
      ],
      emptyText: `No errors in the last ${formatPeriod(minutes)}.`,
    },
    {
      title: "Latency, p50",
      subtitle: "median",
      format: formatDuration,
      series: byOperation("p50"),
      emptyText,
    },
    {
      title: "Latency, p99",
      subtitle: "99th percentile",
      format: formatDuration,
      series: byOperation("p99"),
      emptyText,
    },
  ];
}

/** @type {(status: Status, minutes: number) => ChartOfHour[]} */
function toResourceCharts({ store, process }, minutes) {
  /** @type {(label: string, values: (number | null)[]) => Series} */
  const toSeries = (label, values) => ({ label, values, current: latest(values) });
  const period = formatPeriod(minutes);
  return [
    {
      title: "Database latency",
      subtitle: "per query",
      format: formatDuration,
      series: [toSeries("p50", store.p50), toSeries("p99", store.p99)],
      emptyText: `No queries in the last ${period}.`,
    },
    {
      title: "CPU",
      subtitle: "of all processes; 100 % is one core",
      format: formatPercent,
      series: [toSeries("CPU", process.cpu)],
      emptyText: "No data yet.",
    },
    {
      title: "Memory",
      subtitle: "resident, of all processes",
      format: formatBytes,
      series: [toSeries("memory", process.memory)],
      emptyText: "No data yet.",
    },
    {
      title: "Event loop delay",
      subtitle: "99th percentile",
      format: formatDuration,
      series: [toSeries("delay", process.delay)],
      emptyText: `No delay in the last ${period}.`,
    },
    {
      title: "Requests in flight",
      subtitle: "without a complete response",
      format: formatNumber,
      series: [toSeries("in flight", process.inFlight)],
      emptyText: `No requests in flight in any sample of the last ${period}.`,
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
  const values = series.map(({ label, current }) => `${label} ${current === null ? "no requests" : format(current)}`);
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
