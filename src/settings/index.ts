// The settings of services, in one table.
export { readSettings, type SettingsProgram, type SettingsSources, toDocumentOptions } from "./read-settings.ts";
export { describeSetting, flagOf, toServiceName, variableOf } from "./setting-names.ts";
export { type Setting, type SettingName, type Settings, settings } from "./table.ts";
export { logLevels } from "./values.ts";
