// Declares the commands for the data of a store, for the programs that have a store. A command imports its code when it runs.
import { type Command, Option } from "commander";
import type { Io, OutputOptions } from "../../terminal/index.ts";
import type { CopyOptions } from "./copy.ts";
import type { ExportOptions } from "./export.ts";
import type { FormatName, ImportOptions } from "./import.ts";
import type { RestoreOptions } from "./restore.ts";
import type { Target } from "./target.ts";

// A record, because the compiler reports a missing member.
const formats = Object.keys({ ndjson: true, csv: true } satisfies Record<FormatName, true>);

/** The commands for data of a program. */
export interface DataCommands {
  readonly parent: Command;
  readonly io: Io;
  /** What the records are called, such as `pets`. */
  readonly records: string;
  /** Whether a resource can be below another one. */
  readonly hasScopes: boolean;
  /** Creates a command with the arguments and options that select its store. */
  readonly create: (name: string) => Command;
  /** Reads the store from the arguments and options of a command. Returns the other arguments, too. */
  readonly readTarget: (
    name: string,
    args: readonly string[],
    options: object,
  ) => Promise<[Target, ...(readonly string[])]>;
}

type Run<Options> = (target: Target, args: readonly string[], options: Options, command: Command) => Promise<void>;

// The last argument of an action is its command, the one before has the options.
function onRun<Options extends object>({ readTarget }: DataCommands, command: Command, run: Run<Options>): Command {
  return command.action(async (...values: unknown[]) => {
    const options = values.at(-2) as Options;
    const [target, ...args] = await readTarget(command.name(), values.slice(0, -2) as string[], options);
    await run(target, args, options, command);
  });
}

const withFormat = (otherwise: string) =>
  new Option("--format <format>", `file format (default: by the file extension${otherwise})`).choices(formats);
const withScope = () =>
  new Option("--scope <values>", "values of the parameters of the resource's path, such as acme or acme/7");
const withResource = () => new Option("--resource <name>", "resource of the document, if it has several");

/** Adds the command `import`. */
export function addImport(commands: DataCommands): Command {
  const command = commands
    .create("import")
    .description(`import ${commands.records} from an NDJSON or CSV file; the service can be running`)
    .argument(
      "<file>",
      `NDJSON (.ndjson, .jsonl) or CSV (.csv, with a header); - reads standard input${commands.hasScopes ? "; or a folder of them, named after their resources" : ""}`,
    )
    .addOption(withFormat(""))
    .addOption(withResource())
    .option("--skip-bad", "import the valid lines, and report the invalid ones")
    .addOption(new Option("--resume", "resume a stopped import, or start a new one").conflicts("fromStart"))
    .option("--from-start", "import all lines, even if the file was already imported")
    .option("--json", "print JSON");
  if (commands.hasScopes) command.addOption(withScope());
  return onRun<ImportOptions>(commands, command, async (target, [file = ""], options) =>
    (await import("./import.ts")).importFile(commands.io, target, file, options, command),
  );
}

/** Adds the command `export`. */
export function addExport(commands: DataCommands): Command {
  const command = commands
    .create("export")
    .description(`export all ${commands.records} in order of id; the service can be running`)
    .addOption(withFormat(", otherwise ndjson"))
    .option("--filter <name=value>", "export only what a filter of the list selects, such as status=sold")
    .addOption(withResource())
    .option("--without-ids", "omit the ids, so that an import adds the records with others")
    .option(
      "--output <file>",
      `write to a file, instead of standard output; replaces the file when the export is complete${commands.hasScopes ? "; a folder gets all resources" : ""}`,
    )
    .option("--json", "print a summary as JSON (requires --output)");
  if (commands.hasScopes) command.addOption(withScope());
  return onRun<ExportOptions>(commands, command, async (target, _, options) =>
    (await import("./export.ts")).exportFile(commands.io, target, options, command),
  );
}

/** Adds the command `backup`. */
export function addBackup(commands: DataCommands): Command {
  const command = commands
    .create("backup")
    .description("back up the database to a file; the service can be running")
    .argument("<file>", "name of a new file; it will be a SQLite database")
    .option("--json", "print JSON");
  return onRun<OutputOptions>(commands, command, async (target, [file = ""], options) =>
    (await import("./backup.ts")).backUpStore(commands.io, target, file, options),
  );
}

/** Adds the command `restore`. */
export function addRestore(commands: DataCommands): Command {
  const command = commands
    .create("restore")
    .description("restore a backup to the database, which must be empty unless --force is given")
    .argument("<file>", "a backup, or the SQLite database of the same document")
    .option("--force", "replace all data of the database, even while it is in use")
    .option("--without-keys", "keep the keys of the database, and restore no Idempotency-Keys")
    .option("--yes", "do not ask before data is replaced")
    .option("--json", "print JSON");
  return onRun<RestoreOptions>(commands, command, async (target, [file = ""], options) =>
    (await import("./restore.ts")).restoreStore(commands.io, target, file, options),
  );
}

/** Adds the command `copy`. */
export function addCopy(commands: DataCommands): Command {
  const command = commands
    .create("copy")
    .description("copy a database to an empty one; stop the service first")
    .requiredOption("--from <url>", "source, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE")
    .requiredOption("--to <url>", "target, in the same form")
    .option("--json", "print JSON");
  return onRun<CopyOptions>(commands, command, async (target, _, options) =>
    (await import("./copy.ts")).copyStore(commands.io, target, options),
  );
}

/** Adds the command `check`. */
export function addCheck(commands: DataCommands): Command {
  const command = commands
    .create("check")
    .description("check the integrity of a database without changing it; the service can be running")
    .option("--json", "print JSON");
  return onRun<OutputOptions>(commands, command, async (target, _, options) =>
    (await import("./check.ts")).checkStore(commands.io, target, options),
  );
}
