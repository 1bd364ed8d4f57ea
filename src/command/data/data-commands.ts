// Declares the commands for the records of a store. A command imports its code when it runs.
import { type Command, Option } from "commander";
import type { Preset } from "../../server/index.ts";
import type { Io, OutputOptions } from "../../terminal/index.ts";
import { addExamples } from "../inputs/help.ts";
import { onTarget, type TargetReader } from "../inputs/target.ts";
import type { CopyOptions, RestoreOptions } from "./backup.ts";
import type { ExportOptions } from "./export.ts";
import type { FormatName, ImportOptions } from "./import.ts";
import type { Target } from "./target.ts";

// A record, because the compiler reports a missing member.
const formats = Object.keys({ ndjson: true, csv: true } satisfies Record<FormatName, true>);

interface Commands {
  readonly io: Io;
  readonly targets: TargetReader;
  /** The service of the program; undefined for one that serves any document, whose records can be below others. */
  readonly preset: Preset | undefined;
  /** Adds a command with the arguments and options that select its store. */
  readonly add: (name: keyof ReturnType<typeof examplesOf>, description: string) => Command;
}

/** Adds the commands: to a program with a service of its own, or below the command `data`. */
export function addData(program: Command, io: Io, targets: TargetReader, preset: Preset | undefined): void {
  const parent = preset
    ? program
    : program.command("data").description("import, export and back up the records of serve");
  const add: Commands["add"] = (name, description) => {
    const command = targets.select(parent.command(name)).description(description);
    return preset ? addExamples(command, ...examplesOf(preset)[name]) : command;
  };
  const commands = { io, targets, preset, add };
  addImport(commands);
  addExport(commands);
  addBackups(commands);
  addCheck(commands);
}

// Runs a command with the store that it selects, its document, and its other argument.
function onData<Options extends object>(
  command: Command,
  targets: TargetReader,
  run: (target: Target, options: Options, argument?: string) => Promise<void>,
): void {
  onTarget<Options>(command, targets, async (target, options, argument) => {
    const { requireDatabaseUrl } = await import("../inputs/stores.ts");
    // `check` can name another database, and `copy` names two.
    if (!/^(check|copy)$/.test(command.name())) requireDatabaseUrl(target.urlSetting, target.url);
    await run({ ...target, document: await target.readDocument() }, options, argument);
  });
}

const withFormat = (otherwise: string) =>
  new Option("--format <format>", `file format (default: by the file extension${otherwise})`).choices(formats);
const withScope = () =>
  new Option("--scope <values>", "values of the parameters of the resource's path, such as acme or acme/7");
const withResource = () => new Option("--resource <name>", "resource of the document, if it has several");

function addImport({ io, targets, preset, add }: Commands): void {
  const records = preset?.records ?? "records";
  const command = add("import", `import ${records} from an NDJSON or CSV file; the service can be running`)
    .argument(
      "<file>",
      `NDJSON (.ndjson, .jsonl) or CSV (.csv, with a header); - reads standard input${preset ? "" : "; or a folder of them, named after their resources"}`,
    )
    .addOption(withFormat(""))
    .addOption(withResource())
    .option("--skip-bad", "import the valid lines, and report the invalid ones")
    .addOption(new Option("--resume", "resume a stopped import, or start a new one").conflicts("fromStart"))
    .option("--from-start", "import all lines, even if the file was already imported")
    .option("--json", "print JSON");
  if (!preset) command.addOption(withScope());
  onData<ImportOptions>(command, targets, async (target, options, file = "") =>
    (await import("./import.ts")).importFile(io, target, file, options, command),
  );
}

function addExport({ io, targets, preset, add }: Commands): void {
  const records = preset?.records ?? "records";
  const command = add("export", `export all ${records} in order of id; the service can be running`)
    .addOption(withFormat(", otherwise ndjson"))
    .option("--filter <name=value>", "export only what a filter of the list selects, such as status=sold")
    .addOption(withResource())
    .option("--without-ids", "omit the ids, so that an import adds the records with others")
    .option(
      "--output <file>",
      `write to a file, instead of standard output; replaces the file when the export is complete${preset ? "" : "; a folder gets all resources"}`,
    )
    .option("--json", "print a summary as JSON (requires --output)");
  if (!preset) command.addOption(withScope());
  onData<ExportOptions>(command, targets, async (target, options) =>
    (await import("./export.ts")).exportFile(io, target, options, command),
  );
}

function addBackups({ io, targets, add }: Commands): void {
  const backup = add("backup", "back up the database to a file; the service can be running")
    .argument("<file>", "name of a new file; it will be a SQLite database")
    .option("--json", "print JSON");
  onData<OutputOptions>(backup, targets, async (target, options, file = "") =>
    (await import("./backup.ts")).backUpStore(io, target, file, options),
  );
  const restore = add("restore", "restore a backup to the database, which must be empty unless --force is given")
    .argument("<file>", "a backup, or the SQLite database of the same document")
    .option("--force", "replace all data of the database, even while it is in use")
    .option("--without-keys", "keep the keys of the database, and restore no Idempotency-Keys")
    .option("--yes", "do not ask before data is replaced")
    .option("--json", "print JSON");
  onData<RestoreOptions>(restore, targets, async (target, options, file = "") =>
    (await import("./backup.ts")).restoreStore(io, target, file, options),
  );
  const copy = add("copy", "copy a database to an empty one; stop the service first")
    .requiredOption("--from <url>", "source, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE")
    .requiredOption("--to <url>", "target, in the same form")
    .option("--json", "print JSON");
  onData<CopyOptions>(copy, targets, async (target, options) =>
    (await import("./backup.ts")).copyStore(io, target, options),
  );
}

function addCheck({ io, targets, preset, add }: Commands): void {
  const command = add(
    "check",
    "check the integrity of a database without changing it; the service can be running",
  ).option("--json", "print JSON");
  const form = "sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE";
  if (preset) command.argument("[url]", `${form} (default: DATABASE_URL)`);
  onData<OutputOptions>(command, targets, async (target, options, url = target.url) =>
    (await import("./check.ts")).checkStore(io, { ...target, url }, options),
  );
}

function examplesOf({ name, records }: Preset) {
  return {
    import: [
      [`${name} import ${records}.csv`, "import all lines, or none if a line is invalid"],
      [`${name} import ${records}.csv --skip-bad`, "import the valid lines only"],
      [`${name} import - --format ndjson < ${records}.txt`, "import from standard input"],
    ],
    export: [
      [`${name} export --output ${records}.ndjson`, "export to a file"],
      [`${name} export --without-ids --output ${records}.csv`, `export in the format that ${name} import reads`],
    ],
    backup: [[`${name} backup ${records}.backup`, "back up the database to one file"]],
    restore: [
      [`DATABASE_URL=sqlite:other.db ${name} restore ${records}.backup`, "restore to another database"],
      [`${name} restore ${records}.backup --force`, "say what will be lost, ask, and replace all data of the database"],
      [
        `${name} restore ${records}.backup --force --without-keys`,
        "replace all data except the keys: revoked keys stay revoked",
      ],
    ],
    copy: [
      [
        `${name} copy --from sqlite:data/${name}.db --to postgres://me@db/${records}`,
        "copy to PostgreSQL, with the password in PGPASSWORD",
      ],
      [`${name} copy --from postgres://me@db/${records} --to sqlite:${records}.db`, "copy to SQLite"],
    ],
    check: [
      [`${name} check`, "check the database of DATABASE_URL"],
      [`${name} check sqlite:${records}.backup`, "check a backup"],
    ],
  } as const satisfies Record<string, readonly (readonly [line: string, description: string])[]>;
}
