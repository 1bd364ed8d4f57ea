// The server of a document: the only composition of its parts.

export { describeKeys } from "./announcement.ts";
export { createServer } from "./create-server.ts";
export type {
  OpenApiOptions,
  PluginEdgeOptions,
  PluginOptions,
  ServerOptions,
  UntypedOperations,
} from "./options.ts";
export { openApi } from "./plugin.ts";
export { type Preset, runPreset } from "./preset.ts";
export { listen, runService, type Service, type Started, toServerOptions } from "./run.ts";
export { findDocsOperation, loadAgents, loadDocument, servesDocs } from "./serve-document.ts";
export { takeOver } from "./take-over.ts";
