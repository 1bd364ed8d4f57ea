// Rejects settings of a test that have no effect. Without this check, a test could pass without testing anything.
import { petStore } from "../../src/pets/index.ts";
import { readSettings, type SettingName, settings, type Settings as Values } from "../../src/settings/index.ts";

type Variable = (typeof settings)[SettingName]["variable"];

/** Settings of a test, as environment variables. */
export type Settings = { readonly [Name in Variable | "MAX_PETS"]?: string };

const variables = new Map<string, string>([
  ...Object.entries(settings).map(([name, { variable }]) => [variable, name] as const),
  ...Object.entries(petStore.aliases ?? {}),
]);

/** Throws an Error if a name is not a setting of the service, and does not match `others`. */
export function assertKnown(values: object, others = /^$/): void {
  const unknown = Object.keys(values).filter((name) => !variables.has(name) && !others.test(name));
  if (unknown.length > 0) throw new Error(`there are no such settings: ${unknown.join(", ")}`);
}

/** Parses settings of the Pet Store. */
export function readConfig(env: NodeJS.ProcessEnv): Values {
  return readSettings(petStore, { env });
}

/** Parses settings, and `defaults` for those that are missing. Throws an Error if a setting is one of `unused`. */
export function readUsedConfig(values: Settings, defaults: Settings, unused: readonly SettingName[]): Values {
  assertKnown(values);
  const wrong = Object.keys(values).filter((name) => unused.includes(variables.get(name) as SettingName));
  if (wrong.length > 0) throw new Error(`these settings have no effect here: ${wrong.join(", ")}`);
  return readConfig({ ...defaults, ...values });
}
