// The streams, environment and signals of a command, and its questions.
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { escapeControlCharacters } from "../lib/index.ts";

/** A stream to write to, and whether it is a terminal. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** The environment, streams and signals of a command. */
export interface Io {
  /** The environment variables, from which the settings are read. */
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Calls `stop` on the first SIGINT and the first SIGTERM, instead of ending the process. */
  onStop(stop: () => void): void;
}

/** The streams, environment and signals of this process. */
export const processIo: Io = {
  env: process.env,
  // A getter: reading the property opens standard input, which only `import` needs.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  onStop: (stop) => void process.once("SIGINT", stop).once("SIGTERM", stop),
};

/** A failure with several lines for standard error, or with none if standard output describes the failure. */
export class CommandFailure extends Error {
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines[0]);
    this.lines = lines;
  }
}

/** Writes to standard output. Rejects with an OutputError if that fails, so that no result is lost unnoticed. */
export function write({ stdout }: Pick<Io, "stdout">, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => (error ? reject(new OutputError(error)) : resolve()));
  });
}

/** Writes a line to standard output. Rejects as `write` does, except if the reader of the pipe has exited (EPIPE). */
export async function print(io: Pick<Io, "stdout">, text: string): Promise<void> {
  await write(io, `${text}\n`).catch((error) => {
    if (!isBrokenPipe(error)) throw error;
  });
}

/** Returns whether an error means that the reader of standard output has exited. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof OutputError && error.code === "EPIPE";
}

/** Reports that standard output can't be written: the disk is full, or the reader of the pipe has exited (EPIPE). */
export class OutputError extends Error {
  readonly code: string | undefined;
  constructor({ code, message }: NodeJS.ErrnoException) {
    super(`Can't write to standard output: ${message}`);
    this.code = code;
  }
}

/** Writes a line to standard error, with control characters escaped. */
export function warn({ stderr }: Pick<Io, "stderr">, text: string): void {
  stderr.write(`${escapeControlCharacters(text)}\n`);
}

/** Returns the message of an error. If a store needs a migration, `advice` says how this program migrates it. */
export function messageOf(error: unknown, advice: string): string {
  const { message, cause } = error as Error & { readonly cause?: { readonly needsMigration?: boolean } };
  return cause?.needsMigration ? `${message} ${advice}` : message;
}

/** Reports an error of a program on standard error, line by line. `advice` is that of `messageOf`. */
export function reportError(io: Pick<Io, "stderr">, program: string, error: unknown, advice: string): void {
  const lines = error instanceof CommandFailure ? error.lines : messageOf(error, advice).split("\n");
  for (const [index, line] of lines.entries())
    warn(io, index === 0 || error instanceof CommandFailure ? `${program}: ${line}` : line);
}

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
