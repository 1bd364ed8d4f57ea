// Describes locations in the document, for the report and the changelog.
import { methods } from "../../src/openapi/source/document-types.ts";
import { find, type Json, type Tokens } from "../json-pointer.ts";

// Describes a token by the token before it. Other tokens are not described.
const descriptions: Record<string, (token: string, part: Json | undefined) => string> = {
  parameters: (_, part) => `${part?.in} parameter \`${part?.name}\``,
  responses: (token) => `response ${token}`,
  headers: (token) => `header \`${token}\``,
  properties: (token) => `field \`${token}\``,
  schemas: (token) => `schema \`${token}\``,
  securitySchemes: (token) => `security scheme \`${token}\``,
  tags: (_, part) => `tag \`${part?.name}\``,
};

/** Describes the location at the tokens, such as "listPets, query parameter `limit`". */
export function describeLocation(document: Json, tokens: Tokens): string {
  const [first, path = "", method = ""] = tokens;
  const isOperation = first === "paths" && (methods as readonly string[]).includes(method);
  const start = isOperation ? 3 : first === "paths" ? 2 : 0;
  const parts = tokens.slice(start).flatMap((token, index) => {
    const previous = tokens[start + index - 1] ?? "";
    if (token === "requestBody") return ["body"];
    if (token === "items" && previous !== "properties") return ["items"];
    return descriptions[previous]?.(token, find(document, tokens.slice(0, start + index + 1))) ?? [];
  });
  if (isOperation) {
    const id = find(document, ["paths", path, method])?.operationId;
    parts.unshift(String(id ?? `${method.toUpperCase()} ${path}`));
  } else if (start === 2) {
    const item = find(document, ["paths", path]) ?? {};
    const ids = methods.flatMap((method) => (item[method] as Json | undefined)?.operationId ?? []);
    parts.unshift(`path ${path}${ids.length > 0 ? ` (${ids.join(", ")})` : ""}`);
  }
  return parts.join(", ") || (first ? `document ${first}` : "document");
}
