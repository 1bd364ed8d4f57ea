// The command line: `openapi-server` for any document, and the same commands for a service with a program of its own. A command
// imports its code when it runs: without Fastify and YAML, --help takes 0.1 s of CPU time instead of 0.35 s.
import { Argument, Command } from "commander";
import { escapeExceptLineBreaks, redact, version } from "../lib/index.ts";
import type { Preset } from "../server/index.ts";
import { type SettingName, settings } from "../settings/index.ts";
import type { Io, OutputOptions } from "../terminal/index.ts";
import { openApiServer } from "./config.ts";
import { addBackup, addCheck, addCopy, addExport, addImport, addRestore, type DataCommands } from "./data/program.ts";
import { addDocuments } from "./document-commands.ts";
import { addEnvironmentFile } from "./environment-file.ts";
import { addExamples, addNotes, hasColors } from "./help.ts";
import { addKeys } from "./key-commands.ts";
import { addSettings, addTo, formatOption, settingsAmong } from "./options.ts";
import type { ServeOptions } from "./serve.ts";
import type { StoreTarget } from "./stores.ts";
import {
  configOption,
  logOption,
  onTarget,
  overlayOption,
  type TargetReader,
  targetsOfArguments,
  targetsOfPreset,
} from "./target.ts";

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
  if (preset) addData(dataOfPreset(program, preset, io, targets), preset);
  else addData(dataOfArguments(program, io, targets));
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
    .option("--key <key>", "credential that is valid beside API keys; can be repeated; any accepts each one", addTo)
    .option("--keys <file>", "YAML or JSON file with valid credentials: a list of name, key, and scopes")
    .option("--examples", "answer the other operations with examples, instead of 501", false)
    .option(
      "--seed [records]",
      "fill empty collections: from examples, with a number of made records, or from a folder",
    )
    .option("--reset", "delete all records before", false)
    .option("--watch", "serve the new state when a file of the document, or of another option, changes", false)
    .option("--plan", "list what is answered, and why the rest is not, and do not serve", false)
    .addOption(formatOption("format of the plan, implies --plan").implies({ plan: true }))
    .addOption(logOption())
    .addOption(configOption())
    .action(async (document: string, options: ServeOptions) =>
      (await import("./serve.ts")).serve(document, options, io, signal),
    );
  addSettings(command, allSettings, { ...openApiServer.defaults, data: "a file beside the document" });
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
  onTarget(views, targets, async (target) => (await import("./views.ts")).printViews(io, target));
  if (preset)
    addExamples(
      views,
      [`${preset.name} views | psql "$DATABASE_URL"`, "create the views in PostgreSQL"],
      [`sqlite3 -init <(${preset.name} views) data/${preset.name}.db`, "use them in SQLite"],
    );
}

// The commands for the records of a service with a program of its own.
function dataOfPreset(program: Command, preset: Preset, io: Io, { read }: TargetReader): DataCommands {
  const checked = new Argument(
    "[url]",
    "sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE (default: DATABASE_URL)",
  );
  return {
    parent: program,
    io,
    records: preset.records,
    hasScopes: false,
    create: (name) => (name === "check" ? program.command(name).addArgument(checked) : program.command(name)),
    readTarget: async (name, args, options) => {
      const [target] = await read([], options);
      const named = name === "check" ? args[0] : undefined;
      await requireOwnDatabase(name, target);
      return [{ ...target, document: await target.readDocument(), url: named ?? target.url }, ...args];
    },
  };
}

function dataOfArguments(program: Command, io: Io, { select, read }: TargetReader): DataCommands {
  const parent = program.command("data").description("import, export and back up the records of serve");
  return {
    parent,
    io,
    records: "records",
    hasScopes: true,
    create: (name) => select(parent.command(name)),
    readTarget: async (name, args, options) => {
      const [target, ...others] = await read(args, options);
      await requireOwnDatabase(name, target);
      return [{ ...target, document: await target.readDocument() }, ...others];
    },
  };
}

// `check` can name another database, and `copy` names two.
async function requireOwnDatabase(command: string, { urlSetting, url }: StoreTarget): Promise<void> {
  const { requireDatabaseUrl } = await import("./data/database-url.ts");
  if (command !== "copy" && command !== "check") requireDatabaseUrl(urlSetting, url);
}

function addData(commands: DataCommands, preset?: Preset): void {
  const [addedImport, addedExport, addedBackup, restore, copy, check] = [
    addImport(commands),
    addExport(commands),
    addBackup(commands),
    addRestore(commands),
    addCopy(commands),
    addCheck(commands),
  ];
  if (preset === undefined) return;
  const { name, records } = preset;
  addExamples(
    addedImport,
    [`${name} import ${records}.csv`, "import all lines, or none if a line is invalid"],
    [`${name} import ${records}.csv --skip-bad`, "import the valid lines only"],
    [`${name} import - --format ndjson < ${records}.txt`, "import from standard input"],
  );
  addExamples(
    addedExport,
    [`${name} export --output ${records}.ndjson`, "export to a file"],
    [`${name} export --without-ids --output ${records}.csv`, `export in the format that ${name} import reads`],
  );
  addExamples(addedBackup, [`${name} backup ${records}.backup`, "back up the database to one file"]);
  addExamples(
    restore,
    [`DATABASE_URL=sqlite:other.db ${name} restore ${records}.backup`, "restore to another database"],
    [`${name} restore ${records}.backup --force`, "say what will be lost, ask, and replace all data of the database"],
    [
      `${name} restore ${records}.backup --force --without-keys`,
      "replace all data except the keys: revoked keys stay revoked",
    ],
  );
  addExamples(
    copy,
    [
      `${name} copy --from sqlite:data/${name}.db --to postgres://me@db/${records}`,
      "copy to PostgreSQL, with the password in PGPASSWORD",
    ],
    [`${name} copy --from postgres://me@db/${records} --to sqlite:${records}.db`, "copy to SQLite"],
  );
  addExamples(
    check,
    [`${name} check`, "check the database of DATABASE_URL"],
    [`${name} check sqlite:${records}.backup`, "check a backup"],
  );
}
