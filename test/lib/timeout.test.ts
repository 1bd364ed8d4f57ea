// Timeouts of asynchronous operations.
import t from "tap";
import { withTimeout } from "../../src/lib/timeout.ts";
import { UnavailableError } from "../../src/lib/unavailable-error.ts";

const tooLate = "The store did not respond.";

t.test("Settles as the operation does if it is in time", async (t) => {
  t.equal(await withTimeout(Promise.resolve(1), 10_000, tooLate), 1);
  await t.rejects(withTimeout(Promise.reject(new RangeError("failed")), 10_000, tooLate), new RangeError("failed"));
});

t.test("Leaves no timer behind", async (t) => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = countTimers();
  const operation = withTimeout(new Promise((resolve) => setImmediate(resolve)), 10_000, tooLate);
  t.equal(countTimers(), before + 1);
  await operation;
  t.equal(countTimers(), before);
});

t.test("Rejects with UnavailableError after the timeout", async (t) => {
  const error: unknown = await withTimeout(new Promise(() => {}), 10, tooLate).catch((error) => error);
  t.type(error, UnavailableError);
  t.match(error, { message: tooLate });
});

t.test("Handles a rejection of the operation after the timeout", async (t) => {
  const { promise, reject } = Promise.withResolvers<never>();
  await t.rejects(withTimeout(promise, 10, tooLate), { message: tooLate });
  // An unhandled rejection would end the process of the test.
  reject(new Error("too late"));
  await new Promise((resolve) => setImmediate(resolve));
});
