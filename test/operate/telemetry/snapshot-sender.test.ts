// Snapshots of the metrics of a process: src/operate/telemetry/snapshot-sender.ts.
import { setImmediate as tick } from "node:timers/promises";
import t, { type Test } from "tap";
import { UnavailableError } from "../../../src/lib/problem.ts";
import { aggregateLocally } from "../../../src/operate/telemetry/aggregation.ts";
import { SnapshotSender } from "../../../src/operate/telemetry/snapshot-sender.ts";
import { until } from "../../support/wait.ts";

const unavailable = new Error("not available");

t.test("Coalesces all calls that arrive while a snapshot is sent", async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { sender, snapshots } = createSender(t, () => promise);
  const first = sender.send();
  await tick();
  const others = [sender.send(), sender.send(), sender.send()];
  await tick();
  t.equal(snapshots(), 1, "the others wait");
  resolve();
  await Promise.all([first, ...others]);
  t.equal(snapshots(), 2);
});

t.test("Sends again after a failure", async (t) => {
  const results = [Promise.reject(unavailable), Promise.resolve()];
  const { sender } = createSender(t, () => results.shift() as Promise<void>);
  await t.rejects(sender.send(), unavailable);
  await sender.send();
});

t.test("Rejects with UnavailableError if the aggregator does not respond within a second", async (t) => {
  const { sender } = createSender(t, () => new Promise(() => {}));
  await t.rejects(sender.send(), new UnavailableError("The metrics of all processes are not available."));
});

t.test("Sends every second, and reports failures", async (t) => {
  const { snapshots, errors } = createSender(t, () => Promise.reject(unavailable));
  await until(
    () => errors.length > 1,
    () => `${snapshots()} snapshots`,
  );
  t.match(errors, [unavailable, unavailable]);
});

t.test("Sends a last snapshot when it is closed", async (t) => {
  const { sender, snapshots } = createSender(t, async () => {});
  await sender.close();
  t.equal(snapshots(), 1);
});

/** Creates a sender, and an aggregator that passes each snapshot to `update`. */
function createSender(t: Test, update: () => Promise<void>) {
  const errors: unknown[] = [];
  let snapshots = 0;
  const sender = new SnapshotSender(
    async () => ({ metrics: [], keys: [], deprecated: [] }),
    {
      ...aggregateLocally("petstore"),
      update: () => {
        snapshots += 1;
        return update();
      },
    },
    (error) => errors.push(error),
  );
  t.teardown(() => sender.close());
  return { sender, errors, snapshots: () => snapshots };
}
