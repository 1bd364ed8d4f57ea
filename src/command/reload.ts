// `--watch` of servers: they serve the new state of their files, or else the last valid one.
import type { Document } from "../openapi/index.ts";
import { describeFindings } from "../openapi/tools.ts";
import type { Io } from "../terminal/index.ts";
import type { Config } from "./config.ts";
import type { WatchChanges } from "./watch-files.ts";

/** Returns the errors of a document for which `createServer` would refuse it without a mock. */
export function listErrors({ findings }: Document, config: Config): string[] {
  return describeFindings(findings.list(config).filter(({ level }) => level === "error"));
}

/** Describes what `listErrors` has found. */
export function describeErrors(errors: readonly string[]): string {
  return `The document has errors:\n${errors.map((error) => `- ${error}`).join("\n")}`;
}

/** Throws an Error if a document has errors, and the one that is served has none. */
export function refuseNewErrors(errors: readonly string[], served: readonly string[]): void {
  if (errors.length > 0 && served.length === 0) throw new Error(describeErrors(errors));
}

/** Calls `reload` after each change, until `signal` is aborted, and prints what it returns, or why it has rejected. */
export async function reloadOnChange(
  watchChanges: WatchChanges,
  reload: () => Promise<string>,
  { stdout, stderr }: Io,
  signal: AbortSignal,
): Promise<void> {
  await watchChanges(async () => {
    try {
      const message = await reload();
      if (!signal.aborted) stdout.write(message);
    } catch (error) {
      const { message } = error as Error;
      if (!signal.aborted)
        stderr.write(`openapi-server: ${message}\nThe last valid state of the document is served.\n`);
    }
  }, signal);
}
