// Parts of an operation: its paths, bodies and parameters.
import type { Operation, Part } from "../../openapi/application.ts";

/** Returns the schema of the body of an operation: as JSON, or as a form. Undefined if it has none. */
export function bodySchema({ part }: Operation): Part | undefined {
  const content = part.at("requestBody")?.at("content");
  return (content?.at("application/json") ?? content?.at("application/x-www-form-urlencoded"))?.at("schema");
}

/** Returns the schema of the response with a status, as JSON; undefined if it has none. */
export function responseSchema({ part }: Operation, status: string): Part | undefined {
  return part.at("responses")?.at(status)?.at("content")?.at("application/json")?.at("schema");
}

/** Returns the parameters of an operation in its query. */
export function queryOf({ parameterParts }: Operation) {
  return parameterParts.filter(({ value }) => value.in === "query");
}

/** Returns the path of the collection of a record. */
export function listPathOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Returns the names of the parameters of a path. */
export function parametersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string);
}
