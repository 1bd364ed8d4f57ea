// What is done to the service meanwhile. One at a time, but for those that last a while by themselves.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Test } from "tap";
import { type Postgres, query } from "../../test/support/postgres.ts";
import type { Random } from "../../test/support/random.ts";
import { type Model, petOf, toJson } from "./model.ts";
import type { Service } from "./service.ts";

/** Where faults happen. */
export interface Field {
  t: Pick<Test, "teardown">;
  service: Service;
  key: string;
  model: Model;
  random: Random;
  /** Takes a fault that lasts while others begin. */
  aside(lasting: Promise<unknown>): void;
}

export type Faults = Record<string, (field: Field) => Promise<unknown>>;

const killWorker = async ({ service, random }: Field) => {
  const workers = service.workers();
  const pid = workers[random.int(workers.length)];
  if (pid !== undefined) process.kill(pid, "SIGKILL");
};

const open = ({ service }: Field): Socket =>
  connect(Number(new URL(service.origin).port), "127.0.0.1").on("error", () => {});

const toRequest = (key: string, body: string, length = Buffer.byteLength(body)) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;

// None of them ever sends all of a create.
async function beSlow(field: Field): Promise<void> {
  const { key } = field;
  const body = toRequest(key, "", 1_000);
  const page = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const ways = [
    { first: "", slowly: body },
    { first: body, slowly: '{"name":"slow"'.padEnd(900) },
    { first: page.repeat(200), slowly: "" }, // and its answers are not read
  ];
  const clients = Array.from({ length: 50 }, (_, n) => ({ socket: open(field), ...(ways[n % 3] as (typeof ways)[0]) }));
  for (const { socket, first } of clients) socket.pause().write(first);
  for (let sent = 0; sent < 150; sent++) {
    for (const { socket, slowly } of clients) if (socket.writable) socket.write(slowly.slice(sent, sent + 1));
    await pause(20);
  }
  for (const { socket } of clients) socket.destroy();
}

async function cut(field: Field): Promise<void> {
  const cutOne = async (_: unknown, n: number) => {
    const socket = open(field);
    await once(socket, "connect").catch(() => {});
    const request = Buffer.from(toRequest(field.key, toJson(petOf(field.model.take()))));
    // The head, the body, or nothing was cut: then the pet may be there, once.
    const length = [60, request.length - 5, request.length][n % 3];
    socket.write(request.subarray(0, length));
    await pause(field.random.int(20));
    socket.resetAndDestroy();
  };
  await Promise.all(Array.from({ length: 30 }, cutOne));
}

const anywhere: Faults = {
  "a worker killed": killWorker,
  "workers replaced": async ({ service }) => service.replaceWorkers(),
  "service killed, started again": ({ service }) => service.restart("SIGKILL"),
  "service ended, started again": ({ service }) => service.restart("SIGTERM"),
  "50 slow clients": async (field) => field.aside(beSlow(field)),
  "30 connections cut": cut,
};

/** The faults over a SQLite file. */
export function sqliteFaults(file: string): Faults {
  const lock = async ({ t, random, aside }: Field) => {
    const script = `const db = new (require("node:sqlite").DatabaseSync)(process.argv[1], { timeout: 5000 });
      db.exec("BEGIN IMMEDIATE");
      setTimeout(() => db.close(), Number(process.argv[2]));`;
    const child = spawn(process.execPath, ["-e", script, file, String(1_000 + random.int(2_000))]);
    t.teardown(() => child.kill("SIGKILL"));
    aside(once(child, "exit"));
  };
  return { ...anywhere, "file locked by another process": lock };
}

/** The faults over a PostgreSQL. */
export function postgresFaults({ sendCommand, url }: Postgres): Faults {
  const database = url("postgres");
  const away = (command: "stop" | "kill") => async (field: Field) => {
    await sendCommand(command);
    await pause(500);
    if (field.random.int(2)) await killWorker(field); // the next one can't start before the database
    await pause(500 + field.random.int(1_000));
    await sendCommand("start");
  };
  const terminate =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore' AND pid <> pg_backend_pid()";
  const lock = "SELECT 1 FROM petstore.secret FOR UPDATE; SELECT pg_sleep";
  return {
    ...anywhere,
    "database stopped, started again": away("stop"),
    "database killed, started again": away("kill"),
    "connections to the database ended": () => query(database, terminate),
    "creates locked out": async ({ random, aside }) =>
      aside(query(database, `${lock}(${1 + random.int(100) / 100})`).catch(() => {})), // the database may go meanwhile
  };
}
