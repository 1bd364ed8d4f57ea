// The names of settings: their options, their variables, and how messages name them.
import { type Setting, type SettingName, settings } from "./table.ts";

/** Returns the name of a service that a text makes, for metrics (Prometheus data model): `Pet Store` is `pet_store`. */
export function toServiceName(text: string): string {
  const words = text.toLowerCase().match(/[a-z\d]+/g) ?? [];
  return words.join("_").replace(/^[\d_]+/, "") || "openapi_server";
}

/** Returns the option of a setting, without its dashes. */
export function flagOf(name: SettingName): string {
  const { flag }: Setting<unknown> = settings[name];
  return flag ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns the variable of a setting. Those of OpenTelemetry have no prefix. */
export function variableOf(name: SettingName, prefix: string): string {
  const { variable } = settings[name];
  return variable.startsWith("OTEL_") ? variable : prefix + variable;
}

/**
 * Returns a setting as messages name it: by its option and its variable, or, if no program has set the prefix of variables, as the
 * option of `createServer`.
 */
export function describeSetting(name: SettingName, prefix: string | undefined): string {
  return prefix === undefined ? `the option \`${name}\`` : `--${flagOf(name)} (${variableOf(name, prefix)})`;
}
