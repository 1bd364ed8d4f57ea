// Creates the server of the Pet Store over a store that is open already, as the program does over that of its settings.
import type { FastifyInstance } from "fastify";
import type { Document } from "../../src/openapi/index.ts";
import { readDocument } from "../../src/pets/document.ts";
import { createContext } from "../../src/pets/handler.ts";
import { handlers } from "../../src/pets/handlers.ts";
import { openStore } from "../../src/resources/index.ts";
import { createServer, type ServerOptions, toServerOptions, type UntypedOperations } from "../../src/server/index.ts";
import type { Settings } from "../../src/settings/index.ts";
import type { Store } from "../../src/store/port.ts";

type Options = Omit<ServerOptions<UntypedOperations, unknown, unknown>, "document"> & {
  readonly document?: Document;
};

/** Creates the server. Options replace those of the settings. */
export async function createPetServer(
  store: Store,
  settings: Settings,
  options: Options = {},
): Promise<FastifyInstance> {
  const resources = openStore(store);
  return createServer({
    ...toServerOptions(settings),
    document: await readDocument(),
    handlers: handlers as never,
    resources,
    context: createContext(resources),
    ...options,
  });
}
