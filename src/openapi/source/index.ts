// The document as it is written: loads it, and finds places in it.
export { externalValueOf } from "./bundle.ts";
export {
  type Content,
  type EncodingObject,
  type ExampleObject,
  type MediaTypeObject,
  methods,
  type OpenApi,
  type OperationObject,
  type ParameterObject,
  type PathItem,
  type ResponseObject,
  type Schema,
  type SchemaObject,
  type SecuritySchemeObject,
} from "./document-types.ts";
export { dataKeywords, fieldNames, isMapName, maps } from "./fields.ts";
export { readSourceFile } from "./files.ts";
export {
  describeFindings,
  type Finding,
  type Findings,
  type Level,
  locateFindings,
  type Report,
  type ReportReason,
  type RuleId,
  refuseUnknown,
  type Strictness,
} from "./findings.ts";
export { type LoadedDocument, listDocumentFiles, loadDocument, parseDocumentText } from "./load.ts";
export type { SourceLocation } from "./locations.ts";
export {
  countReference,
  decodeFragment,
  escapeToken,
  isReferenceWithout,
  listAround,
  memberOf,
  Part,
  referenceOf,
  unescapeToken,
} from "./part.ts";
export { listBasePaths, readBasePath } from "./servers.ts";
export { toNumbers } from "./text.ts";
