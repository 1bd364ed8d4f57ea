// The charts of the status page as data and text: src/status/web/chart-data.js.
import t from "tap";
import { describeCurrentValues, describeMaximum, toCharts } from "../../../src/status/web/chart-data.js";
import { exampleStatus as status, withHour } from "../../support/status-page.ts";

const find = (title: string, shown = status, minutes = 60) => {
  const chart = toCharts(shown, minutes).charts.find((one) => one.title === title);
  if (chart === undefined) throw new Error(`no chart ${title}`);
  return chart;
};

t.test("Describes the highest value of a chart, and its time", async (t) => {
  t.match(describeMaximum(find("Requests"), status.times), /^Highest: 1 \/s at \d\d:\d\d\.$/);
  t.match(describeMaximum(find("Errors"), status.times), /^Highest: rejected \(4xx\) 1 \/s at \d\d:\d\d\.$/);
});

t.test("Describes a chart without data", async (t) => {
  t.equal(describeMaximum(find("Latency, p99"), status.times), "No requests in the last hour.");
  t.equal(describeMaximum(find("Event loop delay"), status.times), "No delay in the last hour.");
});

t.test("Shows the last 5, 15 or 60 minutes", async (t) => {
  const hour = withHour(status, []);
  for (const [minutes, points] of [
    [5, 31],
    [15, 91],
    [60, 361],
  ] as const) {
    const { charts, times } = toCharts(hour, minutes);
    t.same(times, hour.times.slice(-points));
    for (const { seconds } of charts) t.equal(seconds, minutes * 60);
    for (const { series } of charts) for (const { values } of series) t.equal(values.length, points);
  }
  t.equal(find("Latency, p99", status, 5).emptyText, "No requests in the last 5 minutes.");
  t.same(toCharts({ ...status, times: [] }, 5).times, [], "before the first point");
});

t.test("Describes the current values of a chart", async (t) => {
  t.equal(describeCurrentValues(find("Requests")), "Now: listPets 1 /s.");
  t.equal(describeCurrentValues(find("Latency, p99")), "Now: listPets no requests.");
  t.equal(describeCurrentValues(find("Errors")), "Now: rejected (4xx) 1 /s, failed (5xx) 0 /s.");
});

t.test("Averages the rates of errors over the last minute", async (t) => {
  const rejected = [100, 0, 0, 0, 0, 0, 3];
  t.equal(find("Errors", { ...status, rejected }).series[0]?.current, 0.5);
});
