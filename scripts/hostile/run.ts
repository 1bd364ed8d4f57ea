// Runs an attack against a new service, and measures what a legitimate client and the process experience.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { AttackOptions } from "./attacker.ts";
import { attacks } from "./attacks.ts";
import { type ClientReport, LegitimateClient } from "./client.ts";
import type { Change } from "./second-process.ts";
import { type Resources, type Service, startService, type Template } from "./service.ts";

const warmUp = 2; // seconds
const attackerGracePeriod = 3_000; // milliseconds after which an attacker that does not end is killed
const sampleInterval = 250; // milliseconds
const pageSize = 4_096; // bytes, the unit of /proc/net/sockstat
const maxVisibility = 5_000; // milliseconds for which a change of another process is awaited

/** The seconds of the phases of a run. */
export interface Phases {
  readonly attack: number;
  /** Before the attack. */
  readonly rest: number;
  /** After the attack. */
  readonly recovery: number;
}

/** The result of an attack. Memory is in MiB. */
export interface AttackResult {
  readonly name: string;
  readonly before: ClientReport;
  readonly during: ClientReport;
  /** What the attackers did, see `counts` in sockets.ts. */
  readonly attackers: Readonly<Record<string, number>>;
  /** Undefined if the process survived; otherwise how it ended, or that it does not respond. */
  readonly end?: string | undefined;
  readonly memory: { readonly before: number; readonly peak: number; readonly after: number };
  /** Of all sockets of the machine, of both sides: the increase during the attack. */
  readonly socketMemory: number;
  /** Bytes per second. */
  readonly logRate: number;
  /** The share of the attack for which the service waited for its core, because others used it. */
  readonly waiting: number;
  /** The longest time in milliseconds until a change of another process had an effect. */
  readonly visibility?: { readonly pets: number; readonly keys: number } | undefined;
}

/** Runs an attack. */
export async function runAttack(t: Resources, name: string, template: Template, phases: Phases): Promise<AttackResult> {
  const attack = attacks[name];
  if (attack === undefined) throw new Error(`There is no ${name}. There are: ${Object.keys(attacks).join(", ")}.`);
  const service = await startService(t, attack, template);
  const client = new LegitimateClient(service.url, template.clientKey);
  t.teardown(() => client.close());
  await client.run(warmUp);
  const before = await client.run(phases.rest);
  const memoryBefore = service.readMemory("VmRSS");
  const [waitBefore, logBefore] = [service.readWaitTime(), service.readLogSize()];
  const stopSampling = sampleSocketMemory();
  const start = performance.now();

  const visibility = attack.hasSecondProcess
    ? measureVisibility(t, service, template.clientKey, phases.attack)
    : undefined;
  const target = { origin: new URL(service.url).origin, keys: template.attackerKeys };
  const attackers = Array.from({ length: attack.processes ?? 1 }, (_, index) =>
    startAttacker(t, { name, index, target, seconds: phases.attack }),
  );
  const during = await client.run(phases.attack);
  const reports = await Promise.all(attackers);
  const seconds = (performance.now() - start) / 1_000;
  const hasEnded = !service.isAlive();
  const logRate = (service.readLogSize() - logBefore) / seconds;
  const waiting = hasEnded ? 0 : (service.readWaitTime() - waitBefore) / seconds;
  const peak = hasEnded ? Number.NaN : service.readMemory("VmHWM");
  const socketMemory = stopSampling();
  await pause(phases.recovery * 1_000);
  const memory = { before: memoryBefore, peak, after: service.isAlive() ? service.readMemory("VmRSS") : Number.NaN };
  const status = await client.get("/pets/1");
  const end = service.isAlive() ? (status === "200" ? undefined : status) : service.describeExit();
  const measured = { name, before, during, attackers: sum(reports), end, memory, socketMemory, logRate, waiting };
  return { ...measured, visibility: await visibility };
}

function sum(reports: readonly Record<string, number>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const report of reports)
    for (const [name, count] of Object.entries(report)) total[name] = (total[name] ?? 0) + count;
  return total;
}

// Resolves to what the attacker did, or to nothing if it had to be killed.
async function startAttacker({ teardown }: Resources, options: AttackOptions): Promise<Record<string, number>> {
  const child = fork(new URL("attacker.ts", import.meta.url));
  const exit = once(child, "exit");
  teardown(() => child.kill("SIGKILL") && exit);
  let report: Record<string, number> = {};
  child.once("message", (counts) => {
    report = counts as Record<string, number>;
  });
  child.send(options);
  await Promise.race([exit, pause(options.seconds * 1_000 + attackerGracePeriod, undefined, { ref: false })]);
  child.kill("SIGKILL");
  return report;
}

// Returns a function that returns the increase at its peak, in MiB.
function sampleSocketMemory(): () => number {
  const read = () =>
    (Number(/^TCP:.* mem (\d+)$/m.exec(readFileSync("/proc/net/sockstat", "utf8"))?.[1]) * pageSize) / 2 ** 20;
  const before = read();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, read());
  }, sampleInterval);
  return () => {
    clearInterval(timer);
    return peak - before;
  };
}

// Measures how long the service takes to return a pet that another process has created, and to reject a key that it has
// revoked.
async function measureVisibility(
  { teardown }: Resources,
  { url, databaseUrl }: Service,
  clientKey: string,
  seconds: number,
): Promise<{ pets: number; keys: number }> {
  const child: ChildProcess = fork(new URL("second-process.ts", import.meta.url), [databaseUrl]);
  teardown(() => child.kill());
  // Sequential calls on a connection of their own: a wait for a new connection would look like a late change.
  const client = new LegitimateClient(url, clientKey);
  teardown(() => client.close());
  await client.get("/pets/1");
  const apply = async (change: Change) => {
    child.send(change);
    const [reply] = await once(child, "message");
    return reply as string;
  };
  const waitFor = async (status: string, path: string, key?: string) => {
    const start = performance.now();
    while ((await client.get(path, key)) !== status && performance.now() - start < maxVisibility);
    return performance.now() - start;
  };
  const longest = { pets: 0, keys: 0 };
  await apply({ create: "pet" });
  for (let [n, end] = [0, performance.now() + seconds * 1_000]; performance.now() < end; n++) {
    longest.pets = Math.max(longest.pets, await waitFor("200", `/pets/${await apply({ create: "pet" })}`));
    const name = `revoked-${n}`;
    const key = await apply({ create: "key", name });
    await waitFor("200", "/pets/1", key);
    await apply({ revoke: name });
    longest.keys = Math.max(longest.keys, await waitFor("401", "/pets/1", key));
  }
  return longest;
}
