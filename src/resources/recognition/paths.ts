// Paths of a document: what they say of collections and records. Only routing needs the rest of them.
import type { Operation } from "../../openapi/index.ts";
import { actionNames } from "../names/operation-names.ts";

/** Returns the verb with which the path of a POST ends, such as `search`, or with which its name begins, if it is an upsert, or `bulk`; undefined for none. */
export function actionOf({ path, id }: Operation): string | undefined {
  const last = lastSegment(path).toLowerCase();
  const [name = ""] = /^(upsert|enqueue)(?![a-z])/i.exec(id) ?? /(?<![a-z])bulk(?![a-z])/.exec(last) ?? [];
  return actionNames.has(last) ? last : name.toLowerCase() || undefined;
}

// A parameter with the version of the API at the beginning of a path, such as `/{apiVersion}` or `/api/v{version}`.
const versionPath = /^((?:\/(?:api|rest))*\/)(v?)\{((?:api[_-]?)?version)\}(?=\/)/i;

// A parameter with the format of responses, such as `/{format}` or `/api/{format}`.
const formatPath = /^((?:\/[^{}/]+)*(?<!formats)\/)\{(_?format)\}(?=\/)/i;

/**
 * Returns a path without what only routing needs: a slash at its end, the suffix `.json`, and that the version of the API and the format of
 * responses are parameters.
 */
export function normalizePath(path: string): string {
  const place = path.replace(/(\.json)?\/?$/, "").replace(versionPath, (_, start, v, name) => start + (v || name));
  return place.replace(formatPath, "$1$2");
}

/** Returns the name of the parameter of a path with the version of the API, which no record has; undefined if there is none. */
export function versionOf(path: string): string | undefined {
  return versionPath.exec(path)?.[3];
}

/** Returns the name of the parameter of a path with the format of responses, which no record has; undefined if there is none. */
export function formatOf(path: string): string | undefined {
  return formatPath.exec(path.replace(versionPath, ""))?.[2];
}

/** Returns the place of the collection of a record. */
export function listPathOf(path: string): string {
  const place = normalizePath(path);
  return place.slice(0, place.lastIndexOf("/"));
}

/** Returns whether a path has segments behind a #, which no request has. */
export function hasFragment(path: string): boolean {
  return /[/{]/.test(path.split("#")[1] ?? "");
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

/** Returns the names of the parameters of a path, without those of the version of the API and the format of responses. */
export function parametersOf(path: string): readonly string[] {
  return [
    ...path
      .replace(versionPath, "")
      .replace(formatPath, "")
      .matchAll(/\{([^{}]+)\}/g),
  ].map(([, name]) => name as string);
}
