// Waits for the counts of deprecated calls, which a service writes to its store once a second.

import type { Store } from "../../src/store/port.ts";
import { until } from "./wait.ts";

/** Waits until the store has recorded exactly `expected` calls of deprecated operations. */
export async function untilWritten({ deprecated }: Pick<Store, "deprecated">, expected: number): Promise<void> {
  let calls = 0n;
  await until(
    async () => {
      calls = (await deprecated.list(0n)).reduce((sum, { count }) => sum + count, 0n);
      return calls === BigInt(expected) ? true : undefined;
    },
    () => `${calls} of ${expected} calls of deprecated operations are recorded`,
  );
}
