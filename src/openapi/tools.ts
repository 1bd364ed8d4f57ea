// What only commands and tools, and agents, need of documents.

export { readExamples } from "./document/declared-examples.ts";
export { serializationOf } from "./operation/parameter.ts";
export { decodeContent } from "./routing/content-codings.ts";
export { methods } from "./source/document-types.ts";
export { readSourceFile } from "./source/files.ts";
export { describeFindings, type Finding, type Level, locateFindings, refuseUnknown } from "./source/findings.ts";
export { listDocumentFiles, loadSource } from "./source/load.ts";
export { describeLocation, locate, type SourceLocation } from "./source/locations.ts";
export { escapeToken, unescapeToken } from "./source/part.ts";
export { readServerUrl } from "./source/servers.ts";
export { generateClientModule, generateModule } from "./types/modules.ts";
export { formatOf, isJson, listContents, parseMediaType } from "./wire/media-types.ts";
