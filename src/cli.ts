// The command `petstore`: run the service, and see to it.
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addDeprecations } from "./commands/deprecations.ts";
import { addKeys } from "./commands/keys.ts";
import { addStores } from "./commands/stores.ts";
import { settings } from "./config.ts";
import { mask } from "./logger.ts";
import { serve } from "./server.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Runs the command line. Rejects with an Error that says what went wrong; wrong usage ends with exit code 2. */
export async function run(argv: readonly string[]): Promise<void> {
  const program = new Command("petstore")
    .description("The Pet Store service.")
    .version(version)
    .configureOutput({
      outputError: (text, write) => write(mask(text.replace(/^error: /, "petstore: "))),
    })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .addHelpText("after", `\nSettings, from the environment:\n${describeSettings()}`);
  program.command("serve").description("run the service").action(serve);
  addKeys(program);
  addDeprecations(program);
  addStores(program);
  await program.parseAsync(argv);
}

function describeSettings(): string {
  return Object.entries(settings)
    .map(([name, { meaning, default: value }]) => `  ${name.padEnd(19)}${meaning}${value && ` (${value})`}`)
    .join("\n");
}
