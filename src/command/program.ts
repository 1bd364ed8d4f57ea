// The command line: `openapi-server` for any document, and the same commands for a service with a program of its own. A command
// imports its code when it runs: without Fastify and YAML, --help takes 0.1 s of CPU time instead of 0.35 s.
import { Command, CommanderError } from "commander";
import { escapeExceptLineBreaks, redact, UsageError, version } from "../lib/index.ts";
import type { Preset } from "../server/index.ts";
import { type SettingName, settings } from "../settings/index.ts";
import { type Io, isBrokenPipe, type OutputOptions, reportError } from "../terminal/index.ts";
import { addData } from "./data/data-commands.ts";
import { addDocuments, ErrorsFound } from "./documents/document-commands.ts";
import { addEnvironmentFile, openApiServer } from "./inputs/config.ts";
import { addExamples, addNotes, hasColors } from "./inputs/help.ts";
import { addSettings, addTo, formatOption, settingsAmong } from "./inputs/options.ts";
import {
  configOption,
  logOption,
  mcpOption,
  onTarget,
  overlayOption,
  pagesOption,
  type TargetReader,
  targetsOfArguments,
  targetsOfPreset,
} from "./inputs/target.ts";
import { addKeys } from "./key-commands.ts";
import type { McpOptions } from "./mcp.ts";
import type { ServeOptions } from "./serve.ts";

/** What a program is made of. */
export interface ProgramOptions {
  readonly io: Io;
  /** The service of the program; undefined for one that serves any document. */
  readonly preset?: Preset | undefined;
  /** Ends a server, and `--watch`. */
  readonly signal?: AbortSignal | undefined;
}

const allSettings = Object.keys(settings) as SettingName[];
const isOfService = (name: SettingName) => !("isOfDocument" in settings[name]);

/** Creates the command. Its `parseAsync` rejects with a CommanderError if the command line is wrong. */
export function createProgram({ io, preset, signal }: ProgramOptions): Command {
  const { name, variablePrefix, defaults } = preset ?? openApiServer;
  const program = new Command(name)
    .description(preset?.description ?? "Serves, checks and generates code from an OpenAPI document (3.0, 3.1 or 3.2).")
    .version(version, preset ? "-V, --version" : "--version")
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns as number, // commander takes 80 if it is undefined
      getErrHelpWidth: () => io.stderr.columns as number,
      getOutHasColors: () => hasColors(io.stdout),
      getErrHasColors: () => hasColors(io.stderr),
      outputError: (text, write) => write(redact(escapeExceptLineBreaks(text.replace(/^error: /, `${name}: `)))),
    })
    .option("--environment-file <file>", "read settings from a file, such as that of a systemd unit")
    .hook("preAction", (program) => addEnvironmentFile(io.env, program.opts().environmentFile))
    .exitOverride();
  addProgramExamples(program, preset);
  const names = allSettings.filter((one) => preset === undefined || isOfService(one));
  addNotes(program, variablePrefix, defaults, names);

  const targets = preset ? targetsOfPreset(preset, io) : targetsOfArguments(io);
  program.commandsGroup("Service:");
  if (preset) addPresetServe(program, preset, io);
  else addServe(program, io, signal);
  program.commandsGroup("API keys:");
  addKeys(program, io, targets);
  program.commandsGroup("Import, export and backup:");
  addData(program, io, targets, preset);
  program.commandsGroup("Databases:");
  addDatabases(program, io, targets, preset);
  if (preset === undefined) {
    program.commandsGroup("Documents:");
    addDocuments(program, io, signal);
  }
  program.commandsGroup("Other:");
  program.addHelpCommand(new Command("help").argument("[command]").description("show the help of a command"));
  return program;
}

/**
 * Runs a command and returns its exit code: 0 if it succeeded, 1 if it failed, 2 if `argv` is wrong. `argv` has the words behind the
 * name of the program. A server keeps the process alive: its command returns 0 as soon as it listens. Reports failures on standard
 * error.
 */
export async function runCommand(argv: readonly string[], options: ProgramOptions): Promise<number> {
  const { io, preset } = options;
  // `write` rejects if standard output fails. Without a listener, the event would also end the process.
  const ignore = () => {};
  io.stdout.on("error", ignore);
  io.stderr.on("error", ignore);
  const { name: program } = preset ?? openApiServer;
  try {
    await createProgram(options).parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (isBrokenPipe(error)) return 0;
    if (error instanceof ErrorsFound) return 1;
    reportError(io, program, error, `Run ${program} migrate${preset ? "" : " with its document"}.`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function addProgramExamples(program: Command, preset: Preset | undefined): void {
  if (preset === undefined)
    addExamples(
      program,
      ["openapi-server mock books.yaml", "respond with examples of a document"],
      ["openapi-server serve books.yaml", "keep what is created, in books.db beside the document"],
      ["openapi-server keys create books.yaml alice --expires 90d", "create a key for a client"],
      ["openapi-server check 'api/*.yaml'", "list what is wrong with documents"],
    );
  else
    addExamples(
      program,
      [`${preset.name} serve`, "run the service"],
      [`${preset.name} keys create alice --expires 90d`, "create a key for a client"],
      [`${preset.name} import ${preset.records}.csv`, `import ${preset.records} from a file`],
      [`${preset.name} backup ${preset.records}.backup`, "back up the database while the service is running"],
    );
}

function addPresetServe(program: Command, preset: Preset, io: Io): void {
  const command = program.command("serve").description("run the service");
  addSettings(command, allSettings.filter(isOfService), preset.defaults).action(async (options: object) =>
    (await import("../server/index.ts")).runPreset(preset, { env: io.env, flags: settingsAmong(options) }),
  );
}

function addServe(program: Command, io: Io, signal: AbortSignal | undefined): void {
  const command = program
    .command("serve")
    .description("serve the document from records in SQLite or PostgreSQL: what is created stays")
    .argument("<document>", "path of the document")
    .addOption(overlayOption())
    .option("--handlers <module>", "module (.js or .ts) whose exports are handlers, by operationId")
    .option("--transactions", "run each call of a handler in one transaction, repeated by its Idempotency-Key", false)
    .option("--key <key>", "credential that is valid beside API keys; can be repeated; any accepts each one", addTo)
    .option("--keys <file>", "YAML or JSON file with valid credentials: a list of name, key, and scopes")
    .option("--examples", "answer the other operations with examples, instead of 501", false)
    .option(
      "--seed [records]",
      "fill empty collections: from examples, with a number of made records, or from a folder",
    )
    .option("--reset", "delete all records before", false)
    .option("--prefer", "follow the header Prefer, for tests: delay=MILLISECONDS, code=STATUS", false)
    .addOption(mcpOption())
    .option("--watch", "serve the new state when a file of the document, or of another option, changes", false)
    .option("--plan", "list what is answered, and why the rest is not, and do not serve", false)
    .addOption(formatOption("format of the plan, implies --plan").implies({ plan: true }))
    .addOption(pagesOption())
    .addOption(logOption())
    .addOption(configOption())
    .action(async (document: string, options: ServeOptions) =>
      (await import("./serve.ts")).serve(document, options, io, signal),
    );
  addSettings(command, allSettings, { ...openApiServer.defaults, data: "a file beside the document" });
  addMcp(program, io);
}

function addMcp(program: Command, io: Io): void {
  const command = program
    .command("mcp")
    .description("serve an agent (MCP) on standard input and output: from records as serve, or from an existing server")
    .argument("<document>", "path of the document")
    .option("--upstream <url>", "URL of a server that answers, and is compared with the document")
    .option("--include <name>", "tag or operationId of operations for the agent, of all; can be repeated", addTo)
    .option(
      "--key <key>",
      "credential of the agent, or scheme=credential for a security scheme; can be repeated",
      addTo,
    )
    .addOption(overlayOption())
    .option("--handlers <module>", "module (.js or .ts) whose exports are handlers, by operationId")
    .option("--transactions", "run each call of a handler in one transaction, repeated by its Idempotency-Key", false)
    .option("--examples", "answer the other operations with examples, instead of 501", false)
    .addOption(configOption())
    .action(async (document: string, options: McpOptions) =>
      (await import("./mcp.ts")).serveAgent(document, options, io),
    );
  addSettings(command, ["data", "name", "logLevel", "allowedFolders"], {
    data: "a file beside the document",
    ...openApiServer.defaults,
  });
}

function addDatabases(program: Command, io: Io, targets: TargetReader, preset: Preset | undefined): void {
  const { select } = targets;
  const migrate = select(
    program
      .command("migrate")
      .description(
        "create a SQLite file, or the schema in a PostgreSQL database, or apply pending migrations; serve does this, too",
      ),
  ).option("--json", "print JSON");
  onTarget<OutputOptions>(migrate, targets, async (target, options) => {
    const { storeOptions = {} } = (await preset?.load()) ?? {};
    await (await import("./migrate.ts")).migrateStore(io, target, storeOptions, options);
  });
  const views = select(
    program
      .command("views")
      .description("print SQL that creates a view of each collection, with a column for each field"),
  );
  onTarget(views, targets, async (target) => (await import("./migrate.ts")).printViews(io, target));
  if (preset)
    addExamples(
      views,
      [`${preset.name} views | psql "$DATABASE_URL"`, "create the views in PostgreSQL"],
      [`sqlite3 -init <(${preset.name} views) data/${preset.name}.db`, "use them in SQLite"],
    );
}
