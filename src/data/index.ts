// Tools for the data of a store: import, export, backup, restore, copy and integrity check.
export { type BackupProgress, backup } from "./backup.ts";
export type { StoreSummary } from "./checksum.ts";
export { copy } from "./copy.ts";
export { exportPets } from "./export.ts";
export { formats, formatsByExtension } from "./formats.ts";
export { importPets } from "./import.ts";
export { openInput } from "./input-file.ts";
export { checkIntegrity } from "./integrity-check.ts";
export { readStatuses } from "./pet-schema.ts";
export { type Replacement, restore, type StoreState } from "./restore.ts";
export { validateInput } from "./validate-input.ts";
