// Which collections have their records below those of others. The parameters of a path can have other names below it: the records of
// /shops/{shopId}/books are below those of /shops/{shop}.
import { parseJson, toSnakeCase } from "../../lib/index.ts";
import { normalizePath } from "./bodies-and-parameters.ts";
import type { Resource } from "./resource.ts";

/** Returns whether each record of a collection is directly below one of another collection. */
export function isParent(parent: Resource, { parentPath }: Resource): boolean {
  return parentPath !== undefined && shapeOf(parentPath) === shapeOf(parent.item.path);
}

/** Returns the collection whose records are nearest above those of a resource; undefined if there is none. */
export function collectionAbove({ path }: Resource, all: readonly Resource[]): Resource | undefined {
  const shape = shapeOf(path);
  const above = all.filter((one) => one.hasRecordPath && shape.startsWith(`${shapeOf(one.item.path)}/`));
  return above.sort((a, b) => depthOf(a) - depthOf(b)).at(-1);
}

/** Returns the collections whose records are below those of a resource, at any depth, from the highest to the lowest. */
export function collectionsBelow(resource: Resource, all: readonly Resource[]): readonly Resource[] {
  if (!resource.isSingle && !resource.hasRecordPath) return [];
  const prefix = `${shapeOf(resource.item.path)}/`;
  return all
    .filter(({ path, collection }) => collection.isScoped && shapeOf(path).startsWith(prefix))
    .sort((a, b) => depthOf(a) - depthOf(b));
}

// Names that a record and the one above it have, with other values.
const ownName = /^(id|uuid|key|slug|number|name|code)$/;

/**
 * Returns the members of a new record that its path has, such as `shop_id` of `/shops/{shop_id}/books`: those with the name of a parameter
 * of the scope.
 */
export function membersOfScope(
  resource: Resource,
  scope: readonly (string | bigint | number)[],
): Readonly<Record<string, unknown>> {
  const { record } = resource;
  const names = scopeNames.get(resource) ?? findScopeNames(resource);
  scopeNames.set(resource, names);
  const members = names.flatMap((name, index) => {
    if (name === undefined) return [];
    const text = `${scope[index]}`;
    const values = [text, ...(/^(0|[1-9]\d*)$/.test(text) ? [parseJson(text)] : [])];
    return values.filter((value) => record.accepts(name, value)).map((value) => [name, value] as const);
  });
  return Object.fromEntries(members);
}

const scopeNames = new WeakMap<Resource, readonly (string | undefined)[]>();

// Returns the properties of a record with the names of the parameters of its scope, in their order.
function findScopeNames({ record, scopeParameters, idPath }: Resource): readonly (string | undefined)[] {
  const names = record.propertyNames.filter((name) => name !== idPath[0] && !ownName.test(toSnakeCase(name)));
  return scopeParameters.map((parameter) => {
    const own = toSnakeCase(parameter);
    const thing = own.replace(/_(pk|id|uuid|slug|key)$/, ""); // `organization` or `organization_id` of `{organization_pk}`
    return [own, thing, `${thing}_id`].flatMap((one) => names.find((name) => toSnakeCase(name) === one) ?? [])[0];
  });
}

function depthOf({ path }: Resource): number {
  return path.split("/").length;
}

function shapeOf(path: string): string {
  return normalizePath(path).replaceAll(/\{[^{}]*\}/g, "{}");
}
