// The URLs that members of a record have by their names: its own, that of its parent, and those of lists below it.
import { toSnakeCase } from "../../lib/index.ts";
import type { Operation } from "../../openapi/index.ts";
import { meaningOf } from "../names/meaning.ts";
import { urlNames } from "../names/member-names.ts";
import { RecordSchema } from "../record/record-schema.ts";
import type { Resource } from "../record/resource.ts";
import { parentUrl, recordUrl } from "../record/url-placeholders.ts";
import { readSchema } from "./bodies-and-parameters.ts";
import { normalizePath } from "./paths.ts";

/** Returns a function that returns the URL of a member, see `recordUrl`; undefined if its name says none. */
export function createUrlFinder({ item, isSingle, hasRecordPath, record, scopeParameters }: Resource) {
  const own = normalizePath(item.path);
  const places = record.document.operations.map(({ path }) => normalizePath(path));
  const below = places.flatMap((path) => (path.startsWith(`${own}/`) ? [path.slice(own.length + 1)] : []));
  // The number of segments behind each parameter of the scope, the nearest one first, with the names of what has its value.
  const parents = scopeParameters.toReversed().flatMap((parameter, index) => {
    const end = own.indexOf(`{${parameter}}`) + parameter.length + 2;
    const isGet = ({ method, path }: Operation) => method === "GET" && normalizePath(path) === own.slice(0, end);
    const get = record.document.operations.find(isGet);
    const part = get && readSchema(get);
    const schema = `_${toSnakeCase((part && RecordSchema.of(record.document, part).name) ?? "")}`;
    const parent = toSnakeCase(parameter).replace(/_(id|pk|slug|number)$/, "");
    const isLike = (thing: string) => index === 0 && !thing.includes("_") && thing.startsWith(parent);
    const isParent = (thing: string) => thing === parent || schema.endsWith(`_${thing}`) || isLike(thing);
    return get || index === 0 ? [{ depth: own.slice(end).split("/").length - 1, isParent }] : [];
  });
  return (name: string): string | undefined => {
    if (!isSingle && !hasRecordPath) return undefined;
    if (meaningOf(urlNames, name)) return recordUrl;
    const [, thing = ""] = /^(.+)_(?:url|link|href)$/.exec(toSnakeCase(name)) ?? [];
    if (thing === "") return undefined;
    const list = below.find((path) => [thing, `${thing}s`].includes(toSnakeCase(path)));
    if (list !== undefined) return `${recordUrl}/${list}`;
    // `repository_url` below `/repos/{repo}`
    const parent = parents.find(({ isParent }) => isParent(thing));
    return parent && `${parentUrl}/${parent.depth}`;
  };
}
