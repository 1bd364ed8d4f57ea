// What happens when there is more work than one process can do, and when clients take their time:
// `npm run overload`. On Linux, with two cores and nothing else at work.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { createCleanup } from "../test/support/cleanup.ts";
import { drivingCore, prepare, type Running, start } from "./bench/run.ts";
import { pets } from "./bench/work.ts";
import type { Order, Outcome } from "./overload/driver.ts";
import { writeReadme } from "./readme.ts";

process.chdir(join(import.meta.dirname, ".."));
const { values } = parseArgs({
  options: { seconds: { type: "string", default: "10" }, write: { type: "boolean", default: false } },
});
const seconds = Number(values.seconds);
const saturating = 64; // connections: with more of them no more is done
const times = 5;
const slow = 2_000; // clients that take their time

const { teardown, cleanUp } = createCleanup();
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

const drive = async (running: Running, order: Omit<Order, "port" | "seconds">): Promise<Outcome> => {
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

// At rest, with as many clients as saturate it, with five times as many, and at rest again.
async function overload(running: Running, name: string, requests: readonly string[], obedient = false) {
  const rest = { requests, connections: 16, rate: 100 };
  await drive(running, { requests, connections: saturating });
  const before = await drive(running, rest);
  const most = await drive(running, { requests, connections: saturating });
  const [over, health] = await watch(running, drive(running, { requests, connections: times * saturating, obedient }));
  const after = await drive(running, rest);
  return [
    name,
    ms(before.p99),
    `${perSecond(accepted(most))} / ${ms(most.p99)}`,
    `${perSecond(accepted(over))} / ${ms(over.p99)}`,
    (over.p99 / before.p99).toFixed(1),
    over.statuses[503] ? `${perSecond(over.statuses[503])} / ${ms(over.refusedP99)}` : "none",
    ms(health),
    ms(after.p99),
  ];
}

// A good client's answers while slowhttptest holds as many connections as it can.
async function besieged(running: Running, name: string, how: readonly string[]) {
  const good = { requests: mix, connections: 4, rate: 100 };
  const before = await drive(running, good);
  const what = ["-c", String(slow), "-r", "1000", "-l", String(seconds + 5), "-p", "3", ...how];
  const child = spawn("taskset", ["-c", drivingCore, "slowhttptest", ...what], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  teardown(() => child.kill());
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += stripVTControlCharacters(String(chunk));
  });
  const gone = once(child, "exit");
  await pause(3_000);
  const meanwhile = await drive(running, good);
  await gone;
  const most = Math.max(...[...said.matchAll(/connected:\s+(\d+)/g)].map(([, count]) => Number(count)));
  const available = [...said.matchAll(/service available:\s+(\w+)/g)].every(([, word]) => word === "YES");
  return [
    name,
    String(most),
    available ? "always" : "not always",
    String(meanwhile.missing),
    ms(before.p99),
    ms(meanwhile.p99),
  ];
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

try {
  const sqlite = await start("sqlite", url("sqlite"), key);
  teardown(() => sqlite.child.kill("SIGKILL"));
  const rows = [
    await overload(sqlite, "9 reads, 1 create", mix),
    await overload(sqlite, "lists, most of them not kept", dear),
    await overload(sqlite, "the same, and who is refused waits as Retry-After says", dear, true),
  ];
  const besieges: string[][] = [];
  const file = `${sqlite.address}/docs/static/swagger-ui-bundle.js`;
  if (spawnSync("slowhttptest", ["-h"]).error)
    console.error("slowhttptest is not installed (a package of Debian's): its attacks are left out.");
  else
    besieges.push(
      await besieged(sqlite, "slow headers", ["-H", "-i", "5", "-u", `${sqlite.address}/v1/pets`]),
      await besieged(sqlite, "slow bodies", ["-B", "-i", "5", "-s", "60000", "-u", `${sqlite.address}/v1/pets`]),
      await besieged(sqlite, "slow reading", [
        "-X",
        "-w",
        "512",
        "-y",
        "1024",
        "-n",
        "5",
        "-z",
        "32",
        "-k",
        "3",
        "-u",
        file,
      ]),
    );
  sqlite.child.kill("SIGKILL");

  const postgres = await start("postgres", url("postgres"), key);
  teardown(() => postgres.child.kill("SIGKILL"));
  rows.push(await overload(postgres, "9 reads, 1 create, PostgreSQL", mix));

  const head = [
    "calls",
    "p99 at rest, ms",
    `${saturating} clients: a second / p99`,
    `${times * saturating} clients: accepted a second / p99`,
    "times the p99 at rest",
    "refused a second / p99",
    "slowest /healthz, ms",
    "p99 at rest again",
  ];
  const besiegeHead = [
    `${slow.toLocaleString("en-US")} connections with`,
    "connected at most, as slowhttptest sees it",
    "available, as it sees it",
    "good calls not answered",
    "p99 before, ms",
    "p99 meanwhile, ms",
  ];
  const text = [table(head, rows), ...(besieges.length > 0 ? [table(besiegeHead, besieges)] : [])].join("\n\n");
  console.log(text);
  if (values.write) writeReadme("overload", text, "one core for the server and one for its clients");
} finally {
  await cleanUp();
}
