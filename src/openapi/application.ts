// The parts of the spec-first server, for an application that composes a server of its own.

// The document

export {
  type Document,
  type DocumentOptions,
  type PublicUrls,
  parseDocument,
  readDocument,
  toPublicUrls,
} from "./document/document.ts";
export type { SchemaNode } from "./schema/node.ts";
export type { SchemaObject } from "./source/document-types.ts";
export type { Report } from "./source/findings.ts";
export type { Part } from "./source/part.ts";
export { hashTypes, OutdatedTypes } from "./types/modules.ts";

// Its values. Not by the index.ts of their folder, which loads the mock server.

export { createExample } from "./mock/example.ts";

// Its operations

export type { UntypedCall, UntypedHandler } from "./operation/call.ts";
export { listForCors, type Operation } from "./operation/operation.ts";
export { type CellOptions, createRecordValidator, TableCells, type TableRow } from "./operation/records.ts";
export type { SentRequest } from "./operation/sent-request.ts";
export type { Authenticate } from "./routing/authentication.ts";
export type { Guard } from "./routing/route.ts";
export { type RoutesOptions, routes } from "./routing/routes.ts";
export { Query } from "./wire/pairs.ts";

// Its pages

export { servePublicFile, serviceLinks } from "./pages/public-file.ts";
export { swaggerPages } from "./pages/swagger-ui.ts";
export type { ResourceHandlers, ResourceOptions, ResourceSource } from "./server/options.ts";
