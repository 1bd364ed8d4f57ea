// The command `openapi-server`.
export { runCommand } from "./command.ts";
