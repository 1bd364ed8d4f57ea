// Finds the schemas of responses that do not permit additional fields.
import { methods } from "../../src/openapi/source/document-types.ts";
import { find, type Json, parsePointer } from "../json-pointer.ts";

// The schemas of these keywords apply to the same value as the schema that contains them.
const inPlace = /^(allOf|anyOf|oneOf|if|then|else|\$ref)$/;

/** Returns the schemas of all responses, including nested ones, that reject additional fields. */
export function findClosedSchemas(document: Json): ReadonlySet<Json> {
  const closed = new Set<Json>();
  const seen = { open: new Set<unknown>(), closed: new Set<unknown>() };
  const walk = (part: unknown, isClosed: boolean): void => {
    const visited = isClosed ? seen.closed : seen.open;
    if (part === null || typeof part !== "object" || visited.has(part)) return;
    visited.add(part);
    const schema = part as Json;
    const closesParts = isClosed || schema.unevaluatedProperties === false;
    if (closesParts || schema.additionalProperties === false) closed.add(schema);
    for (const [key, child] of Object.entries(schema)) {
      const target = key === "$ref" ? find(document, parsePointer(child as string)) : child;
      for (const one of Array.isArray(target) ? target : [target]) walk(one, closesParts && inPlace.test(key));
    }
  };
  for (const item of Object.values(document.paths as Json))
    for (const method of methods) walk(((item as Json)[method] as Json | undefined)?.responses, false);
  return closed;
}
