// The command line of `openapi-server`, and of services with a program of their own.
export { runCommand } from "./program.ts";
