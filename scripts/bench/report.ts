// Formats the results of the comparison, and checks its goals.
import { type ContenderId, contenders } from "./contenders.ts";
import type { WorkloadResult } from "./servers.ts";
import { type WorkloadId, workloads } from "./workloads.ts";

/** The result of one contender, one workload and one round. */
export interface Measurement extends WorkloadResult {
  readonly contender: ContenderId;
  readonly workload: WorkloadId;
}

/** The times of the starts of a server in milliseconds, and its resident memory in megabytes. */
export interface ProcessStats {
  readonly startTimes: readonly number[];
  /** The CPU time for each request in the first runs after the start, of its first workload, in microseconds. */
  readonly firstRuns: readonly number[];
  readonly idleMemory: number;
  readonly peakMemory: number;
}

/** The results of the comparison. */
export interface Results {
  readonly measurements: readonly Measurement[];
  readonly processes: Readonly<Partial<Record<ContenderId, ProcessStats>>>;
}

type MetricName = "cpu" | "rate" | "p50" | "p99";
type Run = readonly [ContenderId, WorkloadId];

// The largest allowed ratio of the CPU time of two runs.
const maxCpuRatios: readonly (readonly [numerator: Run, denominator: Run, max: number])[] = [
  [["sqlite", "get"], ["features", "get"], 1],
  [["sqlite", "list20"], ["features", "list20"], 1],
  [["sqlite", "list100"], ["features", "list100"], 1],
  [["sqlite", "get"], ["fastify", "get"], 1.4],
  [["sqlite", "getAfterSilence"], ["fastify", "getAfterSilence"], 1.82], // 1.3 times the limit of the steady state
  [["sqlite", "list20"], ["fastify", "list20"], 1.05],
  [["sqlite", "list100"], ["fastify", "list100"], 0.75],
  [["sqlite", "hotGet"], ["fastify", "hotGet"], 1.4],
  [["sqlite", "hotList20"], ["fastify", "hotList20"], 1.05],
  [["postgres", "get1"], ["fastifyPostgres", "get1"], 1.2],
  [["postgres", "list20"], ["fastifyPostgres", "list20"], 1.2],
  [["sqlite", "create1"], ["fastify", "create1"], 1.5],
  [["sqlite", "create64"], ["sqlite", "get"], 1.6],
  [["sqlite", "unauthorized"], ["sqlite", "get"], 1],
  [["sqlite", "badRequest"], ["sqlite", "get"], 1],
];
// Relative to Fastify by hand.
const maxStartRatios = { sqlite: 2.1, bundle: 1.6 } as const; // of the medians
const maxMemoryRatio = 1.15; // resident memory when idle

/** A goal, as cells of a table, and whether it is met. */
interface CheckedGoal {
  readonly name: string;
  readonly goal: string;
  readonly measured: string;
  readonly isMet: boolean;
}

/** Returns the median and the quartiles of at least one value. */
export function summarize(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (quantile: number) => {
    const position = (sorted.length - 1) * quantile;
    const [below, above] = [sorted[Math.floor(position)] as number, sorted[Math.ceil(position)] as number];
    return below + (above - below) * (position % 1);
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/** Checks the goals that the results cover. */
export function checkGoals({ measurements, processes }: Results): CheckedGoal[] {
  const select = ([contender, workload]: Run) =>
    measurements.filter((one) => one.contender === contender && one.workload === workload).map(({ cpu }) => cpu);
  const ratios = maxCpuRatios.flatMap(([numerator, denominator, max]) => {
    const [above, below] = [select(numerator), select(denominator)];
    if (above.length === 0 || below.length === 0) return [];
    const { median, low, high } = summarize(above.map((cpu, round) => cpu / (below[round] as number)));
    const [[contender, workload], [otherContender, otherWorkload]] = [numerator, denominator];
    const other = contender === otherContender ? workloads[otherWorkload].name : contenders[otherContender].name;
    return {
      name: `${contenders[contender].name}, ${workloads[workload].name}: CPU relative to ${other}`,
      goal: `at most ${max}`,
      measured: `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
      isMet: median <= max,
    };
  });
  const { fastify } = processes;
  if (fastify === undefined) return ratios;
  type Read = (stats: ProcessStats) => number;
  const check = (id: ContenderId, name: string, max: number, unit: string, read: Read): CheckedGoal[] => {
    const stats = processes[id];
    if (stats === undefined) return [];
    const [value, other] = [read(stats), read(fastify)];
    return [
      {
        name: `${contenders[id].name}: ${name} relative to ${contenders.fastify.name}`,
        goal: `at most ${max}`,
        measured: `${(value / other).toFixed(2)} (${format(value)} and ${format(other)} ${unit})`,
        isMet: value / other <= max,
      },
    ];
  };
  const start = `first response, median of ${fastify.startTimes.length} starts`;
  return [
    ...ratios,
    ...(["sqlite", "bundle"] as const).flatMap((id) =>
      check(id, start, maxStartRatios[id], "ms", ({ startTimes }) => summarize(startTimes).median),
    ),
    ...check("sqlite", "resident memory when idle", maxMemoryRatio, "MB", ({ idleMemory }) => idleMemory),
  ];
}

const format = (value: number) => value.toLocaleString("en-US", { maximumSignificantDigits: value < 100 ? 2 : 3 });

/** Formats a table in Markdown. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Formats the goals, and whether they are met, as a Markdown table. */
export function formatGoals(results: Results): string {
  const rows = checkGoals(results).map(({ name, goal, measured, isMet }) => [
    name,
    goal,
    measured,
    isMet ? "met" : "**not met**",
  ]);
  return formatTable(["goal", "limit", "measured", ""], rows);
}

/** Formats the results as Markdown tables. */
export function formatTables(results: Results): string {
  const { measurements, processes } = results;
  const ids = (Object.keys(contenders) as ContenderId[]).filter((id) => processes[id]);
  const measuredWorkloads = (Object.keys(workloads) as WorkloadId[]).filter((id) =>
    measurements.some(({ workload }) => workload === id),
  );
  const section = (title: string, formatCell: (values: readonly Measurement[]) => string) => {
    const rows = ids.map((id) => [
      contenders[id].name,
      ...measuredWorkloads.map((workload) => {
        const found = measurements.filter((one) => one.contender === id && one.workload === workload);
        return found.length === 0 ? "" : formatCell(found);
      }),
    ]);
    return `${title}\n\n${formatTable(["", ...measuredWorkloads.map((id) => workloads[id].name)], rows)}`;
  };
  const formatMedian = (values: readonly Measurement[], name: MetricName) => {
    const { median, low, high } = summarize(values.map((one) => one[name]));
    return `${format(median)} ±${format(((high - low) / 2 / median) * 100)} %`;
  };
  const isLimitedByGenerator = (values: readonly Measurement[]) =>
    summarize(values.map((one) => one.utilization)).median > 0.95;
  const median = (values: readonly Measurement[], name: MetricName) => summarize(values.map((one) => one[name])).median;
  return [
    section("CPU time of the server for each request, in microseconds:", (values) => formatMedian(values, "cpu")),
    section(
      "Requests per second (≥ if the load generator was the bottleneck), and the p50 / p99 of their latency in milliseconds:",
      (values) => {
        const rate = `${isLimitedByGenerator(values) ? "≥ " : ""}${formatMedian(values, "rate")}`;
        return `${rate}, ${format(median(values, "p50"))} / ${format(median(values, "p99"))}`;
      },
    ),
    formatTable(
      [
        "",
        "first response, ms after the start (median)",
        "CPU time for each request in the first runs after the start, µs",
        "idle memory, MB",
        "peak memory, MB",
      ],
      ids.map((id) => {
        const { startTimes, firstRuns, idleMemory, peakMemory } = processes[id] as ProcessStats;
        const start = [format(summarize(startTimes).median), firstRuns.map(format).join(", ")];
        return [contenders[id].name, ...start, format(idleMemory), format(peakMemory)];
      }),
    ),
  ].join("\n\n");
}

const charted: WorkloadId[] = ["get", "list20", "list100"];

/** Formats the CPU time of random reads as a bar chart in SVG, for light and dark backgrounds. */
export function formatChart({ measurements }: Results): string {
  const bars = charted.flatMap((workload) =>
    (Object.keys(contenders) as ContenderId[]).flatMap((contender) => {
      const found = measurements.filter((one) => one.contender === contender && one.workload === workload);
      return found.length === 0 ? [] : { workload, contender, cpu: summarize(found.map((one) => one.cpu)).median };
    }),
  );
  const [left, width, lineHeight, headHeight] = [230, 420, 22, 40];
  let y = 0;
  const groups = charted.map((workload) => {
    const group = bars.filter((bar) => bar.workload === workload);
    const title = `<text class="title" x="0" y="${y + 24}">${workloads[workload].name}: CPU time for each request, µs</text>`;
    const maxCpu = Math.max(...group.map(({ cpu }) => cpu));
    y += headHeight;
    const rows = group.map(({ contender, cpu }) => {
      const length = (cpu / maxCpu) * width;
      const kind = contender in { sqlite: 1, bundle: 1, logging: 1, postgres: 1 } ? "ours" : "other";
      const row = `<text x="${left - 8}" y="${y + 12}" text-anchor="end">${contenders[contender].name}</text>
<rect class="${kind}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="16" rx="2"/>
<text x="${(left + length + 6).toFixed(1)}" y="${y + 12}">${format(cpu)}</text>`;
      y += lineHeight;
      return row;
    });
    return [title, ...rows].join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 60} ${y}" font-family="system-ui, sans-serif" font-size="13">
<style>
text { fill: #333 } .title { font-weight: 600 } .ours { fill: #1a7f5a } .other { fill: #9aa5b1 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .ours { fill: #3fbf8f } .other { fill: #66707c } }
</style>
${groups.join("\n")}
</svg>
`;
}
