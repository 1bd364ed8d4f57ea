// Publication of the metrics of a process: src/telemetry/metrics-publisher.ts.
import { setImmediate as tick } from "node:timers/promises";
import t, { type Test } from "tap";
import { UnavailableError } from "../../src/lib/unavailable-error.ts";
import { aggregateLocally } from "../../src/telemetry/aggregation.ts";
import { MetricsPublisher } from "../../src/telemetry/metrics-publisher.ts";
import { until } from "../support/wait.ts";

const unavailable = new Error("not available");

t.test("Coalesces all calls that arrive while a snapshot is published", async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { publisher, publications } = createPublisher(t, () => promise);
  const first = publisher.publish();
  await tick();
  const others = [publisher.publish(), publisher.publish(), publisher.publish()];
  await tick();
  t.equal(publications(), 1, "the others wait");
  resolve();
  await Promise.all([first, ...others]);
  t.equal(publications(), 2);
});

t.test("Publishes again after a failure", async (t) => {
  const results = [Promise.reject(unavailable), Promise.resolve()];
  const { publisher } = createPublisher(t, () => results.shift() as Promise<void>);
  await t.rejects(publisher.publish(), unavailable);
  await publisher.publish();
});

t.test("Rejects with UnavailableError if the hub does not respond within a second", async (t) => {
  const { publisher } = createPublisher(t, () => new Promise(() => {}));
  await t.rejects(publisher.publish(), new UnavailableError("The metrics of all processes are not available."));
});

t.test("Publishes every second, and reports failures", async (t) => {
  const { publications, errors } = createPublisher(t, () => Promise.reject(unavailable));
  await until(
    () => (errors.length > 1 ? true : undefined),
    () => `${publications()} publications`,
  );
  t.match(errors, [unavailable, unavailable]);
});

t.test("Publishes a last snapshot when it is closed, and closes the hub", async (t) => {
  const { publisher, publications, isClosed } = createPublisher(t, async () => {});
  await publisher.close();
  t.equal(publications(), 1);
  t.ok(isClosed());
});

/** Creates a publisher, and a hub that passes each snapshot to `publish`. */
function createPublisher(t: Test, publish: () => Promise<void>) {
  const errors: unknown[] = [];
  let publications = 0;
  let closed = false;
  const hub = aggregateLocally(() => {});
  const publisher = new MetricsPublisher(
    async () => ({ metrics: [], calls: [], deprecated: [], failures: [] }),
    {
      ...hub,
      publish: () => {
        publications += 1;
        return publish();
      },
      close: () => {
        hub.close();
        closed = true;
      },
    },
    (error) => errors.push(error),
  );
  t.teardown(() => publisher.close());
  return { publisher, errors, publications: () => publications, isClosed: () => closed };
}
