// Which keys call: those of the last minutes, the most active of the last hour, and who calls what is going away.

import { counter, gauge } from "./metrics.ts";
import type { Metric } from "./process-metrics.ts";

const mostNames = 1_000; // that a step counts, and that are series of their own; the rest is one
const rest = "(other)"; // which no key is named
const mostSteps = 361; // an hour, and the present one
const recent = 7; // a minute, and the present one
const stillInUse = 300_000; // milliseconds
const shown = 10;

interface Step {
  readonly since: number;
  readonly calls: Map<string, number>;
}

/** Calls by the name of the key, over an hour of steps. Times are in milliseconds, by a clock that nobody sets. */
export class CallerActivity {
  #steps: Step[];
  readonly #seen = new Map<string, number>();
  readonly #deprecated = new Map<string, { operation: string; key: string; calls: number }>();

  /** They begin `now`. */
  constructor(now: number) {
    this.#steps = [{ since: now, calls: new Map() }];
  }

  /** The key of that name has called so often. */
  recordCalls(name: string, count: number, now: number): void {
    this.#seen.set(name, now);
    const { calls } = this.#steps.at(-1) as Step;
    const counted = calls.has(name) || calls.size < mostNames ? name : rest;
    calls.set(counted, count + (calls.get(counted) ?? 0));
  }

  /** It has called a deprecated operation so often; without a key its name is empty. */
  recordDeprecatedCalls(operation: string, name: string, count: number): void {
    const toId = (key: string) => `${operation} ${key}`;
    const key = this.#deprecated.has(toId(name)) || this.#deprecated.size < mostNames ? name : rest;
    const calls = count + (this.#deprecated.get(toId(key))?.calls ?? 0);
    this.#deprecated.set(toId(key), { operation, key, calls });
  }

  /** Ends the present step. */
  step(now: number): void {
    this.#steps = [...this.#steps, { since: now, calls: new Map() }].slice(-mostSteps);
  }

  /** The ten that called most often: calls in the last hour, and calls a second in the last minute. */
  mostActive(now: number): { name: string; calls: number; rate: number }[] {
    const last = this.#steps.slice(-recent) as [Step, ...Step[]];
    const seconds = Math.max(now - last[0].since, 1) / 1_000;
    const lately = sum(last);
    return [...sum(this.#steps)]
      .sort(([, a], [, b]) => b - a)
      .slice(0, shown)
      .map(([name, calls]) => ({ name, calls, rate: Math.round(((lately.get(name) ?? 0) / seconds) * 1_000) / 1_000 }));
  }

  metrics(now: number): Metric[] {
    for (const [name, at] of this.#seen) if (now - at > stillInUse) this.#seen.delete(name);
    const deprecated = [...this.#deprecated.values()];
    return [
      gauge("petstore_keys_in_use", "Keys that called in the last five minutes.", this.#seen.size),
      counter(
        "petstore_deprecated_calls_total",
        "Calls of deprecated operations, by operation and the name of the key; of more than a thousand the rest is (other).",
        deprecated.map(({ operation, key, calls }) => ({ labels: { operation, key }, value: calls })),
      ),
    ];
  }
}

function sum(steps: readonly Step[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const { calls } of steps) for (const [name, count] of calls) all.set(name, count + (all.get(name) ?? 0));
  return all;
}
