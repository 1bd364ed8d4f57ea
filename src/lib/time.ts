// Timestamps in UTC.

/** Formats a time to the minute, in UTC, such as `2030-12-05 13:45Z`. */
export function formatTime(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")}Z`;
}
