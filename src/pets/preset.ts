// The Pet Store: what is special about it.
import type { Preset } from "../server/index.ts";

export const petStore: Preset = {
  name: "petstore",
  description: "Runs the Pet Store service, and manages its API keys and data.",
  records: "pets",
  variablePrefix: "",
  defaults: { name: "petstore", data: "sqlite:data/petstore.db" },
  aliases: { MAX_PETS: "maxRecords" },
  readDocument: async () => (await import("./document.ts")).readDocument(),
  load: async () => (await import("./service.ts")).service,
};
