// The URL of a store on a command line.
import { parseDatabaseUrl } from "../../lib/index.ts";
import { isInMemory } from "../../store/index.ts";

/**
 * Throws an Error if `url` names no store, or one in memory. `name` names the source of `url` in the message.
 *
 * This is not an argument parser of commander, because its messages would show the value with the password.
 */
export function requireDatabaseUrl(name: string, url: string): void {
  if (!parseDatabaseUrl(url) || isInMemory(url))
    throw new Error(`${name} must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.`);
}
