// Generates the reference tables of the pages in docs/ from the code, between markers: settings, commands, exit codes,
// error codes and metrics. With --check, it only compares.
// usage: node scripts/docs.ts [--check], in the folder of the project
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Command, Option } from "commander";
import { exitCodes } from "../src/command/inputs/help.ts";
import { createProgram } from "../src/command/program.ts";
import { errors } from "../src/pets/errors.ts";
import { petStore } from "../src/pets/index.ts";
import { flagOf, type SettingName, settings } from "../src/settings/index.ts";
import { processIo } from "../src/terminal/index.ts";
import { formatTable } from "./bench/report.ts";
import { scrapeMetrics } from "./docs/metrics.ts";
import { readSection, replaceSection } from "./measurements.ts";

type Sections = Readonly<Record<string, string>>;

const code = (text: string) => (text === "" ? "" : `\`${text}\``);

// Formats text of the code as Markdown: options, variables and URLs in it are code.
function toMarkdown(text: string): string {
  const literal = /(?<![\w`-])(?:--[a-z][a-z-]*|[A-Z]+_[A-Z_]+|(?:https?|postgres|sqlite):[^\s;]*[^\s;,.)])/g;
  return text.replace(literal, code).replaceAll("<", "\\<");
}

// A pipe in a cell must be escaped, also in code.
function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return formatTable(
    head,
    rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|"))),
  );
}

// A value such as sqlite:PATH stays as it is.
function toSentence(text: string): string {
  if (/^[a-z]+:/.test(text)) return text.replace(/\.?$/, ".");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/\.?$/, ".");
}

function listSettings(): Sections {
  const toRow = (name: SettingName) => {
    const { variable, default: common, description, allowed } = settings[name];
    const value = petStore.defaults[name] ?? common;
    const texts = [description, allowed].map((text) => toMarkdown(toSentence(text)));
    return [code(variable), code(`--${flagOf(name)}`), code(name), code(value), ...texts];
  };
  const names = Object.keys(settings) as SettingName[];
  const isOfDocument = (name: SettingName) => "isOfDocument" in settings[name];
  const head = ["variable", "option", "name", "default", "description", "values"];
  return {
    settings: toTable(head, names.filter((name) => !isOfDocument(name)).map(toRow)),
    "document-settings": toTable(head, names.filter(isOfDocument).map(toRow)),
  };
}

function listCommands(): Sections {
  const presets = new Map(findCommands(createProgram({ io: processIo, preset: petStore })));
  const commands = new Map(findCommands(createProgram({ io: processIo })));
  // The commands for records are below `data`, where `check` is not that of documents.
  const samePresets = new Map(
    [...presets].map(([name, command]) => [commands.has(`data ${name}`) ? `data ${name}` : name, command]),
  );
  const rows = [...commands].map(([name, command]) => [
    code(showUsage(command)),
    code(showUsage(samePresets.get(name))),
    toMarkdown(toSentence(command.description())),
  ]);
  return {
    commands: toTable(["any document", "Pet Store", "description"], rows),
    options: toTable(["command", "argument or option", "description"], listAllOptions(commands)),
    "exit-codes": toTable(
      ["exit code", "meaning"],
      exitCodes.map(([exitCode, meaning]) => [exitCode, toMarkdown(toSentence(meaning))]),
    ),
  };
}

// Yields the commands without subcommands, with their names, such as `keys create`.
function* findCommands(command: Command, name = ""): Generator<[name: string, command: Command]> {
  if (command.commands.length === 0) yield [name, command];
  for (const subcommand of command.commands) yield* findCommands(subcommand, `${name} ${subcommand.name()}`.trim());
}

function showUsage(command: Command | undefined): string {
  return command?.createHelp().commandUsage(command).replace(" [options]", "") ?? "";
}

// The page describes these, and docs/configuration.md the settings.
const described = [...(Object.keys(settings) as SettingName[]).map(flagOf), "config", "json", "overlay"];
const isDescribed = ({ long }: Option) => described.some((name) => long === `--${name}`);

// The same option of several commands is one row.
function listAllOptions(commands: ReadonlyMap<string, Command>): string[][] {
  const rows = [...commands].flatMap(([name, command]) => listOptions(command).map((cells) => ({ name, cells })));
  const byCells = Map.groupBy(rows, ({ cells }) => cells.join());
  return [...byCells.values()].map((same) => [
    same.map(({ name }) => code(name)).join(", "),
    ...(same[0] as (typeof rows)[0]).cells,
  ]);
}

function listOptions(command: Command): string[][] {
  const help = command.createHelp();
  const rows = [
    ...command.registeredArguments
      .filter((argument) => argument.name() !== "document")
      .map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]),
    ...command.options
      .filter((option) => !isDescribed(option))
      .map((option) => [help.optionTerm(option), help.optionDescription(option)]),
  ] as [string, string][];
  return rows.map(([term, description]) => [code(term), toMarkdown(toSentence(description))]);
}

// The code knows the statuses; the page has the descriptions, which stay as they are.
function listErrors(page: string): Sections {
  const cells = readSection(page, "errors").matchAll(/^\| `(\w+)` \|[^|]*\|(.*)\|$/gm);
  const descriptions = new Map([...cells].map(([, name, description]) => [name, description?.trim()]));
  const rows = Object.entries(errors).map(([name, status]) => {
    const description = descriptions.get(name);
    if (!description) throw new Error(`The error code ${name} has no description: add a row for it.`);
    return [code(name), String(status), description];
  });
  rows.sort(([, a], [, b]) => Number(a) - Number(b));
  return { errors: formatTable(["code", "status", "cause"], rows) };
}

async function listMetrics(): Promise<Sections> {
  const rows = (await scrapeMetrics()).map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(", "),
    toMarkdown(help),
  ]);
  return { metrics: toTable(["metric", "type", "labels", "description"], rows) };
}

const pages: Readonly<Record<string, (page: string) => Sections | Promise<Sections>>> = {
  "docs/api.md": listErrors,
  "docs/cli.md": listCommands,
  "docs/configuration.md": listSettings,
  "docs/operations.md": listMetrics,
};

async function generate(check: boolean): Promise<void> {
  for (const [file, list] of Object.entries(pages)) {
    const before = readFileSync(file, "utf8");
    const update = async () => {
      const sections = Object.entries(await list(before));
      return sections.reduce((page, [name, text]) => replaceSection(page, name, text), before);
    };
    const after = await update().catch(({ message }) => {
      throw new Error(`${file}: ${message}`);
    });
    if (!check) writeFileSync(file, after);
    else if (after !== before) throw new Error(`${file} is out of date: run npm run docs`);
  }
}

try {
  await generate(parseArgs({ options: { check: { type: "boolean" } } }).values.check ?? false);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
