// The latest failures of all processes.
import t from "tap";
import { RecentFailures } from "../../src/telemetry/recent-failures.ts";
import { addKey, start } from "../support/service.ts";

const failure = (at: number) => ({ at, operation: "other", status: 404, code: "path_not_found", id: `${at}` });

t.test("Keeps the last 20 failures of several processes, the latest first", async (t) => {
  const [one, all] = [new RecentFailures(), new RecentFailures()];
  for (let at = 1; at <= 30; at++) one.add(failure(at));
  const drained = one.drain();
  t.same(
    drained.map(({ at }) => at),
    Array.from({ length: 20 }, (_, index) => 30 - index),
  );
  t.same(one.list(), []);
  all.add(failure(25.5), failure(10.5));
  all.add(...drained);
  t.same(
    all.list().map(({ at }) => at),
    [30, 29, 28, 27, 26, 25.5, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12],
  );
});

t.test("Keeps the last 10 failures with 5xx, however many requests fail with 4xx", (t) => {
  const failures = new RecentFailures();
  for (let at = 1; at <= 12; at++) failures.add({ ...failure(at), status: 500, code: "internal_error" });
  for (let at = 13; at <= 60; at++) failures.add(failure(at));
  t.same(
    failures.list().map(({ at }) => at),
    [60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
  );
  t.end();
});

t.test("/status.json has the operation, the code and the request id of the last failures", async (t) => {
  const service = await start(t);
  const operator = await addKey(service.store, "operator", undefined, true);
  await service.call("GET", "/v1/pets/42");
  const { headers } = await service.call("GET", "/v1/pets?limit=0");
  await service.raw("GET /v1/pets HTTP/1.1\r\nHost x\r\n\r\n");
  const { body } = await service.call("GET", "/status.json", { key: operator });
  const { failures, statuses } = body as { failures: Record<string, unknown>[]; statuses: { status: string }[] };
  t.same(
    failures.map(({ operation, status, code }) => [operation, status, code]),
    [
      ["other", 400, "malformed_request"],
      ["listPets", 400, "invalid_parameter"],
      ["getPet", 404, "pet_not_found"],
    ],
  );
  t.equal(failures[1]?.id, headers["x-request-id"]);
  t.same(statuses.map(({ status }) => status).sort(), ["400", "404"]);
});
