// Formats numbers, with their units, and times as text.

/** @typedef {(value: number | null) => string} Format */

/**
 * Formats a number with three significant digits and at most three decimals. Numbers of 100 or more are rounded to
 * integers. Formats null as a dash.
 * @type {Format}
 */
export function formatNumber(value) {
  if (value === null) return "–";
  const maximumFractionDigits = Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toLocaleString("en", { maximumFractionDigits });
}

/** Formats a number per second. @type {Format} */
export function formatRate(value) {
  return formatWithUnit(value, "/s");
}

/** Formats a number of bytes in megabytes. @type {Format} */
export function formatBytes(bytes) {
  return formatWithUnit(bytes === null ? null : bytes / 1e6, "MB");
}

/** Formats a share, or a number of CPU cores, in percent. @type {Format} */
export function formatPercent(share) {
  return formatWithUnit(share === null ? null : share * 100, "%");
}

/** Formats a number of milliseconds, from one second in seconds. @type {Format} */
export function formatDuration(ms) {
  return ms !== null && ms >= 1000 ? formatWithUnit(ms / 1000, "s") : formatWithUnit(ms, "ms");
}

/** @type {(value: number | null, unit: string) => string} */
function formatWithUnit(value, unit) {
  return value === null ? formatNumber(value) : `${formatNumber(value)} ${unit}`;
}

/** Formats a count with its noun, as `1 key` or `2 keys`. @type {(count: number, noun: string) => string} */
export function formatCount(count, noun) {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Describes a number of minutes, as in `in the last 5 minutes`. @type {(minutes: number) => string} */
export function formatPeriod(minutes) {
  return minutes === 60 ? "hour" : formatCount(minutes, "minute");
}

/**
 * Formats seconds since 1970 as a local time of day.
 * @type {(seconds: number, timeStyle: "short" | "medium") => string}
 */
export function formatTimeOfDay(seconds, timeStyle) {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB", { timeStyle });
}
