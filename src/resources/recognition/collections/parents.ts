// Which collections have their records below those of others. The parameters of a path can have other names below it: the records of
// /shops/{shopId}/books are below those of /shops/{shop}.
import { toSnakeCase } from "../../../lib/index.ts";
import type { Operation } from "../../../openapi/index.ts";
import { singularOf } from "../../names/meaning.ts";
import { ownNames } from "../../names/member-names.ts";
import type { CollectionPlan, ScopeParameter } from "../../record/collection-plan.ts";
import type { RecordSchema } from "../../record/record-schema.ts";
import type { Resource } from "../../record/resource.ts";
import { isTenant } from "../bodies-and-parameters.ts";
import { normalizePath, parametersOf } from "../paths.ts";

/** Returns whether each record of a collection is directly below one of another collection. */
export function isParent(parent: Resource, { path }: Resource): boolean {
  const [parentPath] = /^.*\}(?=\/)/.exec(path) ?? [];
  return parentPath !== undefined && shapeOf(parentPath) === shapeOf(parent.item.path);
}

/** Returns whether a property is named like the records of a collection: `author_id`, `author` and `author_ids` refer to authors. */
export function refersTo(property: string, { recordName, path }: Pick<CollectionPlan, "recordName" | "path">): boolean {
  const name = toSnakeCase(property)
    .replace(/_(pk|id|uuid|key|slug)s?$/, "")
    .replace(/s$/, "");
  return name === recordName || name === toSnakeCase(path.slice(path.lastIndexOf("/") + 1)).replace(/s$/, "");
}

/** Returns the collection whose records are nearest above those of another one; undefined if there is none. */
export function collectionAbove(
  { path, scope }: Pick<CollectionPlan, "path" | "scope">,
  all: readonly CollectionPlan[],
): CollectionPlan | undefined {
  const shape = shapeOf(path);
  const isAbove = (one: CollectionPlan) => one.parameter !== "" && shape.startsWith(`${shapeOf(one.recordPath)}/`);
  const above = all.filter((one) => isAbove(one) && hasSameTenants(one, { scope }));
  return above.sort((a, b) => depthOf(a) - depthOf(b)).at(-1);
}

/** Returns the collections whose records are below those of another one, at any depth, from the highest to the lowest. */
export function collectionsBelow(
  { isSingle, parameter, recordPath, scope: own }: CollectionPlan,
  all: readonly CollectionPlan[],
): readonly CollectionPlan[] {
  if (!isSingle && parameter === "") return [];
  const prefix = `${shapeOf(recordPath)}/`;
  return all
    .filter(
      (one) => one.scope.length > 0 && shapeOf(one.path).startsWith(prefix) && hasSameTenants(one, { scope: own }),
    )
    .sort((a, b) => depthOf(a) - depthOf(b));
}

/** Returns the headers of an operation that select a tenant, and the property of its records with the name of each. */
export function findTenants({ parameterParts }: Operation, { propertyNames }: RecordSchema): readonly ScopeParameter[] {
  return parameterParts.filter(isTenant).map(({ value: { name: parameter } }) => {
    const own = toSnakeCase(parameter).replace(/^x_/, "");
    const member = propertyNames.find((name) => toSnakeCase(name) === own);
    return { parameter, in: "header", ...(member !== undefined && { member }) };
  });
}

/** Returns whether two collections have the same tenants. */
function hasSameTenants(a: Pick<CollectionPlan, "scope">, b: Pick<CollectionPlan, "scope">): boolean {
  return tenantsOf(a.scope).join() === tenantsOf(b.scope).join();
}

/** Returns the names of the headers of a scope. */
export function tenantsOf(scope: readonly ScopeParameter[]): readonly string[] {
  return scope.flatMap((one) => (one.in === "header" ? [one.parameter] : []));
}

/** Returns the parameters of the path of a collection, and the property of its records with the name of each. */
export function findScope(path: string, record: RecordSchema, [idName]: readonly string[]): readonly ScopeParameter[] {
  const names = record.propertyNames.filter((name) => name !== idName && !ownNames.test(toSnakeCase(name)));
  return parametersOf(path).map((parameter) => {
    const own = toSnakeCase(parameter);
    const before = path.split(`/{${parameter}}`, 1)[0]?.split("/").at(-1) ?? "";
    // `vehicle_id` of `/vehicles/{id}`, `organization_id` or `organization`, which can be an object, of `{organization_pk}`
    const thing = ownNames.test(own) ? singularOf(toSnakeCase(before)) : own.replace(/_(pk|id|uuid|slug|key)$/, "");
    const found = [own, `${thing}_id`, thing].flatMap((one) => names.find((name) => toSnakeCase(name) === one) ?? []);
    return { parameter, ...(found[0] !== undefined && { member: found[0] }) };
  });
}

function depthOf({ path }: Pick<CollectionPlan, "path">): number {
  return path.split("/").length;
}

function shapeOf(path: string): string {
  return normalizePath(path).replaceAll(/\{[^{}]*\}/g, "{}");
}
