// The command `openapi-server`, and the commands for data that it shares with other programs. Loads their code when they run.
export { runCommand } from "./command.ts";
export { requireDatabaseUrl } from "./data/database-url.ts";
export { addBackup, addCheck, addCopy, addExport, addImport, addRestore, type DataCommands } from "./data/program.ts";
