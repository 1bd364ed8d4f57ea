// What the measurements say: medians, ratios, tables and a chart.
import { type ContenderId, contenders } from "./contenders.ts";
import type { Measurement, Traits } from "./run.ts";
import { buildWork, type WorkId } from "./work.ts";

const works = buildWork("");

type Figure = "cpu" | "rate" | "p50" | "p99";

/** All that was measured. */
export interface Measured {
  readonly measurements: readonly Measurement[];
  readonly traits: Readonly<Partial<Record<ContenderId, Traits>>>;
}

/** A ratio that is to be held: of two figures of one round, the median over all rounds. */
interface Goal {
  readonly name: string;
  readonly of: readonly [Figure, ContenderId, WorkId];
  readonly to: readonly [Figure, ContenderId, WorkId];
  readonly most?: number;
  readonly least?: number;
}

const peers: ContenderId[] = ["glue", "openapiBackend", "expressValidator", "hono", "nest"];
const reads: WorkId[] = ["get", "list20"];

const goals: Goal[] = [
  ...[{ work: "get", ready: 2, fastify: 1.25 } as const, { work: "list20", ready: 3, fastify: 0.9 } as const].flatMap(
    ({ work, ...most }) =>
      (["fastify", "ready"] as const).map((other) => ({
        name: `${works[work].name}: CPU to ${contenders[other].name}`,
        of: ["cpu", "sqlite", work] as const,
        to: ["cpu", other, work] as const,
        most: most[other],
      })),
  ),
  ...reads.flatMap((work) =>
    peers.map((peer) => ({
      name: `${works[work].name}: requests a second to ${contenders[peer].name}`,
      of: ["rate", "sqlite", work] as const,
      to: ["rate", peer, work] as const,
      least: 3,
    })),
  ),
  ...(["refused401", "refused400"] as const).map((work) => ({
    name: `${works[work].name}: CPU to a get`,
    of: ["cpu", "sqlite", work] as const,
    to: ["cpu", "sqlite", "get"] as const,
    most: 1,
  })),
  {
    name: "create, 64 at once: CPU to a get",
    of: ["cpu", "sqlite", "create64"],
    to: ["cpu", "sqlite", "get"],
    most: 1.6,
  },
  {
    name: "create, 64 at once: rate to a get",
    of: ["rate", "sqlite", "create64"],
    to: ["rate", "sqlite", "get"],
    least: 0.6,
  },
  {
    name: "create, 64 at once: rate to one sync each",
    of: ["rate", "sqlite", "create64"],
    to: ["rate", "fastify", "create64"],
    least: 3,
  },
];

/** The middle of the values, and between which the middle half of them lies. */
function summarize(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)] as number;
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/** Each goal with what came of it. Those are left out that this run did not measure. */
export function judge({ measurements }: Measured) {
  return goals.flatMap(({ of, to, ...goal }) => {
    const figures = ([figure, contender, work]: Goal["of"]) =>
      measurements.filter((one) => one.contender === contender && one.work === work).map((one) => one[figure]);
    const [above, below] = [figures(of), figures(to)];
    if (above.length === 0 || below.length === 0) return [];
    const ratio = summarize(above.map((value, round) => value / (below[round] as number)));
    const met = ratio.median <= (goal.most ?? Number.POSITIVE_INFINITY) && ratio.median >= (goal.least ?? 0);
    return [{ ...goal, ratio, met }];
  });
}

const digits = (value: number) => value.toLocaleString("en-US", { maximumSignificantDigits: value < 100 ? 2 : 3 });
const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

/** The measurements as tables of Markdown. */
export function toTables(measured: Measured): string {
  const { measurements, traits } = measured;
  const ids = (Object.keys(contenders) as ContenderId[]).filter((id) => traits[id]);
  const kinds = (Object.keys(works) as WorkId[]).filter((work) => measurements.some((one) => one.work === work));
  const cells = (id: ContenderId, show: (values: readonly Measurement[]) => string) =>
    kinds.map((work) => {
      const found = measurements.filter((one) => one.contender === id && one.work === work);
      return found.length === 0 ? "" : show(found);
    });
  const by = (title: string, show: (values: readonly Measurement[]) => string) =>
    `${title}\n\n${table(
      ["", ...kinds.map((work) => works[work].name)],
      ids.map((id) => [contenders[id].name, ...cells(id, show)]),
    )}`;
  const median = (figure: Figure) => (values: readonly Measurement[]) => {
    const { median, low, high } = summarize(values.map((one) => one[figure]));
    return `${digits(median)} ±${digits(((high - low) / 2 / median) * 100)} %`;
  };
  const times = (values: readonly Measurement[]) =>
    `${digits(summarize(values.map((one) => one.p50)).median)} / ${digits(summarize(values.map((one) => one.p99)).median)}`;
  return [
    table(
      ["ratio", "goal", "measured", ""],
      judge(measured).map(({ name, most, least, ratio, met }) => [
        name,
        most === undefined ? `at least ${least}` : `at most ${most}`,
        `${ratio.median.toFixed(2)} (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`,
        met ? "met" : "**not met**",
      ]),
    ),
    by("Processor time of the server's process for each request, in microseconds:", median("cpu")),
    by(
      "Requests a second; with ≥ where the driver, and not the server, was the limit:",
      (values) => `${summarize(values.map((one) => one.driving)).median > 0.95 ? "≥ " : ""}${median("rate")(values)}`,
    ),
    by("Milliseconds to the answer, half of them and 99 %:", times),
    table(
      ["", "first answer, ms after the start", "memory when idle, MB", "at most, MB"],
      ids.map((id) => {
        const { start, idle, peak } = traits[id] as Traits;
        return [contenders[id].name, digits(start), digits(idle), digits(peak)];
      }),
    ),
  ].join("\n\n");
}

/** Processor time of get and list as a chart of bars, which reads on light and dark. */
export function toChart({ measurements, traits }: Measured): string {
  const ids = (Object.keys(contenders) as ContenderId[]).filter((id) => traits[id]);
  const bars = reads.flatMap((work) =>
    ids.map((contender) => ({
      work,
      contender,
      cpu: summarize(
        measurements.filter((one) => one.contender === contender && one.work === work).map((one) => one.cpu),
      ).median,
    })),
  );
  const most = Math.max(...bars.map(({ cpu }) => cpu));
  const [left, width, line, head] = [230, 420, 22, 40];
  const height = (ids.length * line + head) * reads.length;
  const body = reads.map((work, index) => {
    const top = index * (ids.length * line + head);
    const rows = bars
      .filter((bar) => bar.work === work)
      .map(({ contender, cpu }, place) => {
        const y = top + head + place * line;
        const long = (cpu / most) * width;
        const kind = contender in { sqlite: 1, logging: 1, postgres: 1 } ? "ours" : "other";
        return `<text x="${left - 8}" y="${y + 12}" text-anchor="end">${contenders[contender].name}</text>
<rect class="${kind}" x="${left}" y="${y}" width="${long.toFixed(1)}" height="16" rx="2"/>
<text x="${(left + long + 6).toFixed(1)}" y="${y + 12}">${digits(cpu)}</text>`;
      });
    return `<text class="title" x="0" y="${top + 24}">${works[work].name}: processor time of a request, µs</text>\n${rows.join("\n")}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 60} ${height}" font-family="system-ui, sans-serif" font-size="13">
<style>
text { fill: #333 } .title { font-weight: 600 } .ours { fill: #1a7f5a } .other { fill: #9aa5b1 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .ours { fill: #3fbf8f } .other { fill: #66707c } }
</style>
${body.join("\n")}
</svg>
`;
}
