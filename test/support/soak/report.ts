// Formats the reports of soak runs as a table, with a column for each store.
import type { Report } from "./run.ts";

const format = (value: number) => value.toLocaleString("en-US");
const sum = (faults: Report["faults"]) => Object.values(faults).reduce((total, count) => total + count, 0);

// Counts that must be 0.
const failures: Record<string, (report: Report) => number> = {
  "acknowledged pets that are lost": ({ lost }) => lost,
  "pets stored twice": ({ duplicated }) => duplicated,
  "responses that violate the document": ({ violations }) => violations,
  "responses that contradict the model": ({ contradictions }) => contradictions,
  "SIGTERM with another exit code than 0": ({ failedStops }) => failedStops,
};

/** Returns whether a run found no failure. */
export function isFaultless(report: Report): boolean {
  return Object.values(failures).every((count) => count(report) === 0);
}

/** Formats reports, by the name of the store, as a Markdown table. */
export function formatReports(reports: Record<string, Report>): string {
  const all = Object.values(reports);
  const row = (name: string, cell: (report: Report) => string) => `| ${[name, ...all.map(cell)].join(" | ")} |`;
  const faults = new Set(all.flatMap(({ faults }) => Object.keys(faults)));
  return [
    `| | ${Object.keys(reports).join(" | ")} |`,
    `|---|${all.map(() => "--:|").join("")}`,
    row("minutes", ({ minutes }) => minutes.toFixed(1)),
    row("requests", ({ requests }) => format(requests)),
    row("acknowledged creates", ({ acknowledged }) => format(acknowledged)),
    ...Object.entries(failures).map(([name, count]) => row(`**${name}**`, (report) => `**${format(count(report))}**`)),
    row("rejected calls: 503, or no connection", ({ rejected }) => format(rejected)),
    row(
      "memory of all processes, start → end",
      ({ memory }) => `${memory.start.toFixed(0)} → ${memory.end.toFixed(0)} MB`,
    ),
    row("faults", ({ faults }) => format(sum(faults))),
    ...[...faults].map((name) =>
      row(`– ${name}`, ({ faults }) => (faults[name] === undefined ? "" : format(faults[name]))),
    ),
  ].join("\n");
}
