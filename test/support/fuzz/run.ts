// A fuzz run against the service as a separate process. It checks each response, the stored pets, and the process.
import { readFileSync } from "node:fs";
import { documentText } from "../files.ts";
import type { Server } from "../processes.ts";
import { createResponseCheck, type HttpResponse } from "../responses.ts";
import { pause } from "../wait.ts";
import { type Case, createCaseGenerator } from "./cases.ts";
import { exchange } from "./exchange.ts";
import { Ledger } from "./ledger.ts";
import { checkResponses, isLoadShedding } from "./oracle.ts";

/** The options of a fuzz run. */
export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  /** The number of requests between two audits of the store. */
  readonly auditInterval: number;
  /** Receives a line after each audit. */
  readonly showProgress?: (text: string) => void;
}

/** The results of a fuzz run. */
export interface Report {
  requests: number;
  connections: number;
  seconds: number;
  /** The number of responses for each status, and of broken connections for each error code. */
  statuses: Record<string, number>;
  pets: number;
  /** The resident memory of the service, in megabytes. */
  memory: [start: number, end: number];
  findings: Finding[];
}

/** A violation, with the bytes that reproduce it. */
export interface Finding {
  kind: "responses" | "pets" | "process";
  text: string;
}

/** The settings of the service in a fuzz run: its log contains only warnings and errors. */
export const fuzzSettings = { LOG_LEVEL: "warn", RATE_LIMIT_FAILED: "1000000/1s", WORKERS: "" };

const clients = 12;
const maxFindings = 20;
const initialPets = 120; // enough for several pages, and so for cursors
const retryDelay = 1_000; // milliseconds
const settleTime = 200; // milliseconds until the service has processed requests of clients that have disconnected

/** Runs a fuzz test against a service that has an empty store, and has printed its first key. */
export async function fuzz(server: Server, options: FuzzOptions): Promise<Report> {
  const run = new FuzzRun(server, options, await createResponseCheck(documentText));
  return await run.execute();
}

class FuzzRun {
  readonly #server: Server;
  readonly #options: FuzzOptions;
  readonly #check: Awaited<ReturnType<typeof createResponseCheck>>;
  readonly #port: number;
  readonly #key: string;
  readonly #ledger = new Ledger();
  readonly #start = performance.now();
  readonly #report: Report = {
    requests: 0,
    connections: 0,
    seconds: 0,
    statuses: {},
    pets: 0,
    memory: [0, 0],
    findings: [],
  };
  #generate: (number: number) => Case = () => {
    throw new Error("the generator needs the cursors of the store");
  };

  constructor(server: Server, options: FuzzOptions, check: Awaited<ReturnType<typeof createResponseCheck>>) {
    this.#server = server;
    this.#options = options;
    this.#check = check;
    this.#port = Number(new URL(server.url).port);
    this.#key = /Bearer (psk_[\w-]+)/.exec(server.out.stderr)?.[1] as string;
  }

  async execute(): Promise<Report> {
    const { seed, requests, auditInterval, showProgress } = this.#options;
    const report = this.#report;
    const cursors = await this.#createPets();
    this.#generate = createCaseGenerator(documentText, { key: this.#key, cursors }, seed);
    report.memory[0] = this.#readMemory();
    while (report.requests < requests && !this.#isOver()) {
      const target = Math.min(requests, report.requests + auditInterval);
      await Promise.all(Array.from({ length: clients }, () => this.#runClient(target)));
      await pause(settleTime);
      await this.#audit();
      showProgress?.(
        `${report.requests} requests, ${report.pets} pets, ${this.#readMemory()} MB, ${report.findings.length} findings`,
      );
    }
    report.memory[1] = this.#readMemory();
    this.#checkProcess();
    report.seconds = (performance.now() - this.#start) / 1000;
    return report;
  }

  // Returns cursors of lists.
  async #createPets(): Promise<string[]> {
    for (let n = 0; n < initialPets; n++)
      await this.#send("POST", "/v1/pets", JSON.stringify({ name: `first ${n}`, categoryId: n }));
    const pages = await Promise.all([1, 20, 100].map((limit) => this.#send("GET", `/v1/pets?limit=${limit}`)));
    return pages.map(({ headers }) => /cursor=([\w-]+)/.exec(headers.link ?? "")?.[1] as string);
  }

  // Sends a valid request on its own connection. Retries it if the service sheds load.
  async #send(method: string, path: string, json = ""): Promise<HttpResponse> {
    const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${this.#key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}`;
    const bytes = Buffer.from(`${head}\r\n\r\n${json}`);
    const sent: Case = { bytes, splits: [], end: "close", maxResponses: 1, heads: [], size: 1, requests: [] };
    for (;;) {
      const { responses } = await exchange(this.#port, sent);
      this.#ledger.record(sent, responses, false);
      const [response] = responses as [HttpResponse];
      this.#check(method, path, response);
      if (!isLoadShedding(response)) return response;
      await pause(retryDelay);
    }
  }

  async #runClient(target: number): Promise<void> {
    const report = this.#report;
    while (report.requests < target && !this.#isOver()) {
      const number = report.connections++;
      const sent = this.#generate(number);
      report.requests += sent.size;
      await this.#runCase(sent).catch((error) => this.#reportFinding("responses", error, [number]));
    }
  }

  async #runCase(sent: Case): Promise<void> {
    const { statuses } = this.#report;
    const { responses, rest, error } = await exchange(this.#port, sent);
    for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1;
    const isReset = sent.end === "reset";
    // The service resets a connection that it closes while bytes are unread.
    if (error && !isReset) statuses[error] = (statuses[error] ?? 0) + 1;
    const isLost = isReset || error !== undefined;
    this.#ledger.record(sent, responses, isLost);
    checkResponses(sent, responses, this.#check);
    if (isLost) return;
    if (rest.length > 0) throw new Error(`the last response is truncated: ${JSON.stringify(rest.toString("latin1"))}`);
    if (responses.length < sent.requests.length && responses.at(-1)?.headers.connection !== "close")
      throw new Error(`${sent.requests.length} requests have ${responses.length} responses`);
  }

  async #audit(): Promise<void> {
    try {
      this.#report.pets = await this.#ledger.audit((path) => this.#send("GET", path));
    } catch (error) {
      this.#reportFinding("pets", error as Error, this.#findCasesWithName((error as Error).cause));
    }
  }

  // Returns cases that may have created the pet with this name.
  #findCasesWithName(name: unknown): number[] {
    return Array.from({ length: this.#report.connections }, (_, number) => number)
      .filter((number) => this.#generate(number).bytes.includes(`"name":${JSON.stringify(name)}`))
      .slice(0, 3);
  }

  #reportFinding(kind: Finding["kind"], { message }: Error, numbers: number[]): void {
    const cases = numbers.map((number) => {
      const { bytes, splits, end } = this.#generate(number);
      return `number ${number}, ${end} after ${JSON.stringify({ splits, bytes: bytes.toString("latin1") })}`;
    });
    const text = [`seed ${this.#options.seed}: ${message.slice(0, 2_000)}`, ...cases].join("\n  ");
    this.#report.findings.push({ kind, text });
  }

  #checkProcess(): void {
    const { child, out } = this.#server;
    const report = (text: string) => this.#report.findings.push({ kind: "process", text: text.slice(0, 2_000) });
    if (this.#hasExited()) report(`it exited: ${child.exitCode ?? child.signalCode} ${out.stderr.slice(-1_000)}`);
    if (out.stdout !== "") report(`it logged: ${out.stdout}`);
  }

  #hasExited(): boolean {
    const { exitCode, signalCode } = this.#server.child;
    return exitCode !== null || signalCode !== null;
  }

  #isOver(): boolean {
    return this.#hasExited() || this.#report.findings.length >= maxFindings;
  }

  // Returns 0 except on Linux, and after the process has exited.
  #readMemory(): number {
    try {
      const status = readFileSync(`/proc/${this.#server.child.pid}/status`, "utf8");
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000);
    } catch {
      return 0;
    }
  }
}
