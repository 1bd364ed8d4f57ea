// Formats the results of the comparison, and checks its goals.
import { type ContenderId, contenders } from "./contenders.ts";
import type { WorkloadResult } from "./servers.ts";
import { createWorkloads, type WorkloadId } from "./workloads.ts";

const workloads = createWorkloads("");

/** The result of one contender, one workload and one round. */
export interface Measurement extends WorkloadResult {
  readonly contender: ContenderId;
  readonly workload: WorkloadId;
}

/** The start time of a server in milliseconds, and its resident memory in megabytes. */
export interface ProcessStats {
  readonly startTime: number;
  readonly idleMemory: number;
  readonly peakMemory: number;
}

/** The results of the comparison. */
export interface Results {
  readonly measurements: readonly Measurement[];
  readonly processes: Readonly<Partial<Record<ContenderId, ProcessStats>>>;
}

type MetricName = "cpu" | "rate" | "p50" | "p99";
type Metric = readonly [MetricName, ContenderId, WorkloadId];

/** A limit of the median ratio of two metrics, over all rounds. */
interface Goal {
  readonly name: string;
  readonly numerator: Metric;
  readonly denominator: Metric;
  readonly max?: number;
  readonly min?: number;
}

const frameworks: ContenderId[] = ["glue", "openapiBackend", "expressValidator", "hono", "nest"];
const reads: WorkloadId[] = ["get", "list20"];

const maxCpuRatios = [
  ["get", "fastify", 1.25],
  ["get", "ready", 2],
  ["list20", "fastify", 0.9],
  ["list20", "ready", 3],
] as const;

const goals: Goal[] = [
  ...maxCpuRatios.map(
    ([workload, contender, max]): Goal => ({
      name: `${workloads[workload].name}: CPU to ${contenders[contender].name}`,
      numerator: ["cpu", "sqlite", workload],
      denominator: ["cpu", contender, workload],
      max,
    }),
  ),
  ...reads.flatMap((workload) =>
    frameworks.map(
      (contender): Goal => ({
        name: `${workloads[workload].name}: requests a second to ${contenders[contender].name}`,
        numerator: ["rate", "sqlite", workload],
        denominator: ["rate", contender, workload],
        min: 3,
      }),
    ),
  ),
  ...(["unauthorized", "badRequest"] as const).map(
    (workload): Goal => ({
      name: `${workloads[workload].name}: CPU to a get`,
      numerator: ["cpu", "sqlite", workload],
      denominator: ["cpu", "sqlite", "get"],
      max: 1,
    }),
  ),
  {
    name: "create, 64 at once: CPU to a get",
    numerator: ["cpu", "sqlite", "create64"],
    denominator: ["cpu", "sqlite", "get"],
    max: 1.6,
  },
  {
    name: "create, 64 at once: rate to a get",
    numerator: ["rate", "sqlite", "create64"],
    denominator: ["rate", "sqlite", "get"],
    min: 0.6,
  },
  {
    name: "create, 64 at once: rate to one sync each",
    numerator: ["rate", "sqlite", "create64"],
    denominator: ["rate", "fastify", "create64"],
    min: 3,
  },
];

// Returns the median and the quartiles.
function summarize(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (quantile: number) => sorted[Math.round((sorted.length - 1) * quantile)] as number;
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/** Returns the goals that the measurements cover, with the measured ratio. */
export function checkGoals(measurements: readonly Measurement[]) {
  const select = ([name, contender, workload]: Metric) =>
    measurements.filter((one) => one.contender === contender && one.workload === workload).map((one) => one[name]);
  return goals.flatMap(({ numerator, denominator, ...goal }) => {
    const [above, below] = [select(numerator), select(denominator)];
    if (above.length === 0 || below.length === 0) return [];
    const ratio = summarize(above.map((value, round) => value / (below[round] as number)));
    const isMet = ratio.median <= (goal.max ?? Number.POSITIVE_INFINITY) && ratio.median >= (goal.min ?? 0);
    return [{ ...goal, ratio, isMet }];
  });
}

const format = (value: number) => value.toLocaleString("en-US", { maximumSignificantDigits: value < 100 ? 2 : 3 });

/** Formats a table in Markdown. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Formats the results as Markdown tables. */
export function formatTables({ measurements, processes }: Results): string {
  const ids = (Object.keys(contenders) as ContenderId[]).filter((id) => processes[id]);
  const measured = (Object.keys(workloads) as WorkloadId[]).filter((id) =>
    measurements.some(({ workload }) => workload === id),
  );
  const section = (title: string, formatCell: (values: readonly Measurement[]) => string) => {
    const rows = ids.map((id) => [
      contenders[id].name,
      ...measured.map((workload) => {
        const found = measurements.filter((one) => one.contender === id && one.workload === workload);
        return found.length === 0 ? "" : formatCell(found);
      }),
    ]);
    return `${title}\n\n${formatTable(["", ...measured.map((id) => workloads[id].name)], rows)}`;
  };
  const formatMedian = (values: readonly Measurement[], name: MetricName) => {
    const { median, low, high } = summarize(values.map((one) => one[name]));
    return `${format(median)} ±${format(((high - low) / 2 / median) * 100)} %`;
  };
  const isLimitedByGenerator = (values: readonly Measurement[]) =>
    summarize(values.map((one) => one.utilization)).median > 0.95;
  const median = (values: readonly Measurement[], name: MetricName) => summarize(values.map((one) => one[name])).median;
  return [
    formatTable(
      ["ratio", "goal", "measured", ""],
      checkGoals(measurements).map(({ name, max, min, ratio, isMet }) => [
        name,
        max === undefined ? `at least ${min}` : `at most ${max}`,
        `${ratio.median.toFixed(2)} (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`,
        isMet ? "met" : "**not met**",
      ]),
    ),
    section("CPU time of the server for each request, in microseconds:", (values) => formatMedian(values, "cpu")),
    section(
      "Requests per second; ≥ if the load generator was the bottleneck:",
      (values) => `${isLimitedByGenerator(values) ? "≥ " : ""}${formatMedian(values, "rate")}`,
    ),
    section(
      "Latency in milliseconds, median and 99th percentile:",
      (values) => `${format(median(values, "p50"))} / ${format(median(values, "p99"))}`,
    ),
    formatTable(
      ["", "first response, ms after the start", "idle memory, MB", "peak memory, MB"],
      ids.map((id) => {
        const { startTime, idleMemory, peakMemory } = processes[id] as ProcessStats;
        return [contenders[id].name, format(startTime), format(idleMemory), format(peakMemory)];
      }),
    ),
  ].join("\n\n");
}

/** Formats the CPU time of reads as a bar chart in SVG, for light and dark backgrounds. */
export function formatChart({ measurements, processes }: Results): string {
  const ids = (Object.keys(contenders) as ContenderId[]).filter((id) => processes[id]);
  const bars = reads.flatMap((workload) =>
    ids.map((contender) => {
      const found = measurements.filter((one) => one.contender === contender && one.workload === workload);
      return { workload, contender, cpu: summarize(found.map((one) => one.cpu)).median };
    }),
  );
  const maxCpu = Math.max(...bars.map(({ cpu }) => cpu));
  const [left, width, lineHeight, headHeight] = [230, 420, 22, 40];
  const groupHeight = ids.length * lineHeight + headHeight;
  const groups = reads.map((workload, group) => {
    const top = group * groupHeight;
    const rows = bars
      .filter((bar) => bar.workload === workload)
      .map(({ contender, cpu }, row) => {
        const y = top + headHeight + row * lineHeight;
        const length = (cpu / maxCpu) * width;
        const kind = contender in { sqlite: 1, logging: 1, postgres: 1 } ? "ours" : "other";
        return `<text x="${left - 8}" y="${y + 12}" text-anchor="end">${contenders[contender].name}</text>
<rect class="${kind}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="16" rx="2"/>
<text x="${(left + length + 6).toFixed(1)}" y="${y + 12}">${format(cpu)}</text>`;
      });
    const title = `${workloads[workload].name}: CPU time for each request, µs`;
    return `<text class="title" x="0" y="${top + 24}">${title}</text>\n${rows.join("\n")}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 60} ${groupHeight * reads.length}" font-family="system-ui, sans-serif" font-size="13">
<style>
text { fill: #333 } .title { font-weight: 600 } .ours { fill: #1a7f5a } .other { fill: #9aa5b1 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .ours { fill: #3fbf8f } .other { fill: #66707c } }
</style>
${groups.join("\n")}
</svg>
`;
}
