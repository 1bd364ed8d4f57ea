// Counts the API keys in use, and the calls of deprecated operations by key.
import { counter, gauge, type Metric } from "../../lib/index.ts";

const maxSeries = 1_000; // of deprecated operations by key; further keys are counted as `otherName`
const otherName = "(other)"; // not a valid name of a key
const activePeriod = 300_000; // milliseconds

/** Counts by the name of the key. */
export class CallerActivity {
  readonly #name: string;
  readonly #now: () => number;
  readonly #lastUses = new Map<string, number>();
  readonly #deprecated = new Map<string, { operation: string; key: string; calls: number }>();

  /** `name` is that of the service. `now` returns milliseconds of a monotonic clock. */
  constructor(name: string, now = () => performance.now()) {
    this.#name = name;
    this.#now = now;
  }

  /** Records that the key `name` was used. */
  recordUse(name: string): void {
    this.#lastUses.set(name, this.#now());
  }

  /** Adds `count` calls of a deprecated operation. The name is empty for calls without a key. */
  recordDeprecatedCalls(operation: string, name: string, count: number): void {
    const toId = (key: string) => `${operation} ${key}`;
    const key = this.#deprecated.has(toId(name)) || this.#deprecated.size < maxSeries ? name : otherName;
    const calls = count + (this.#deprecated.get(toId(key))?.calls ?? 0);
    this.#deprecated.set(toId(key), { operation, key, calls });
  }

  /** Returns the metrics of all keys. Removes keys that are no longer active. */
  metrics(): Metric[] {
    const since = this.#now() - activePeriod;
    for (const [name, at] of this.#lastUses) if (at < since) this.#lastUses.delete(name);
    const deprecated = [...this.#deprecated.values()];
    return [
      gauge(`${this.#name}_keys_active`, "API keys that were used in the last five minutes.", this.#lastUses.size),
      counter(
        `${this.#name}_deprecated_calls_total`,
        "Calls of deprecated operations by operation and name of the API key, which is (other) beyond 1,000 series.",
        deprecated.map(({ operation, key, calls }) => ({ labels: { operation, key }, value: calls })),
      ),
    ];
  }
}
