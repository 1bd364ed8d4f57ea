// The option --environment-file: settings in a file, such as that of the systemd unit. It is not named --env-file, because
// Node reads this option itself, also behind the script.
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/**
 * Adds the settings of a file to `env`, whose own settings take precedence unless they are empty. Does nothing without a
 * file. Throws an Error if the file can't be read.
 */
export function addEnvironmentFile(env: NodeJS.ProcessEnv, file: string | undefined): void {
  if (file === undefined) return;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`The file of --environment-file can't be read: ${(error as Error).message}.`);
  }
  const lines = text.split("\n").map(quoteValue);
  for (const [name, value] of Object.entries(parseEnv(lines.join("\n")))) env[name] ||= value;
}

// systemd keeps a # in a value without quotes, but parseEnv ends the value there.
function quoteValue(line: string): string {
  const [, name, value = ""] = /^(\w+)=([^"'`#]*#[^"'`]*)$/.exec(line) ?? [];
  return name === undefined ? line : `${name}=\`${value.trim()}\``;
}
