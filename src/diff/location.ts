// Names the parts of a document for people.
import type { Document } from "../openapi/index.ts";
import { unescapeToken } from "../openapi/tools.ts";

// By the token before. Other tokens are not named.
const names: Readonly<Record<string, (token: string, part: Readonly<Record<string, unknown>>) => string>> = {
  parameters: (token, { in: location, name }) =>
    name === undefined ? `parameter \`${token}\`` : `${location} parameter \`${name}\``,
  responses: (token) => `response ${token}`,
  requestBodies: (token) => `body \`${token}\``,
  callbacks: (token) => `callback \`${token}\``,
  headers: (token) => `header \`${token}\``,
  links: (token) => `link \`${token}\``,
  content: (token) => `\`${token}\``,
  properties: (token) => `field \`${token}\``,
  schemas: (token) => `schema \`${token}\``,
};

/** Names the part at a JSON pointer, without its operation at `outer`: query parameter `limit`. Empty for an operation itself. */
export function describePart({ root }: Document, pointer: string, outer: string | undefined): string {
  const tokens = pointer.split("/").slice(1).map(unescapeToken);
  const isOfOperation = outer !== undefined && `${pointer}/`.startsWith(`${outer}/`);
  const [first = "", path] = tokens;
  const start = isOfOperation ? outer.split("/").length - 1 : /^(paths|webhooks)$/.test(first) ? 2 : 0;
  const parts = tokens.slice(start).flatMap((token, index) => {
    const before = tokens[start + index - 1] ?? "";
    const isName = tokens[start + index - 2] === "properties"; // of a field
    if (token === "requestBody" && index === 0) return ["body"];
    const isLast = start + index === tokens.length - 1;
    if (/^(items|prefixItems|additionalProperties)$/.test(token) && !isLast && before !== "properties")
      return [token === "additionalProperties" ? "other fields" : "items"];
    if (isName) return [];
    const own = pointer.split("/").slice(0, start + index + 2);
    const value = before === "parameters" ? root.find(own.join("/")).resolve().value : undefined;
    return names[before]?.(token, Object(value)) ?? [];
  });
  if (!isOfOperation && start === 2 && path) parts.unshift(`path ${path}`);
  // A field of a field: `a.b`.
  const areFields = (index: number) => [index - 1, index].every((one) => parts[one]?.startsWith("field `"));
  const text = parts
    .reduce(
      (all, part, index) =>
        areFields(index) ? `${all.slice(0, -1)}.${part.slice("field `".length)}` : `${all}, ${part}`,
      "",
    )
    .slice(2);
  return text || (isOfOperation ? "" : `document${first ? ` ${first}` : ""}`);
}
