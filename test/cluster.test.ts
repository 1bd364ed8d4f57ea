// The releases of the primary and its workers: src/cluster.ts. test/system/workers.test.ts tests the processes.
import t from "tap";
import { checkRelease } from "../src/cluster.ts";
import { version } from "../src/lib/version.ts";

t.test("Logs if a worker runs another release than the primary", async (t) => {
  const lines: object[] = [];
  const log = { warn: (details: object) => lines.push(details) };
  checkRelease(version, log as never);
  checkRelease("9.8.7", log as never);
  t.same(lines, [{ worker: "9.8.7", primary: version }]);
});
