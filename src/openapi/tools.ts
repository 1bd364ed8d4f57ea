// What the command `openapi-server` and the resources need of the server, beside what applications do.

export { readExamples } from "./document/declared-examples.ts";
export { type Document, type DocumentOptions, readDocument } from "./document/document.ts";
export { createExample } from "./mock/example.ts";
export { type Credential, isBearer, isSupported } from "./operation/credentials.ts";
export type { RequiredScheme } from "./operation/security-requirements.ts";
export { type CheckCredential, typeOf } from "./routing/authentication.ts";
export { decodeContent } from "./routing/content-codings.ts";
export { IssuerKeys } from "./routing/issuer-keys.ts";
export { createTokenCheck } from "./routing/token-check.ts";
export { createServer } from "./server/create-server.ts";
export type { OpenApiOptions, ResourceSource } from "./server/options.ts";
export { findDocsOperation, loadDocument } from "./server/serve-document.ts";
export { readSourceFile } from "./source/files.ts";
export { describeFindings, type Finding, type Level, locateFindings, refuseUnknown } from "./source/findings.ts";
export { listDocumentFiles, loadSource } from "./source/load.ts";
export type { SourceLocation } from "./source/locations.ts";
export { generateClientModule, generateModule } from "./types/modules.ts";
export { formatOf, parseMediaType } from "./wire/media-types.ts";
