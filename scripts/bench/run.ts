// Starts the contenders, all pinned to one core, and has them driven in turns from another.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { generateKey } from "../../src/auth/authentication.ts";
import { copy } from "../../src/data/copy.ts";
import { openStore, openTables } from "../../src/store/open.ts";
import { freePort } from "../../test/support/port.ts";
import { query, startPostgres } from "../../test/support/postgres.ts";
import { type ContenderId, contenders } from "./contenders.ts";
import { buildWork, type Load, type Order, pets, type Work, type WorkId } from "./work.ts";

const servingCore = "0";
/** The core for what drives them. */
export const drivingCore = "1";
const ticks = 100; // of /proc/PID/stat in a second (USER_HZ)

/** One contender at one kind of work in one round. */
export interface Measurement {
  readonly contender: ContenderId;
  readonly work: WorkId;
  /** Microseconds of processor time of the contender's process, for each request. */
  readonly cpu: number;
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds until the answer: of one in two, and of 99 in 100. */
  readonly p50: number;
  readonly p99: number;
  /** Which part of the time the driver was at work. */
  readonly driving: number;
}

/** What a contender is beside its work: milliseconds to its first answer, megabytes when idle and at most. */
export interface Traits {
  readonly start: number;
  idle: number;
  peak: number;
}

/** What is to be measured. */
export interface Plan {
  readonly contenders: readonly ContenderId[];
  readonly works: readonly WorkId[];
  readonly rounds: number;
  readonly seconds: number;
}

/** Measures as planned, in `folder`, and tells how far it is. */
export async function run(plan: Plan, folder: string, tell: (text: string) => void) {
  const { key, works, url, end } = await prepare(folder, plan.contenders);
  const driver = startDriver();
  const running: Running[] = [];
  try {
    for (const id of plan.contenders) running.push(await start(id, url(id), key));
    const measurements: Measurement[] = [];
    for (let round = 0; round <= plan.rounds; round++)
      for (const work of plan.works)
        for (const contender of running.filter(({ id }) => contenders[id].works.includes(work))) {
          tell(`${round === 0 ? "warming up" : `round ${round} of ${plan.rounds}`}: ${work}, ${contender.id}`);
          const measured = await measure(contender, works[work], driver, plan.seconds);
          if (round > 0) measurements.push({ contender: contender.id, work, ...measured });
        }
    for (const { child, traits } of running) traits.peak = memory(child, "VmHWM");
    return { measurements, traits: Object.fromEntries(running.map(({ id, traits }) => [id, traits])) };
  } finally {
    driver.disconnect();
    for (const { child } of running) child.kill("SIGKILL");
    await end();
  }
}

// However this process ends, none stays behind.
const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** A contender that runs. */
export interface Running {
  readonly id: ContenderId;
  readonly child: ChildProcess;
  readonly address: string;
  readonly traits: Traits;
}

/** The same pets and the same key for all, each in a database of its own. */
export async function prepare(folder: string, contenders: readonly ContenderId[]) {
  const { key, hash } = generateKey();
  const template = join(folder, "pets.db");
  const store = await openStore(`sqlite:${template}`);
  await store.keys.create("bench", hash);
  await store.close();
  const db = new DatabaseSync(template);
  db.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${pets})
     INSERT INTO pets (name, category_id, status)
     SELECT 'Rex ' || i, i, CASE i % 4 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' WHEN 2 THEN 'pending' END FROM n`,
  );
  db.close();
  const postgres = contenders.includes("postgres") ? await startPostgres(true) : undefined;
  if (postgres) {
    const from = await openTables(`sqlite:${template}`, "migrate");
    const to = await openTables(postgres.url("postgres"), "create");
    await copy(from, to, () => {});
    await from.close();
    await to.close();
    await query(postgres.url("postgres"), "VACUUM ANALYZE petstore.pets");
  }
  const url = (id: ContenderId) => {
    const file = join(folder, `${id}.db`);
    copyFileSync(template, file);
    return { file, postgres: postgres?.url("postgres") ?? "" };
  };
  return { key, works: buildWork(key), url, end: async () => postgres?.end() };
}

/** Starts what drives them. */
export function startDriver(): ChildProcess {
  return spawn("taskset", ["-c", drivingCore, process.execPath, "scripts/bench/driver.ts"], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

/** Starts a contender, with flags for its Node, and waits for its first answer; twice, since the first start of all is another thing. */
export async function start(...what: Parameters<typeof startOnce>): Promise<Running> {
  const { child } = await startOnce(...what);
  child.kill("SIGKILL");
  const running = await startOnce(...what);
  await pause(1_000);
  running.traits.idle = memory(running.child, "VmRSS");
  return running;
}

async function startOnce(
  id: ContenderId,
  database: { file: string; postgres: string },
  key: string,
  flags: readonly string[] = [],
): Promise<Running> {
  const { program, environment } = contenders[id];
  const port = String(await freePort());
  const began = performance.now();
  const child = spawn("taskset", ["-c", servingCore, process.execPath, ...flags, ...program], {
    env: { PATH: process.env.PATH, PORT: port, ...environment(database) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.add(child);
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-2_000);
  });
  const ended = once(child, "exit").then(() => {
    throw new Error(`${contenders[id].name} ended: ${said}`);
  });
  ended.catch(() => {});
  const address = `http://127.0.0.1:${port}`;
  const answered = async () => {
    let status = 0;
    for (; status !== 200 && performance.now() - began < 30_000; await pause(2))
      status = await fetch(`${address}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } }).then(
        (answer) => answer.text().then(() => answer.status),
        () => 0,
      );
    if (status !== 200) throw new Error(`${contenders[id].name} does not answer with 200, but ${status}.`);
  };
  await Promise.race([answered(), ended]);
  return { id, child, address, traits: { start: performance.now() - began, idle: 0, peak: 0 } };
}

/** Has a contender driven, and gives what it took. Rejects where an answer is not as expected. */
export async function measure({ id, child, address }: Running, work: Work, driver: ChildProcess, seconds: number) {
  const before = processorTime(child);
  const { connections, requests } = work;
  driver.send({ url: address, connections, requests, seconds } satisfies Order);
  const [load] = (await once(driver, "message")) as [Load];
  const spent = processorTime(child) - before;
  const wrong = Object.keys(load.statuses).filter((status) => !work.expected.includes(Number(status)));
  const answers = Object.values(load.statuses).reduce((sum, one) => sum + one, 0);
  if (wrong.length > 0 || load.failed > 0 || answers === 0)
    throw new Error(`${contenders[id].name} at ${work.name}: ${JSON.stringify(load)}`);
  return {
    cpu: (spent * 1e6) / answers,
    rate: answers / load.seconds,
    p50: load.p50,
    p99: load.p99,
    driving: load.driving,
  };
}

// Seconds in user and kernel mode, of all threads: proc_pid_stat(5), fields 14 and 15.
function processorTime({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** Megabytes that a process has now, or had at most. */
export function memory({ pid }: ChildProcess, field: "VmRSS" | "VmHWM"): number {
  const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_000;
}
