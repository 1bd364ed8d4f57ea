// petstore import, export: pets in and out of files.
import { open } from "node:fs/promises";
import { extname } from "node:path";
import { stdout } from "node:process";
import { type Command, Option } from "commander";
import { checkInput } from "../check-input.ts";
import { readDocument } from "../document.ts";
import { exportPets } from "../export.ts";
import { endings, formats, readStatuses } from "../formats.ts";
import { importPets } from "../import.ts";
import { openInput } from "../input.ts";
import { type ProgressBar, startProgress } from "../progress.ts";
import { toIndentedJson } from "../table.ts";
import { makeFile } from "../whole-file.ts";
import { addExamples } from "./help.ts";
import { type Shown, stoppable, withTables } from "./stores.ts";

const mostProblems = 20; // that are shown

type Name = keyof typeof formats;

interface Importing extends Shown {
  format?: Name;
  skipBad?: boolean;
  resume?: boolean;
  fromStart?: boolean;
}

interface Exporting extends Shown {
  format?: Name;
  status?: string;
  withoutIds?: boolean;
  output?: string;
}

/** Adds `petstore import` and `export`. */
export function addData(program: Command): void {
  const format = () =>
    new Option("--format <format>", "of the file, where its ending does not tell").choices(Object.keys(formats));
  const importing = program
    .command("import")
    .description("add the pets of a file, a line each; the service may run")
    .argument("<file>", "NDJSON (.ndjson, .jsonl) or CSV (.csv, with a head); - is standard input")
    .addOption(format())
    .option("--skip-bad", "import what is good of a file that has bad lines, too")
    .addOption(new Option("--resume", "go on with an import that was stopped").conflicts("fromStart"))
    .option("--from-start", "import all lines once more, of an import that was stopped")
    .option("--json", "as JSON")
    .action((file: string, options: Importing, command: Command) => importFile(file, options, command));
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
    .action((options: Exporting, command: Command) => exportAll(options, command));
  addExamples(
    exporting,
    ["petstore export --status sold --format csv", "to standard output"],
    ["petstore export --output pets.ndjson", "to a file, which is there when it is complete"],
    ["petstore export --without-ids --output pets.csv", "as petstore import takes it"],
  );
}

async function importFile(
  file: string,
  { format, json, skipBad, ...going }: Importing,
  command: Command,
): Promise<void> {
  const name = format ?? endings[extname(file).toLowerCase()];
  if (name === undefined)
    return command.error(
      `error: the format of ${file} is not told by its ending: give --format ${Object.keys(formats).join(" or ")}`,
    );
  const document = await readDocument();
  const input = await openInput(file);
  await withTables("make", async (store) => {
    const bar = startProgress();
    const checking = stoppable(showOn(bar, "checking", "bytes"), "Stopped. Nothing was imported.");
    const importing = stoppable(showOn(bar, "importing", "pets"), "Stopped");
    const problems: string[] = [];
    const tell = (problem: string) => problems.length < mostProblems && problems.push(problem);
    const checked = await checkInput(input, formats[name], document, tell, checking).finally(bar.clear);
    if (checked.bad > mostProblems) problems.push(`and ${checked.bad - mostProblems} more`);
    for (const problem of problems) console.error(problem);
    const sha256 = Buffer.from(input.digest()).toString("hex");
    if (checked.bad > 0 && !skipBad) {
      if (json) console.log(toIndentedJson({ lines: checked.lines, pets: 0, bad: checked.bad, problems, sha256 }));
      throw new Error(
        `Nothing was imported: ${checked.bad} lines are bad. Without them, the others are with --skip-bad.`,
      );
    }
    const parts = { input, format: formats[name], document, checked };
    const { pets, before, lines } = await importPets(store, parts, going, importing).finally(bar.clear);
    if (before > 0 && before === pets) console.error("All of it was imported before: nothing was left to do.");
    const result = { lines, pets, before, bad: checked.bad, sha256 };
    console.log(json ? toIndentedJson({ ...result, problems }) : toRows(result));
  }).finally(input.close);
}

async function exportAll({ json, output, format, status, withoutIds }: Exporting, command: Command): Promise<void> {
  const statuses = readStatuses(await readDocument());
  if (status !== undefined && !statuses.includes(status))
    command.error(`error: option '--status <status>' must be one of: ${statuses.join(", ")}`);
  if (json && !output)
    command.error("error: option '--json' is for --output: without it the pets themselves are shown");
  const name = format ?? endings[extname(`${output}`).toLowerCase()] ?? "ndjson";
  const selection = { format: formats[name], status, withoutIds };
  await withTables("look", async (store) => {
    if (output === undefined) return exportToStdout((write) => exportPets(store, selection, write, () => {}));
    const bar = startProgress();
    const show = stoppable(showOn(bar, "exporting", "pets"), "Stopped. Nothing was kept.");
    const exported = await makeFile(output, async (partial) => {
      const file = await open(partial, "wx");
      return exportPets(store, selection, (text) => file.appendFile(text), show).finally(() => file.close());
    }).finally(bar.clear);
    console.log(json ? toIndentedJson(exported) : toRows(exported));
  });
}

// Each batch is taken before the next one is read. Who wants no more (`| head`) closes the pipe: that is no failure.
async function exportToStdout(work: (write: (text: string) => Promise<unknown>) => Promise<unknown>): Promise<void> {
  stdout.on("error", () => {}); // told to who wrote, too
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => stdout.write(text, (error) => (error ? reject(error) : resolve())));
  await work(write).catch((error) => {
    if (error.code !== "EPIPE") throw error;
  });
}

function showOn(bar: ProgressBar, doing: string, unit: string) {
  return (done: number, total: number) => bar.show(doing, done, total, unit);
}

function toRows(result: object): string {
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(18)}${value}`)
    .join("\n");
}
