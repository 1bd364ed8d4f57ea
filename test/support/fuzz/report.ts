// Formats the report of a fuzz run as a Markdown table.
import { formatTable } from "../../../scripts/bench/report.ts";
import type { Finding, Report } from "./run.ts";

const format = (value: number) => value.toLocaleString("en-US");

/** Formats a report as a Markdown table. */
export function formatReport({ requests, connections, seconds, statuses, pets, memory, findings }: Report): string {
  const count = (kind: Finding["kind"]) => findings.filter((finding) => finding.kind === kind).length;
  const serverErrors = Object.entries(statuses)
    .filter(([status]) => Number(status) >= 500)
    .reduce((sum, [, count]) => sum + count, 0);
  const cells = {
    requests: `${format(requests)}, on ${format(connections)} connections`,
    responses: Object.entries(statuses)
      .map(([status, count]) => `${status}: ${format(count)}`)
      .join(", "),
    "5xx": String(serverErrors),
    "responses that violate the document, or belong to smuggled requests": String(count("responses")),
    "pets that are incomplete, duplicated or missing": `${count("pets")}, of ${format(pets)}`,
    "failures of the process": String(count("process")),
    memory: `${memory.map((megabytes) => megabytes.toFixed(0)).join(" → ")} MB`,
    time: `${seconds.toFixed(0)} s, ${format(Math.round(requests / seconds))} requests per second`,
  };
  return formatTable(Object.keys(cells), [Object.values(cells)]);
}
