// The URLs that members of a record have by their names: its own, that of its parent, and those of lists below it.
import { toSnakeCase } from "../../lib/index.ts";
import { meaningOf, urlNames } from "../record/name-tables.ts";
import type { Resource } from "../record/resource.ts";
import { parentUrl, recordUrl } from "../record/url-placeholders.ts";
import { normalizePath } from "./paths.ts";

/** Returns a function that returns the URL of a member, see `recordUrl`; undefined if its name says none. */
export function createUrlFinder({ item, isSingle, hasRecordPath, record, scopeParameters }: Resource) {
  const own = normalizePath(item.path);
  const places = record.document.operations.map(({ path }) => normalizePath(path));
  const below = places.flatMap((path) => (path.startsWith(`${own}/`) ? [path.slice(own.length + 1)] : []));
  const parameter = scopeParameters.at(-1) ?? "";
  const parent = toSnakeCase(parameter).replace(/_(id|pk|slug)$/, "");
  // The segments behind the last parameter of the scope.
  const depth = own.slice(own.indexOf(`{${parameter}}`)).split("/").length - 1;
  return (name: string): string | undefined => {
    if (!isSingle && !hasRecordPath) return undefined;
    if (meaningOf(urlNames, name)) return recordUrl;
    const [, thing = ""] = /^(.+)_(?:url|link|href)$/.exec(toSnakeCase(name)) ?? [];
    if (thing === "") return undefined;
    const list = below.find((path) => [thing, `${thing}s`].includes(toSnakeCase(path)));
    if (list !== undefined) return `${recordUrl}/${list}`;
    // `repository_url` below `/repos/{repo}`
    const isParent = parent !== "" && (thing === parent || (!thing.includes("_") && thing.startsWith(parent)));
    return isParent ? `${parentUrl}/${depth}` : undefined;
  };
}
