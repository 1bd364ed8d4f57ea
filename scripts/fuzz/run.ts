// A fuzz run against the service as a process: what holds for each answer, for what is stored, and
// for the process itself, whatever the bytes are.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Server } from "../../test/support/processes.ts";
import { createResponseCheck, type HttpResponse } from "../../test/support/responses.ts";
import { buildCases, type Case } from "./cases.ts";
import { judge } from "./judge.ts";
import { openLedger } from "./ledger.ts";
import { exchange } from "./wire.ts";

/** What a run is given beside the service. */
export interface Plan {
  readonly seed: number;
  readonly requests: number;
  /** Requests between two looks at all that is stored. */
  readonly every: number;
  /** Told now and then how far it is. */
  readonly tell?: (text: string) => void;
}

/** What a run has found. */
export interface Report {
  requests: number;
  connections: number;
  seconds: number;
  /** How many answers each status had, and how many connections broke off. */
  statuses: Record<string, number>;
  pets: number;
  /** Megabytes of the service's process, when the run began and when it ended. */
  memory: [began: number, ended: number];
  findings: Finding[];
}

/** What did not hold, with all that it takes to send it again. */
export interface Finding {
  about: "answers" | "pets" | "process";
  text: string;
}

/** What the service is started with for a run: only what is worse than a refusal is logged. */
export const environment = { LOG_LEVEL: "warn", RATE_LIMIT_FAILED: "1000000/1s", WORKERS: "" };

const clients = 12;
const mostFindings = 20;
const document = readFileSync(new URL("../../openapi/petstore.yaml", import.meta.url), "utf8");

/** Sends requests to a service over an empty store that made its first key. */
export async function fuzz({ child, url, out }: Server, { seed, requests, every, tell }: Plan): Promise<Report> {
  const key = /Bearer (psk_[\w-]+)/.exec(out.stderr)?.[1] as string;
  const port = Number(new URL(url).port);
  const check = await createResponseCheck(document);
  const ledger = openLedger();
  const report: Report = {
    requests: 0,
    connections: 0,
    seconds: 0,
    statuses: {},
    pets: 0,
    memory: [0, 0],
    findings: [],
  };
  const began = performance.now();

  const send = async (method: string, path: string, json = "") => {
    const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}`;
    const bytes = Buffer.from(`${head}\r\n\r\n${json}`);
    const sent: Case = { bytes, cuts: [], end: "close", most: 1, heads: [], size: 1, requests: [] };
    const { answers } = await exchange(port, sent);
    ledger.note(sent, answers, false);
    const [answer] = answers as [HttpResponse];
    check(method, path, answer);
    return answer;
  };
  const hold = async (sent: Case) => {
    const { answers, rest, error } = await exchange(port, sent);
    for (const { status } of answers) report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    const broken = sent.end === "reset" ? undefined : error; // where the service closes on bytes that it has not read
    if (broken) report.statuses[broken] = (report.statuses[broken] ?? 0) + 1;
    const lost = sent.end === "reset" || broken !== undefined;
    ledger.note(sent, answers, lost);
    judge(sent, answers, check);
    if (!lost && rest.length > 0) throw new Error(`the last answer is cut: ${JSON.stringify(rest.toString("latin1"))}`);
    if (!lost && answers.length < sent.requests.length && answers.at(-1)?.headers.connection !== "close")
      throw new Error(`${sent.requests.length} requests have ${answers.length} answers`);
  };
  const attempt = async (
    about: Finding["about"],
    work: () => Promise<unknown>,
    toCases: (error: Error) => number[],
  ) => {
    try {
      await work();
    } catch (error) {
      const cases = toCases(error as Error).map((number) => {
        const { bytes, cuts, end } = make(number);
        return `number ${number}, ${end} after ${JSON.stringify({ cuts, bytes: bytes.toString("latin1") })}`;
      });
      const text = [`seed ${seed}: ${(error as Error).message.slice(0, 2_000)}`, ...cases].join("\n  ");
      report.findings.push({ about, text });
    }
  };
  // The cases that could have made the pet that an audit complains about.
  const suspects = ({ cause }: Error) =>
    Array.from({ length: report.connections }, (_, number) => number)
      .filter((number) => make(number).bytes.includes(`"name":${JSON.stringify(cause)}`))
      .slice(0, 3);

  // Enough pets for pages, and so for cursors.
  for (let n = 0; n < 120; n++) await send("POST", "/v1/pets", JSON.stringify({ name: `first ${n}`, categoryId: n }));
  const links = await Promise.all([1, 20, 100].map((limit) => send("GET", `/v1/pets?limit=${limit}`)));
  const cursors = links.map(({ headers }) => /cursor=([\w-]+)/.exec(headers.link ?? "")?.[1] as string);
  const make = buildCases(document, { key, cursors }, seed);
  report.memory[0] = memory(child.pid);

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const isOver = () => hasEnded() || report.findings.length >= mostFindings;
  let due = 0;
  const work = async () => {
    while (report.requests < due && !isOver()) {
      const number = report.connections++;
      const sent = make(number);
      report.requests += sent.size;
      await attempt(
        "answers",
        () => hold(sent),
        () => [number],
      );
    }
  };
  while (report.requests < requests && !isOver()) {
    due = Math.min(requests, due + every);
    await Promise.all(Array.from({ length: clients }, work));
    await pause(200); // what was sent by those who did not stay to listen
    const audit = async () => {
      report.pets = await ledger.audit((path) => send("GET", path));
    };
    await attempt("pets", audit, suspects);
    report.seconds = (performance.now() - began) / 1000;
    tell?.(
      `${report.requests} requests, ${report.pets} pets, ${memory(child.pid)} MB, ${report.findings.length} findings`,
    );
  }
  report.memory[1] = memory(child.pid);
  const complain = (text: string) => report.findings.push({ about: "process", text: text.slice(0, 2_000) });
  if (hasEnded()) complain(`it ended: ${child.exitCode ?? child.signalCode} ${out.stderr.slice(-1_000)}`);
  if (out.stdout !== "") complain(`it complains: ${out.stdout}`);
  report.seconds = (performance.now() - began) / 1000;
  return report;
}

function memory(pid: number | undefined): number {
  const [, kilobytes] = tryRead(`/proc/${pid}/status`)?.match(/VmRSS:\s+(\d+)/) ?? [];
  return Math.round(Number(kilobytes ?? 0) / 1000);
}

// Only Linux has it, and only while the process lives.
function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
