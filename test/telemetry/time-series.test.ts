// The time series of the last hour, and the quantiles that it uses: src/telemetry/time-series.ts and
// src/lib/histogram.ts.
import t from "tap";
import { Histogram, quantile } from "../../src/lib/histogram.ts";
import { gauge, type Metric } from "../../src/lib/metrics.ts";
import { TimeSeries } from "../../src/telemetry/time-series.ts";

t.test("Estimates quantiles as Prometheus does from the same buckets", async (t) => {
  const histogram = new Histogram([1, 2, 4]);
  t.equal(quantile(0.5, histogram.bounds, histogram.counts), null);
  for (const value of [0.5, 1, 1.5, 2, 3, 3, 3, 4]) histogram.observe(value);
  t.same([histogram.counts, histogram.sum], [[2, 2, 4, 0], 18]);
  t.equal(quantile(0.5, histogram.bounds, histogram.counts), 2);
  t.equal(quantile(0.75, histogram.bounds, histogram.counts), 3);
  histogram.observe(100);
  t.equal(quantile(0.99, histogram.bounds, histogram.counts), 4, "the last bound, if the value exceeds all bounds");
});

t.test("Keeps one point per step for at most an hour, also if the clock is set back", async (t) => {
  const metrics = (calls: number, failed: number): readonly Metric[] => {
    const labels = { operation: "listPets", method: "GET" };
    const bucket = (le: string, value: number) => ({
      metricName: "x_bucket",
      labels: { operation: "listPets", le },
      value,
    });
    const shared = { help: "", type: "counter", aggregator: "sum" } as const;
    return [
      {
        ...shared,
        name: "petstore_requests_total",
        values: [
          { labels: { ...labels, status: "200" }, value: calls },
          { labels: { ...labels, status: "503" }, value: failed },
        ],
      },
      {
        ...shared,
        name: "petstore_request_duration_seconds",
        values: [bucket("0.001", calls), bucket("0.002", calls + failed), bucket("+Inf", calls + failed)],
      },
      gauge("process_resident_memory_bytes", "", calls),
    ];
  };
  const sample = (at: number, metrics: readonly Metric[] = []) => ({ at, elapsed: at, metrics });
  const series = new TimeSeries(sample(0));
  series.add(sample(10_000, metrics(20, 0)));
  series.add(sample(20_000, metrics(20, 0)));
  series.add(sample(30_000, metrics(40, 20)));
  t.match(series.list(sample(40_000, metrics(40, 20))), {
    times: [10, 20, 30],
    operations: [
      {
        id: "listPets",
        now: { rate: 1.5, failed: 0.5, p50: 0.75, p99: 1.97 },
        rate: [2, 0, 4],
        p50: [0.5, null, 1],
        p99: [0.99, null, 1.98],
      },
    ],
    rejected: [0, 0, 0],
    failed: [0, 0, 2],
    store: { p50: [null, null, null], p99: [null, null, null] },
    process: { cpu: [0, 0, 0], memory: [20, 20, 40], delay: [0, 0, 0], inFlight: [0, 0, 0] },
  });
  for (let step = 4; step <= 500; step++) series.add(sample(step * 10_000, metrics(40, 20)));
  const last = series.list(sample(5_000_000, metrics(40, 20)));
  t.same([last.times.length, last.times[0], last.times.at(-1)], [361, 1_400, 5_000]);
  t.same(
    last.operations[0]?.now,
    { rate: 0, failed: 0, p50: null, p99: null },
    "requests older than a minute are not in the current rate",
  );

  // The clock is set back by an hour.
  series.add({ at: 1_400_000, elapsed: 5_010_000, metrics: metrics(50, 20) });
  const back = series.list({ at: 1_405_000, elapsed: 5_015_000, metrics: metrics(50, 20) });
  t.same([back.times, back.operations[0]?.rate], [[1_400], [1]], "no point is in the future");
  t.match(back.operations[0]?.now, { rate: 0.154 }, "rates use the monotonic clock");
});

t.test("An operation has no requests before its first metrics", async (t) => {
  const value = { labels: { operation: "listPets", method: "GET", status: "200" }, value: 20 };
  const shared = { help: "", type: "counter", aggregator: "sum" } as const;
  const series = new TimeSeries({ at: 0, elapsed: 0, metrics: [] });
  series.add({ at: 10_000, elapsed: 10_000, metrics: [] });
  const sample = {
    at: 20_000,
    elapsed: 20_000,
    metrics: [{ ...shared, name: "petstore_requests_total", values: [value] }],
  };
  series.add(sample);
  t.match(series.list(sample).operations, [{ id: "listPets", rate: [0, 2], p50: [null, null], p99: [null, null] }]);
});
