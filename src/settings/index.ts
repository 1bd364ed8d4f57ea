// The settings of services, in one table.
export { readSettings, type SettingsProgram, type SettingsSources, toDocumentOptions } from "./read-settings.ts";
export {
  describeSetting,
  flagOf,
  type Setting,
  type SettingName,
  type Settings,
  settings,
  toServiceName,
  variableOf,
} from "./table.ts";
export { logLevels } from "./values.ts";
