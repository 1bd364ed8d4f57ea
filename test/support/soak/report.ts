// Formats the report of a soak run as a table.
import { formatTable } from "../../../scripts/bench/report.ts";
import { properties } from "./history.ts";
import type { Report } from "./run.ts";

const format = (value: number) => value.toLocaleString("en-US");

// Counts that must be 0.
function countFailures({ history, violations, contradictions, failedStops }: Report): Record<string, number> {
  const byText = Object.entries(properties).map(([name, text]) => [text, history[name as keyof typeof properties]]);
  return {
    ...Object.fromEntries(byText),
    "responses that violate the document": violations,
    "responses that contradict the request": contradictions,
    "SIGTERM with an exit code other than 0": failedStops,
  };
}

/** Returns whether a run found no failure. */
export function isFaultless(report: Report): boolean {
  return Object.values(countFailures(report)).every((count) => count === 0);
}

/** Formats a report as a Markdown table. */
export function formatReport(report: Report): string {
  const { minutes, outcomes, acknowledged, memory, faults } = report;
  const failures = countFailures(report);
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} (${format(count)})`)
      .join("; ");
  const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);
  const cells = {
    minutes: minutes.toFixed(1),
    calls: `${format(total(outcomes))}, ${format(Math.round(total(outcomes) / minutes / 60))} per second`,
    outcomes: list({
      successful: outcomes.ok,
      rejected: outcomes.rejected,
      "unknown: 503, or no response": outcomes.unknown,
    }),
    "acknowledged creates": format(acknowledged),
    "**failures**": `**${format(total(failures))}**`,
    ...Object.fromEntries(
      Object.entries(failures).flatMap(([name, count]) => (count > 0 ? [[`– ${name}`, format(count)]] : [])),
    ),
    "memory of all processes, start → end": `${memory.start.toFixed(0)} → ${memory.end.toFixed(0)} MB`,
    faults: `${format(total(faults))}: ${list(faults)}`,
  };
  return formatTable(Object.keys(cells), [Object.values(cells)]);
}
