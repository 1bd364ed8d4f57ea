// Adds examples, exit codes and settings to the help texts.
import { styleText } from "node:util";
import type { Command } from "commander";
import { type SettingName, settings, variableOf } from "../../settings/index.ts";

/** The exit codes of the commands, with their meanings. */
export const exitCodes = [
  ["0", "success"],
  [
    "1",
    "failure, an error that check has found, or a breaking change that diff has found; the reason is on standard error, or in their result",
  ],
  ["2", "invalid command line; see --help"],
] as const;

/** Adds examples to the help of a command. Each is a command line with its description. */
export function addExamples(
  command: Command,
  ...examples: readonly (readonly [line: string, description: string])[]
): Command {
  return command.addHelpText("after", ({ command }) => `\n${formatSection(command, "Examples:", examples)}`);
}

/** Adds the exit codes and the environment variables to the help of the program. `prefix` begins the variables. */
export function addNotes(
  program: Command,
  prefix: string,
  defaults: { readonly [Name in SettingName]?: string },
  names: readonly SettingName[],
): void {
  const values = names.map((name) => {
    const { description, default: common } = settings[name];
    const value = defaults[name] ?? common;
    return [variableOf(name, prefix), `${description}${value && ` (default: ${value})`}`] as const;
  });
  program
    .configureHelp({ styleTitle, showGlobalOptions: false })
    .addHelpText("after", ({ command }) => `\n${formatSection(command, "Exit codes:", exitCodes)}`)
    .addHelpText("after", ({ command }) => `\n${formatSection(command, "Environment variables:", values)}`);
}

function formatSection(command: Command, title: string, rows: readonly (readonly [string, string])[]): string {
  const help = command.createHelp();
  const width = Math.max(...rows.map(([term]) => term.length));
  return [help.styleTitle(title), ...rows.map(([term, text]) => help.formatItem(term, width, text, help))].join("\n");
}

// Commander removes the colors if the stream has none (`getOutHasColors`).
function styleTitle(title: string): string {
  return styleText("bold", title, { validateStream: false });
}

/** Returns whether a help text has colors. node:util decides: terminals only, unless NO_COLOR or FORCE_COLOR is set, as for tables. */
export function hasColors(stream: NodeJS.WritableStream): boolean {
  return styleText("bold", "text", { stream }) !== "text";
}
