// The command `petstore`: run the service, and see to it.
import { stdout } from "node:process";
import { Command } from "commander";
import { addBackups } from "./commands/backups.ts";
import { addCompletion } from "./commands/completion.ts";
import { addData } from "./commands/data.ts";
import { addDeprecations } from "./commands/deprecations.ts";
import { addExamples, addNotes } from "./commands/help.ts";
import { addKeys } from "./commands/keys.ts";
import { addStatus } from "./commands/status.ts";
import { addStores } from "./commands/stores.ts";
import { mask } from "./logger.ts";
import { end, serve } from "./server.ts";
import { version } from "./version.ts";

/** Runs the command line. Rejects with an Error that says what went wrong; wrong usage ends with exit code 2. */
export async function run(argv: readonly string[]): Promise<void> {
  const program = new Command("petstore")
    .description("The Pet Store service: run it, watch it, and see to its keys and data.")
    .version(version)
    .configureOutput({
      outputError: (text, write) => write(mask(text.replace(/^error: /, "petstore: "))),
    })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  addExamples(
    program,
    ["petstore serve", "run the service"],
    ["petstore keys create alice --expires 90d", "a key for a client"],
    ["petstore import pets.csv", "add the pets of a file"],
    ["petstore export --status sold --format csv", "write pets to standard output"],
    ["petstore backup pets.backup", "keep all that the store has in one file, while it is served"],
    ["petstore status", "how the running service is (OPERATOR_KEY)"],
    ["petstore deprecations", "who still calls what is going away"],
  );
  addNotes(program);

  program.commandsGroup("Run and watch:");
  program.command("serve").description("run the service").action(serve);
  addStatus(program);
  addDeprecations(program);
  program.commandsGroup("Keys:");
  addKeys(program);
  program.commandsGroup("Data in and out:");
  addData(program);
  addBackups(program);
  program.commandsGroup("Stores:");
  addStores(program);
  program.commandsGroup("The command itself:");
  program.addHelpCommand(new Command("help").argument("[command]").description("show the help of a command"));
  addCompletion(program);
  program.hook("preAction", (_, command) => {
    if (command.name() !== "serve") stdout.on("error", endUnwritten);
  });
  await program.parseAsync(argv);
}

// What was to be printed is the result: nobody must take it for done where it could not be. Who reads only the
// beginning, as head does, has what they want.
function endUnwritten(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit();
  end(new Error(`Standard output can't be written: ${error.message}`));
}
