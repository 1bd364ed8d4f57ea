// Runs a command, and maps its result to an exit code.
import { CommanderError } from "commander";
import { UsageError } from "../lib/index.ts";
import { isBrokenPipe, reportError } from "../terminal/index.ts";
import { openApiServer } from "./config.ts";
import { ErrorsFound } from "./document-commands.ts";
import { createProgram, type ProgramOptions } from "./program.ts";

/**
 * Runs a command and returns its exit code: 0 if it succeeded, 1 if it failed, 2 if `argv` is wrong. `argv` has the words behind the
 * name of the program. A server keeps the process alive: its command returns 0 as soon as it listens. Reports failures on standard
 * error.
 */
export async function runCommand(argv: readonly string[], options: ProgramOptions): Promise<number> {
  const { io, preset } = options;
  // `write` rejects if standard output fails. Without a listener, the event would also end the process.
  const ignore = () => {};
  io.stdout.on("error", ignore);
  io.stderr.on("error", ignore);
  const { name: program } = preset ?? openApiServer;
  try {
    await createProgram(options).parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (isBrokenPipe(error)) return 0;
    if (error instanceof ErrorsFound) return 1;
    reportError(io, program, error, `Run ${program} migrate${preset ? "" : " with its document"}.`);
    return error instanceof UsageError ? 2 : 1;
  }
}
