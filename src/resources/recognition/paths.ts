// Paths of a document: what they say of collections and records. Only routing needs the rest of them.
import type { Operation } from "../../openapi/index.ts";
import { actionNames } from "../names/operation-names.ts";

/** Returns the verb with which the path of a POST ends, such as `search`, or with which its name begins, if it is an upsert; undefined for none. */
export function actionOf({ path, id }: Operation): string | undefined {
  const last = lastSegment(path).toLowerCase();
  const [name = ""] = /^(upsert|enqueue)(?![a-z])/i.exec(id) ?? [];
  return actionNames.has(last) ? last : name.toLowerCase() || undefined;
}

/** Returns a path without what only routing needs: a slash at its end, and the suffix `.json`. */
export function normalizePath(path: string): string {
  return path.replace(/(\.json)?\/?$/, "");
}

/** Returns the place of the collection of a record. */
export function listPathOf(path: string): string {
  const place = normalizePath(path);
  return place.slice(0, place.lastIndexOf("/"));
}

/** Returns the last segment of a path. */
export function lastSegment(path: string): string {
  const place = normalizePath(path);
  return place.slice(place.lastIndexOf("/") + 1);
}

/** Returns whether a path is that of a record, by its id. */
export function isRecordPath(path: string): boolean {
  return normalizePath(path).endsWith("}");
}

/** Returns the names of the parameters of a path. */
export function parametersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string);
}
