// The document as it is written: loads it, and finds places in it.
export {
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
export { dataKeywords, isMapName, maps } from "./fields.ts";
export { type LoadedDocument, loadDocument, parseDocumentText } from "./load.ts";
export { decodeFragment, escapeToken, Part, type Report, referenceOf, unescapeToken } from "./part.ts";
export { readBasePath } from "./servers.ts";
