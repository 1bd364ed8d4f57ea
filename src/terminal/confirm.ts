// Asks before a command does what can't be undone.
import { createInterface } from "node:readline";
import type { Io, Output } from "./io.ts";

/** The option of a command that asks. */
export interface ConfirmOptions {
  /** Does not ask. */
  yes?: boolean;
}

/**
 * Asks a question on the terminal, unless `yes` is set. Rejects with an Error if the answer is not y or yes, or if there is no
 * terminal: then a script must set --yes.
 */
export async function confirm(io: Io, question: string, { yes }: ConfirmOptions): Promise<void> {
  if (yes) return;
  if (!(io.stdin as unknown as Output).isTTY || !io.stderr.isTTY)
    throw new Error("Nothing was changed. Add --yes to confirm it without a terminal.");
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  lines.setPrompt(`${question} [y/N] `);
  lines.prompt();
  for await (const line of lines) {
    if (/^y(es)?$/i.test(line.trim())) return;
    break;
  }
  throw new Error("Nothing was changed."); // also if the terminal was closed
}
