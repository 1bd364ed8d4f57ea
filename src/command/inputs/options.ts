// Options of commands that are made of the table of settings, and parsers of others.
import { type Command, InvalidArgumentError, Option } from "commander";
import { flagOf, type Setting, type SettingName, settings } from "../../settings/index.ts";

/** Adds options for settings. Their values are texts, under the names of the settings. `defaults` are those of the program. */
export function addSettings(
  command: Command,
  names: readonly SettingName[],
  defaults: { readonly [Name in SettingName]?: string } = {},
): Command {
  for (const name of names) {
    const { short, default: common, description, isList }: Setting<unknown> = settings[name];
    const own = defaults[name] ?? common;
    const flags = `${short === undefined ? "" : `-${short}, `}--${flagOf(name)} <value>`;
    const isName = /^([A-Z]{2}|Valkey)/.test(description);
    const help = isName ? description : description.charAt(0).toLowerCase() + description.slice(1);
    const option = new Option(flags, `${help}${isList ? "; can be repeated" : ""}${own && ` (default: ${own})`}`);
    if (isList)
      option.argParser((value: string, before?: string) => (before === undefined ? value : `${before},${value}`));
    command.addOption(option);
  }
  return command;
}

/** The option `--format` of a command that can print JSON. */
export function formatOption(description: string): Option {
  return new Option("--format <format>", description).choices(["text", "json"]).default("text");
}

/** Returns the texts of settings among the options of a command, which commander names by their flags. Switches are no settings. */
export function settingsAmong(options: object): { readonly [Name in SettingName]?: string } {
  const names = Object.keys(settings) as SettingName[];
  const toMember = (name: SettingName) =>
    flagOf(name).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const found = names.flatMap((name) => {
    const value = Reflect.get(options, toMember(name));
    return value === undefined || typeof value === "boolean" ? [] : [[name, [value].flat().join(",")] as const];
  });
  return Object.fromEntries(found);
}

/** Parses an option that can be repeated. */
export function addTo(value: string, list: readonly string[] = []): readonly string[] {
  return [...list, value];
}

// A record, because the compiler reports a missing member.
const periodUnits = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 }; // milliseconds

/** Parses a period such as 90d. Returns milliseconds. */
export function parsePeriod(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,7})([mhdwy])$/.exec(text) ?? [];
  const period = Number(count) * periodUnits[unit as keyof typeof periodUnits];
  if (period <= 100 * periodUnits.y) return period;
  throw new InvalidArgumentError(
    "A period is a number and a unit, such as 30m, 12h, 90d, 2w or 1y. The maximum is 100 years.",
  );
}

/** Parses a period, or 0. */
export function parseGrace(text: string): number {
  return text === "0" ? 0 : parsePeriod(text);
}

/** The default of a grace period, in milliseconds. */
export const defaultGrace = periodUnits.d;
