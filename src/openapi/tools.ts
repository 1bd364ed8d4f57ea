// What the command `openapi-server` and the resources need of the server, beside what applications do.
export { type Document, type DocumentOptions, readDocument, readExamples } from "./document/index.ts";
export { createExample } from "./mock/index.ts";
export { decodeContent } from "./routing/index.ts";
export { createServer, findDocsOperation, type OpenApiOptions, type ResourceSource } from "./server/index.ts";
export {
  describeFindings,
  type Finding,
  type Level,
  listDocumentFiles,
  locateFindings,
  readSourceFile,
  refuseUnknown,
  type SourceLocation,
} from "./source/index.ts";
export { generateClientModule, generateModule } from "./types/index.ts";
export { formatOf, parseMediaType } from "./wire/index.ts";
