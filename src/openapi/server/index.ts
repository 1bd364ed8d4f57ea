// Servers of a document.
export { createServer } from "./create-server.ts";
export type {
  OpenApiOptions,
  PluginEdgeOptions,
  PluginOptions,
  ResourceHandlers,
  ResourceOptions,
  ResourceSource,
  ServerOptions,
  UntypedOperations,
} from "./options.ts";
export { openApi } from "./plugin.ts";
export { findDocsOperation } from "./serve-document.ts";
