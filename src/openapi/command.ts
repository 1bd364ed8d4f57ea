// The command `openapi-server`: serves a document with mock responses, checks it, and generates the types of handlers.
import { writeFile } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import { pino } from "pino";
import { version } from "../lib/index.ts";
import { type Document, readDocument } from "./document/index.ts";
import { isIgnored, isSupported, type Operation } from "./operation/index.ts";
import { createServer, findDocsOperation } from "./server.ts";
import { type Part, type PathItem, readBasePath } from "./source/index.ts";
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
    .option("--log", "log each request to standard output", false)
    .action((document: string, options: MockOptions) => serveMock(document, options, io, signal));
  program
    .command("check")
    .description("list the parts of the document that the server would refuse or not enforce")
    .argument("<document>", "path of the document")
    .action(async (document: string) => {
      code = (await check(document, io)) ? 0 : 1;
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

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError("It must be a number from 0 to 65535.");
}

async function serveMock(
  document: string,
  { port, host, log }: MockOptions,
  io: CommandIo,
  signal?: AbortSignal,
): Promise<void> {
  const app = await createServer({ document, mock: true, logger: pino({ level: log ? "info" : "error" }) });
  const url = await app.listen({ port, host });
  const docs = app.hasRoute({ method: "GET", url: "/docs/static/*" }) ? `, with its documentation at ${url}/docs` : "";
  io.stdout.write(`Mock server of ${document} at ${url}${docs}.\n`);
  io.stdout.write("openapi-server check lists the parts of the document that it does not enforce.\n");
  const close = () => void app.close();
  for (const event of ["SIGINT", "SIGTERM"] as const) process.once(event, close);
  signal?.addEventListener("abort", close);
}

async function check(path: string, io: CommandIo): Promise<boolean> {
  const problems: string[] = [];
  const document = await readDocument(path, { report: (problem) => problems.push(problem) });
  const { operations } = document;
  const notes = listNotes(document);
  for (const problem of problems) io.stdout.write(`- ${problem}\n`);
  for (const note of notes) io.stdout.write(`- Note: ${note}\n`);
  const exception = notes.length === 0 ? "" : ", except for the notes above";
  const count = `${operations.length} ${operations.length === 1 ? "operation" : "operations"}`;
  io.stdout.write(
    problems.length === 0
      ? `${count}. The server enforces ${operations.length === 1 ? "its" : "their"} parameters, bodies, security and responses${exception}.\n`
      : `${count}, ${problems.length} ${problems.length === 1 ? "problem" : "problems"}. With strict: false, the server logs and ignores these parts, but never a security requirement.\n`,
  );
  return problems.length === 0;
}

// What the server leaves to handlers and security checks.
function listNotes(document: Document): string[] {
  const { operations, basePath, content, root } = document;
  const docs = findDocsOperation(document);
  const schemes = new Map(
    operations.flatMap(({ security }) => security.flat().map(({ name, scheme }) => [name, scheme])),
  );
  const paths = new Set((content.servers ?? []).map((server) => readBasePath({ servers: [server] })));
  paths.delete(basePath);
  return [
    ...[...paths].map(
      (path) => `The paths begin with ${basePath || "/"}, as in the first server, and not with ${path || "/"}.`,
    ),
    ...[...schemes]
      .filter(([, scheme]) => !isSupported(scheme))
      .map(([name, { type }]) => `The security scheme ${name} (${type}) needs a check with its own \`authenticate\`.`),
    ...(docs ? [`The server has no documentation at /docs, because ${docs.id} has the path ${docs.path}.`] : []),
    ...operations.flatMap(listStreams),
    ...operations.flatMap((operation) => listIgnored(operation, root)),
  ];
}

function listStreams({ id, body }: Operation): string[] {
  return (body?.streamTypes ?? []).map(
    (mediaType) => `${id} gets a body of ${mediaType} as a stream, and its schema is not enforced.`,
  );
}

function listIgnored({ id, part }: Operation, root: Document["root"]): string[] {
  const item = root.find(part.pointer.replace(/\/[^/]*$/, "")) as Part<PathItem>;
  const parameters = [...item.membersOf("parameters"), ...part.membersOf("parameters")].map(([, { value }]) => value);
  return parameters
    .filter(isIgnored)
    .map(({ name }) => `${id} has the header parameter ${name}, which OpenAPI ignores.`);
}

async function generate(path: string, output: string | undefined, io: CommandIo): Promise<void> {
  const document = await readDocument(path, { report: () => {} });
  for (const { id, part } of document.operations) Object.assign(part.value, { operationId: id });
  const text = `// Generated from ${path} by "openapi-server generate". Do not edit.\n${await generateTypes(document.content, { ...handlerTypes, schemas: document.schemas })}`;
  if (output === undefined) io.stdout.write(text);
  else await writeFile(output, text);
}
