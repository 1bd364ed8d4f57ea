// The command `petstore`: runs the service, and manages its keys and data.
import { styleText } from "node:util";
import { Command, CommanderError } from "commander";
import { redact, version } from "../lib/index.ts";
import { serve } from "../server.ts";
import { addBackups } from "./commands/backups.ts";
import { addCompletion } from "./commands/completion.ts";
import { addData } from "./commands/data.ts";
import { addDeprecations } from "./commands/deprecations.ts";
import { addExamples, addNotes } from "./commands/help.ts";
import { addKeys } from "./commands/keys.ts";
import { addStatus } from "./commands/status.ts";
import { addStores } from "./commands/stores.ts";
import { type Io, isBrokenPipe, type Output, reportError } from "./io.ts";

/**
 * Runs a command and returns its exit code: 0 if it succeeded, 1 if it failed, 2 if `argv` is wrong. `argv` has the
 * words after `petstore`. `serve` returns 0 as soon as the service listens. Reports what failed on standard error.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  // Failed writes are reported to the writer; without a listener, this event would end the process as well.
  const ignore = () => {};
  io.stdout.on("error", ignore);
  io.stderr.on("error", ignore);
  try {
    await buildProgram(io).parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (isBrokenPipe(error)) return 0;
    reportError(io, error);
    return 1;
  }
}

function buildProgram(io: Io): Command {
  const program = new Command("petstore")
    .description("The Pet Store service: run it, watch it, and manage its keys and data.")
    .version(version)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns as number, // commander takes 80 if it is undefined
      getErrHelpWidth: () => io.stderr.columns as number,
      getOutHasColors: () => hasColors(io.stdout),
      getErrHasColors: () => hasColors(io.stderr),
      outputError: (text, write) => write(redact(text.replace(/^error: /, "petstore: "))),
    })
    .exitOverride();
  addExamples(
    program,
    ["petstore serve", "run the service"],
    ["petstore keys create alice --expires 90d", "create a key for a client"],
    ["petstore import pets.csv", "add the pets of a file"],
    ["petstore export --status sold --format csv", "write pets to standard output"],
    ["petstore backup pets.backup", "back up the whole store to one file, while the service runs"],
    ["petstore status", "show the state of the running service (OPERATOR_KEY)"],
    ["petstore deprecations", "show who still calls deprecated operations"],
  );
  addNotes(program);

  program.commandsGroup("Run and watch:");
  program
    .command("serve")
    .description("run the service")
    .action(() => serve(io.env));
  addStatus(program, io);
  addDeprecations(program, io);
  program.commandsGroup("Keys:");
  addKeys(program, io);
  program.commandsGroup("Data in and out:");
  addData(program, io);
  addBackups(program, io);
  program.commandsGroup("Stores:");
  addStores(program, io);
  program.commandsGroup("The command itself:");
  program.addHelpCommand(new Command("help").argument("[command]").description("show the help of a command"));
  addCompletion(program, io);
  return program;
}

// The rule of node:util, which tables follow as well: terminals only, unless NO_COLOR or FORCE_COLOR is set.
function hasColors(stream: Output): boolean {
  return styleText("bold", "text", { stream }) !== "text";
}
