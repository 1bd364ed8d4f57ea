// What happens when there is more work than one process can do, and when clients take their time:
// `npm run overload`. On Linux, with two cores and nothing else at work.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { drivingCore, prepare, type Running, start } from "./bench/run.ts";
import { pets } from "./bench/work.ts";
import { writeReadme } from "./drive/readme.ts";
import { attacks } from "./drive/slow.ts";
import { buildTidy } from "./drive/tidy.ts";
import type { Order, Outcome } from "./overload/driver.ts";

process.chdir(join(import.meta.dirname, ".."));
const { values } = parseArgs({
  options: { seconds: { type: "string", default: "10" }, write: { type: "boolean", default: false } },
});
const seconds = Number(values.seconds);
const saturating = 64; // connections: with more of them no more is done
const times = 5;
const slow = 2_000; // clients that take their time

const { teardown, tidy } = buildTidy();
const folder = mkdtempSync(join(tmpdir(), "petstore-overload-"));
teardown(() => rmSync(folder, { recursive: true }));
const { key, url, end } = await prepare(folder, ["sqlite", "postgres"]);
teardown(end);
const driver = spawn("taskset", ["-c", drivingCore, process.execPath, "scripts/overload/driver.ts"], {
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
teardown(() => driver.kill());

const ask = (method: string, path: string, body = "") =>
  `${method} /v1/pets${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${
    body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  }\r\n${body}`;
const mix = Array.from({ length: 100 }, (_, n) =>
  n % 10 === 9
    ? ask("POST", "", '{"name":"Rex","categoryId":7}')
    : ask("GET", n % 2 ? `/${1 + ((n * 1_031) % pets)}` : "?limit=20"),
);
const dear = Array.from({ length: 240 }, (_, n) =>
  ask("GET", `?limit=${21 + ((n * 7) % 80)}&status=${["available", "pending", "sold"][n % 3]}`),
);

const drive = async (running: Running, order: Pick<Order, "requests" | "connections" | "rate">): Promise<Outcome> => {
  driver.send({ port: Number(new URL(running.address).port), seconds, ...order } satisfies Order);
  return (await once(driver, "message"))[0];
};
const accepted = ({ statuses }: Outcome) =>
  Object.entries(statuses).reduce((sum, [status, count]) => (status === "503" ? sum : sum + count), 0);
const ms = (value: number) => value.toPrecision(2);
const perSecond = (value: number) => Math.round(value / seconds).toLocaleString("en-US");

// Asks for /healthz while `work` goes on, and gives how long the slowest answer took, in milliseconds.
async function watch<T>({ address }: Running, work: Promise<T>): Promise<[T, number]> {
  let going = true;
  let slowest = 0;
  const done = work.finally(() => {
    going = false;
  });
  while (going) {
    const began = performance.now();
    const answer = await fetch(`${address}/healthz`);
    if (answer.status !== 200) throw new Error(`/healthz answers ${answer.status}`);
    await answer.text();
    slowest = Math.max(slowest, performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return [await done, slowest];
}

// At rest, at what saturates it, at five times that (as many connections, or as many requests a second), and at rest again.
async function overload(running: Running, name: string, requests: readonly string[], by: "connections" | "rate") {
  const rest = { requests, connections: 16, rate: 100 };
  await drive(running, { requests, connections: saturating });
  const before = await drive(running, rest);
  const most = await drive(running, { requests, connections: saturating });
  const rate = (times * accepted(most)) / seconds;
  const more = by === "rate" ? { requests, connections: 1_000, rate } : { requests, connections: times * saturating };
  const [over, health] = await watch(running, drive(running, more));
  const after = await drive(running, rest);
  const offered =
    by === "rate" ? `${Math.round(rate).toLocaleString("en-US")} a second` : `${more.connections} clients`;
  return [
    name,
    ms(before.p99),
    `${perSecond(accepted(most))} / ${ms(most.p99)}`,
    offered,
    `${perSecond(accepted(over))} / ${ms(over.p99)}`,
    (over.p99 / before.p99).toFixed(1),
    over.statuses[503] ? `${perSecond(over.statuses[503])} / ${ms(over.refusedP99)}` : "none",
    ms(health),
    ms(after.p99),
  ];
}

// A good client's answers among many that take their time.
async function besieged(running: Running, name: string) {
  const good = { requests: mix, connections: 4, rate: 100 };
  const before = await drive(running, good);
  const stop = await (attacks[name] as (typeof attacks)[string])(running.address, key, slow);
  const meanwhile = await drive(running, good);
  const left = stop();
  return [name, String(left), String(meanwhile.due - accepted(meanwhile)), ms(before.p99), ms(meanwhile.p99)];
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

try {
  const sqlite = await start("sqlite", url("sqlite"), key);
  teardown(() => sqlite.child.kill("SIGKILL"));
  const rows = [
    await overload(sqlite, "9 reads, 1 create", mix, "connections"),
    await overload(sqlite, "lists", dear, "connections"),
  ];
  const slowRows: string[][] = [];
  for (const name of Object.keys(attacks)) slowRows.push(await besieged(sqlite, name));
  sqlite.child.kill("SIGKILL");

  // The longest names that there may be: each page is read and written anew, and dear.
  const large = { ...url("logging") };
  const db = new DatabaseSync(large.file);
  db.exec("UPDATE pets SET name = substr(hex(zeroblob(500)), 1, 990) || id");
  db.close();
  const heavy = await start("sqlite", large, key);
  teardown(() => heavy.child.kill("SIGKILL"));
  rows.push(await overload(heavy, "lists, names of 1,000 characters", dear, "rate"));
  heavy.child.kill("SIGKILL");

  const postgres = await start("postgres", url("postgres"), key);
  teardown(() => postgres.child.kill("SIGKILL"));
  rows.push(await overload(postgres, "9 reads, 1 create, PostgreSQL", mix, "connections"));

  const head = [
    "work",
    "p99 at rest, ms",
    `${saturating} clients: a second / p99`,
    "five times that",
    "accepted: a second / p99",
    "p99 to that at rest",
    "refused: a second / p99",
    "slowest /healthz, ms",
    "p99 at rest again",
  ];
  const slowHead = [
    `${slow.toLocaleString("en-US")} clients with`,
    "there in the end",
    "good calls without answer",
    "p99 before, ms",
    "p99 meanwhile, ms",
  ];
  const text = `${table(head, rows)}\n\n${table(slowHead, slowRows)}`;
  console.log(text);
  if (values.write) writeReadme("overload", text, "one core for the server and one for its clients");
} finally {
  await tidy();
}
