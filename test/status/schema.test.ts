// Validation of /status.json: src/status/schema.ts.
import t from "tap";
import { parseStatus } from "../../src/status/schema.ts";
import { exampleStatus } from "../support/status-page.ts";

t.test("Accepts a status, without members of a newer service", async (t) => {
  t.same(parseStatus(structuredClone(exampleStatus)), exampleStatus);
  const newer = structuredClone({ ...exampleStatus, region: "eu" });
  Object.assign(newer.service, { region: "eu" });
  t.same(parseStatus(newer), exampleStatus);
});

t.test("Rejects a value that is not a status", async (t) => {
  const { at, ...withoutTime } = exampleStatus;
  for (const value of [
    undefined,
    null,
    [],
    {},
    withoutTime,
    { ...exampleStatus, at: "yesterday" },
    { ...exampleStatus, times: [null] },
    { ...exampleStatus, keys: [{ name: "alice", calls: "3", rate: 0 }] },
  ])
    t.equal(parseStatus(value), undefined, JSON.stringify(value));
});
