// The criteria of an attack, and the table of the results.
import { formatTable } from "../bench/report.ts";
import { attacks } from "./attacks.ts";
import type { AttackResult } from "./run.ts";

const minAnswered = 0.99; // of the calls of the legitimate client
const maxLatency = 500; // milliseconds, the 99th percentile
const maxMemory = 512; // MiB
const maxGrowth = 100; // MiB, some seconds after the attack
const maxVisibility = 1_000; // milliseconds
const maxWaiting = 0.25; // of the time of the attack

/** Returns the criteria that an attack violates. */
export function listFailures(result: AttackResult): string[] {
  const { during, end, memory, visibility } = result;
  const failures: string[] = [];
  if (end !== undefined) failures.push(`the process ended or does not respond: ${end}`);
  if (during.answered < minAnswered * during.calls) failures.push(`answered: ${formatFailures(during.failures)}`);
  if (during.p99 >= maxLatency) failures.push("p99");
  if (memory.peak >= maxMemory) failures.push("peak memory");
  if (memory.after - memory.before >= maxGrowth) failures.push("memory afterwards");
  if (visibility && Math.max(visibility.pets, visibility.keys) >= maxVisibility) failures.push("changes of others");
  return failures;
}

/**
 * Returns whether an attack seemed to succeed while others used the core of the service. Such a result says
 * nothing.
 */
export function isInconclusive(result: AttackResult): boolean {
  return result.waiting > maxWaiting && listFailures(result).length > 0;
}

const formatFailures = (failures: Readonly<Record<string, number>>) =>
  Object.entries(failures)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(", ");

const head = [
  "attack",
  "what the attackers did",
  "answered",
  "p99 before / during on keep-alive connections / on new ones, ms",
  "slowest /healthz, ms",
  "memory before / peak / after, MiB",
  "socket buffers, MiB",
  "log, KB/s",
  "client delayed by itself, ms",
  "service without its core",
  "result",
];

/** Formats the results as a Markdown table. */
export function formatResults(results: readonly AttackResult[]): string {
  const rows = results.map((result) => {
    const { name, before, during, attackers, memory, socketMemory, logRate, waiting, visibility } = result;
    const { opened = 0, open, ...statuses } = attackers;
    const done = [`${opened} connections${open === undefined ? "" : `, ${open} at the end`}`];
    done.push(...Object.entries(statuses).map(([status, count]) => `${count} × ${status}`));
    if (visibility) done.push(`visible after ${toMs(visibility.pets)} ms, revoked after ${toMs(visibility.keys)} ms`);
    return [
      `**${name}**: ${attacks[name]?.description}`,
      done.join("; "),
      `${((100 * during.answered) / during.calls).toFixed(1)} %`,
      [before.p99, during.p99OfKeepAlive, during.p99OfNewConnections].map(toMs).join(" / "),
      `${toMs(during.slowestProbe)}${during.failedProbes > 0 ? ` (${during.failedProbes} failed)` : ""}`,
      [memory.before, memory.peak, memory.after].map(formatMemory).join(" / "),
      String(Math.round(socketMemory)),
      String(Math.round(logRate / 1_000)),
      toMs(during.ownDelay),
      `${Math.round(100 * waiting)} %`,
      formatOutcome(result),
    ];
  });
  return formatTable(head, rows);
}

function formatOutcome(result: AttackResult): string {
  const failures = listFailures(result);
  if (failures.length === 0) return "passed";
  return `**failed**${isInconclusive(result) ? " on a busy machine" : ""}: ${failures.join("; ")}`;
}

const formatMemory = (value: number) => (Number.isNaN(value) ? "–" : String(Math.round(value)));
const toMs = (value: number) => String(Math.round(value));
