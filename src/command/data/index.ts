// The commands for the data of a store: import, export, backup, restore, copy and integrity check.
export { requireDatabaseUrl } from "./database-url.ts";
export { addBackup, addCheck, addCopy, addExport, addImport, addRestore, type DataCommands } from "./program.ts";
export type { Target } from "./target.ts";
