// The summary of the metrics at /status.json: src/operate/status.ts.
import t from "tap";
import { version } from "../../src/lib/version.ts";
import { readDocument } from "../../src/pets/document.ts";
import { addKey, start } from "../support/service.ts";
import { until } from "../support/wait.ts";

const { content } = await readDocument();

t.test("Summarizes the requests since the start at /status.json, without a query of the store", async (t) => {
  const before = Date.now();
  const { call, create, store } = await start(t);
  const key = await addKey(store, "op", undefined, true);
  const read = async () => (await call("GET", "/status.json", { key })).body as Record<string, unknown>;
  const first = await read();
  const none = { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 };
  t.match(first, { requests: none, latency: { p50: null, p95: null } });
  await create({ name: "Rex", categoryId: 7 });
  for (const path of ["/v1/pets/1", "/v1/pets/2", "/nope"]) await call("GET", path);
  await call("GET", "/", { key: null });
  const expected = { ...none, "2xx": 3, "3xx": 1, "4xx": 2 }; // with the first call of /status.json
  const status = await until(
    async () => {
      const { requests, ...others } = (await read()) as { requests: Record<string, number> };
      if ((requests["4xx"] as number) < 2) return undefined;
      return { ...others, requests: { ...requests, "2xx": Math.min(requests["2xx"] as number, 3) } };
    },
    () => "the requests are not counted",
  );
  t.match(status, {
    version,
    contract: content.info.version,
    store: "sqlite",
    workers: 1,
    uptime: Number,
    requests: expected,
    latency: { p50: Number, p95: Number },
  });
  const { started, latency } = status as unknown as { started: string; latency: { p50: number; p95: number } };
  const age = Date.parse(started) - before;
  t.ok(age >= 0 && age <= Date.now() - before, started);
  t.ok(latency.p50 > 0 && latency.p95 >= latency.p50, JSON.stringify(latency));
});
