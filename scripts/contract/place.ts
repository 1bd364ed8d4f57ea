// A place in the document in a reader's words.

import { methods } from "../../src/spec/openapi.ts";
import { find, type Json, type Steps } from "../pointer.ts";

// What a step says, by the one before it; what is not here says nothing of its own.
const words: Record<string, (step: string, part: Json | undefined) => string> = {
  parameters: (_, part) => `${part?.in} parameter \`${part?.name}\``,
  responses: (step) => `answer ${step}`,
  headers: (step) => `header \`${step}\``,
  properties: (step) => `field \`${step}\``,
  schemas: (step) => `schema \`${step}\``,
  securitySchemes: (step) => `credential \`${step}\``,
  tags: (_, part) => `tag \`${part?.name}\``,
};

/** The place in words: "listPets, query parameter `limit`". */
export function place(document: Json, steps: Steps): string {
  const [first, path, method = ""] = steps;
  const operation = first === "paths" && (methods as readonly string[]).includes(method);
  const start = operation ? 3 : first === "paths" ? 2 : 0;
  const said = steps.slice(start).flatMap((step, index) => {
    const before = steps[start + index - 1] ?? "";
    if (step === "requestBody") return ["body"];
    if (step === "items" && before !== "properties") return ["each of them"];
    return words[before]?.(step, find(document, steps.slice(0, start + index + 1))) ?? [];
  });
  if (operation) {
    const id = find(document, [first, path as string, method])?.operationId;
    said.unshift(String(id ?? `${method.toUpperCase()} ${path}`));
  } else if (start === 2) {
    const item = find(document, [first as string, path as string]) ?? {};
    const ids = methods.flatMap((method) => (item[method] as Json | undefined)?.operationId ?? []);
    said.unshift(`the path ${path}${ids.length > 0 ? ` (${ids.join(", ")})` : ""}`);
  }
  return said.join(", ") || (first ? `the document's ${first}` : "the document");
}
