// The document as it is written: loads it, and finds places in it.
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
export { Locator } from "./files.ts";
export {
  describeFinding,
  type Finding,
  type Findings,
  type Level,
  type Report,
  type ReportReason,
  type RuleId,
  type Strictness,
} from "./findings.ts";
export { type LoadedDocument, loadDocument, parseDocumentText } from "./load.ts";
export { toNumbers } from "./numbers.ts";
export { decodeFragment, escapeToken, Part, referenceOf, unescapeToken } from "./part.ts";
export { listBasePaths, readBasePath } from "./servers.ts";
