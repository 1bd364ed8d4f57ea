// Which collections have their records below those of others. The parameters of a path can have other names below it: the records of
// /shops/{shopId}/books are below those of /shops/{shop}.
import type { Resource } from "./resource.ts";

/** Returns whether each record of a collection is directly below one of another collection. */
export function isParent(parent: Resource, { parentPath }: Resource): boolean {
  return parentPath !== undefined && shapeOf(parentPath) === shapeOf(parent.operations.get.path);
}

/** Returns the collection whose records are nearest above those of a resource; undefined if there is none. */
export function collectionAbove({ path }: Resource, all: readonly Resource[]): Resource | undefined {
  const shape = shapeOf(path);
  const above = all.filter((one) => !one.isSingle && shape.startsWith(`${shapeOf(one.operations.get.path)}/`));
  return above.sort((a, b) => depthOf(a) - depthOf(b)).at(-1);
}

/** Returns the collections whose records are below those of a resource, at any depth, from the highest to the lowest. */
export function collectionsBelow(resource: Resource, all: readonly Resource[]): readonly Resource[] {
  const prefix = `${shapeOf(resource.operations.get.path)}/`;
  return all
    .filter(({ path, collection }) => collection.isScoped && shapeOf(path).startsWith(prefix))
    .sort((a, b) => depthOf(a) - depthOf(b));
}

function depthOf({ path }: Resource): number {
  return path.split("/").length;
}

function shapeOf(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, "{}");
}
