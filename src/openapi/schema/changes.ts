// What becomes of a valid value: its conversions and default values.
import { setOwn } from "../../lib/index.ts";

/** A change of a valid value. A list has those of a part to which several schemas apply: they are made once. */
export type Change = Replacement | (() => void) | readonly Change[];

interface Replacement {
  readonly holder: object;
  readonly key: string | number;
  readonly value: unknown;
  /** Whether it is made only if no other one replaces the same value. */
  readonly isWeak: boolean;
}

/** Makes changes. Those that are weak come first, so that others prevail. */
export function makeChanges(changes: readonly Change[]): void {
  makeEach(changes, new Set(), true);
  makeEach(changes, new Set(), false);
}

function makeEach(changes: readonly Change[], made: Set<readonly Change[]>, isWeak: boolean): void {
  made.add(changes);
  for (const change of changes)
    if (typeof change === "function") {
      if (!isWeak) change();
    } else if ("holder" in change) {
      if (change.isWeak === isWeak) setOwn(change.holder, change.key, change.value);
    } else if (!made.has(change)) makeEach(change, made, isWeak);
}
