// The command `openapi-server`: serves a document with mock responses, checks it, and generates the types of handlers.
import { writeFile } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import { pino } from "pino";
import { version } from "../lib/index.ts";
import { readDocument } from "./document/index.ts";
import { createServer, findDocsOperation } from "./server.ts";
import { describeFinding, type Level, Locator } from "./source/index.ts";
import { generateTypes, handlerTypes } from "./types/index.ts";

/** The output streams of the command. */
export interface CommandIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

interface MockOptions {
  readonly port: number;
  readonly host: string;
  readonly log: boolean;
  readonly validate: boolean;
}

interface CheckOptions {
  readonly strict: boolean;
  readonly ignore: readonly string[];
}

/**
 * Runs the command with these arguments. Returns its exit code: 1 if it failed, or if `check` found a problem. The server of
 * `mock` keeps the process alive, and is closed if `signal` is aborted.
 */
export async function runCommand(args: readonly string[], io: CommandIo, signal?: AbortSignal): Promise<number> {
  let code = 0;
  const program = new Command("openapi-server")
    .description("Serves, checks and generates code from an OpenAPI document (3.0, 3.1 or 3.2).")
    .version(version, "--version")
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .exitOverride();
  program
    .command("mock")
    .description("serve the document: validate each request, and respond with examples")
    .argument("<document>", "path of the document")
    .option("-p, --port <number>", "port; 0 for any free one", parsePort, 3_000)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--no-validate", "respond to each request of an operation, whatever it contains")
    .option("--log", "log each request to standard output", false)
    .action((document: string, options: MockOptions) => serveMock(document, options, io, signal));
  program
    .command("check")
    .description("list the parts of the document that the server refuses or does not enforce")
    .argument("<document>", "path of the document")
    .option("--strict", "make warnings errors", false)
    .option("--ignore <rule>", "accept a rule, such as format:unix-time; can be repeated", addTo, [])
    .action(async (document: string, options: CheckOptions) => {
      code = (await check(document, options, io)) ? 0 : 1;
    });
  program
    .command("generate")
    .description("write the TypeScript types of handlers")
    .argument("<document>", "path of the document")
    .option("-o, --output <file>", "file to write (default: standard output)")
    .action((document: string, { output }: { output?: string }) => generate(document, output, io));
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if ((error as { exitCode?: number }).exitCode === 0) return 0; // help
    if (!(error as { exitCode?: number }).exitCode) io.stderr.write(`openapi-server: ${(error as Error).message}\n`);
    return 1;
  }
}

function addTo(value: string, list: readonly string[]): readonly string[] {
  return [...list, value];
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError("It must be a number from 0 to 65535.");
}

async function serveMock(
  document: string,
  { port, host, log, validate }: MockOptions,
  io: CommandIo,
  signal?: AbortSignal,
): Promise<void> {
  const logger = pino({ level: log ? "info" : "error" });
  const app = await createServer({ document, mock: true, validateRequests: validate, logger });
  const url = await app.listen({ port, host });
  const docs = app.hasRoute({ method: "GET", url: "/docs/static/*" }) ? `, with its documentation at ${url}/docs` : "";
  io.stdout.write(`Mock server of ${document} at ${url}${docs}.\n`);
  io.stdout.write("openapi-server check lists the parts of the document that it does not enforce.\n");
  const close = () => void app.close();
  for (const event of ["SIGINT", "SIGTERM"] as const) process.once(event, close);
  signal?.addEventListener("abort", close);
}

async function check(path: string, { strict, ignore }: CheckOptions, io: CommandIo): Promise<boolean> {
  const document = await readDocument(path, { strict: false, checksExamples: true });
  const { operations } = document;
  const findings = document.findings.list({ strict, ignore });
  const docs = findDocsOperation(document);
  const locator = new Locator();
  for (const finding of findings) io.stdout.write(`- ${titles[finding.level]}: ${describeFinding(finding, locator)}\n`);
  if (docs)
    io.stdout.write(
      `- Note: The server has no documentation at /docs, because ${docs.id} has the path ${docs.path}.\n`,
    );
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const start = `${countOf(operations.length, "operation")}, ${countOf(errors, "error")}, ${countOf(warnings, "warning")}.`;
  const end =
    errors > 0
      ? "The server refuses the document"
      : warnings > 0
        ? "The server enforces all else"
        : "The server enforces all of it";
  io.stdout.write(`${start} ${end}.\n`);
  return errors === 0;
}

const titles: Readonly<Record<Level, string>> = { error: "Error", warning: "Warning", note: "Note" };

function countOf(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}

async function generate(path: string, output: string | undefined, io: CommandIo): Promise<void> {
  const document = await readDocument(path, { strict: false });
  for (const { id, part } of document.operations) Object.assign(part.value, { operationId: id });
  const types = await generateTypes(document.content, { ...handlerTypes, schemas: document.schemas });
  const text = `// Generated from ${path} by "openapi-server generate". Do not edit.\n${types}`;
  if (output === undefined) io.stdout.write(text);
  else await writeFile(output, text);
}
