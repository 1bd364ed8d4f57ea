// What is going away, and who still calls it: what its owner needs before removing it.

import { toDay } from "../lib/index.ts";
import type { Operation } from "../spec/index.ts";
import { type DailyCalls, type DeprecatedCalls, retentionDays } from "../store/index.ts";

const day = 86_400_000; // milliseconds

/** A deprecated operation, and its calls of the last 30 days. */
export interface DeprecatedOperation {
  readonly operation: string;
  /** Days in UTC, as 2030-12-05. */
  readonly since: string;
  /** When it is removed, if that is said, and how many days are left; 0 or less: it may go. */
  readonly sunset: string | null;
  readonly daysLeft: number | null;
  /** The path of what follows it. */
  readonly successor: string | null;
  readonly calls: bigint;
  /** Who called, most often first. */
  readonly keys: readonly { readonly name: string; readonly calls: bigint; readonly last: string }[];
}

/** The deprecated ones of `operations`, the next to go first, with what `calls` counted up to `now`. */
export async function listDeprecatedOperations(
  operations: readonly Operation[],
  calls: DeprecatedCalls,
  now = Date.now(),
): Promise<DeprecatedOperation[]> {
  const counted = await calls.list(toDay(now) - retentionDays + 1n);
  const deprecated = operations.flatMap(({ id, deprecation }) => {
    if (deprecation === undefined) return [];
    const { since, sunset, successor } = deprecation;
    const keys = sum(counted.filter(({ operation }) => operation === id));
    return {
      operation: id,
      since: toDate(since.getTime()),
      sunset: sunset ? toDate(sunset.getTime()) : null,
      daysLeft: sunset ? Math.ceil((sunset.getTime() - now) / day) : null,
      successor: successor ?? null,
      calls: keys.reduce((all, { calls }) => all + calls, 0n),
      keys,
    };
  });
  const left = ({ daysLeft }: DeprecatedOperation) => daysLeft ?? Number.POSITIVE_INFINITY;
  return deprecated.sort((a, b) => (left(a) < left(b) ? -1 : 1));
}

function sum(counted: readonly DailyCalls[]): DeprecatedOperation["keys"] {
  const keys = new Map<string, { calls: bigint; day: bigint }>();
  for (const { key, day, count } of counted) {
    const known = keys.get(key);
    keys.set(key, { calls: count + (known?.calls ?? 0n), day: known?.day ?? day }); // the last day comes first
  }
  const rows = [...keys].map(([name, { calls, day: last }]) => ({ name, calls, last: toDate(Number(last) * day) }));
  return rows.sort((a, b) => (a.calls > b.calls ? -1 : 1));
}

function toDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
