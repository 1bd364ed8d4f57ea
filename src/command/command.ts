// The command `openapi-server`: serves a document, with mock responses or from records, checks it, and generates types.
import { Command, InvalidArgumentError, Option } from "commander";
import { version } from "../lib/index.ts";
import { CommandFailure, type Io, isBrokenPipe, messageOf } from "../terminal/index.ts";
import type { CheckOptions } from "./check.ts";
import { addBackup, addCheck, addCopy, addExport, addImport, addRestore, type DataCommands } from "./data/program.ts";
import type { GenerateFlags } from "./generate.ts";
import type { MockOptions } from "./mock.ts";
import type { ProxyOptions } from "./proxy.ts";
import type { ServeOptions } from "./serve.ts";

const exitCodes = `
Exit codes:
  0  success
  1  invalid command line, a document that can't be loaded or served, or an error that check has found

Errors of the command are written to standard error, and its results to standard output.`;

/**
 * Runs the command with these arguments. Returns its exit code: 1 if it failed, or if `check` found an error. The server of
 * `mock` and `serve` keeps the process alive, and is closed if `signal` is aborted, which also ends `generate --watch`.
 */
export async function runCommand(args: readonly string[], io: Io, signal?: AbortSignal): Promise<number> {
  let code = 0;
  const program = new Command("openapi-server")
    .description("Serves, checks and generates code from an OpenAPI document (3.0, 3.1 or 3.2).")
    .version(version, "--version")
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error:/, "openapi-server:")),
    })
    .addHelpText("after", exitCodes)
    .exitOverride();
  program
    .command("mock")
    .description("serve the document: validate each request, and respond with examples")
    .argument("<document>", "path of the document")
    .addOption(portOption())
    .addOption(hostOption())
    .addOption(allowHostOption())
    .option("--no-validate", "respond to each request of an operation, whatever it contains")
    .option("--watch", "serve the new state when a file of the document changes")
    .addOption(logOption())
    .addOption(configOption())
    .action(async (document: string, options: MockOptions) =>
      (await import("./mock.ts")).serveMock(document, options, io, signal),
    );
  program
    .command("serve")
    .description("serve the document from records in SQLite or PostgreSQL: what is created stays")
    .argument("<document>", "path of the document")
    .addOption(portOption())
    .addOption(hostOption())
    .addOption(allowHostOption())
    .addOption(dataOption())
    .addOption(overlayOption())
    .option("--handlers <module>", "module (.js or .ts) whose exports are handlers, by operationId")
    .option("--key <key>", "credential that is valid; can be repeated (default: each one is)", addTo)
    .option("--keys <file>", "YAML or JSON file with valid credentials: a list of name, key, and scopes")
    .option("--issuer <url>", "issuer (OAuth 2.0, OpenID Connect) whose access tokens are valid, also beside --key")
    .option("--audience <text>", "audience (aud) that the tokens of --issuer must have (default: any)")
    .option("--examples", "answer the other operations with examples, instead of 501", false)
    .option(
      "--seed [records]",
      "fill empty collections: from examples, with a number of made records, or from a folder",
    )
    .option("--reset", "delete all records before", false)
    .option("--plan", "list what is answered, and why the rest is not, and do not serve", false)
    .addOption(logOption())
    .addOption(configOption())
    .action(async (document: string, options: ServeOptions) =>
      (await import("./serve.ts")).serve(document, options, io, signal),
    );
  program
    .command("proxy")
    .description("compare the requests and responses of an existing server with the document")
    .argument("<document>", "path of the document")
    .requiredOption("--upstream <url>", "URL of the server")
    .addOption(portOption())
    .addOption(hostOption())
    .option("--report", "only report what violates the document, instead of rejecting it", false)
    .addOption(configOption())
    .action(async (document: string, options: ProxyOptions) =>
      (await import("./proxy.ts")).serveProxy(document, options, io, signal),
    );
  program
    .command("check")
    .description("list the parts of documents that the server refuses or does not enforce")
    .argument("<documents...>", "paths of documents, or patterns such as 'api/*.yaml'")
    .option("--strict", "make warnings errors")
    .option("--no-strict", "keep warnings, although the module of --config makes them errors")
    .option("--ignore <rule>", "accept a rule, such as format:unix-time; can be repeated", addTo)
    .addOption(new Option("--format <format>", "format of the output").choices(["text", "json"]).default("text"))
    .addOption(configOption())
    .action(async (documents: string[], options: CheckOptions) => {
      code = (await (await import("./check.ts")).check(documents, options, io)) ? 0 : 1;
    });
  program
    .command("generate")
    .description("write the TypeScript types of handlers, or of a client")
    .argument("<document>", "path of the document")
    .option("-o, --output <file>", "file to write (default: standard output)")
    .option("--client", "write the types of a client (openapi-fetch) instead", false)
    .option("--check", "fail if the file is not current, instead of writing it", false)
    .option("--watch", "write the file again after each change of the document", false)
    .option("--no-strict", "write the types of a document in spite of its errors")
    .addOption(configOption())
    .action(async (document: string, flags: GenerateFlags) =>
      (await import("./generate.ts")).generate(document, flags, io, signal),
    );
  for (const command of program.commands) command.addOption(allowFolderOption());
  addData(program, io);
  // `write` rejects if standard output fails. Without a listener, the event would also end the process.
  io.stdout.on("error", () => {});
  try {
    await program.parseAsync(args.length > 0 ? args : ["--help"], { from: "user" });
    return code;
  } catch (error) {
    if ((error as { exitCode?: number }).exitCode === 0) return 0; // help
    if (isBrokenPipe(error)) return 0;
    if (!(error as { exitCode?: number }).exitCode) reportLines(io, error as Error);
    return 1;
  }
}

// The commands for the records of `serve`.
function addData(program: Command, io: Io): void {
  const parent = program.command("data").description("import, export and back up the records of serve");
  const commands: DataCommands = {
    parent,
    io,
    records: "records",
    hasScopes: true,
    create: (name) => {
      const command = parent.command(name).argument("<document>", "path of the document").addOption(overlayOption());
      command.addOption(allowFolderOption());
      return name === "copy" ? command : command.addOption(dataOption());
    },
    readTarget: async (_, [path = "", ...args], options) => {
      const { openTarget } = await import("./target.ts");
      return [await openTarget(path, options), ...args];
    },
  };
  for (const add of [addImport, addExport, addBackup, addRestore, addCopy, addCheck]) add(commands);
}

function reportLines(io: Io, error: Error): void {
  const isPortInUse = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
  const advice = "Run openapi-server serve with it, which migrates it.";
  const message = isPortInUse ? `${error.message}. Choose another one with --port.` : messageOf(error, advice);
  const lines = error instanceof CommandFailure ? error.lines : [message];
  for (const line of lines) io.stderr.write(`openapi-server: ${line}\n`);
}

function portOption(): Option {
  return new Option("-p, --port <number>", "port; 0 for any free one").argParser(parsePort).default(3_000);
}

function hostOption(): Option {
  return new Option("--host <address>", "address to listen on").default("127.0.0.1");
}

function allowHostOption(): Option {
  return new Option("--allow-host <name>", "further host name of the server; can be repeated").argParser(addTo);
}

function logOption(): Option {
  return new Option("--log", "log each request to standard output").default(false);
}

function dataOption(): Option {
  return new Option("--data <place>", "SQLite file, or URL postgres://… (default: a file beside the document)");
}

function overlayOption(): Option {
  const help = "OpenAPI overlay that changes the document, such as its x-resource; can be repeated";
  return new Option("--overlay <file>", help).argParser(addTo);
}

function configOption(): Option {
  return new Option(
    "--config <module>",
    "module (.js or .ts) with the options of createServer, as its default export or as `options`; options of the command replace them",
  );
}

function allowFolderOption(): Option {
  const help = "folder to which references to files may lead, besides that of the document; can be repeated";
  return new Option("--allow-folder <folder>", help).argParser(addTo);
}

function addTo(value: string, list: readonly string[] = []): readonly string[] {
  return [...list, value];
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError("It must be a number from 0 to 65535.");
}
