// Reports deprecated operations and the keys that still call them, which shows if an operation can be removed.
import { toDay } from "../lib/index.ts";
import type { Operation } from "../openapi/application.ts";
import { type DailyCalls, type DeprecatedCalls, retentionDays } from "../store/index.ts";

/** A deprecated operation, and its calls in the last 30 days. */
export interface DeprecatedOperation {
  readonly operation: string;
  readonly since: string;
  readonly sunset: string | null;
  readonly daysLeft: number | null;
  readonly successor: string | null;
  readonly calls: number;
  readonly keys: { name: string; calls: number; last: string }[];
}

const millisecondsPerDay = 86_400_000;

/**
 * Lists the deprecated operations among `operations`, next sunset first, with their calls in the 30 days up to `now`
 * (milliseconds since 1970).
 */
export async function listDeprecatedOperations(
  operations: readonly Operation[],
  calls: DeprecatedCalls,
  now = Date.now(),
): Promise<DeprecatedOperation[]> {
  const dailyCalls = await calls.list(toDay(now) - retentionDays + 1n);
  const deprecated = operations.flatMap(({ id, deprecation }) => {
    if (deprecation === undefined) return [];
    const { since, sunset, successor } = deprecation;
    const keys = sumByKey(dailyCalls.filter(({ operation }) => operation === id));
    return {
      operation: id,
      since: toDate(since.getTime()),
      sunset: sunset ? toDate(sunset.getTime()) : null,
      daysLeft: sunset ? Math.ceil((sunset.getTime() - now) / millisecondsPerDay) : null,
      successor: successor ?? null,
      calls: keys.reduce((sum, { calls }) => sum + calls, 0),
      keys,
    };
  });
  const daysLeft = (operation: DeprecatedOperation) => operation.daysLeft ?? Number.MAX_SAFE_INTEGER;
  return deprecated.sort((a, b) => daysLeft(a) - daysLeft(b));
}

// Sums the calls of each key, most calls first. `dailyCalls` starts with the last day.
function sumByKey(dailyCalls: readonly DailyCalls[]): DeprecatedOperation["keys"] {
  const keys = new Map<string, DeprecatedOperation["keys"][number]>();
  for (const { key, day, count } of dailyCalls) {
    const total = keys.get(key) ?? { name: key, calls: 0, last: toDate(Number(day) * millisecondsPerDay) };
    total.calls += Number(count); // exact: below 2^53 for any rate that a service can reach in 30 days
    keys.set(key, total);
  }
  return [...keys.values()].sort((a, b) => b.calls - a.calls);
}

function toDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
