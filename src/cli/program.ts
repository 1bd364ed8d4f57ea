// Declares the commands: arguments, options and help texts. A command imports its code when it runs: without Fastify,
// Ajv and YAML, `petstore --help` takes 0.1 s of CPU time instead of 0.35 s.

import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { addBackup, addCheck, addCopy, addExport, addImport, addRestore, type DataCommands } from "../command/index.ts";
import { readConfig } from "../config.ts";
import { escapeExceptLineBreaks, redact, version } from "../lib/index.ts";
import type { Io, OutputOptions } from "../terminal/index.ts";
import type { CreateKeyOptions, RotateKeyOptions } from "./commands/keys.ts";
import { addEnvironmentFile } from "./environment-file.ts";
import { addExamples, addNotes, hasColors } from "./help.ts";

// A record, because the compiler reports a missing member.
const periodUnits = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 }; // milliseconds

/** Creates the command `petstore`. Its `parseAsync` rejects with a CommanderError if the command line is wrong. */
export function createProgram(io: Io): Command {
  const program = new Command("petstore")
    .description("Runs the Pet Store service, and manages its API keys and data.")
    .version(version)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns as number, // commander takes 80 if it is undefined
      getErrHelpWidth: () => io.stderr.columns as number,
      getOutHasColors: () => hasColors(io.stdout),
      getErrHasColors: () => hasColors(io.stderr),
      outputError: (text, write) => write(redact(escapeExceptLineBreaks(text.replace(/^error: /, "petstore: ")))),
    })
    .option("--environment-file <file>", "read settings from a file, such as that of the systemd unit")
    .hook("preAction", (program) => addEnvironmentFile(io.env, program.opts().environmentFile))
    .exitOverride();
  addExamples(
    program,
    ["petstore serve", "run the service"],
    ["petstore keys create alice --expires 90d", "create a key for a client"],
    ["petstore import pets.csv", "import pets from a file"],
    ["petstore export --filter status=sold --format csv", "export the sold pets to standard output"],
    ["petstore backup pets.backup", "back up the database while the service is running"],
  );
  addNotes(program);

  program.commandsGroup("Service:");
  addServiceCommands(program, io);
  program.commandsGroup("API keys:");
  addKeyCommands(program, io);
  program.commandsGroup("Import, export and backup:");
  const data = dataCommands(program, io);
  addTransferCommands(data);
  addBackupCommands(data);
  program.commandsGroup("Databases:");
  addStoreCommands(program, io, data);
  program.commandsGroup("Other:");
  program.addHelpCommand(new Command("help").argument("[command]").description("show the help of a command"));
  return program;
}

function addServiceCommands(program: Command, io: Io): void {
  program
    .command("serve")
    .description("run the service")
    .action(async () => (await import("../server.ts")).serve(io.env));
}

function addKeyCommands(program: Command, io: Io): void {
  const keys = program.command("keys").description("create, list, rotate and revoke API keys");
  const create = keys
    .command("create")
    .description("create a key and print it; it is shown only once")
    .argument("<name>", "name of the key, such as its owner or application")
    .option("--expires <period>", "time until the key expires, such as 90d (units: m, h, d, w, y)", parsePeriod)
    .option("--operator", "grant access to /metrics and /status.json")
    .option("--yes", "do not ask before a database is created because DATABASE_URL is not set")
    .option("--json", "print JSON")
    .action(async (name: string, options: CreateKeyOptions, command: Command) =>
      (await import("./commands/keys.ts")).createKey(io, name, options, command),
    );
  addExamples(
    create,
    ["petstore keys create alice --expires 90d", "create a key for a client"],
    ["petstore keys create olivia --operator", "create a key that also reads the metrics"],
  );
  keys
    .command("list")
    .description("list the keys with their roles, expiry and last use")
    .option("--json", "print JSON")
    .action(async (options: OutputOptions) => (await import("./commands/keys.ts")).listKeys(io, options));
  const rotate = keys
    .command("rotate")
    .description("replace a key and print the new one; the previous one stays valid for a grace period")
    .argument("<name>", "name of the key")
    .addOption(
      new Option("--grace <period>", "time until the previous key becomes invalid, such as 12h, or 0")
        .argParser(parseGrace)
        .default(periodUnits.d, "1d"),
    )
    .option("--json", "print JSON")
    .action(async (name: string, options: RotateKeyOptions) =>
      (await import("./commands/keys.ts")).rotateKey(io, name, options),
    );
  addExamples(
    rotate,
    ["petstore keys rotate alice", "replace a key; the previous one is valid for 24 hours"],
    ["petstore keys rotate alice --grace 0", "replace a key that has leaked"],
  );
  keys
    .command("revoke")
    .description("revoke a key")
    .argument("<name>", "name of the key")
    .option("--json", "print JSON")
    .action(async (name: string, options: OutputOptions) =>
      (await import("./commands/keys.ts")).revokeKey(io, name, options),
    );
}

function parseGrace(text: string): number {
  return text === "0" ? 0 : parsePeriod(text);
}

// Parses a period such as 90d. Returns milliseconds.
function parsePeriod(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,7})([mhdwy])$/.exec(text) ?? [];
  const period = Number(count) * periodUnits[unit as keyof typeof periodUnits];
  if (period <= 100 * periodUnits.y) return period;
  throw new InvalidArgumentError(
    "A period is a number and a unit, such as 30m, 12h, 90d, 2w or 1y. The maximum is 100 years.",
  );
}

function addTransferCommands(commands: DataCommands): void {
  addExamples(
    addImport(commands),
    ["petstore import pets.csv", "import all lines, or none if a line is invalid"],
    ["petstore import pets.csv --skip-bad", "import the valid lines only"],
    ["petstore import - --format ndjson < pets.txt", "import from standard input"],
  );
  addExamples(
    addExport(commands),
    ["petstore export --filter status=sold --format csv", "export the sold pets to standard output"],
    ["petstore export --output pets.ndjson", "export to a file"],
    ["petstore export --without-ids --output pets.csv", "export in the format that petstore import reads"],
  );
}

function addBackupCommands(commands: DataCommands): void {
  addExamples(addBackup(commands), ["petstore backup pets.backup", "back up the database to one file"]);
  addExamples(
    addRestore(commands),
    ["DATABASE_URL=sqlite:other.db petstore restore pets.backup", "restore to another database"],
    ["petstore restore pets.backup --force", "say what will be lost, ask, and replace all data of the database"],
    [
      "petstore restore pets.backup --force --without-keys",
      "replace all data except the keys: revoked keys stay revoked",
    ],
  );
}

function addStoreCommands(program: Command, io: Io, commands: DataCommands): void {
  program
    .command("migrate")
    .description(
      "create a SQLite file, or the schema in a PostgreSQL database, or apply pending migrations; serve does this, too",
    )
    .option("--json", "print JSON")
    .action(async (options: OutputOptions) => (await import("./commands/migrate.ts")).migrateStore(io, options));
  addExamples(
    program
      .command("views")
      .description("print SQL that creates a view of each collection, with a column for each field")
      .action(async () => (await import("./commands/views.ts")).printViews(io)),
    ['petstore views | psql "$DATABASE_URL"', "create the views in PostgreSQL"],
    ["sqlite3 -init <(petstore views) data/petstore.db", "use them in SQLite"],
  );
  addExamples(
    addCopy(commands),
    [
      "petstore copy --from sqlite:data/petstore.db --to postgres://me@db/pets",
      "copy to PostgreSQL, with the password in PGPASSWORD",
    ],
    ["petstore copy --from postgres://me@db/pets --to sqlite:pets.db", "copy to SQLite"],
  );
  addExamples(
    addCheck(commands),
    ["petstore check", "check the database of DATABASE_URL"],
    ["petstore check sqlite:pets.backup", "check a backup"],
  );
}

// The store of DATABASE_URL. `check` can name another one, and `copy` names two.
function dataCommands(program: Command, io: Io): DataCommands {
  const checked = new Argument(
    "[url]",
    "sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE (default: DATABASE_URL)",
  );
  return {
    parent: program,
    io,
    records: "pets",
    hasScopes: false,
    create: (name) => (name === "check" ? program.command(name).addArgument(checked) : program.command(name)),
    readTarget: async (name, args) => {
      const { readDocument } = await import("../pets/index.ts");
      const { readDatabaseUrl } = await import("./stores.ts");
      const named = name === "check" ? (args[0] ?? readConfig(io.env).DATABASE_URL) : undefined;
      const url = name === "copy" ? "" : named;
      return [{ program: "petstore", document: await readDocument(), url: url ?? readDatabaseUrl(io) }, ...args];
    },
  };
}
