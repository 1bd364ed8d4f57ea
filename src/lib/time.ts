// Days and timestamps in UTC.

const msPerDay = 86_400_000;

/** Returns the number of days from 1970-01-01 to `time` (milliseconds since 1970), in UTC. */
export function toDay(time: number): bigint {
  return BigInt(Math.floor(time / msPerDay));
}

/** Formats a time to the minute, in UTC, such as `2030-12-05 13:45Z`. */
export function formatTime(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")}Z`;
}
