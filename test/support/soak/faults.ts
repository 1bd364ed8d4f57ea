// The faults of a soak run. They are injected one at a time, except for faults that last. The seed determines their
// sequence.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import type { Test } from "tap";
import { prlimitSkipReason } from "../faults.ts";
import { type Postgres, query } from "../postgres.ts";
import { createRandom, type Random } from "../random.ts";
import { pause } from "../wait.ts";
import { createPet, toJson } from "./numbered-pets.ts";
import type { Recorder } from "./recorder.ts";
import type { SoakService } from "./service.ts";

const maxClockShift = 6 * 3_600_000; // milliseconds; two clocks differ by less than the 24 hours of an Idempotency-Key

/** The run into which a fault is injected. */
export interface FaultContext {
  t: Pick<Test, "teardown">;
  service: SoakService;
  key: string;
  recorder: Recorder;
  random: Random;
  /** Continues a fault in the background, while others are injected. */
  runInBackground(fault: Promise<unknown>): void;
}

/** Faults by name. */
export type Faults = Record<string, (context: FaultContext) => Promise<unknown>>;

/** A fault of a plan: the time to wait before it in milliseconds, and its own generator. */
export interface PlannedFault {
  name: string;
  wait: number;
  random: Random;
}

/** Yields faults without end: each once, in random order, before one is repeated. */
export function* planFaults(
  names: readonly string[],
  seed: number,
  [min, max]: readonly [min: number, max: number],
): Generator<PlannedFault, never> {
  const random = createRandom(seed);
  for (let remaining: string[] = []; ; ) {
    if (remaining.length === 0) remaining = [...names];
    const [name = ""] = remaining.splice(random.int(remaining.length), 1);
    yield { name, wait: min + random.int(max - min), random: createRandom(random.int(2 ** 32)) };
  }
}

const killWorker = async ({ service, random }: FaultContext) => {
  const pid = random.pick(service.workers());
  if (pid !== undefined) process.kill(pid, "SIGKILL");
};

// Stops processes with SIGSTOP, so that they hold their connections and locks without doing anything.
async function pauseProcesses(pids: readonly number[], ms: number): Promise<void> {
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids)
      try {
        process.kill(pid, name);
      } catch (error) {
        if ((error as { code?: string }).code !== "ESRCH") throw error; // it has exited
      }
  };
  signal("SIGSTOP");
  await pause(ms);
  signal("SIGCONT");
}

const pauseWorker = ({ service, random }: FaultContext) =>
  pauseProcesses([random.pick(service.workers())].filter(Boolean), 300 + random.int(2_000));

async function stepClocks({ service, random }: FaultContext): Promise<void> {
  const offset = () => random.int(2 * maxClockShift) - maxClockShift;
  service.shiftClocks(offset());
  await pause(500);
  service.shiftClocks(offset());
}

const openConnection = ({ service }: FaultContext): Socket =>
  connect(Number(new URL(service.origin).port), "127.0.0.1").on("error", () => {});

const createRequest = (key: string, body: string, length = Buffer.byteLength(body)) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

// No client completes a create.
async function runSlowClients(context: FaultContext): Promise<void> {
  const { key } = context;
  const head = createRequest(key, "", 1_000);
  const list = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const kinds = [
    { start: "", rest: head },
    { start: head, rest: '{"name":"slow"'.padEnd(900) },
    { start: list.repeat(200), rest: "" }, // does not read the responses
  ];
  const clients = Array.from({ length: 50 }, (_, n) => ({
    socket: openConnection(context),
    ...(kinds[n % 3] as (typeof kinds)[0]),
  }));
  for (const { socket, start } of clients) socket.pause().write(start);
  for (let sent = 0; sent < 150; sent++) {
    for (const { socket, rest } of clients) if (socket.writable) socket.write(rest.slice(sent, sent + 1));
    await pause(20);
  }
  for (const { socket } of clients) socket.destroy();
}

// Opens 1,500 connections, and sends a request on each. Each must have a response, unless it is closed.
async function openManyConnections(context: FaultContext): Promise<void> {
  const { key, recorder } = context;
  const text = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const request = async (socket: Socket) => {
    socket.write(text);
    const response = await Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => []);
    const [line] = String(response[0] ?? "").split("\r\n", 1);
    if (/^HTTP/.test(line ?? "") && !/^HTTP\/1.1 (200|503) /.test(line ?? ""))
      recorder.client.report("violations", `one of 1,500 connections: ${line}`);
  };
  const sockets = Array.from({ length: 1_500 }, () => openConnection(context));
  await Promise.race([Promise.all(sockets.map(request)), pause(10_000)]);
  for (const socket of sockets) socket.destroy();
}

async function resetConnections(context: FaultContext): Promise<void> {
  const { key, recorder, random } = context;
  const resetOne = async (_: unknown, n: number) => {
    const socket = openConnection(context);
    await once(socket, "connect").catch(() => {});
    const request = Buffer.from(createRequest(key, toJson(createPet(recorder.take()))));
    // Sends a part of the head, a part of the body, or all. In the last case, the pet may exist.
    const length = [60, request.length - 5, request.length][n % 3];
    socket.write(request.subarray(0, length));
    await pause(random.int(20));
    socket.resetAndDestroy();
  };
  await Promise.all(Array.from({ length: 30 }, resetOne));
}

const commonFaults: Faults = {
  "a worker killed": killWorker,
  "a worker paused": pauseWorker,
  "workers replaced": async ({ service }) => service.replaceWorkers(),
  "service killed, started again": ({ service }) => service.restart("SIGKILL"),
  "service ended, started again": ({ service }) => service.restart("SIGTERM"),
  "50 slow clients": async (context) => context.runInBackground(runSlowClients(context)),
  "30 connections reset": resetConnections,
  "1,500 connections at once": openManyConnections,
  "clocks stepped": stepClocks,
};

/** Returns the faults of a SQLite file. */
export function sqliteFaults(file: string): Faults {
  const lockFile = async ({ t, random, runInBackground }: FaultContext) => {
    const script = `const db = new (require("node:sqlite").DatabaseSync)(process.argv[1], { timeout: 5000 });
      db.exec("BEGIN IMMEDIATE");
      setTimeout(() => db.close(), Number(process.argv[2]));`;
    const child = spawn(process.execPath, ["-e", script, file, String(1_000 + random.int(2_000))]);
    t.teardown(() => child.kill("SIGKILL"));
    runInBackground(once(child, "exit"));
  };
  // The limit is below the size of the write-ahead log or of the database, whichever grows next.
  const fillDisk = async ({ service, random }: FaultContext) => {
    service.limitFileSize(statSync(file).size + 20_000);
    await pause(500 + random.int(1_000));
    service.limitFileSize("unlimited");
  };
  const fullDisk: Faults = prlimitSkipReason ? {} : { "disk full": fillDisk };
  return { ...commonFaults, ...fullDisk, "file locked by another process": lockFile };
}

/** Returns the faults of a PostgreSQL server. */
export function postgresFaults({ sendCommand, url }: Postgres): Faults {
  const database = url("postgres");
  const interrupt = (command: "stop" | "kill") => async (context: FaultContext) => {
    await sendCommand(command);
    await pause(500);
    if (context.random.int(2)) await killWorker(context); // its successor starts without a database
    await pause(500 + context.random.int(1_000));
    await sendCommand("start");
  };
  const backends = "FROM pg_stat_activity WHERE application_name = 'petstore' AND pid <> pg_backend_pid()";
  const pauseBackends = async ({ random }: FaultContext) => {
    const pids = (await query(database, `SELECT pid ${backends}`)).map(({ pid }) => Number(pid));
    await pauseProcesses(pids, 300 + random.int(2_000));
  };
  const blockCreates = (seconds: number) => `SELECT 1 FROM petstore.secret FOR UPDATE; SELECT pg_sleep(${seconds})`;
  return {
    ...commonFaults,
    "database processes paused": pauseBackends,
    "database stopped, started again": interrupt("stop"),
    "database killed, started again": interrupt("kill"),
    "connections to the database ended": () => query(database, `SELECT pg_terminate_backend(pid) ${backends}`),
    "creates blocked by a lock": async ({ random, runInBackground }) =>
      // Another fault may stop the database meanwhile.
      runInBackground(query(database, blockCreates(1 + random.int(100) / 100)).catch(() => {})),
  };
}
