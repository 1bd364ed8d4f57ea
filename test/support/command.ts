// Runs the command line in the test's own process. Tests need a separate process only for signals, terminals and pipes.
import { Readable, Writable } from "node:stream";
import { runCommand } from "../../src/command/index.ts";
import { petStore } from "../../src/pets/index.ts";
import type { Io } from "../../src/terminal/index.ts";
import { findSecret } from "./secrets.ts";
import { assertKnown, type Settings } from "./settings.ts";

/** The exit code and the output of a command. */
export interface Result {
  status: number;
  stdout: string;
  stderr: string;
}

/** The standard input and the stop signal of a command. */
export interface CommandOptions {
  /** Standard input. */
  input?: string | Buffer;
  /** Receives the function that stops the command, as SIGINT and SIGTERM do. */
  onStop?: (stop: () => void) => void;
  /** Whether standard input and standard error are a terminal. */
  isTerminal?: boolean;
}

/** Runs `petstore ARGS…` with these streams. */
export const run = (args: readonly string[], io: Io): Promise<number> => runCommand(args, { io, preset: petStore });

/**
 * Runs `petstore ARGS…` to its end, with `settings` as its whole environment. Throws an Error if standard error has a
 * secret.
 */
export async function petstore(
  settings: Settings,
  args: readonly string[],
  { input = "", onStop = () => {}, isTerminal = false }: CommandOptions = {},
): Promise<Result> {
  assertKnown(settings);
  const [stdout, stderr] = [collect(), collect()];
  const status = await run(args, {
    env: settings,
    stdin: Object.assign(Readable.from([Buffer.from(input)]), { isTTY: isTerminal }),
    stdout: stdout.stream,
    stderr: Object.assign(stderr.stream, { isTTY: isTerminal }),
    onStop,
  });
  // An import reports the field names of a bad line, without the values.
  const secret = findSecret(stderr.text().replaceAll(/categoryId(?=[',])/g, ""));
  if (secret !== undefined) throw new Error(`a secret is in the output of petstore ${args.join(" ")}: ${secret}`);
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

/** Removes the lines that report progress from standard error. */
export function withoutProgress(stderr: string): string {
  return stderr.replaceAll(/^(checking|importing|exporting|copying|comparing|backing up|restoring): .*\n/gm, "");
}

function collect() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
