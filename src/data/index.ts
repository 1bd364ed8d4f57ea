// Tools for the data of a store: import, export, backup, restore, copy and integrity check.
export { type BackupProgress, type BackupSummary, backup } from "./backup.ts";
export type { StoreSummary } from "./checksum.ts";
export { copy } from "./copy.ts";
export { exportRecords, type Selection, writeExport } from "./export.ts";
export { type DocumentStore, exportFolder, type FolderFile, importFiles, isFolder, readFolder } from "./folder.ts";
export { formatOf, formats } from "./formats/file-formats.ts";
export { importRecords } from "./import.ts";
export { openInput } from "./input-file.ts";
export { checkIntegrity } from "./integrity-check.ts";
export { type Replacement, restore, type StoreState } from "./restore.ts";
export { type ImportSource, validateInput } from "./validate-input.ts";
