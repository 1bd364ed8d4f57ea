// Configuration, store, app, listen, close: what it takes to run the service, and nothing else.
import type { AddressInfo } from "node:net";
import { buildApp } from "./app.ts";
import { makeKey } from "./auth.ts";
import { readConfig, settings } from "./config.ts";
import { readDocument } from "./document.ts";
import { handlers } from "./handlers.ts";
import { buildLogger } from "./logger.ts";
import { openStore } from "./store/open.ts";
import type { Store } from "./store/store.ts";

const grace = 8_000; // milliseconds for what is under way when the service is told to end

/** Runs the service until SIGTERM or SIGINT. Rejects with an Error that says why it can't start. */
export async function serve(): Promise<void> {
  const config = readConfig();
  const document = await readDocument();
  for (const name of ["BASE_URL", "STAGING_BASE_URL"] as const)
    if (config[name] && !config[name].endsWith(document.basePath))
      throw new Error(`${name} must be ${settings[name].allowed}, ${document.basePath}.`);
  const store = await openStore(config.DATABASE_URL);
  const addresses = { production: config.BASE_URL, staging: config.STAGING_BASE_URL };
  const app = await buildApp({ document, handlers, store, addresses, logger: buildLogger(config.LOG_LEVEL) });

  // A second signal changes nothing: npm sends its child the one that the terminal sent already.
  let closing = false;
  const close = async () => {
    if (closing) return;
    closing = true;
    setTimeout(() => app.server.closeAllConnections(), grace).unref();
    await app.close();
    await store.close();
  };
  process.on("SIGTERM", close).on("SIGINT", close);
  const origin = await app.listen({ host: config.HOST, port: config.PORT }).catch((error: Error) => {
    throw new Error(`The service can't listen on HOST ${config.HOST}, PORT ${config.PORT}: ${error.message}.`);
  });
  const { address } = app.server.address() as AddressInfo;
  const key = isLoopback(address) && (await makeFirstKey(store));
  greet(origin, document.basePath, key);
}

/** Ends the process: one line that says why, and exit code 1. */
export function end(error: unknown): never {
  console.error(`petstore: ${(error as Error).message.split("\n", 1)[0]}`);
  process.exit(1);
}

function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

// A store without any key is of no use: who tries it out on their own machine is given one.
async function makeFirstKey({ pets, keys }: Store): Promise<string | false> {
  const used = (await keys.list()).length > 0 || (await pets.list({ limit: 1 })).pets.length > 0;
  if (used) return false;
  const { key, hash } = makeKey();
  return (await keys.create("first", hash)) && key;
}

// For people, and so on standard error: the log on standard output never holds a key.
function greet(origin: string, basePath: string, key: string | false): void {
  const lines = [`Pet Store at ${origin}${basePath}, documentation at ${origin}/docs`];
  if (key)
    lines.push(
      "The first key, shown this once:",
      `  curl -H 'Authorization: Bearer ${key}' '${origin}${basePath}/pets'`,
    );
  console.error(lines.join("\n"));
}
