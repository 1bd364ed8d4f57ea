// One operation of the document, compiled: everything that the server needs to serve it.
export { type BodyContent, RawBody } from "./body.ts";
export { type CallOptions, UntypedCall, type UntypedHandler } from "./call.ts";
export {
  type BasicCredential,
  type Credential,
  hasCredential,
  isSupported,
  isVisible,
  readCredential,
  toChallenge,
} from "./credentials.ts";
export { deprecationHeaders } from "./deprecation.ts";
export {
  createErrorFormat,
  type ErrorFormat,
  type FailureContext,
  type FormatInContext,
  problemDetails,
  toFailureContext,
} from "./error-format.ts";
export { type ReadPart, type RequestPart, toInvalidRequest } from "./invalid-request.ts";
export type { PathSource } from "./locations.ts";
export { OpenCalls } from "./open-calls.ts";
export { compileOperation, listForCors, listRequestSchemas, type Operation, type OperationEntry } from "./operation.ts";
export { findRawText } from "./path-template.ts";
export { type CellOptions, createRecordValidator, TableCells, type TableRow } from "./records.ts";
export type { ResponseValidation } from "./response/check.ts";
export type { HandlerResult, UntypedResponse, WriteOptions } from "./response/response.ts";
export type { RequiredScheme } from "./security-requirements.ts";
export { SentRequest } from "./sent-request.ts";
export { type AnyCall, type Wrap, wrapHandler } from "./wrap.ts";
