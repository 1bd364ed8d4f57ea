// Runs the command `petstore` and maps its result to an exit code.
import { CommanderError } from "commander";
import { type Io, isBrokenPipe, reportError } from "../terminal/index.ts";
import { createProgram } from "./program.ts";

/**
 * Runs a command and returns its exit code: 0 if it succeeded, 1 if it failed, 2 if `argv` is wrong. `argv` has the
 * words after `petstore`. `serve` returns 0 as soon as the service listens. Reports failures on standard error.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  // `write` rejects if standard output fails. Without a listener, the event would also end the process.
  const ignore = () => {};
  io.stdout.on("error", ignore);
  io.stderr.on("error", ignore);
  try {
    await createProgram(io).parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (isBrokenPipe(error)) return 0;
    reportError(io, "petstore", error, "Run petstore migrate.");
    return 1;
  }
}
