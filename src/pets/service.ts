// What answers the operations of the Pet Store.
import type { UntypedHandler } from "../openapi/index.ts";
import type { Preset } from "../server/index.ts";
import { createContext } from "./handler.ts";
import { handlers } from "./handlers.ts";
import { upgrades } from "./upgrades.ts";

export const service: Awaited<ReturnType<Preset["load"]>> = {
  createOptions: (resources) => ({
    handlers: handlers as object as Readonly<Record<string, UntypedHandler>>, // the compiler has checked them
    context: createContext(resources),
  }),
  storeOptions: {
    upgrades,
    advice:
      "Change them with a function: npm run scaffold -- --upgrade NAME writes it, and petstore migrate applies it.",
  },
};
