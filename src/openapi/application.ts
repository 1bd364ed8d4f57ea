// The parts of the spec-first server, for an application that composes a server of its own.

// The document

export {
  type Document,
  type DocumentOptions,
  type PublicUrls,
  parseDocument,
  readDocument,
  toPublicUrls,
} from "./document/index.ts";
export type { SchemaNode } from "./schema/index.ts";
export type { Part, Report, SchemaObject } from "./source/index.ts";
export { compareTypes, type TypeSummary } from "./types/type-summary.ts";

// Its values. Not by the index.ts of their folder, which loads the mock server.

export { createExample } from "./mock/example.ts";

// Its operations

export {
  type CellOptions,
  createRecordValidator,
  listForCors,
  type Operation,
  type SentRequest,
  TableCells,
  type TableRow,
  type UntypedCall,
  type UntypedHandler,
} from "./operation/index.ts";
export { type Authenticate, type Guard, type RoutesOptions, routes } from "./routing/index.ts";
export { Query } from "./wire/index.ts";

// Its pages

export { servePublicFile, serviceLinks, swaggerPages } from "./pages/index.ts";
export type { ResourceHandlers, ResourceOptions, ResourceSource } from "./server/options.ts";
