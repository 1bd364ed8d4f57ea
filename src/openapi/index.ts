// The spec-first parts: documents, their values, operations and routes. `tools.ts` has what only commands and tools need.

// The document

export {
  type Document,
  type DocumentOptions,
  isParsed,
  type PublicUrls,
  parseDocument,
  readDocument,
  toPublicUrls,
} from "./document/document.ts";
export { createValidator, readItems, type Validated, type Validator } from "./document/validator.ts";
export type { Formats } from "./schema/keyword.ts";
export { possiblePartsOf, type SchemaNode } from "./schema/node.ts";
export type { OpenApi, SchemaObject, SecuritySchemeObject } from "./source/document-types.ts";
export type { Report } from "./source/findings.ts";
export type { Part } from "./source/part.ts";
export { readBasePath } from "./source/servers.ts";
export type { Call, Handler, HandlerResponse, Handlers, OperationId, UnansweredId } from "./types/handler.ts";
export { checkTypes, type DocumentTypes, hashTypes, OutdatedTypes } from "./types/modules.ts";

// Its values

export { createExample } from "./mock/example.ts";
export { ExampleCache, type ExampleMember, type ValueSource } from "./mock/example-options.ts";

// Its operations

export type { UntypedCall, UntypedHandler } from "./operation/call.ts";
export {
  type BasicCredential,
  type Credential,
  hasCredential,
  isBearer,
  isSupported,
  readCredential,
  toChallenge,
} from "./operation/credentials.ts";
export {
  createErrorFormat,
  type ErrorFormat,
  type FailureContext,
  problemDetails,
  toFailureContext,
} from "./operation/error-format.ts";
export { listForCors, type Operation } from "./operation/operation.ts";
export type { HandlerResult } from "./operation/response/response.ts";
export { listScopes, type RequiredScheme } from "./operation/security-requirements.ts";
export type { SentRequest } from "./operation/sent-request.ts";
export { type CellOptions, createRecordValidator, TableCells, type TableRow } from "./operation/table-cells.ts";
export type { AnyCall, Wrap } from "./operation/wrap.ts";
export {
  type Authenticate,
  type CheckCredential,
  InvalidCredential,
  identitiesOf,
  type SecurityContext,
  type SecurityScheme,
  type SecuritySchemes,
  scopesOf,
  typeOf,
} from "./routing/authentication.ts";
export type { MappedError } from "./routing/error-table.ts";
export { IssuerKeys } from "./routing/issuer-keys.ts";
export { collectBody } from "./routing/request-body.ts";
export { type Guard, setCaller } from "./routing/route.ts";
export { type RoutesOptions, requireOperations, routes } from "./routing/routes.ts";
export { type FileOptions, sendFile } from "./routing/send-file.ts";
export { createTokenCheck, type TokenCaller, type TokenCheckOptions } from "./routing/token-check.ts";
export { Query } from "./wire/pairs.ts";

// Its pages

export { createMockErrorFormat, findCommonError } from "./mock/mock-failure.ts";
export { servePublicFile, serviceLinks } from "./pages/public-file.ts";
export { swaggerPages } from "./pages/swagger-ui.ts";
