// What a soak found, as a table: a column for each store.
import type { Report } from "./run.ts";

const count = (value: number) => value.toLocaleString("en-US");
const sum = (faults: Report["faults"]) => Object.values(faults).reduce((all, one) => all + one, 0);

// What must be 0.
const zeros: Record<string, (report: Report) => number> = {
  "acknowledged, and lost": ({ lost }) => lost,
  "there twice": ({ doubled }) => doubled,
  "answers outside the document": ({ outside }) => outside,
  "answers that contradict what must be there": ({ wrong }) => wrong,
  "ends by SIGTERM with another exit code than 0": ({ badEnds }) => badEnds,
};

/** Whether all is 0 that must be. */
export function faultless(report: Report): boolean {
  return Object.values(zeros).every((read) => read(report) === 0);
}

/** The table, in Markdown. */
export function toTable(reports: Record<string, Report>): string {
  const all = Object.values(reports);
  const row = (name: string, read: (report: Report) => string) => `| ${[name, ...all.map(read)].join(" | ")} |`;
  const kinds = new Set(all.flatMap(({ faults }) => Object.keys(faults)));
  return [
    `| | ${Object.keys(reports).join(" | ")} |`,
    `|---|${all.map(() => "--:|").join("")}`,
    row("minutes", ({ minutes }) => minutes.toFixed(1)),
    row("requests", ({ requests }) => count(requests)),
    row("creates acknowledged", ({ acknowledged }) => count(acknowledged)),
    ...Object.entries(zeros).map(([name, read]) => row(`**${name}**`, (report) => `**${count(read(report))}**`)),
    row("refused meanwhile: 503, or no connection", ({ refused }) => count(refused)),
    row(
      "memory of all its processes, start → end",
      ({ memory }) => `${memory.start.toFixed(0)} → ${memory.end.toFixed(0)} MB`,
    ),
    row("faults", ({ faults }) => count(sum(faults))),
    ...[...kinds].map((kind) =>
      row(`– ${kind}`, ({ faults }) => (faults[kind] === undefined ? "" : count(faults[kind]))),
    ),
  ].join("\n");
}
