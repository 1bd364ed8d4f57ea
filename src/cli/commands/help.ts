// What --help says beside the commands and options themselves.
import { styleText } from "node:util";
import type { Command } from "commander";
import { settings } from "../../config.ts";

const exitCodes = [
  ["0", "done"],
  ["1", "it failed: a line on standard error says why"],
  ["2", "the command line is wrong: see --help"],
] as const;

/** Adds examples to the help of a command: what to type, and what it does. */
export function addExamples(
  command: Command,
  ...examples: readonly (readonly [line: string, meaning: string])[]
): Command {
  return command.addHelpText("after", ({ command }) => `\n${toSection(command, "Examples:", examples)}`);
}

/** Adds to the help of the program its exit codes and settings. */
export function addNotes(program: Command): void {
  const values = Object.entries(settings).map(
    ([name, { description, default: value }]) => [name, `${description}${value && ` (${value})`}`] as const,
  );
  program
    .configureHelp({ styleTitle: toTitle, showGlobalOptions: false })
    .addHelpText("after", ({ command }) => `\n${toSection(command, "Exit codes:", exitCodes)}`)
    .addHelpText("after", ({ command }) => `\n${toSection(command, "Settings, from the environment:", values)}`);
}

function toSection(command: Command, title: string, rows: readonly (readonly [string, string])[]): string {
  const help = command.createHelp();
  const width = Math.max(...rows.map(([term]) => term.length));
  return [help.styleTitle(title), ...rows.map(([term, text]) => help.formatItem(term, width, text, help))].join("\n");
}

// The command takes colours out again where none are shown: in a pipe, and with NO_COLOR.
function toTitle(title: string): string {
  return styleText("bold", title, { validateStream: false });
}
