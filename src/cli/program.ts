// Declares the commands: arguments, options and help texts. A command imports its code when it runs: without Fastify,
// Ajv and YAML, `petstore --help` takes 0.1 s of CPU time instead of 0.35 s.
import { styleText } from "node:util";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { redact, version } from "../lib/index.ts";
import type { Shell } from "./commands/completion.ts";
import type { CopyOptions } from "./commands/copy.ts";
import type { ExportOptions } from "./commands/export.ts";
import type { FormatName, ImportOptions } from "./commands/import.ts";
import type { CreateKeyOptions } from "./commands/keys.ts";
import type { RestoreOptions } from "./commands/restore.ts";
import { addExamples, addNotes } from "./help.ts";
import type { Io, Output } from "./io.ts";
import type { OutputOptions } from "./output.ts";

// Records, because the compiler reports a missing member.
const formats = Object.keys({ ndjson: true, csv: true } satisfies Record<FormatName, true>);
const shells = Object.keys({ bash: true, zsh: true, fish: true } satisfies Record<Shell, true>);
const periodUnits = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 }; // milliseconds

/** Creates the command `petstore`. Its `parseAsync` rejects with a CommanderError if the command line is wrong. */
export function createProgram(io: Io): Command {
  const program = new Command("petstore")
    .description("The Pet Store service: run it, watch it, and manage its keys and data.")
    .version(version)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns as number, // commander takes 80 if it is undefined
      getErrHelpWidth: () => io.stderr.columns as number,
      getOutHasColors: () => hasColors(io.stdout),
      getErrHasColors: () => hasColors(io.stderr),
      outputError: (text, write) => write(redact(text.replace(/^error: /, "petstore: "))),
    })
    .exitOverride();
  addExamples(
    program,
    ["petstore serve", "run the service"],
    ["petstore keys create alice --expires 90d", "create a key for a client"],
    ["petstore import pets.csv", "add the pets of a file"],
    ["petstore export --status sold --format csv", "write pets to standard output"],
    ["petstore backup pets.backup", "back up the whole store to one file, while the service runs"],
    ["petstore status", "show the state of the running service (OPERATOR_KEY)"],
    ["petstore deprecations", "show who still calls deprecated operations"],
  );
  addNotes(program);

  program.commandsGroup("Run and watch:");
  addServiceCommands(program, io);
  program.commandsGroup("Keys:");
  addKeyCommands(program, io);
  program.commandsGroup("Data in and out:");
  addTransferCommands(program, io);
  addBackupCommands(program, io);
  program.commandsGroup("Stores:");
  addStoreCommands(program, io);
  program.commandsGroup("The command itself:");
  program.addHelpCommand(new Command("help").argument("[command]").description("show the help of a command"));
  addCompletion(program, io);
  return program;
}

function addServiceCommands(program: Command, io: Io): void {
  program
    .command("serve")
    .description("run the service")
    .action(async () => (await import("../server.ts")).serve(io.env));
  const status = program
    .command("status")
    .description("ask the running service how it is: calls, times, keys, what is going away; with OPERATOR_KEY")
    .argument("[url]", "the service, up to what stands before /status (http or https, at HOST and PORT)")
    .option("--json", "as the service gave it")
    .action(async (url: string | undefined, options: OutputOptions) =>
      (await import("./commands/status.ts")).showStatus(io, url, options),
    );
  addExamples(
    status,
    ["OPERATOR_KEY=psk_… petstore status", "the service of the same settings"],
    ["petstore status https://pets.example", "another one; the key is in the environment"],
    ["petstore status --json", "for a script"],
  );
  const deprecations = program
    .command("deprecations")
    .description("list what is deprecated, when it goes, and which keys called it in the last 30 days")
    .option("--json", "as JSON")
    .action(async (options: OutputOptions) =>
      (await import("./commands/deprecations.ts")).listDeprecations(io, options),
    );
  addExamples(
    deprecations,
    ["petstore deprecations", "before an operation is removed: who would miss it"],
    ["petstore deprecations --json", "for a script"],
  );
}

function addKeyCommands(program: Command, io: Io): void {
  const keys = program.command("keys").description("make, list and revoke API keys");
  const create = keys
    .command("create")
    .description("make a key and print it; it is shown this once")
    .argument("<name>", "who or what the key is for", parseKeyName)
    .option("--expires <period>", "after how long it expires, such as 90d (m, h, d, w, y)", parsePeriod)
    .option("--operator", "for who runs the service: it opens /status and /metrics, too")
    .option("--json", "as JSON")
    .action(async (name: string, options: CreateKeyOptions) =>
      (await import("./commands/keys.ts")).createKey(io, name, options),
    );
  addExamples(
    create,
    ["petstore keys create alice --expires 90d", "a key for a client"],
    ["petstore keys create olivia --operator", "one that opens the status page, too"],
  );
  keys
    .command("list")
    .description("list the keys: name, role, created, expires, last used")
    .option("--json", "as JSON")
    .action(async (options: OutputOptions) => (await import("./commands/keys.ts")).listKeys(io, options));
  keys
    .command("revoke")
    .description("revoke a key; it holds at once")
    .argument("<name>", "the name of the key")
    .action(async (name: string) => (await import("./commands/keys.ts")).revokeKey(io, name));
}

function parseKeyName(text: string): string {
  if (!/^\w[\w.@-]{0,63}$/.test(text))
    throw new InvalidArgumentError("A name has 1 to 64 letters, digits or . _ - @, and begins with none of . - @");
  return text;
}

// Parses a period such as 90d. Returns milliseconds.
function parsePeriod(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,7})([mhdwy])$/.exec(text) ?? [];
  const period = Number(count) * periodUnits[unit as keyof typeof periodUnits];
  if (period <= 100 * periodUnits.y) return period;
  throw new InvalidArgumentError("A period is a number and a unit, 30m, 12h, 90d, 2w or 1y, and 100 years at most.");
}

function addTransferCommands(program: Command, io: Io): void {
  const format = () => new Option("--format <format>", "of the file, where its ending does not tell").choices(formats);
  const importing = program
    .command("import")
    .description("add the pets of a file, a line each; the service may run")
    .argument("<file>", "NDJSON (.ndjson, .jsonl) or CSV (.csv, with a head); - is standard input")
    .addOption(format())
    .option("--skip-bad", "import what is good of a file that has bad lines, and say which those are")
    .addOption(new Option("--resume", "go on with an import that was stopped, if it was").conflicts("fromStart"))
    .option("--from-start", "import all lines once more, of a file that was imported before")
    .option("--json", "as JSON")
    .action(async (file: string, options: ImportOptions, command: Command) =>
      (await import("./commands/import.ts")).importFile(io, file, options, command),
    );
  addExamples(
    importing,
    ["petstore import pets.csv", "nothing of it where a line is bad"],
    ["petstore import pets.csv --skip-bad", "the good lines of it"],
    ["petstore import - --format ndjson < pets.txt", "from standard input"],
  );
  const exporting = program
    .command("export")
    .description("write all pets, in order of id, to standard output or a file; the service may run")
    .addOption(format())
    .option("--status <status>", "only the pets of this status")
    .option("--without-ids", "as petstore import takes them")
    .option("--output <file>", "write to a file, which is there when it is complete")
    .option("--json", "say as JSON what was written; with --output")
    .action(async (options: ExportOptions, command: Command) =>
      (await import("./commands/export.ts")).exportFile(io, options, command),
    );
  addExamples(
    exporting,
    ["petstore export --status sold --format csv", "to standard output"],
    ["petstore export --output pets.ndjson", "to a file, which is there when it is complete"],
    ["petstore export --without-ids --output pets.csv", "as petstore import takes it"],
  );
}

function addBackupCommands(program: Command, io: Io): void {
  const backup = program
    .command("backup")
    .description("make a file of all that the store of DATABASE_URL has; the service may run")
    .argument("<file>", "a file that is not there yet: a SQLite database, whatever the store is")
    .option("--json", "as JSON")
    .action(async (file: string, options: OutputOptions) =>
      (await import("./commands/backup.ts")).backUpStore(io, file, options),
    );
  addExamples(backup, ["petstore backup pets.backup", "all that the store has, in one file"]);
  const restore = program
    .command("restore")
    .description("fill the store of DATABASE_URL, which must be empty, with all that a backup has")
    .argument("<file>", "what petstore backup made, or any SQLite file that is a store")
    .option("--force", "replace what the store has, also while it is in use")
    .option("--without-keys", "restore the pets, and keep the keys of the store")
    .option("--json", "as JSON")
    .action(async (file: string, options: RestoreOptions) =>
      (await import("./commands/restore.ts")).restoreStore(io, file, options),
    );
  addExamples(
    restore,
    ["DATABASE_URL=sqlite:other.db petstore restore pets.backup", "into another store"],
    ["petstore restore pets.backup --force", "in place of what the store has"],
    ["petstore restore pets.backup --force --without-keys", "the same, but keys that were revoked stay revoked"],
  );
}

function addStoreCommands(program: Command, io: Io): void {
  program
    .command("migrate")
    .description("make the store of DATABASE_URL, or bring it to this version, and no more; serve does it, too")
    .action(async () => (await import("./commands/migrate.ts")).migrateStore(io));
  const copy = program
    .command("copy")
    .description("copy all that a store has into another one, which must be empty; stop the service before")
    .requiredOption("--from <url>", "the store to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE")
    .requiredOption("--to <url>", "the store to copy to, likewise")
    .option("--json", "as JSON")
    .action(async (options: CopyOptions) => (await import("./commands/copy.ts")).copyStore(io, options));
  addExamples(
    copy,
    ["petstore copy --from sqlite:data/petstore.db --to postgres://me@db/pets", "with the password from PGPASSWORD"],
    ["petstore copy --from postgres://me@db/pets --to sqlite:pets.db", "and back"],
  );
  const check = program
    .command("check")
    .description("read all that a store has, and say what is wrong with it; changes nothing, and the service may run")
    .argument("[url]", "the store: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE (DATABASE_URL)")
    .option("--json", "as JSON")
    .action(async (url: string | undefined, options: OutputOptions) =>
      (await import("./commands/check.ts")).checkStore(io, url, options),
    );
  addExamples(
    check,
    ["petstore check", "the store of DATABASE_URL"],
    ["petstore check sqlite:pets.backup", "a backup"],
  );
}

function addCompletion(program: Command, io: Io): void {
  const completion = program
    .command("completion")
    .description("print what makes a shell complete this command's words")
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .action(async (shell: Shell) => (await import("./commands/completion.ts")).printCompletion(io, program, shell));
  addExamples(completion, ["source <(petstore completion bash)", "in ~/.bashrc"]);
}

// node:util decides: terminals only, unless NO_COLOR or FORCE_COLOR is set. Tables follow the same rule.
function hasColors(stream: Output): boolean {
  return styleText("bold", "text", { stream }) !== "text";
}
