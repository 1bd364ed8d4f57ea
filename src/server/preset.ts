// A service with a program of its own: its document and handlers are part of the program.
import type { Document } from "../openapi/index.ts";
import type { ResourceStoreOptions } from "../resources/index.ts";
import { readSettings, type SettingsProgram, type SettingsSources } from "../settings/index.ts";
import { describeStart } from "./announcement.ts";
import { runService, type Service } from "./run.ts";

/** What is special about a service. Loads nothing of it before it is used: the command line shows its help at once. */
export interface Preset extends SettingsProgram {
  readonly description: string;
  /** The records of its collection, as help texts name them: `pets`. */
  readonly records: string;
  readonly readDocument: () => Promise<Document>;
  readonly load: () => Promise<Pick<Service, "createOptions"> & { readonly storeOptions: ResourceStoreOptions }>;
}

/** Runs the service of a preset until SIGTERM or SIGINT. Resolves when it listens. Rejects with an Error if it can't start. */
export async function runPreset(preset: Preset, sources: SettingsSources): Promise<void> {
  const settings = readSettings(preset, sources);
  const document = await preset.readDocument();
  const { createOptions, storeOptions } = await preset.load();
  const createKey = `npx ${preset.name} keys create NAME`;
  await runService({
    document,
    settings,
    createOptions,
    storeOptions: { preparation: "validate", ...storeOptions },
    // To standard error, because the log on standard output must never contain a key.
    announce: (started) => console.error(describeStart(document, started, { createKey }).join("\n")),
  });
}
