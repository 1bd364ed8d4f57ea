// petstore import, export: pets in and out of files.
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { type Command, Option } from "commander";
import {
  exportPets,
  formats,
  formatsByExtension,
  importPets,
  openInput,
  readStatuses,
  validateInput,
} from "../../data/index.ts";
import { escapeControlCharacters, writeAtomically } from "../../lib/index.ts";
import { readDocument } from "../../pets/index.ts";
import { type Io, print, warn, write } from "../io.ts";
import { type ProgressBar, startProgress } from "../progress.ts";
import { toIndentedJson } from "../table.ts";
import { addExamples } from "./help.ts";
import { cancelOnSignal, type OutputOptions, readDatabaseUrl, withTables } from "./stores.ts";

const mostProblems = 20; // that are shown

type Name = keyof typeof formats;

interface Importing extends OutputOptions {
  format?: Name;
  skipBad?: boolean;
  resume?: boolean;
  fromStart?: boolean;
}

interface Exporting extends OutputOptions {
  format?: Name;
  status?: string;
  withoutIds?: boolean;
  output?: string;
}

/** Adds `petstore import` and `export`. */
export function addData(program: Command, io: Io): void {
  const format = () =>
    new Option("--format <format>", "of the file, where its ending does not tell").choices(Object.keys(formats));
  const importing = program
    .command("import")
    .description("add the pets of a file, a line each; the service may run")
    .argument("<file>", "NDJSON (.ndjson, .jsonl) or CSV (.csv, with a head); - is standard input")
    .addOption(format())
    .option("--skip-bad", "import what is good of a file that has bad lines, and say which those are")
    .addOption(new Option("--resume", "go on with an import that was stopped, if it was").conflicts("fromStart"))
    .option("--from-start", "import all lines once more, of a file that was imported before")
    .option("--json", "as JSON")
    .action((file: string, options: Importing, command: Command) => importFile(io, file, options, command));
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
    .action((options: Exporting, command: Command) => exportAll(io, options, command));
  addExamples(
    exporting,
    ["petstore export --status sold --format csv", "to standard output"],
    ["petstore export --output pets.ndjson", "to a file, which is there when it is complete"],
    ["petstore export --without-ids --output pets.csv", "as petstore import takes it"],
  );
}

async function importFile(
  io: Io,
  file: string,
  { format: told, json, skipBad, ...going }: Importing,
  command: Command,
): Promise<void> {
  const name = told ?? formatsByExtension[extname(file).toLowerCase()];
  if (name === undefined)
    return command.error(
      `error: the format of ${file} is not told by its ending: give --format ${Object.keys(formats).join(" or ")}`,
    );
  const document = await readDocument();
  const url = readDatabaseUrl(io);
  const format = formats[name];
  const input = await openInput(file, io.stdin);
  const bar = startProgress(io.stderr);
  const problems: string[] = [];
  const tell = (problem: string) => {
    const shown = problems.length < mostProblems;
    if (shown) problems.push(problem);
    if (!shown && !skipBad) return;
    bar.clear();
    warn(io, escapeControlCharacters(problem));
  };
  const importAll = async (): Promise<void> => {
    // Before the store is touched.
    const checking = cancelOnSignal(io, showOn(bar, "checking", "bytes"), "Stopped. Nothing was imported.");
    const checked = await validateInput(input, format, document, tell, checking).finally(bar.clear);
    const { bad, lines } = checked;
    const sha256 = Buffer.from(input.digest()).toString("hex");
    if (bad > mostProblems) problems.push(`and ${bad - mostProblems} more`);
    if (bad > mostProblems && !skipBad) warn(io, problems.at(-1) as string);
    if (bad > 0 && !skipBad) {
      if (json) await print(io, toIndentedJson({ lines, pets: 0, before: 0, bad, sha256, problems }));
      throw new Error(
        `No pet was imported: ${bad} bad ${bad === 1 ? "line" : "lines"}. --skip-bad imports the ${checked.pets} good ones.`,
      );
    }
    sayWhereNew(io, url);
    await withTables(io, "make", async (store) => {
      const importing = cancelOnSignal(io, showOn(bar, "importing", "pets"), "Stopped");
      const done = await importPets(store, { input, format, document, checked }, going, importing).finally(bar.clear);
      const { pets, before } = done;
      if (before > 0 && before === pets) warn(io, "All of it was imported before: nothing was left to do.");
      else if (going.resume && before === 0) warn(io, "Nothing was begun of this input: it began at its first line.");
      const result = { lines, pets, before, bad, sha256 };
      await print(io, json ? toIndentedJson({ ...result, problems }) : toRows(result));
    });
  };
  await importAll().finally(() => input.close());
}

// Where the place is mistyped, somebody must see it.
function sayWhereNew(io: Io, url: string): void {
  const [, file] = /^sqlite:(.*)$/s.exec(url) ?? [];
  if (file !== undefined && !existsSync(file)) warn(io, `There is no store yet at ${resolve(file)}: it is made.`);
}

async function exportAll(
  io: Io,
  { json, output, format, status, withoutIds }: Exporting,
  command: Command,
): Promise<void> {
  const statuses = readStatuses(await readDocument());
  if (status !== undefined && !statuses.includes(status))
    command.error(`error: option '--status <status>' must be one of: ${statuses.join(", ")}`);
  if (json && !output)
    command.error("error: option '--json' is for --output: without it the pets themselves are shown");
  const name = format ?? formatsByExtension[extname(`${output}`).toLowerCase()] ?? "ndjson";
  const selection = { format: formats[name], status, withoutIds };
  await withTables(io, "look", async (store) => {
    if (output === undefined)
      return void (await exportPets(
        store,
        selection,
        (text) => write(io, text),
        () => {},
      ));
    const bar = startProgress(io.stderr);
    const show = cancelOnSignal(io, showOn(bar, "exporting", "pets"), "Stopped. Nothing was kept.");
    const exported = await writeAtomically(output, async (partial) => {
      const file = await open(partial, "wx");
      return exportPets(store, selection, (text) => file.appendFile(text), show).finally(() => file.close());
    }).finally(bar.clear);
    await print(io, json ? toIndentedJson(exported) : toRows(exported));
  });
}

function showOn(bar: ProgressBar, doing: string, unit: string) {
  return (done: number, total?: number) => bar.show(doing, done, total, unit);
}

function toRows(result: object): string {
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(18)}${value}`)
    .join("\n");
}
