// Scrapes /metrics, and parses Prometheus' text format.
import type { Service } from "./service.ts";
import { until } from "./wait.ts";

/** Values by series. The key is the name of the metric with its labels. */
export type Series = Record<string, number>;

/** Parses the text format, without its comments. */
export function parseSeries(text: string): Series {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(lines.map((line) => [line.replace(/ [^ ]*$/, ""), Number(line.replace(/^.* /, ""))]));
}

/** Returns the series of a metric that are not 0, by their labels. */
export function nonzero(series: Series, name: string): Series {
  const own = Object.entries(series).filter(([line, value]) => line.replace(/\{.*/, "") === name && value !== 0);
  return Object.fromEntries(own.map(([line, value]) => [line.slice(name.length), value]));
}

/** The settings of a service whose /metrics can be read without a key. */
export const openMetrics = { METRICS_FROM: "127.0.0.0/8" };

/** Reads /metrics of a service with the settings `openMetrics`. Throws an Error if the response is not 200 in the text format. */
export async function scrape({ call }: Pick<Service, "call">): Promise<Series> {
  const { status, text, headers } = await call("GET", "/metrics", { key: null });
  if (status !== 200) throw new Error(`no metrics: ${status} ${text}`);
  const type = headers["content-type"];
  if (type !== "text/plain; version=0.0.4; charset=utf-8") throw new Error(`unexpected media type: ${type}`);
  return parseSeries(text);
}

/** Scrapes until the metrics are as expected, because the service counts a request after it has sent the response. */
export async function scrapeUntil(
  service: Pick<Service, "call">,
  isExpected: (series: Series) => boolean,
): Promise<Series> {
  let series: Series = {};
  return until(
    async () => {
      series = await scrape(service);
      return isExpected(series) ? series : undefined;
    },
    () => `unexpected metrics: ${JSON.stringify(series, null, 2)}`,
  );
}
