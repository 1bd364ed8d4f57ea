// The attacks of `npm run hostile`: two short ones, and the criteria.
import t from "tap";
import { formatResults, listFailures } from "../../scripts/hostile/report.ts";
import { type AttackResult, runAttack } from "../../scripts/hostile/run.ts";
import { createTemplate } from "../../scripts/hostile/service.ts";
import { skipWithout } from "../support/programs.ts";

const skip = process.platform === "linux" ? skipWithout("taskset", "util-linux") : "it needs Linux";

t.test("Attacks a new service, and measures a legitimate client", { skip }, async (t) => {
  const template = await createTemplate(t);
  const results: AttackResult[] = [];
  for (const [name, counts] of [
    ["many-connections", ["200", "503"]],
    ["client-hellos", ["opened"]],
  ] as const) {
    const result = await runAttack(t, name, template, { attack: 2, rest: 0.5, recovery: 0.5 });
    const { during, attackers, memory, end, visibility } = result;
    t.equal(end, undefined, `${name}: the service survives`);
    t.equal(during.calls, 100, "50 calls per second");
    t.ok(during.answered > 50, `${during.answered} are answered`);
    const count = counts.reduce((sum, outcome) => sum + (attackers[outcome] ?? 0), 0);
    t.ok(count > 100, `the attackers: ${JSON.stringify(attackers)}`);
    t.ok(memory.peak >= memory.before && memory.before > 30, "memory is measured");
    if (name === "many-connections") t.match(visibility, { pets: Number, keys: Number });
    results.push(result);
  }
  const table = formatResults(results).split("\n");
  t.equal(table.length, 4, "a row for each attack");
});

t.test("An attack succeeds if the client or the process suffers", async (t) => {
  const p99 = { p99: 20, p99OfKeepAlive: 10, p99OfNewConnections: 20 };
  const client = { calls: 100, answered: 100, ...p99, failures: {}, slowestProbe: 5, failedProbes: 0, ownDelay: 10 };
  const passed: AttackResult = {
    name: "files",
    before: client,
    during: client,
    attackers: { opened: 64, open: 64, 200: 1_000 },
    memory: { before: 100, peak: 200, after: 150 },
    socketMemory: 1,
    logRate: 1_000,
    waiting: 0,
    visibility: { pets: 30, keys: 30 },
  };
  t.same(listFailures(passed), []);
  const violations: Partial<AttackResult>[] = [
    { end: "SIGABRT" },
    { during: { ...client, answered: 98, failures: { 503: 2 } } },
    { during: { ...client, p99: 500 } },
    { memory: { before: 100, peak: 512, after: 150 } },
    { memory: { before: 100, peak: 250, after: 200 } },
    { visibility: { pets: 30, keys: 1_000 } },
  ];
  for (const violation of violations) {
    const result = { ...passed, ...violation };
    t.equal(listFailures(result).length, 1, JSON.stringify(violation));
    t.match(formatResults([result]), /\*\*failed\*\*: /);
  }
});
