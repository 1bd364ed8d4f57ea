/** The folders whose tests run together, by the name of the file in test/folders that imports them. */
export const folders = {
  values: ["lib", "openapi/schema", "openapi/wire"],
  source: ["openapi/source"],
  document: ["openapi/document"],
  operation: ["openapi/operation"],
} as const satisfies Record<string, readonly string[]>;
