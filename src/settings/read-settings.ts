// Reads settings from options, variables and a module.
import { findSimilarName, UsageError } from "../lib/index.ts";
import { describeSetting, flagOf, variableOf } from "./setting-names.ts";
import { type Setting, type SettingName, type Settings, settings } from "./table.ts";
import { onOrOff } from "./values.ts";

/** The program that reads settings. */
export interface SettingsProgram {
  readonly name: string;
  /** What its variables begin with, such as `OPENAPI_SERVER_`. */
  readonly variablePrefix: string;
  readonly defaults: { readonly [Name in SettingName]?: string };
  /** Variables of earlier releases, with the settings that they set. */
  readonly aliases?: Readonly<Record<string, SettingName>>;
}

/** Where settings come from. Flags take precedence over variables, and these over the module. */
export interface SettingsSources {
  readonly env: NodeJS.ProcessEnv;
  /** The values of options of the command line. */
  readonly flags?: { readonly [Name in SettingName]?: string | undefined };
  /** The values of the module of --config. */
  readonly module?: { readonly path: string; readonly values: Readonly<Record<string, unknown>> } | undefined;
}

/** Returns the options of `createServer` about a document: those that are set. */
export function toDocumentOptions(values: Settings) {
  const { allowedFolders, docs, ignore, ignoreUnknownQuery, origins, readOnly, strict } = values;
  return {
    ignoreUnknownQuery,
    ...(allowedFolders.length > 0 && { allowedFolders }),
    ...(docs !== null && { docs }),
    ...(ignore.length > 0 && { ignore }),
    ...(origins.length > 0 && { origins }),
    ...(readOnly !== null && { readOnly }),
    ...(strict !== null && { strict }),
  };
}

/**
 * Reads the settings. Throws an Error that names the setting, and its valid values, if one is not valid, and for a variable with the
 * prefix of the program that is no setting.
 */
export function readSettings(
  { name: program, variablePrefix, defaults, aliases = {} }: SettingsProgram,
  { env, flags = {}, module }: SettingsSources,
): Settings {
  if (variablePrefix !== "") refuseUnknownVariables(env, variablePrefix, program);
  const values = (Object.keys(settings) as SettingName[]).map((name) => {
    const { default: common, allowed, parse }: Setting<unknown> = settings[name];
    const variable = variableOf(name, variablePrefix);
    const former = Object.keys(aliases).find((alias) => aliases[alias] === name && env[alias]);
    const given = module?.values[name];
    const ofModule = given === null && parse("none") !== null ? undefined : given; // null is no value
    const sources: readonly (readonly [string | undefined, string])[] = [
      [flags[name], `--${flagOf(name)}`],
      [readVariable(env, variable) || undefined, variable],
      [former && env[former], `${former}`],
    ];
    const found = sources.find(([text]) => text !== undefined);
    const isOfModule = found === undefined && ofModule !== undefined;
    const place = `The option \`${name}\` of the module ${module?.path}`;
    const [text, source] =
      found ??
      (isOfModule ? [toText(ofModule), place] : [defaults[name] ?? common, describeSetting(name, variablePrefix)]);
    const value = text === undefined ? undefined : parse(text);
    const valid = isOfModule && allowed === onOrOff.allowed ? "true or false" : allowed;
    if (value === undefined) throw new (flags[name] === undefined ? Error : UsageError)(`${source} must be ${valid}.`);
    return [name, value];
  });
  return Object.fromEntries([...values, ["variablePrefix", variablePrefix]]);
}

// Kubernetes sets variables about a Service that has the name of the program, such as PETSTORE_PORT=tcp://10.0.0.1:80.
const ofKubernetes = /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP|SCTP)/;

function readVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name];
  const isOfKubernetes = ofKubernetes.test(name) || (name.endsWith("_PORT") && /^(tcp|udp|sctp):/.test(value ?? ""));
  return isOfKubernetes ? undefined : value;
}

function refuseUnknownVariables(env: NodeJS.ProcessEnv, prefix: string, program: string): void {
  const names = Object.keys(settings) as SettingName[];
  const known = new Map(names.map((name) => [settings[name].variable as string, variableOf(name, prefix)]));
  for (const name of Object.keys(env)) {
    const plain = name.slice(prefix.length);
    if (!name.startsWith(prefix) || known.get(plain) === name || !readVariable(env, name)) continue;
    const similar = findSimilarName(plain, known.keys());
    const end = similar === undefined ? "." : `: did you mean ${known.get(similar)}?`;
    throw new Error(`${name} is no setting${end} ${program} --help lists them.`);
  }
}

// A module has values, as `createServer` takes them. Returns undefined for a value that no setting has.
function toText(value: unknown): string | undefined {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.every((item) => typeof item === "string") ? value.join(",") : undefined;
  const { count, seconds } = Object(value) as { readonly count?: unknown; readonly seconds?: unknown };
  if (count !== undefined && seconds !== undefined) return `${count}/${seconds}s`;
  return ["string", "number", "bigint"].includes(typeof value) ? `${value}` : undefined;
}
